/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products and convolutions by tiles in local memory: a group computes BM × BN
 * elements of the output, BK of k at a time; each of its work-items TM × TN.
 * While it multiplies one block of k, it fetches the next.
 *
 * gemm_tile: out[z][m][n] = scale · a[z][m][k] b[z][k][n], then POST.
 * conv_tile: the same for a convolution: a are the weights, rows are filters, and
 *     columns are pixels, taken from the input itself. BY_WINDOW: k is [window]
 *     [channel], a block of one tap; else [channel][window]. POINTWISE: 1×1.
 * An operand X is X_PANELS, [panel][k][BX] as `pack` writes it, or has strides;
 * X_DEEP: its neighbours in memory are along k.
 * SPLIT: a group computes a part of k, without POST: `join` adds the parts.
 *
 * gemv: the same as gemm_tile for up to 8 rows: a group computes LANES columns of ROWS
 *     rows, and its ITEMS work-items share k. */

#define UNROLL _Pragma ("unroll")
#ifndef POST_PARAMETERS
#define POST_PARAMETERS
#define POST_BIND
#endif
#define EACH(i, n) UNROLL for (int i = 0; i < (n); i++)

#ifdef BM
#define ITEMS_DOWN (BM / TM)
#define ITEMS_ACROSS (BN / TN)
#define ITEMS (ITEMS_DOWN * ITEMS_ACROSS)
#define WHOLE_GROUP __attribute__ ((reqd_work_group_size (ITEMS, 1, 1)))

/* Neighbouring elements of a work-item: what it reads from local memory at once.
 * The other ones are a whole row of items apart, so that no banks conflict. */
#define NEAR(t) ((t) % 4 == 0 ? 4 : (t))
#define PLACE(item, i, t, items)                                               \
  ((item) * NEAR (t) + (i) % NEAR (t) + (i) / NEAR (t) * NEAR (t) * (items))
#define TAKE(t, v, row, item, items)                                           \
  {                                                                            \
    if ((t) % 4 == 0)                                                          \
      EACH (q_, (t) / 4) {                                                     \
        const float4 four =                                                    \
            *(__local const float4 *) ((row) + PLACE (item, 4 * q_, t, items)); \
        v[4 * q_ % (t)] = four.x;                                              \
        v[(4 * q_ + 1) % (t)] = four.y;                                        \
        v[(4 * q_ + 2) % (t)] = four.z;                                        \
        v[(4 * q_ + 3) % (t)] = four.w;                                        \
      }                                                                        \
    else                                                                       \
      EACH (q_, t) v[q_] = (row)[PLACE (item, q_, t, items)];                  \
  }

/* Elements, or vectors of four, of an operand that each work-item fetches. */
#define SHARE(bx) (((bx) *BK + ITEMS - 1) / ITEMS)
#define SHARE_OF_4(bx) (((bx) *BK / 4 + ITEMS - 1) / ITEMS)

/* Panels. @k: the first row of the block; @left: rows up to the end of k. */
#define FETCH_PANELS(to, from, bx, k, left)                                    \
  EACH (i, SHARE_OF_4 (bx)) {                                                  \
    const int e = item + i * ITEMS, row = e / ((bx) / 4);                      \
    const int at = ((k) + row) * (bx) + e % ((bx) / 4) * 4;                    \
                                                                               \
    to[i] = row < min (BK, left) ? *(__global const float4 *) ((from) + at)    \
                                 : (float4) (0);                               \
  }
#define KEEP_PANELS(to, from, bx)                                              \
  EACH (i, SHARE_OF_4 (bx)) {                                                  \
    const int e = item + i * ITEMS;                                            \
                                                                               \
    if ((bx) *BK / 4 % ITEMS == 0 || e < (bx) *BK / 4)                         \
      *(__local float4 *) &to[e / ((bx) / 4)][e % ((bx) / 4) * 4] = from[i];   \
  }

/* Strides. Element e of a tile is (K_OF, X_OF), as neighbours lie in memory. */
#define K_OF(e, bx, deep) ((deep) ? (e) % BK : (e) / (bx))
#define X_OF(e, bx, deep) ((deep) ? (e) / BK : (e) % (bx))
#define FETCH_STRIDES(to, type, from, at, stride, k_stride, bx, deep, k, left, some) \
  EACH (i, SHARE (bx)) {                                                       \
    const int e = item + i * ITEMS;                                            \
    const int kk = K_OF (e, bx, deep), x = X_OF (e, bx, deep);                 \
                                                                               \
    to[i] = kk < min (BK, left) && x < (some)                                  \
                ? LOAD (type, from, (at) + x * (stride) + ((k) + kk) * (k_stride)) \
                : 0;                                                           \
  }
#define KEEP_STRIDES(to, from, bx, deep)                                       \
  EACH (i, SHARE (bx)) {                                                       \
    const int e = item + i * ITEMS;                                            \
                                                                               \
    if ((bx) *BK % ITEMS == 0 || e < (bx) *BK)                                 \
      to[K_OF (e, bx, deep)][X_OF (e, bx, deep)] = from[i];                    \
  }

/* Four floats of padding keep rows aligned, and writes along k apart. */
#ifdef A_PANELS
#define A_PITCH BM
#define A_SHARE float4 next_a[SHARE_OF_4 (BM)]
#define KEEP_A(to) KEEP_PANELS (to, next_a, BM)
#else
#define A_PITCH (BM + 4)
#define A_SHARE float next_a[SHARE (BM)]
#define KEEP_A(to) KEEP_STRIDES (to, next_a, BM, A_DEEP)
#endif
#ifdef B_PANELS
#define B_PITCH BN
#define B_SHARE float4 next_b[SHARE_OF_4 (BN)]
#define KEEP_B(to) KEEP_PANELS (to, next_b, BN)
#else
#define B_PITCH (BN + 4)
#define B_SHARE float next_b[SHARE (BN)]
#define KEEP_B(to) KEEP_STRIDES (to, next_b, BN, B_DEEP)
#endif

#define BEGIN_TILE                                                             \
  __local float tile_a[2][BK][A_PITCH] __attribute__ ((aligned (16)));         \
  __local float tile_b[2][BK][B_PITCH] __attribute__ ((aligned (16)));         \
  const int item = get_local_id (0);                                           \
  const int across = item % ITEMS_ACROSS, down = item / ITEMS_ACROSS;          \
  const int m0 = get_group_id (1) * BM, n0 = get_group_id (0) * BN;            \
  const int z = get_group_id (2) / SPLIT, part = get_group_id (2) % SPLIT;     \
  float sum[TM][TN];                                                           \
  A_SHARE;                                                                     \
  B_SHARE;                                                                     \
                                                                               \
  EACH (i, TM)                                                                 \
  EACH (j, TN) sum[i][j] = 0

/* Blocks of k; SPLIT parts share them. */
#define FIRST_BLOCK(blocks) ((blocks) *part / SPLIT)
#define LAST_BLOCK(blocks) ((blocks) * (part + 1) / SPLIT)

#define MULTIPLY(which)                                                        \
  EACH (k_, BK) {                                                              \
    float va[TM], vb[TN];                                                      \
                                                                               \
    TAKE (TM, va, tile_a[which][k_], down, ITEMS_DOWN);                        \
    TAKE (TN, vb, tile_b[which][k_], across, ITEMS_ACROSS);                    \
    EACH (i, TM)                                                               \
    EACH (j, TN) sum[i][j] = MAD (va[i], vb[j], sum[i][j]);                    \
  }

/* FETCH (block) fills next_a and next_b. */
#define RUN_TILE(blocks)                                                       \
  {                                                                            \
    int block = FIRST_BLOCK (blocks), which = 0;                               \
    const int last = LAST_BLOCK (blocks);                                      \
                                                                               \
    if (block < last) {                                                        \
      FETCH (block);                                                           \
      KEEP_A (tile_a[0]);                                                      \
      KEEP_B (tile_b[0]);                                                      \
    }                                                                          \
    barrier (CLK_LOCAL_MEM_FENCE);                                             \
    for (; block < last; block++, which ^= 1) {                                \
      const int more = block + 1 < last;                                       \
                                                                               \
      if (more)                                                                \
        FETCH (block + 1);                                                     \
      MULTIPLY (which);                                                        \
      if (more) {                                                              \
        KEEP_A (tile_a[which ^ 1]);                                            \
        KEEP_B (tile_b[which ^ 1]);                                            \
      }                                                                        \
      barrier (CLK_LOCAL_MEM_FENCE);                                           \
    }                                                                          \
  }

#if SPLIT > 1
#define CHANNEL(c)
#define WRITE(i, v) AT (float, out, i) = (v)
#define OUT_Z get_group_id (2)
#else
#define CHANNEL(c) POST_CHANNEL (c)
#define WRITE(i, v) STORE (OUT_TYPE, out, i, POST (v, i))
#define OUT_Z z
#endif
#define WRITE_TILE(channel, scale)                                             \
  EACH (i, TM) {                                                               \
    const int m = m0 + PLACE (down, i, TM, ITEMS_DOWN);                        \
                                                                               \
    EACH (j, TN) {                                                             \
      const int n = n0 + PLACE (across, j, TN, ITEMS_ACROSS);                  \
      const int at = (OUT_Z * M + m) * N + n;                                  \
                                                                               \
      if (m < M && n < N) {                                                    \
        CHANNEL (channel);                                                     \
                                                                               \
        WRITE (at, sum[i][j] * scale);                                         \
      }                                                                        \
    }                                                                          \
  }
#endif

#ifdef TILE
#ifdef A_PANELS
#define FETCH_A(k)                                                             \
  FETCH_PANELS (next_a, from_a + m0 * K, BM, k, K - (k))
#else
#define FETCH_A(k)                                                             \
  FETCH_STRIDES (next_a, A_TYPE, a, at_a, a_m, a_k, BM, A_DEEP, k, K - (k), M - m0)
#endif
#ifdef B_PANELS
#define FETCH_B(k)                                                             \
  FETCH_PANELS (next_b, from_b + n0 * K, BN, k, K - (k))
#else
#define FETCH_B(k)                                                             \
  FETCH_STRIDES (next_b, B_TYPE, b, at_b, b_n, b_k, BN, B_DEEP, k, K - (k), N - n0)
#endif
#define FETCH(block)                                                           \
  {                                                                            \
    FETCH_A ((block) *BK);                                                     \
    FETCH_B ((block) *BK);                                                     \
  }

WHOLE_GROUP
__kernel void
gemm_tile (BUFFER (out), BUFFER (a), BUFFER (b), int M, int N, int K, float scale,
    int8 batch, int a_at, int a_m, int a_k, int8 a_batch, int b_at, int b_k,
    int b_n, int8 b_batch POST_PARAMETERS)
{
  BEGIN_TILE;
  BEGIN_BATCH (z);
  BIND (out);
  BIND (a);
  BIND (b);
  POST_BIND;
  const int at_a = BATCH (a) + m0 * a_m, at_b = BATCH (b) + n0 * b_n;
  __global const float *from_a = (__global const float *) a + BATCH (a);
  __global const float *from_b = (__global const float *) b + BATCH (b);

  RUN_TILE ((K + BK - 1) / BK);
  WRITE_TILE (n, scale);
}
#endif

#ifdef TILE_CONV
#define TAPS (KD * KH * KW)
#ifdef BY_WINDOW
#define BLOCKS (TAPS * ((channels + BK - 1) / BK))
/* Row r of a block is channel c0 + r of one tap. */
#define FETCH(block)                                                           \
  {                                                                            \
    const int blocks = (channels + BK - 1) / BK, tap = (block) / blocks;       \
    const int c0 = ((block) - tap * blocks) * BK, left = channels - c0;        \
    const int iz = z_in + tap / (KW * KH) * DD;                                \
    const int iy = y_in + tap / KW % KH * DH, ix = x_in + tap % KW * DW;       \
    const int inside = INSIDE (iz, iy, ix);                                    \
    const int at = from + c0 * plane + (iz * h_in + iy) * w_in + ix;           \
                                                                               \
    FETCH_PANELS (next_a, filters + m0 * K, BM, tap * channels + c0, left);    \
    EACH (i, SHARE (BN)) {                                                     \
      const int r = item / BN + i * (ITEMS / BN);                              \
                                                                               \
      next_b[i] = inside && r < left ? LOAD (IN_TYPE, in, at + r * plane) : 0; \
    }                                                                          \
  }
#else
#define BLOCKS ((K + BK - 1) / BK)
#define FETCH(block)                                                           \
  {                                                                            \
    FETCH_PANELS (next_a, filters + m0 * K, BM, (block) *BK, K - (block) *BK); \
    EACH (i, SHARE (BN)) {                                                     \
      const int k = (block) *BK + item / BN + i * (ITEMS / BN);                \
      const int c = k / TAPS, tap = k % TAPS;                                  \
      const int iz = z_in + tap / (KW * KH) * DD;                              \
      const int iy = y_in + tap / KW % KH * DH, ix = x_in + tap % KW * DW;     \
      const int at = from + c * plane + (iz * h_in + iy) * w_in + ix;          \
                                                                               \
      next_b[i] =                                                              \
          k < K && INSIDE (iz, iy, ix) ? LOAD (IN_TYPE, in, at) : 0;           \
    }                                                                          \
  }
#endif
#ifdef POINTWISE
#define INSIDE(iz, iy, ix) (pixel < N)
#else
#define INSIDE(iz, iy, ix)                                                     \
  (pixel < N && (uint) (iz) < (uint) d_in && (uint) (iy) < (uint) h_in         \
      && (uint) (ix) < (uint) w_in)
#endif

/* M filters, N pixels, K products; ITEMS is a multiple of BN. */
WHOLE_GROUP
__kernel void
conv_tile (BUFFER (out), BUFFER (a), BUFFER (in), int M, int N, int K,
    int channels, int groups, int a_group, int d_in, int h_in, int w_in,
    int h_out, int w_out, int d_pad, int h_pad, int w_pad POST_PARAMETERS)
{
  BEGIN_TILE;
  BIND (out);
  BIND (a);
  BIND (in);
  POST_BIND;
  const int plane = d_in * h_in * w_in, from = z * channels * plane;
  const int pixel = n0 + item % BN;
  const int x_in = pixel % w_out * SW - w_pad;
  const int y_in = pixel / w_out % h_out * SH - h_pad;
  const int z_in = pixel / w_out / h_out * SD - d_pad;
  __global const float *filters =
      (__global const float *) a + z % groups * a_group;

  RUN_TILE (BLOCKS);
  WRITE_TILE (z % groups * M + m, 1);
}
#endif

#ifdef JOIN
/* `size` elements of N columns for each z, in `parts` parts. */
__kernel void
join (BUFFER (out), BUFFER (in), int size, int N, int parts, int groups,
    float scale POST_PARAMETERS)
{
  const int z = get_global_id (1);
  BIND (out);
  BIND (in);
  POST_BIND;

  FOR_X (i, size) {
    float sum = 0;

    for (int p = 0; p < parts; p++)
      sum += AT (float, in, (z * parts + p) * size + i);
    POST_CHANNEL (groups > 0 ? z % groups * (size / N) + i / N : i % N);

    STORE (OUT_TYPE, out, z * size + i, POST (sum * scale, z * size + i));
  }
}
#endif

#ifdef GEMV
/* Columns of b in panels of LANES, b_panel elements apart. */
__attribute__ ((reqd_work_group_size (ITEMS, 1, 1)))
__kernel void
gemv (BUFFER (out), BUFFER (a), BUFFER (b), int M, int N, int K, float scale,
    int8 batch, int a_at, int a_m, int a_k, int8 a_batch, int b_at, int b_k,
    int b_n, int8 b_batch, int b_panel POST_PARAMETERS)
{
  __local float parts[ROWS][ITEMS];
  const int item = get_local_id (0), lane = item % LANES;
  const int n = get_group_id (0) * LANES + lane;
  const int m0 = get_group_id (1) * ROWS, z = get_group_id (2);
  BEGIN_BATCH (z);
  BIND (out);
  BIND (a);
  BIND (b);
  POST_BIND;
  const int at_a = BATCH (a) + m0 * a_m;
  const int at_b = BATCH (b) + (int) get_group_id (0) * b_panel + lane * b_n;
  float sum[ROWS];

  EACH (r, ROWS)
  sum[r] = 0;
  if (n < N)
    _Pragma ("unroll 4") for (int k = item / LANES; k < K; k += ITEMS / LANES)
    {
      const float v = LOAD (B_TYPE, b, at_b + k * b_k);

      EACH (r, ROWS)
      sum[r] = MAD (
          LOAD (A_TYPE, a, at_a + min (r, M - 1 - m0) * a_m + k * a_k), v,
          sum[r]);
    }
  EACH (r, ROWS)
  parts[r][item] = sum[r];
  for (int half_of = ITEMS / 2; half_of >= LANES; half_of /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (item < half_of)
      EACH (r, ROWS)
      parts[r][item] += parts[r][item + half_of];
  }
  if (item >= LANES || n >= N)
    return;
  POST_CHANNEL (n);

  EACH (r, ROWS) {
    const int i = (z * M + m0 + r) * N + n;

    if (m0 + r < M)
      STORE (OUT_TYPE, out, i, POST (parts[r][item] * scale, i));
  }
}
#endif
