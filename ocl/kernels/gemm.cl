/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* out[batch][m][n] = scale · a[m][k] b[k][n], then POST.
 *
 * gemm: b in panels of 16 columns, [panel][k][16], with zeros after the last;
 * ROWS rows of a panel per work-item.  `pack` writes the panels.  COLUMNS: all
 * panels are full and results are floats.
 * gemm_any: all types, one element per work-item. */

#ifdef PACK
__kernel void
pack (BUFFER (out), BUFFER (b), int N, int K, int K1, int8 batch, int b_at,
    int b_k0, int b_k1, int b_n, int8 b_batch)
{
  const int column = get_global_id (0), k = get_global_id (1);
  const int panels = (N + LANES - 1) / LANES;
  const int z2 = get_global_id (2);
  BEGIN_BATCH (z2);
  BIND (out);
  BIND (b);

  if (column >= panels * LANES || k >= K)
    return;
  AT (float, out,
      ((z2 * panels + column / LANES) * K + k) * LANES + column % LANES) =
      column < N ? LOAD (B_TYPE, b,
                       BATCH (b) + k / K1 * b_k0 + k % K1 * b_k1 + column * b_n)
                 : 0;
}
#endif

#ifdef ROWS
#define LOAD_A(row, k) LOAD (A_TYPE, a, a_row[row] + (k) * a_k)

__kernel void
gemm (BUFFER (out), BUFFER (a), BUFFER (b), int M, int N, int K, float scale,
    int8 batch, int a_at, int a_m, int a_k, int8 a_batch, int b_at,
    int8 b_batch POST_PARAMETERS)
{
  const int first = get_global_id (0) * ROWS, panel = get_global_id (1);
  const int z2 = get_global_id (2);
  BEGIN_BATCH (z2);
  BIND (out);
  BIND (a);
  BIND (b);
  POST_BIND;

  if (first >= M || panel * 16 >= N)
    return;

  __global const any_float *columns =
      (__global const any_float *) b + BATCH (b) + panel * K * 16;
  int a_row[ROWS];
  float16 sum[ROWS];

#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    a_row[r] = BATCH (a) + min (first + r, M - 1) * a_m;
    sum[r] = 0;
  }
#if ROWS == 1
  float16 sum1 = 0, sum2 = 0, sum3 = 0;
  int k = 0;

  for (; k + 4 <= K; k += 4) {
    sum[0] = MAD ((float16) (LOAD_A (0, k)), vload16 (k, columns), sum[0]);
    sum1 = MAD ((float16) (LOAD_A (0, k + 1)), vload16 (k + 1, columns), sum1);
    sum2 = MAD ((float16) (LOAD_A (0, k + 2)), vload16 (k + 2, columns), sum2);
    sum3 = MAD ((float16) (LOAD_A (0, k + 3)), vload16 (k + 3, columns), sum3);
  }
  for (; k < K; k++)
    sum[0] = MAD ((float16) (LOAD_A (0, k)), vload16 (k, columns), sum[0]);
  sum[0] += sum1 + (sum2 + sum3);
#else
  int k = 0;

#ifdef A_DENSE
  /* Rows whose length is a power of two conflict in the cache: one cache line of
   * each at a time. */
  for (; k + 16 <= K; k += 16) {
    float lines[ROWS][16];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
      vstore16 (vload16 (0, (__global const any_float *) a + a_row[r] + k), 0,
          lines[r]);
    for (int j = 0; j < 16; j++) {
      const float16 column = vload16 (k + j, columns);

#pragma unroll
      for (int r = 0; r < ROWS; r++)
        sum[r] = MAD ((float16) (lines[r][j]), column, sum[r]);
    }
  }
#endif
  for (; k < K; k++) {
    const float16 column = vload16 (k, columns);

#pragma unroll
    for (int r = 0; r < ROWS; r++)
      sum[r] = MAD ((float16) (LOAD_A (r, k)), column, sum[r]);
  }
#endif
#ifdef COLUMNS
  POST_CHANNEL (panel * 16);

#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int i = (z2 * M + first + r) * N + panel * 16;

    if (first + r < M)
      KEEP_ROW (POST (sum[r] * scale, i), (__global any_float *) out + i);
  }
#else
  const int n = min (16, N - panel * 16);

#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    float lanes[16];

    vstore16 (sum[r] * scale, 0, lanes);
    if (first + r >= M)
      break;
    for (int j = 0; j < n; j++) {
      const int column = panel * 16 + j;
      const int i = (z2 * M + first + r) * N + column;

      POST_CHANNEL (column);

      STORE (OUT_TYPE, out, i, POST (lanes[j], i));
    }
  }
#endif
}
#endif

#ifdef ANY
__kernel void
gemm_any (BUFFER (out), BUFFER (a), BUFFER (b), int M, int N, int K,
    float scale, int8 batch, int a_at, int a_m, int a_k, int8 a_batch,
    int b_at, int b_k, int b_n, int8 b_batch POST_PARAMETERS)
{
  const int n = get_global_id (0), m = get_global_id (1);
  const int z2 = get_global_id (2);
  BEGIN_BATCH (z2);
  BIND (out);
  BIND (a);
  BIND (b);
  POST_BIND;

  if (n >= N || m >= M)
    return;

  const int from_a = BATCH (a) + m * a_m, from_b = BATCH (b) + n * b_n;
  COMPUTE (SUM_TYPE) sum = 0;

  for (int k = 0; k < K; k++)
    sum += (COMPUTE (SUM_TYPE)) LOAD (A_TYPE, a, from_a + k * a_k)
           * (COMPUTE (SUM_TYPE)) LOAD (B_TYPE, b, from_b + k * b_k);
  const int i = (z2 * M + m) * N + n;

  POST_CHANNEL (n);

  STORE (OUT_TYPE, out, i, POST (sum, i));
}
#endif
