/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TopK along the middle of [outer][length][inner], best first, equal elements by
 * index; one work-item per row.  MIN: the smallest.  NaN is larger than all
 * numbers. */

#ifdef MIN
#define BETTER(a, b) ((a) < (b) || ((b) != (b) && (a) == (a)))
#else
#define BETTER(a, b) ((a) > (b) || ((a) != (a) && (b) == (b)))
#endif

__kernel void
top_k (BUFFER (values), BUFFER (indices), BUFFER (in), int outer, int length,
    int inner, int k)
{
  const int x = get_global_id (0), o = get_global_id (1);
  BIND (values);
  BIND (indices);
  BIND (in);

  if (x >= inner || o >= outer)
    return;

  const int from = o * length * inner + x, to = o * k * inner + x;
  COMPUTE (TYPE) last = 0;
  int last_at = -1;

  for (int j = 0; j < k; j++) {
    COMPUTE (TYPE) best = 0;
    int at = -1;

    for (int i = 0; i < length; i++) {
      const COMPUTE (TYPE) v = LOAD (TYPE, in, from + i * inner);
      /* Not selected yet: worse than the last one, or equal with a larger index. */
      const int left = last_at < 0 || BETTER (last, v)
                       || (!BETTER (v, last) && i > last_at);

      if (left && (at < 0 || BETTER (v, best))) {
        best = v;
        at = i;
      }
    }
    STORE (TYPE, values, to + j * inner, best);
    STORE (INDEX_TYPE, indices, to + j * inner, at);
    last = best;
    last_at = at;
  }
}
