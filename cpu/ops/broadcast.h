/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks over tensors that are broadcast to one shape, row by row.  Dims through
 * which all operands step evenly are merged, so that rows are as long as
 * possible; within a row each operand has stride 0 or 1. */

#pragma once

#include "cpu/base/step.h"

#define CPU_BROADCAST_MAX 5 /* operands */

typedef struct
{
  guint n;  /* operands */
  int rank; /* number of outer dims */
  gsize dims[INFER_MAX_RANK];
  gsize strides[CPU_BROADCAST_MAX][INFER_MAX_RANK]; /* elements */
  gsize rows;                                       /* product of dims */
  gsize row;                                        /* elements of a row */
  gsize step[CPU_BROADCAST_MAX];                    /* within a row: 0 or 1 */
  gboolean flat;                                    /* at most one row */
} CpuBroadcast;

/* @shape at the rank of @out: dims of size 1 are prepended (and, for PDPD with
 * an axis, appended). */
InferShape cpu_broadcast_align (const InferShape *out, const InferShape *shape,
    InferBroadcast rule, gint64 axis);

/* @shapes: aligned.  @nspc: the output and operands of its shape have channels
 * last. */
void cpu_broadcast_init (CpuBroadcast *broadcast, const InferShape *out,
    guint n, const InferShape *shapes, gboolean nspc);

/* Offsets of row @index (0 ≤ index < rows) in each operand, in elements. */
typedef struct
{
  gsize index[INFER_MAX_RANK];
  gsize at[CPU_BROADCAST_MAX];
} CpuBroadcastRow;

void cpu_broadcast_seek (
    const CpuBroadcast *broadcast, CpuBroadcastRow *row, gsize index);
void cpu_broadcast_next (const CpuBroadcast *broadcast, CpuBroadcastRow *row);

/* Number of rows from @row on, at most @most, through which each operand steps
 * by its last stride.  Not for a flat one. */
static inline gsize
cpu_broadcast_rows_from (
    const CpuBroadcast *broadcast, const CpuBroadcastRow *row, gsize most)
{
  const int last = broadcast->rank - 1;

  return MIN (broadcast->dims[last] - row->index[last], most);
}

/* Calls @func for every row, or piece of a row, on the step's threads.  @out_at
 * and @at are offsets in elements. */
typedef void (*CpuBroadcastFunc) (
    gpointer data, gsize out_at, const gsize *at, gsize n);
void cpu_broadcast_run (CpuStep *step, const CpuBroadcast *broadcast,
    CpuBroadcastFunc func, gpointer data);

/* Whether @shape, at the rank of @out, is identical in both layouts: one
 * channel, or nothing but channels (and batches). */
gboolean cpu_broadcast_suits_nspc (
    const InferShape *shape, const InferShape *out);

/* A CpuOp.wants_nspc: channels last are kept if the other operands are
 * identical in both layouts. */
gboolean cpu_broadcast_wants_nspc (const CpuStep *step);
