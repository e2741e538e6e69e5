/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of [N, C, D, H, W]; what has fewer dimensions has them as 1.
 *
 * pad: the input with its border of zeros, as floats
 * conv: a work-item makes PIXELS neighbours of a row for LANES channels; the
 *     input has its border, weights lie in panels of LANES
 * conv_rows: a work-item makes WIDTH neighbours of a row for LANES channels,
 *     each channel's as a vector: without turning them at the end
 * depthwise, depthwise_band: a channel each; WIDTH of a row at once
 * conv_back: transposed; a pixel for LANES channels
 * conv_back_rows: transposed; of the pixels of a row that windows reach alike,
 *     WIDTH for LANES channels
 * S…, D…: strides and dilations; K…: the window. */

#if LANES == 16
#define VECTOR float16
#define LOAD_LANES(i, p) vload16 (i, p)
#define KEEP_LANES(v, p) vstore16 (v, 0, p)
#else
#define VECTOR float
#define LOAD_LANES(i, p) (p)[i]
#define KEEP_LANES(v, p) (*(p) = (v))
#endif

/* Long windows are loops: their text would not fit the cache. */
#if KW <= 16
#define UNROLL_WINDOW _Pragma ("unroll")
#else
#define UNROLL_WINDOW _Pragma ("unroll 16")
#endif

#ifdef PAD
/* A work-item makes `rows` rows. */
__kernel void
pad (BUFFER (out), BUFFER (in), int rows, int d_in, int h_in, int w_in,
    int d_out, int h_out, int w_out, int d_pad, int h_pad, int w_pad)
{
  const int first = get_global_id (1) * rows, plane = get_global_id (2);
  const int last = min (first + rows, d_out * h_out);
  BIND (out);
  BIND (in);

  for (int row = first; row < last; row++) {
    const int d = row / h_out - d_pad, h = row % h_out - h_pad;
    const int begin = d >= 0 && d < d_in && h >= 0 && h < h_in ? w_pad : w_out;
    const int end = min (begin + w_in, w_out);
    const int from = ((plane * d_in + d) * h_in + h) * w_in - w_pad;
    const int to = (plane * d_out * h_out + row) * w_out;

#if CHUNK > 1
    /* Three loops without a choice in them are vectors. */
    const int x0 = get_global_id (0) * CHUNK, x3 = min (x0 + CHUNK, w_out);
    const int x1 = clamp (begin, x0, x3), x2 = clamp (end, x1, x3);

    for (int x = x0; x < x1; x++)
      AT (float, out, to + x) = 0;
    for (int x = x1; x < x2; x++)
      AT (float, out, to + x) = LOAD (IN_TYPE, in, from + x);
    for (int x = x2; x < x3; x++)
      AT (float, out, to + x) = 0;
#else
    FOR_X (x, w_out) {
      const int inside = x >= begin && x < end;

      AT (float, out, to + x) = inside ? LOAD (IN_TYPE, in, from + x) : 0;
    }
#endif
  }
}
#endif

#ifdef CONV
__kernel void
conv (BUFFER (out), BUFFER (in), BUFFER (weights), int channels, int filters,
    int groups, int d_in, int h_in, int w_in, int d_out, int h_out,
    int w_out POST_PARAMETERS)
{
  const int tiles = (w_out + PIXELS - 1) / PIXELS;
  const int tile = get_global_id (0), block = get_global_id (1);
  const int n = get_global_id (2);
  const int blocks = (filters + LANES - 1) / LANES;
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  if (tile >= tiles * h_out * d_out || block >= blocks * groups)
    return;

  const int x = min (tile % tiles * PIXELS, w_out - PIXELS);
  const int y = tile / tiles % h_out, z = tile / tiles / h_out;
  const int group = block / blocks, filter = block % blocks * LANES;
  const int plane = d_in * h_in * w_in;
  const int begin = (n * groups + group) * channels * plane
                    + (z * SD * h_in + y * SH) * w_in + x * SW;
  __global const any_float *w =
      (__global const any_float *) weights + block * channels * (KD * KH * KW) * LANES;
  VECTOR sum[PIXELS];

#pragma unroll
  for (int p = 0; p < PIXELS; p++)
    sum[p] = 0;
  for (int c = 0; c < channels; c++)
    for (int kz = 0; kz < KD; kz++)
      for (int ky = 0; ky < KH; ky++) {
        const int row =
            begin + c * plane + (kz * DD * h_in + ky * DH) * w_in;

UNROLL_WINDOW
        for (int kx = 0; kx < KW; kx++) {
          const VECTOR v = LOAD_LANES (0, w);

          w += LANES;
#pragma unroll
          for (int p = 0; p < PIXELS; p++)
            sum[p] = MAD (
                (VECTOR) (LOAD (IN_TYPE, in, row + kx * DW + p * SW)), v, sum[p]);
        }
      }

  float lanes[LANES][PIXELS];
  const int first = group * filters + filter;
  const int count = min (LANES, filters - filter);

#pragma unroll
  for (int p = 0; p < PIXELS; p++) {
    float column[LANES];

    KEEP_LANES (sum[p], column);
#pragma unroll
    for (int l = 0; l < LANES; l++)
      lanes[l][p] = column[l];
  }
  for (int l = 0; l < count; l++) {
    const int at =
        (((n * groups * filters + first + l) * d_out + z) * h_out + y) * w_out
        + x;

    POST_CHANNEL (first + l);

    for (int p = 0; p < PIXELS; p++)
      STORE (OUT_TYPE, out, at + p, POST (lanes[l][p], at + p));
  }
}
#endif

/* WIDTH pixels from p on, of LINES whole lines. */
#if SW == 1
#define TAKE(n, p) PASTE (vload, n) (0, p)
#else
#define TAKE(n, p)                                                             \
  ((PASTE (float, n)) (                                                        \
      PASTE (vload, n) (0, p).even, PASTE (vload, n) (0, (p) + n).even))
#endif
#if LINES == 2
#define TAKE_ROW(p) ((ROW) (TAKE (8, p), TAKE (8, (p) + SH * w_in)))
#elif LINES == 4
#define TAKE_ROW(p)                                                            \
  ((ROW) (TAKE (4, p), TAKE (4, (p) + SH * w_in),                              \
      TAKE (4, (p) + 2 * SH * w_in), TAKE (4, (p) + 3 * SH * w_in)))
#else
#define TAKE_ROW(p) TAKE (WIDTH, p)
#endif

#ifdef CONV_ROWS
/* Of floats; rows are at least WIDTH long, or LINES of them are; the last tile
 * overlaps. */
__kernel void
conv_rows (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int d_in, int h_in, int w_in, int d_out,
    int h_out, int w_out POST_PARAMETERS)
{
#if LINES > 1
  const int tiles = 1, lines = (h_out + LINES - 1) / LINES;
#else
  const int tiles = (w_out + WIDTH - 1) / WIDTH, lines = h_out;
#endif
  const int tile = get_global_id (0), block = get_global_id (1);
  const int n = get_global_id (2);
  const int blocks = (filters + LANES - 1) / LANES;
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  if (tile >= tiles * lines * d_out || block >= blocks * groups)
    return;

  const int x = LINES > 1 ? 0 : min (tile % tiles * WIDTH, w_out - WIDTH);
  const int y = min (tile / tiles % lines * LINES, h_out - LINES);
  const int z = tile / tiles / lines;
  const int group = block / blocks, filter = block % blocks * LANES;
  const int plane = d_in * h_in * w_in;
  __global const any_float *from = (__global const any_float *) in
                               + (n * groups + group) * channels * plane
                               + (z * SD * h_in + y * SH) * w_in + x * SW;
  __global const any_float *w = (__global const any_float *) weights
                            + block * channels * (KD * KH * KW) * LANES;
  ROW sum[LANES];

#pragma unroll
  for (int l = 0; l < LANES; l++)
    sum[l] = 0;
  for (int c = 0; c < channels; c++, from += plane)
    for (int kz = 0; kz < KD; kz++)
      for (int ky = 0; ky < KH; ky++) {
        __global const any_float *row = from + (kz * DD * h_in + ky * DH) * w_in;

UNROLL_WINDOW
        for (int kx = 0; kx < KW; kx++) {
          const ROW v = TAKE_ROW (row + kx * DW);

#pragma unroll
          for (int l = 0; l < LANES; l++)
            sum[l] = MAD (v, (ROW) (w[l]), sum[l]);
          w += LANES;
        }
      }

  float lanes[LANES * WIDTH];
  const int first = group * filters + filter;
  const int count = min (LANES, filters - filter);

#pragma unroll
  for (int l = 0; l < LANES; l++)
    KEEP_ROW (sum[l], lanes + l * WIDTH);
  for (int l = 0; l < count; l++) {
    const int at =
        (((n * groups * filters + first + l) * d_out + z) * h_out + y) * w_out
        + x;

    POST_CHANNEL (first + l);

    KEEP_ROW (POST (LOAD_ROW (lanes + l * WIDTH), at),
        (__global any_float *) out + at);
  }
}
#endif

#ifdef DEPTHWISE
/* A work-item makes `rows` rows of a plane, from lines that have their border.
 * BAND: it puts the border round them itself, in as many floats of its own, and
 * makes whole rows; else the input has it and room behind the last line, and a
 * work-item makes a column of tiles. */
#ifdef BAND
#define LINE const float *
#else
#define LINE __global const any_float *
#endif

static inline ROW
window (LINE from, __global const any_float *w, int h_in, int w_in)
{
  ROW sum = 0;

  for (int kz = 0; kz < KD; kz++)
#pragma unroll
    for (int ky = 0; ky < KH; ky++)
#pragma unroll
      for (int kx = 0; kx < KW; kx++)
        sum = MAD ((ROW) (w[(kz * KH + ky) * KW + kx]),
            TAKE_ROW (from + (kz * DD * h_in + ky * DH) * w_in + kx * DW), sum);
  return sum;
}

#ifdef SINGLE
#define KEEP_WINDOW(sum, at, n)                                                \
  do {                                                                         \
    float pixels[WIDTH];                                                       \
                                                                               \
    KEEP_ROW (sum, pixels);                                                    \
    for (int p = 0; p < min (WIDTH, n); p++)                                   \
      STORE (OUT_TYPE, out, (at) + p, POST (pixels[p], (at) + p));             \
  } while (0)
#define TILE_AT(tile) ((tile) * WIDTH)
#else
#define KEEP_WINDOW(sum, at, n)                                                \
  KEEP_ROW (POST (sum, at), (__global any_float *) out + (at))
#define TILE_AT(tile) min ((tile) * WIDTH, w_out - WIDTH)
#endif

#ifdef BAND
__kernel void
depthwise_band (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int rows, int h_in, int w_in, int h_out, int w_out, int h_pad, int w_pad,
    int w_band POST_PARAMETERS)
{
  const int first = get_global_id (0) * rows, plane = get_global_id (1);
  const int end = min (first + rows, h_out), top = first * SH - h_pad;
  const int lines = (end - 1 - first) * SH + (KH - 1) * DH + 1;
  const int c = plane % channels;
  float band[BAND];
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;
  POST_CHANNEL (c);

  for (int l = 0; l < lines; l++) {
    const int from = (plane * h_in + top + l) * w_in - w_pad;
    const int inside = top + l >= 0 && top + l < h_in;
    const int x1 = inside ? w_pad : w_band, x2 = min (x1 + w_in, w_band);
    float *line = band + l * w_band;

    for (int x = 0; x < x1; x++)
      line[x] = 0;
    for (int x = x1; x < x2; x++)
      line[x] = LOAD (IN_TYPE, in, from + x);
    for (int x = x2; x < w_band; x++)
      line[x] = 0;
  }
  for (int y = first; y < end; y++)
    for (int tile = 0; tile * WIDTH < w_out; tile++) {
      const int x = TILE_AT (tile), at = (plane * h_out + y) * w_out + x;
      const ROW sum = window (band + (y - first) * SH * w_band + x * SW,
          (__global const any_float *) weights + c * (KH * KW), 0, w_band);

      KEEP_WINDOW (sum, at, w_out - x);
    }
}
#else
__kernel void
depthwise (BUFFER (out), BUFFER (in), BUFFER (weights), int channels, int rows,
    int d_in, int h_in, int w_in, int d_out, int h_out,
    int w_out POST_PARAMETERS)
{
  const int tile = get_global_id (0), first = get_global_id (1) * rows;
  const int plane = get_global_id (2), end = min (first + rows, d_out * h_out);
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  if (tile * WIDTH >= w_out)
    return;

  const int x = TILE_AT (tile), c = plane % channels;

  POST_CHANNEL (c);

  for (int r = first, y = first % h_out, z = first / h_out; r < end; r++) {
    const int line = (plane * d_in + z * SD) * h_in + y * SH;
    const int at = (plane * d_out * h_out + r) * w_out + x;
    const ROW sum =
        window ((__global const any_float *) in + line * w_in + x * SW,
            (__global const any_float *) weights + c * (KD * KH * KW), h_in, w_in);

    KEEP_WINDOW (sum, at, w_out - x);
    if (++y == h_out) {
      y = 0;
      z++;
    }
  }
}
#endif
#endif

#ifdef BACK
__kernel void
conv_back (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int d_in, int h_in, int w_in, int d_out,
    int h_out, int w_out, int d_pad, int h_pad, int w_pad POST_PARAMETERS)
{
  const int pixel = get_global_id (0), block = get_global_id (1);
  const int n = get_global_id (2);
  const int blocks = (filters + LANES - 1) / LANES;
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  if (pixel >= w_out * h_out * d_out || block >= blocks * groups)
    return;

  const int x = pixel % w_out, y = pixel / w_out % h_out;
  const int z = pixel / w_out / h_out;
  const int group = block / blocks, filter = block % blocks * LANES;
  const int plane = d_in * h_in * w_in;
  const int begin = (n * groups + group) * channels * plane;
  __global const any_float *w = (__global const any_float *) weights
                            + block * channels * (KD * KH * KW) * LANES;
  VECTOR sum = 0;

  for (int kz = 0; kz < KD; kz++) {
    const int from_z = z + d_pad - kz * DD;

    if (from_z < 0 || from_z % SD != 0 || from_z / SD >= d_in)
      continue;
    for (int ky = 0; ky < KH; ky++) {
      const int from_y = y + h_pad - ky * DH;

      if (from_y < 0 || from_y % SH != 0 || from_y / SH >= h_in)
        continue;
      for (int kx = 0; kx < KW; kx++) {
        const int from_x = x + w_pad - kx * DW;

        if (from_x < 0 || from_x % SW != 0 || from_x / SW >= w_in)
          continue;

        const int at =
            begin + (from_z / SD * h_in + from_y / SH) * w_in + from_x / SW;
        const int k = (kz * KH + ky) * KW + kx;

        for (int c = 0; c < channels; c++)
          sum = MAD ((VECTOR) (LOAD (IN_TYPE, in, at + c * plane)),
              LOAD_LANES (0, w + (c * (KD * KH * KW) + k) * LANES), sum);
      }
    }
  }

  float lanes[LANES];
  const int first = group * filters + filter;
  const int count = min (LANES, filters - filter);

  KEEP_LANES (sum, lanes);
  for (int l = 0; l < count; l++) {
    const int at =
        ((n * groups * filters + first + l) * d_out * h_out * w_out) + pixel;

    POST_CHANNEL (first + l);

    STORE (OUT_TYPE, out, at, POST (lanes[l], at));
  }
}
#endif

#ifdef BACK_ROWS
/* Pixels x = w_first + column SW + phase see the window's columns phase, phase
 * + SW, …; the same goes for lines.  Of floats with a border where windows
 * begin before the input or end behind it. */
__kernel void
conv_back_rows (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int h_in, int w_in, int h_out, int w_out,
    int columns, int h_first, int w_first POST_PARAMETERS)
{
  const int tiles = (columns + WIDTH - 1) / WIDTH;
  const int tile = get_global_id (0), block = get_global_id (1);
  const int n = get_global_id (2);
  const int blocks = (filters + LANES - 1) / LANES;
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  if (tile >= SW * tiles * h_out || block >= blocks * groups)
    return;

  const int phase = tile % SW, y = tile / SW / tiles;
  const int column = min (tile / SW % tiles * WIDTH, columns - WIDTH);
  const int group = block / blocks, filter = block % blocks * LANES;
  const int plane = h_in * w_in, line = (y - h_first) / SH;
  __global const any_float *from =
      (__global const any_float *) in + (n * groups + group) * channels * plane
      + (line + (KH - 1) / SH) * w_in + column + (KW - 1) / SW;
  __global const any_float *w =
      (__global const any_float *) weights + block * channels * (KH * KW) * LANES;
  ROW sum[LANES];

#pragma unroll
  for (int l = 0; l < LANES; l++)
    sum[l] = 0;
  for (int c = 0; c < channels; c++, from += plane, w += KH * KW * LANES)
    for (int ky = (y - h_first) % SH, j = 0; ky < KH; ky += SH, j++)
      for (int kx = phase, i = 0; kx < KW; kx += SW, i++) {
        const ROW v = LOAD_ROW (from - j * w_in - i);

#pragma unroll
        for (int l = 0; l < LANES; l++)
          sum[l] = MAD (v, (ROW) (w[(ky * KW + kx) * LANES + l]), sum[l]);
      }

  float lanes[LANES * WIDTH];
  const int first = group * filters + filter;
  const int count = min (LANES, filters - filter);
  const int x = w_first + column * SW + phase;
  const int begin = x < 0 ? (SW - 1 - x) / SW : 0;
  const int end = min (WIDTH, (w_out - x + SW - 1) / SW);

#pragma unroll
  for (int l = 0; l < LANES; l++)
    KEEP_ROW (sum[l], lanes + l * WIDTH);
  for (int l = 0; l < count; l++) {
    const int at = ((n * groups * filters + first + l) * h_out + y) * w_out + x;

    POST_CHANNEL (first + l);

    KEEP_ROW (POST (LOAD_ROW (lanes + l * WIDTH), at), lanes + l * WIDTH);
    for (int p = begin; p < end; p++)
      AT (float, out, at + p * SW) = lanes[l * WIDTH + p];
  }
}
#endif
