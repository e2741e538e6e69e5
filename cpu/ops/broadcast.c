/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/broadcast.h"

#include "inference/graph/ops/elementwise.h"

/* Elements per thread from which on waking it pays. */
#define GRAIN 16384

InferShape
cpu_broadcast_align (const InferShape *out, const InferShape *shape,
    InferBroadcast rule, gint64 axis)
{
  InferShape aligned = { .rank = out->rank };
  int first = out->rank - shape->rank;

  if (rule == INFER_BROADCAST_PDPD && axis >= 0 && axis < first)
    first = (int) axis;
  for (int i = 0; i < out->rank; i++)
    aligned.dims[i] =
        i >= first && i - first < shape->rank ? shape->dims[i - first] : 1;
  return aligned;
}

/* Moves dim 1 to the end. */
static void
to_channels_last (gint64 *values, int rank)
{
  gint64 channel = values[1];

  for (int i = 1; i + 1 < rank; i++)
    values[i] = values[i + 1];
  values[rank - 1] = channel;
}

static void
operand_strides (const InferShape *shape, const InferShape *out, gboolean nspc,
    gint64 *strides)
{
  InferShape own = *shape;

  if (nspc && infer_shape_equal (shape, out)) {
    to_channels_last (own.dims, own.rank);
    infer_shape_strides (&own, strides);
  } else {
    infer_shape_strides (&own, strides);
    if (nspc) {
      to_channels_last (own.dims, own.rank);
      to_channels_last (strides, own.rank);
    }
  }
  for (int i = 0; i < own.rank; i++)
    if (own.dims[i] == 1)
      strides[i] = 0;
}

/* Whether dim @i can be merged into the next one. */
static gboolean
merges (const CpuBroadcast *b, gsize dim, gint64 (*strides)[INFER_MAX_RANK],
    const gsize *inner_strides, int i)
{
  for (guint k = 0; k < b->n; k++)
    if ((gsize) strides[k][i] != inner_strides[k] * dim)
      return FALSE;
  return TRUE;
}

void
cpu_broadcast_init (CpuBroadcast *b, const InferShape *out, guint n,
    const InferShape *shapes, gboolean nspc)
{
  gint64 strides[CPU_BROADCAST_MAX][INFER_MAX_RANK];
  gsize merged[INFER_MAX_RANK],
      merged_strides[INFER_MAX_RANK][CPU_BROADCAST_MAX];
  InferShape order = *out;
  int m = 0;

  *b = (CpuBroadcast){ .n = n, .rows = 1, .row = 1, .flat = TRUE };
  nspc = nspc && out->rank > 2;
  for (guint k = 0; k < n; k++) {
    operand_strides (&shapes[k], out, nspc, strides[k]);
    b->step[k] = 1;
  }
  if (nspc)
    to_channels_last (order.dims, order.rank);
  /* From the innermost dim outward. */
  for (int i = out->rank - 1; i >= 0; i--) {
    gsize dim = (gsize) order.dims[i];

    if (dim == 1)
      continue;
    if (m > 0 && merges (b, merged[m - 1], strides, merged_strides[m - 1], i)) {
      merged[m - 1] *= dim;
      continue;
    }
    merged[m] = dim;
    for (guint k = 0; k < n; k++)
      merged_strides[m][k] = (gsize) strides[k][i];
    m++;
  }
  if (m == 0)
    return;
  b->row = merged[0];
  for (guint k = 0; k < n; k++)
    b->step[k] = merged_strides[0][k];
  b->rank = m - 1;
  b->flat = m == 1;
  for (int i = 1; i < m; i++) {
    b->dims[m - 1 - i] = merged[i];
    b->rows *= merged[i];
    for (guint k = 0; k < n; k++)
      b->strides[k][m - 1 - i] = merged_strides[i][k];
  }
}

void
cpu_broadcast_seek (const CpuBroadcast *b, CpuBroadcastRow *row, gsize index)
{
  for (guint k = 0; k < b->n; k++)
    row->at[k] = 0;
  for (int i = b->rank - 1; i >= 0; i--) {
    row->index[i] = index % b->dims[i];
    index /= b->dims[i];
    for (guint k = 0; k < b->n; k++)
      row->at[k] += row->index[i] * b->strides[k][i];
  }
}

void
cpu_broadcast_next (const CpuBroadcast *b, CpuBroadcastRow *row)
{
  for (int i = b->rank - 1; i >= 0; i--) {
    for (guint k = 0; k < b->n; k++)
      row->at[k] += b->strides[k][i];
    if (++row->index[i] < b->dims[i])
      return;
    for (guint k = 0; k < b->n; k++)
      row->at[k] -= row->index[i] * b->strides[k][i];
    row->index[i] = 0;
  }
}

typedef struct
{
  const CpuBroadcast *broadcast;
  CpuBroadcastFunc func;
  gpointer data;
} Walk;

static void
walk_flat (gpointer data, gsize begin, gsize end, guint thread)
{
  const Walk *walk = data;
  gsize at[CPU_BROADCAST_MAX];

  for (guint k = 0; k < walk->broadcast->n; k++)
    at[k] = begin * walk->broadcast->step[k];
  walk->func (walk->data, begin, at, end - begin);
}

static void
walk_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Walk *walk = data;
  const CpuBroadcast *b = walk->broadcast;
  CpuBroadcastRow row;

  cpu_broadcast_seek (b, &row, begin);
  for (gsize i = begin; i < end; i++) {
    walk->func (walk->data, i * b->row, row.at, b->row);
    cpu_broadcast_next (b, &row);
  }
}

void
cpu_broadcast_run (
    CpuStep *step, const CpuBroadcast *b, CpuBroadcastFunc func, gpointer data)
{
  Walk walk = { .broadcast = b, .func = func, .data = data };

  if (b->row == 0 || b->rows == 0)
    return;
  if (b->flat)
    cpu_step_parallel (step, b->row, GRAIN, walk_flat, &walk);
  else
    cpu_step_parallel (
        step, b->rows, MAX (GRAIN / b->row, 1), walk_rows, &walk);
}

gboolean
cpu_broadcast_suits_nspc (const InferShape *shape, const InferShape *out)
{
  gboolean channels = FALSE, spatial = FALSE;

  /* Aligned at the last dim: [C,1,1] and [1,C,1,1], not [1,C]. */
  for (int i = 0; i < shape->rank; i++) {
    const int d = i + out->rank - shape->rank;

    channels = channels || (d == 1 && shape->dims[i] != 1);
    spatial = spatial || (d > 1 && shape->dims[i] != 1);
  }
  return !channels || !spatial;
}

gboolean
cpu_broadcast_wants_nspc (const CpuStep *step)
{
  const InferBinary *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 0);

  if (step->in[0]->form.layout != CPU_LAYOUT_NSPC
      || attrs->rule == INFER_BROADCAST_PDPD
      || !infer_shape_equal (shape, cpu_out_shape (step, 0)))
    return FALSE;
  for (guint i = 1; i < step->n_in; i++)
    if (!cpu_broadcast_suits_nspc (cpu_in_shape (step, i), shape))
      return FALSE;
  return TRUE;
}
