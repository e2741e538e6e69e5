/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transposed convolutions; S…, D…, K… as in convolution.cl.
 *
 * conv_back: one pixel for LANES channels per work-item
 * conv_back_rows: WIDTH pixels of the same phase of a row for LANES channels */

#ifdef BACK
__kernel void
conv_back (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int d_in, int h_in, int w_in, int d_out,
    int h_out, int w_out, int d_pad, int h_pad, int w_pad POST_PARAMETERS)
{
  BEGIN_BLOCK (w_out * h_out * d_out);

  const int x = tile % w_out, y = tile / w_out % h_out;
  const int z = tile / w_out / h_out;
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

  KEEP_LANES (sum, lanes);
  for (int l = 0; l < count; l++) {
    const int at =
        ((n * groups * filters + first + l) * d_out * h_out * w_out) + tile;

    POST_CHANNEL (first + l);

    STORE (OUT_TYPE, out, at, POST (lanes[l], at));
  }
}
#endif

#ifdef BACK_ROWS
/* Pixels x = w_first + column SW + phase read the window's columns phase, phase
 * + SW, …; likewise for rows.  For floats, padded if windows exceed the input. */
__kernel void
conv_back_rows (BUFFER (out), BUFFER (in), BUFFER (weights), int channels,
    int filters, int groups, int h_in, int w_in, int h_out, int w_out,
    int columns, int h_first, int w_first POST_PARAMETERS)
{
  const int tiles = (columns + WIDTH - 1) / WIDTH;
  BEGIN_BLOCK (SW * tiles * h_out);

  const int phase = tile % SW, y = tile / SW / tiles;
  const int column = min (tile / SW % tiles * WIDTH, columns - WIDTH);
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
