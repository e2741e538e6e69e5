/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scores [batch][rows][columns] become weights, in place: the mask's part is
 * added, then softmax of each row.  A group of GROUP for each row. */

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

  for (int i = lane; i < columns; i += GROUP) {
    float v = from[i];

#if defined(CAUSAL)
    v = i > row ? -INFINITY : v;
#elif defined(MASK_BOOLEAN)
    v = LOAD (MASK_TYPE, mask, at + i * mask_column) ? v : -INFINITY;
#elif defined(MASK_TYPE)
    v += LOAD (MASK_TYPE, mask, at + i * mask_column);
#endif
    from[i] = v;
    most = fmax (most, v);
  }
#if GROUP > 1
  shared[lane] = most;
  for (int half_ = GROUP / 2; half_ > 0; half_ /= 2) {
    barrier (CLK_LOCAL_MEM_FENCE);
    if (lane < half_)
      shared[lane] = fmax (shared[lane], shared[lane + half_]);
  }
  barrier (CLK_LOCAL_MEM_FENCE);
  most = shared[0];
  barrier (CLK_LOCAL_MEM_FENCE);
#endif
  for (int i = lane; i < columns; i += GROUP) {
    const float e = exp (from[i] - most);

    from[i] = e;
    sum += e;
  }
#if GROUP > 1
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
