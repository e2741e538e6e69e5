/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scores [batch][rows][columns] become weights in place: adds the mask, then
 * softmax of each row.  A group of GROUP work-items per row. */

#ifdef CAUSAL
#define MASKED(v, i) ((i) > row ? -INFINITY : (v))
#elif defined(MASK_BOOLEAN)
#define MASKED(v, i)                                                           \
  (LOAD (MASK_TYPE, mask, at + (i) * mask_column) ? (v) : -INFINITY)
#else
#define MASKED(v, i) ((v) + LOAD (MASK_TYPE, mask, at + (i) * mask_column))
#endif

#define PLUS(a, b) ((a) + (b))
#define FOLD_2(f, v) f ((v).s0, (v).s1)
#define FOLD_4(f, v) FOLD_2 (f, f ((v).lo, (v).hi))
#define FOLD_8(f, v) FOLD_4 (f, f ((v).lo, (v).hi))
#define FOLD(f, v) FOLD_8 (f, f ((v).lo, (v).hi))

__kernel void
weigh (BUFFER (scores), int rows, int columns, __local float *shared
#ifdef MASK_TYPE
    , BUFFER (mask), int8 batch, int8 mask_batch, int mask_row, int mask_column
#endif
)
{
  const int all = get_group_id (0), row = all % rows, lane = get_local_id (0);
  BIND (scores);
  __global any_float *from = (__global any_float *) scores + all * columns;
  float most = -INFINITY, sum = 0;

#ifdef MASK_TYPE
  const int z0 = all / rows;
  const int z1 = z0 / batch.s0, z2 = z1 / batch.s1, z3 = z2 / batch.s2;
  const int z4 = z3 / batch.s3, z5 = z4 / batch.s4;
  const int at = z0 % batch.s0 * mask_batch.s0 + z1 % batch.s1 * mask_batch.s1
                 + z2 % batch.s2 * mask_batch.s2
                 + z3 % batch.s3 * mask_batch.s3
                 + z4 % batch.s4 * mask_batch.s4
                 + z5 % batch.s5 * mask_batch.s5 + row * mask_row;
  BIND (mask);
#endif

#if defined(CAUSAL) || defined(MASK_TYPE)
  for (int i = lane; i < columns; i += GROUP)
    from[i] = MASKED (from[i], i);
#endif
#if GROUP == 1
  /* Compilers do not vectorise sums in sequence. */
  const int whole = columns / 16 * 16;
  float16 v = -INFINITY;

  for (int i = 0; i < whole; i += 16)
    v = fmax (v, vload16 (0, from + i));
  most = FOLD (fmax, v);
  for (int i = whole; i < columns; i++)
    most = fmax (most, from[i]);
  v = 0;
  for (int i = 0; i < whole; i += 16) {
    const float16 e = exp (vload16 (0, from + i) - most);

    vstore16 (e, 0, from + i);
    v += e;
  }
  sum = FOLD (PLUS, v);
  for (int i = whole; i < columns; i++)
    sum += from[i] = exp (from[i] - most);
#else
  for (int i = lane; i < columns; i += GROUP)
    most = fmax (most, from[i]);
  shared[lane] = most;
  for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (lane < half_)
      shared[lane] = fmax (shared[lane], shared[lane + half_]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  most = shared[0];
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < columns; i += GROUP) {
    const float e = exp (from[i] - most);

    from[i] = e;
    sum += e;
  }
  shared[lane] = sum;
  for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (lane < half_)
      shared[lane] += shared[lane + half_];
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  sum = shared[0];
#endif
  sum = 1 / sum;
  for (int i = lane; i < columns; i += GROUP)
    from[i] *= sum;
}
