/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/strided-copy.h"
#include "inference/base/shape.h"

void
cpu_dense_strides (const InferShape *shape, gsize size, gint64 *strides)
{
  infer_shape_strides (shape, strides);
  for (int d = 0; d < shape->rank; d++)
    strides[d] = (gint64) ((gsize) strides[d] * size);
}

void
cpu_fill (gpointer dst, gconstpointer value, gsize size, gsize n)
{
  guint8 *to = dst;

  for (gsize i = 0; i < n; i++)
    memcpy (to + i * size, value, size);
}

void
cpu_strided_copy_init (CpuStridedCopy *copy, const CpuKernels *kernels,
    gsize size, int rank, const gint64 *dims, const gint64 *src_strides,
    const gint64 *dst_strides)
{
  copy->kernels = kernels;
  copy->size = size;
  copy->rank = 0;
  for (int d = 0; d < rank; d++) {
    int last = copy->rank - 1;

    if (dims[d] == 1)
      continue;
    if (last >= 0 && copy->src[last] == src_strides[d] * dims[d]
        && copy->dst[last] == dst_strides[d] * dims[d]) {
      copy->dims[last] *= dims[d];
      copy->src[last] = src_strides[d];
      copy->dst[last] = dst_strides[d];
      continue;
    }
    copy->dims[copy->rank] = dims[d];
    copy->src[copy->rank] = src_strides[d];
    copy->dst[copy->rank++] = dst_strides[d];
  }
  if (copy->rank == 0) {
    copy->rank = 1;
    copy->dims[0] = 1;
    for (int d = 0; d < rank; d++)
      if (dims[d] == 0)
        copy->dims[0] = 0;
    copy->src[0] = copy->dst[0] = (gint64) size;
  }
}

/* --- rows --- */

#define COPY_ROW(type)                                                         \
  static void copy_row_##type (guint8 *dst, gint64 dst_stride,                 \
      const guint8 *src, gint64 src_stride, gint64 n)                          \
  {                                                                            \
    for (gint64 i = 0; i < n; i++)                                             \
      *(type *) (gpointer) (dst + i * dst_stride) =                            \
          *(const type *) (gconstpointer) (src + i * src_stride);              \
  }

COPY_ROW (guint8)
COPY_ROW (guint16)
COPY_ROW (guint32)
COPY_ROW (guint64)

static void
copy_row (gsize size, guint8 *dst, gint64 dst_stride, const guint8 *src,
    gint64 src_stride, gint64 n)
{
  if (src_stride == (gint64) size && dst_stride == (gint64) size) {
    memcpy (dst, src, (gsize) n * size);
    return;
  }
  switch (size) {
    case 1:
      copy_row_guint8 (dst, dst_stride, src, src_stride, n);
      break;
    case 2:
      copy_row_guint16 (dst, dst_stride, src, src_stride, n);
      break;
    case 4:
      copy_row_guint32 (dst, dst_stride, src, src_stride, n);
      break;
    default:
      copy_row_guint64 (dst, dst_stride, src, src_stride, n);
      break;
  }
}

#define COPY_RUNS(bytes)                                                       \
  case bytes:                                                                  \
    for (gint64 r = 0; r < rows; r++)                                          \
      memcpy (dst + r * dst_stride, src + r * src_stride, bytes);              \
    break

void
cpu_copy_runs (guint8 *dst, gint64 dst_stride, const guint8 *src,
    gint64 src_stride, gint64 rows, gsize bytes)
{
  switch (bytes) {
    COPY_RUNS (2);
    COPY_RUNS (4);
    COPY_RUNS (8);
    COPY_RUNS (12);
    COPY_RUNS (16);
    default:
      for (gint64 r = 0; r < rows; r++)
        cpu_copy_run (dst + r * dst_stride, src + r * src_stride, bytes);
  }
}

/* --- planes: the axis that is dense in the source is not that of the target
 * --- */

#define BLOCK 16

#define COPY_PLANE(type)                                                       \
  static void copy_plane_##type (guint8 *dst, const gint64 *dst_strides,       \
      const guint8 *src, const gint64 *src_strides, const gint64 *dims)        \
  {                                                                            \
    for (gint64 r0 = 0; r0 < dims[0]; r0 += BLOCK)                             \
      for (gint64 c0 = 0; c0 < dims[1]; c0 += BLOCK)                           \
        for (gint64 r = r0; r < MIN (r0 + BLOCK, dims[0]); r++)                \
          copy_row_##type (dst + r * dst_strides[0] + c0 * dst_strides[1],     \
              dst_strides[1], src + r * src_strides[0] + c0 * src_strides[1],  \
              src_strides[1], MIN (BLOCK, dims[1] - c0));                      \
  }

COPY_PLANE (guint8)
COPY_PLANE (guint16)
COPY_PLANE (guint64)

static void
copy_plane_guint32 (const CpuStridedCopy *copy, guint8 *dst,
    const gint64 *dst_strides, const guint8 *src, const gint64 *src_strides,
    const gint64 *dims)
{
  /* The source's rows run along the target's columns. */
  if (src_strides[0] == 4 && dst_strides[1] == 4 && src_strides[1] > 0
      && src_strides[1] % 4 == 0 && dst_strides[0] % 4 == 0) {
    copy->kernels->transpose_u32 ((gpointer) dst, (gsize) dst_strides[0] / 4,
        (gconstpointer) src, (gsize) src_strides[1] / 4, (gsize) dims[1],
        (gsize) dims[0]);
    return;
  }
  for (gint64 r = 0; r < dims[0]; r++)
    copy_row_guint32 (dst + r * dst_strides[0], dst_strides[1],
        src + r * src_strides[0], src_strides[1], dims[1]);
}

static void
copy_plane (const CpuStridedCopy *copy, guint8 *dst, const gint64 *dst_strides,
    const guint8 *src, const gint64 *src_strides, const gint64 *dims)
{
  switch (copy->size) {
    case 1:
      copy_plane_guint8 (dst, dst_strides, src, src_strides, dims);
      break;
    case 2:
      copy_plane_guint16 (dst, dst_strides, src, src_strides, dims);
      break;
    case 4:
      copy_plane_guint32 (copy, dst, dst_strides, src, src_strides, dims);
      break;
    default:
      copy_plane_guint64 (dst, dst_strides, src, src_strides, dims);
      break;
  }
}

void
cpu_strided_copy_run (
    const CpuStridedCopy *copy, gpointer dst, gconstpointer src)
{
  const int rank = copy->rank;
  const gsize size = copy->size;
  const gboolean plane = rank >= 2 && copy->src[rank - 1] != (gint64) size;
  const gboolean runs = rank >= 2 && copy->src[rank - 1] == (gint64) size
                        && copy->dst[rank - 1] == (gint64) size;
  const int outer = plane || runs ? rank - 2 : rank - 1;
  gint64 index[INFER_MAX_RANK] = { 0 };
  guint8 *to = dst;
  const guint8 *from = src;
  int d;

  for (d = 0; d < rank; d++)
    if (copy->dims[d] == 0)
      return;
  do {
    if (plane)
      copy_plane (copy, to, copy->dst + outer, from, copy->src + outer,
          copy->dims + outer);
    else if (runs)
      cpu_copy_runs (to, copy->dst[outer], from, copy->src[outer],
          copy->dims[outer], (gsize) copy->dims[rank - 1] * size);
    else
      copy_row (size, to, copy->dst[outer], from, copy->src[outer],
          copy->dims[outer]);
    for (d = outer - 1; d >= 0; d--) {
      to += copy->dst[d];
      from += copy->src[d];
      if (++index[d] < copy->dims[d])
        break;
      to -= copy->dst[d] * copy->dims[d];
      from -= copy->src[d] * copy->dims[d];
      index[d] = 0;
    }
  } while (d >= 0);
}
