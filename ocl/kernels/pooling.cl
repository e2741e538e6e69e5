/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pooling of [planes][D][H][W], and Interpolate along one axis. */

#ifdef POOL
/* INSIDE: windows stay within the input.  VALUE_ONLY: real numbers, and no
 * output of indices. */
#ifdef INSIDE
#define IS_OUTSIDE(i, n) 0
#else
#define IS_OUTSIDE(i, n) ((i) < 0 || (i) >= (n))
#endif

__kernel void
pool (BUFFER (out), BUFFER (in), int d_in, int h_in, int w_in, int d_out,
    int h_out, int w_out, int d_pad, int h_pad, int w_pad
#ifdef INDICES
    , BUFFER (indices), int modulus
#endif
)
{
  const int row = get_global_id (1), plane = get_global_id (2);
  BIND (out);
  BIND (in);
#ifdef INDICES
  BIND (indices);
#endif

  if (row >= d_out * h_out)
    return;

  const int y = row % h_out, z = row / h_out;
  const int base = plane * d_in * h_in * w_in;

  FOR_X (x, w_out) {
#ifdef MAX
    COMPUTE (TYPE) most = NOTHING;
    int best = -1;
#else
    COMPUTE (SUM_TYPE) sum = 0;
    int count = 0;
#endif

    for (int kz = 0; kz < KD; kz++) {
      const int iz = z * SD - d_pad + kz * DD;

      if (IS_OUTSIDE (iz, d_in))
        continue;
      for (int ky = 0; ky < KH; ky++) {
        const int iy = y * SH - h_pad + ky * DH;

        if (IS_OUTSIDE (iy, h_in))
          continue;
        for (int kx = 0; kx < KW; kx++) {
          const int ix = x * SW - w_pad + kx * DW;

          if (IS_OUTSIDE (ix, w_in))
            continue;

          const int at = (iz * h_in + iy) * w_in + ix;
          const COMPUTE (TYPE) v = LOAD (TYPE, in, base + at);
#ifdef MAX
#ifdef VALUE_ONLY
          most = v <= most ? most : v;
#else
          const int more = best < 0 || v > most || (v != v && most == most);

          most = more ? v : most;
          best = more ? at : best;
#endif
#else
          sum += v;
          count++;
#endif
        }
      }
    }

    const int i = (plane * d_out * h_out + row) * w_out + x;
#ifdef MAX
    STORE (TYPE, out, i, most);
#ifdef INDICES
    STORE (INDEX_TYPE, indices, i, (base + best) % modulus);
#endif
#elif defined(EXCLUDE_PAD)
    STORE (TYPE, out, i, count > 0 ? sum / (COMPUTE (SUM_TYPE)) count : 0);
#else
    STORE (TYPE, out, i, sum / (COMPUTE (SUM_TYPE)) (KD * KH * KW));
#endif
  }
}
#endif

/* [outer][length][inner] from [outer][source][inner]: weighted sums of TAPS
 * elements. */
#ifdef RESAMPLE
__kernel void
resample (BUFFER (out), BUFFER (in), BUFFER (table), BUFFER (weights),
    int inner, int length, int source)
{
  const int row = get_global_id (1), outer = get_global_id (2);
  BIND (out);
  BIND (in);
  BIND (table);
  BIND (weights);

  if (row >= length)
    return;
  FOR_X (i, inner) {
    float sum = 0;

    for (int k = 0; k < TAPS; k++) {
      const int from = AT (int, table, row * TAPS + k);

      sum += AT (float, weights, row * TAPS + k)
             * LOAD (IN_TYPE, in, (outer * source + from) * inner + i);
    }
    STORE (OUT_TYPE, out, (outer * length + row) * inner + i, sum);
  }
}
#endif
