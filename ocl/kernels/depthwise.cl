/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions; S…, D…, K… as in convolution.cl.
 *
 * depthwise, depthwise_band: a work-item computes `rows` rows of a plane, in
 *     vectors of WIDTH, from padded rows. With BAND, the size of its private
 *     memory in floats, it pads them itself and computes whole rows; else the
 *     input is padded, with room after the last row, and a work-item computes a
 *     column of tiles
 * depthwise_planes: for outputs of the input's size; a work-item computes `each`
 *     planes, each of them as one row
 * depthwise_whole: windows that are whole planes */

#ifdef DEPTHWISE
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

#ifdef PLANES
#define COLUMNS PASTE (int, WIDTH)
#if WIDTH == 16
#define COUNT ((int16) (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#elif WIDTH == 8
#define COUNT ((int8) (0, 1, 2, 3, 4, 5, 6, 7))
#else
#define COUNT ((int4) (0, 1, 2, 3))
#endif
/* For integers up to a million. */
#define QUOTIENT(i, w)                                                         \
  PASTE (convert_int, WIDTH)                                                   \
  ((PASTE (convert_float, WIDTH) (i) + 0.5f) * (1.0f / (w)))

/* The plane as column kx of the window reads it: shifted, with zeros where the
 * pixel would be in another row, after SKIP zeros for the rows before the first;
 * BAND floats in all. A plane is at least one vector long; the last vector
 * overlaps the one before. */
__kernel void
depthwise_planes (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int planes, int each, int h, int w, int h_pad, int w_pad POST_PARAMETERS)
{
  const int first = get_global_id (0) * each, end = min (first + each, planes);
  const int n = h * w;
  float band[KW][BAND], line[2 * SKIP + BAND];
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  for (int i = 0; i < 2 * SKIP + BAND; i++)
    line[i] = 0;
  for (int kx = 0; kx < KW; kx++)
    for (int i = 0; i < BAND; i++)
      band[kx][i] = 0;
  for (int plane = first; plane < end; plane++) {
    const int c = plane % channels;
    __global const any_float *from =
        (__global const any_float *) in + plane * n;
    ROW taps[KH * KW];
    POST_CHANNEL (c);

#pragma unroll
    for (int k = 0; k < KH * KW; k++)
      taps[k] = AT (float, weights, c * (KH * KW) + k);
    for (int i = 0; i < n; i += WIDTH) {
      const int at = min (i, n - WIDTH);

      KEEP_ROW (LOAD_ROW (from + at), line + SKIP + at);
    }
    for (int i = 0; i < n; i += WIDTH) {
      const int at = min (i, n - WIDTH);
      const COLUMNS i0 = COUNT + at, x = i0 - QUOTIENT (i0, w) * w;

#pragma unroll
      for (int kx = 0; kx < KW; kx++) {
        const COLUMNS seen = x + (kx * DW - w_pad);
        const ROW v = LOAD_ROW (line + SKIP + at + kx * DW - w_pad);

        KEEP_ROW (seen >= 0 && seen < w ? v : (ROW) (0), band[kx] + SKIP + at);
      }
    }
    for (int i = 0; i < n; i += WIDTH) {
      const int at = min (i, n - WIDTH);
      ROW sum = 0;

#pragma unroll
      for (int ky = 0; ky < KH; ky++)
#pragma unroll
        for (int kx = 0; kx < KW; kx++)
          sum = MAD (taps[ky * KW + kx],
              LOAD_ROW (band[kx] + SKIP + at + (ky * DH - h_pad) * w), sum);
      KEEP_ROW (
          POST (sum, plane * n + at), (__global any_float *) out + plane * n + at);
    }
  }
}
#endif

#ifdef WHOLE
__kernel void
depthwise_whole (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int planes POST_PARAMETERS)
{
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;

  FOR_X (plane, planes) {
    const int c = plane % channels;
    float sums[4] = { 0 };
    POST_CHANNEL (c);

#pragma unroll 64
    for (int i = 0; i < TAPS; i++)
      sums[i % 4] = MAD (LOAD (IN_TYPE, in, plane * TAPS + i),
          AT (float, weights, c * TAPS + i), sums[i % 4]);

    const float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);

    STORE (OUT_TYPE, out, plane, POST (sum, plane));
  }
}
#endif
