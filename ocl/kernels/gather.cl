/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gather and scatter by index.  ELEMENT: an unsigned type of the elements' size.
 */

/* [batch][outer][picks][inner] from [batch][outer][length][inner] by indices
 * [batch][picks]; zeros beyond the axis.  FROM_END: negative indices count from
 * the end. */
#ifdef GATHER
__kernel void
gather (BUFFER (out), BUFFER (in), BUFFER (indices), int outer, int length,
    int inner, int picks)
{
  const int pick = get_global_id (1);
  const int plane = get_global_id (2), batch = plane / outer;
  BIND (out);
  BIND (in);
  BIND (indices);

  if (pick >= picks)
    return;

  long index = (long) LOAD (INDEX_TYPE, indices, batch * picks + pick);

#ifdef FROM_END
  index += index < 0 ? length : 0;
#endif
  const int inside = index >= 0 && index < length;
  const int to = (plane * picks + pick) * inner;
  const int from = (plane * length + (inside ? (int) index : 0)) * inner;

  FOR_X (x, inner)
    AT (ELEMENT, out, to + x) = inside ? AT (ELEMENT, in, from + x) : 0;
}
#endif

/* out[…][i][…] from in[…][index[…][i][…]][…]: indices of the output's shape,
 * with an axis of `length` in the input. */
#ifdef ELEMENTS
__kernel void
gather_elements (BUFFER (out), BUFFER (in), BUFFER (indices), int axis,
    int length, WALK, STRIDES (out), STRIDES (in))
{
  BEGIN_WALK;
  BIND (out);
  BIND (in);
  BIND (indices);

  FOR_WALK {
    const int at = INDEX (out);
    long index = (long) LOAD (INDEX_TYPE, indices, at);

    index += index < 0 ? length : 0;
    AT (ELEMENT, out, at) =
        index >= 0 && index < length
            ? AT (ELEMENT, in, INDEX (in) + (int) index * axis)
            : 0;
  }
}
#endif

/* Slices of `inner` elements; an index has `depth` numbers. */
#if defined(GATHER_ND) || defined(SCATTER_ND)
static inline int
position (__global uchar *indices, int i, int depth, int8 dims, int8 strides)
{
  const int d[8] = { dims.s0, dims.s1, dims.s2, dims.s3, dims.s4, dims.s5,
    dims.s6, dims.s7 };
  const int s[8] = { strides.s0, strides.s1, strides.s2, strides.s3, strides.s4,
    strides.s5, strides.s6, strides.s7 };
  int at = 0;

  for (int k = 0; k < depth; k++) {
    long index = (long) LOAD (INDEX_TYPE, indices, i * depth + k);

    index += index < 0 ? d[k] : 0;
    if (index < 0 || index >= d[k])
      return -1;
    at += (int) index * s[k];
  }
  return at;
}
#endif

#ifdef GATHER_ND
__kernel void
gather_nd (BUFFER (out), BUFFER (in), BUFFER (indices), int inner, int n,
    int per_batch, int volume, int depth, int8 dims, int8 strides)
{
  const int x = get_global_id (0), i = get_global_id (1);
  BIND (out);
  BIND (in);
  BIND (indices);

  if (x >= inner || i >= n)
    return;

  const int at = position (indices, i, depth, dims, strides);

  AT (ELEMENT, out, i * inner + x) =
      at < 0 ? 0 : AT (ELEMENT, in, i / per_batch * volume + at + x);
}
#endif

/* In sequence, so that the last of several updates of an element wins. */
#ifdef SCATTER_ND
__kernel void
scatter_nd (BUFFER (out), BUFFER (updates), BUFFER (indices), int inner, int n,
    int depth, int8 dims, int8 strides)
{
  const int x = get_global_id (0);
  BIND (out);
  BIND (updates);
  BIND (indices);

  if (x >= inner)
    return;
  for (int i = 0; i < n; i++) {
    const int at = position (indices, i, depth, dims, strides);

    if (at >= 0)
      AT (ELEMENT, out, at + x) = AT (ELEMENT, updates, i * inner + x);
  }
}
#endif
