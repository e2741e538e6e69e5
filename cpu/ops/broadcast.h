/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks over tensors that are broadcast to one shape, a row at a time: dims
 * through which all operands step evenly are merged, so that a row is as long
 * as it can be and each operand either advances by one or stands still. */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

#define CPU_BROADCAST_MAX 5 /* operands */

typedef struct
{
  guint n;  /* operands */
  int rank; /* of the dims that are stepped through row by row */
  gsize dims[INFER_MAX_RANK];
  gsize strides[CPU_BROADCAST_MAX][INFER_MAX_RANK]; /* elements */
  gsize rows;                                       /* product of dims */
  gsize row;                                        /* elements of a row */
  gsize step[CPU_BROADCAST_MAX];                    /* within a row: 0 or 1 */
  gboolean flat;                                    /* one row, or none */
} CpuBroadcast;

/* @shape as seen at rank of @out: dims of 1 put before it (and behind it for
 * PDPD with an axis). */
InferShape cpu_broadcast_align (const InferShape *out, const InferShape *shape,
    InferBroadcast rule, gint64 axis);

/* @shapes: aligned.  @nspc: out and operands of its shape lie channels last. */
void cpu_broadcast_init (CpuBroadcast *broadcast, const InferShape *out,
    guint n, const InferShape *shapes, gboolean nspc);

/* Row @index (0 ≤ index < rows): where each operand starts, in elements. */
typedef struct
{
  gsize index[INFER_MAX_RANK];
  gsize at[CPU_BROADCAST_MAX];
} CpuBroadcastRow;

void cpu_broadcast_seek (
    const CpuBroadcast *broadcast, CpuBroadcastRow *row, gsize index);
void cpu_broadcast_next (const CpuBroadcast *broadcast, CpuBroadcastRow *row);

/* How many rows from @row on, at most @most, each operand steps through by its
 * last stride.  Not for a flat one. */
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

/* Whether @shape lies the same in both layouts seen at rank of @out: one
 * channel, or nothing but channels (and batches). */
gboolean cpu_broadcast_suits_nspc (
    const InferShape *shape, const InferShape *out);

/* A wants_nspc: channels last stay so where the other operands lie the same in
 * both layouts. */
gboolean cpu_broadcast_wants_nspc (const CpuStep *step);

G_END_DECLS
