/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A copy between two strided boxes of elements, used by all operations that
 * only move data. */

#pragma once

#include "cpu/kernels/kernels.h"
#include "infer/shape.h"

#include <string.h>

typedef struct
{
  const CpuKernels *kernels;
  gsize size; /* bytes of an element */
  int rank;
  gint64 dims[INFER_MAX_RANK];
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK]; /* strides in bytes */
} CpuStridedCopy;

/* @size: 1, 2, 4 or 8.  Strides of the source, in bytes, may be 0 or negative.
 * Dims that are contiguous on both sides are merged. */
void cpu_strided_copy_init (CpuStridedCopy *copy, const CpuKernels *kernels,
    gsize size, int rank, const gint64 *dims, const gint64 *src_strides,
    const gint64 *dst_strides);

/* Both sides are contiguous: memcpy would do. */
static inline gboolean
cpu_strided_copy_is_dense (const CpuStridedCopy *copy)
{
  return copy->rank == 1 && copy->src[0] == (gint64) copy->size
         && copy->dst[0] == (gint64) copy->size;
}

void cpu_strided_copy_run (
    const CpuStridedCopy *copy, gpointer dst, gconstpointer src);

/* Copies dense rows of @bytes with these strides; short rows without a call for
 * each. */
void cpu_copy_runs (guint8 *dst, gint64 dst_stride, const guint8 *src,
    gint64 src_stride, gint64 rows, gsize bytes);

/* Copies one row. */
static inline void
cpu_copy_run (guint8 *dst, const guint8 *src, gsize bytes)
{
  if (bytes < 16 || bytes > 256) {
    memcpy (dst, src, bytes);
    return;
  }
  for (gsize i = 0; i + 16 <= bytes; i += 16)
    memcpy (dst + i, src + i, 16);
  memcpy (dst + bytes - 16, src + bytes - 16, 16);
}

/* Row-major strides in bytes. */
void cpu_dense_strides (const InferShape *shape, gsize size, gint64 *strides);

/* Fills @n elements of @size bytes with the one at @value. */
void cpu_fill (gpointer dst, gconstpointer value, gsize size, gsize n);
