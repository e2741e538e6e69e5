/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of [N, C, D, H, W]; missing dimensions are 1.
 *
 * pad: the input with a border of zeros, as floats
 * conv: a work-item computes PIXELS neighbours of a row for LANES channels, from
 *     the padded input and weights in panels of LANES. TRANSPOSE: for floats;
 *     transposes the sums, so that the pixels of a channel are a vector
 * conv_rows: a work-item computes WIDTH neighbours of a row for LANES channels,
 *     the pixels of a channel being a vector: no transposition at the end
 * conv_each: a work-item computes one pixel of a filter, from the input itself
 * S…, D…: strides and dilations; K…: the window. */

/* Long windows are loops: unrolled code would not fit the cache. */
#if KW <= 16
#define UNROLL_WINDOW _Pragma ("unroll")
#else
#define UNROLL_WINDOW _Pragma ("unroll 16")
#endif

#ifdef PAD
/* `rows` rows per work-item. */
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
    /* Three loops without branches, which compilers vectorise. */
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

#ifdef TRANSPOSE
#define MIX_LOW(a, b)                                                          \
  ((float16) (a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4,      \
      a.s5, b.s5, a.s6, b.s6, a.s7, b.s7))
#define MIX_HIGH(a, b)                                                         \
  ((float16) (a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc,      \
      a.sd, b.sd, a.se, b.se, a.sf, b.sf))

/* Transposes a 16×16 matrix: interleaving its halves rotates the bits of an index
 * by one, four times. */
static inline void
transpose (float16 *v)
{
#pragma unroll
  for (int round = 0; round < 4; round++) {
    float16 mixed[16];

#pragma unroll
    for (int i = 0; i < 8; i++) {
      mixed[2 * i] = MIX_LOW (v[i], v[i + 8]);
      mixed[2 * i + 1] = MIX_HIGH (v[i], v[i + 8]);
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
      v[i] = mixed[i];
  }
}
#define SUMS 16
#else
#define SUMS PIXELS
#endif

#ifdef CONV
__kernel void
conv (BUFFER (out), BUFFER (in), BUFFER (weights), int channels, int filters,
    int groups, int d_in, int h_in, int w_in, int d_out, int h_out,
    int w_out POST_PARAMETERS)
{
  const int tiles = (w_out + PIXELS - 1) / PIXELS;
  BEGIN_BLOCK (tiles * h_out * d_out);

  const int x = min (tile % tiles * PIXELS, w_out - PIXELS);
  const int y = tile / tiles % h_out, z = tile / tiles / h_out;
  const int plane = d_in * h_in * w_in;
  const int begin = (n * groups + group) * channels * plane
                    + (z * SD * h_in + y * SH) * w_in + x * SW;
  __global const any_float *w =
      (__global const any_float *) weights + block * channels * (KD * KH * KW) * LANES;
  VECTOR sum[SUMS];

#pragma unroll
  for (int p = 0; p < SUMS; p++)
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

#ifdef TRANSPOSE
  transpose (sum);
#pragma unroll
  for (int l = 0; l < LANES; l++) {
    const int at =
        (((n * groups * filters + first + l) * d_out + z) * h_out + y) * w_out
        + x;
    float pixels[16];

    if (l >= count)
      break;

    POST_CHANNEL (first + l);

    vstore16 (POST (sum[l], at), 0, pixels);
#pragma unroll
    for (int p = 0; p < PIXELS; p++)
      AT (float, out, at + p) = pixels[p];
  }
#else
  float lanes[LANES][PIXELS];

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
#endif
}
#endif

#ifdef CONV_ROWS
/* For floats. A row, or LINES rows, have at least WIDTH pixels; the last tile
 * overlaps the one before. */
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
  BEGIN_BLOCK (tiles * lines * d_out);

  const int x = LINES > 1 ? 0 : min (tile % tiles * WIDTH, w_out - WIDTH);
  const int y = min (tile / tiles % lines * LINES, h_out - LINES);
  const int z = tile / tiles / lines;
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

#ifdef EACH_PIXEL
#define TAPS (KD * KH * KW)

__kernel void
conv_each (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int d_in, int h_in, int w_in, int d_out, int h_out,
    int w_out, int d_pad, int h_pad, int w_pad POST_PARAMETERS)
{
  const int x = get_global_id (0), row = get_global_id (1);
  const int z = get_global_id (2), filter = z % (groups * filters);
  const int n = z / (groups * filters), group = filter / filters;
  const int x0 = x * SW - w_pad, y0 = row % h_out * SH - h_pad;
  const int z0 = row / h_out * SD - d_pad;
  BIND (out);
  BIND (in);
  BIND (weights);
  POST_BIND;
  float sum = 0;

  if (x >= w_out || row >= d_out * h_out)
    return;
  for (int c = 0; c < channels; c++) {
    const int plane = (n * groups + group) * channels + c;
    const int w = (filter * channels + c) * TAPS;

    for (int kz = 0; kz < KD; kz++)
      for (int ky = 0; ky < KH; ky++) {
        const int iz = z0 + kz * DD, iy = y0 + ky * DH;
        const int inside =
            (uint) iz < (uint) d_in && (uint) iy < (uint) h_in;
        const int at = ((plane * d_in + iz) * h_in + iy) * w_in + x0;

UNROLL_WINDOW
        for (int kx = 0; kx < KW; kx++)
          if (inside && (uint) (x0 + kx * DW) < (uint) w_in)
            sum = MAD (LOAD (IN_TYPE, in, at + kx * DW),
                LOAD (W_TYPE, weights, w + (kz * KH + ky) * KW + kx), sum);
      }
  }

  const int i = (z * d_out * h_out + row) * w_out + x;

  POST_CHANNEL (filter);

  STORE (OUT_TYPE, out, i, POST (sum, i));
}
#endif
