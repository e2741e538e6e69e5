/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies from one strided box to another, and fills.
 * ELEMENT: an unsigned type of the elements' size; DST_X, SRC_X: defined where
 * the innermost stride is 1. */

#ifdef DST_X
#define DST_INDEX (x0 + OUTER_INDEX (dst))
#else
#define DST_INDEX INDEX (dst)
#endif
#ifdef SRC_X
#define SRC_INDEX (x0 + OUTER_INDEX (src))
#else
#define SRC_INDEX INDEX (src)
#endif

__kernel void
copy (BUFFER (dst), BUFFER (src), WALK, STRIDES (dst), STRIDES (src),
    int dst_at, int src_at)
{
  BEGIN_WALK;
  BIND (dst);
  BIND (src);
  FOR_WALK
    AT (ELEMENT, dst, dst_at + DST_INDEX) =
        AT (ELEMENT, src, src_at + SRC_INDEX);
}

/* All elements = element 0 of `value`. */
__kernel void
fill (BUFFER (dst), BUFFER (value), int n)
{
  BIND (dst);
  BIND (value);
  const ELEMENT one = AT (ELEMENT, value, 0);

  FOR_X (i, n)
    AT (ELEMENT, dst, i) = one;
}

/* [outer][length][inner] from [outer][source][inner] by a table of indices. */
__kernel void
take (BUFFER (dst), BUFFER (src), BUFFER (table), int inner, int length,
    int source)
{
  const int row = get_global_id (1), outer = get_global_id (2);
  BIND (dst);
  BIND (src);
  BIND (table);

  if (row >= length)
    return;

  const int to = (outer * length + row) * inner;
  const int from = (outer * source + AT (int, table, row)) * inner;

  FOR_X (i, inner)
    AT (ELEMENT, dst, to + i) = AT (ELEMENT, src, from + i);
}
