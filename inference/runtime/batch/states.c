/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Joins values along one dimension and splits them. */

#include "inference/runtime/batch/private.h"

#include <string.h>

#include "inference/runtime/state-private.h"
#include "inference/base/shape.h"

typedef struct
{
  gsize outer;       /* number of pieces in a row */
  gsize piece, step; /* bytes of a piece, bytes from one to the next */
} Pieces;

/* The pieces of @row in a tensor of @n rows along @axis. */
static Pieces
pieces_of (const InferTensor *row, int axis, guint n)
{
  Pieces pieces = { .outer = infer_shape_count_range (&row->shape, 0, axis) };

  pieces.piece = pieces.outer > 0 ? row->size / pieces.outer : 0;
  pieces.step = pieces.piece * n;
  return pieces;
}

void
infer_batch_get_row (
    const InferTensor *from, int axis, guint index, guint n, InferTensor *to)
{
  Pieces p = pieces_of (to, axis, n);
  const guint8 *source = (const guint8 *) from->data + index * p.piece;

  for (gsize i = 0; i < p.outer && p.piece > 0; i++)
    memcpy ((guint8 *) to->data + i * p.piece, source + i * p.step, p.piece);
}

/* Copies the dense @from to row @index of @to. */
static void
set_row (
    const InferTensor *from, int axis, guint index, guint n, InferTensor *to)
{
  Pieces p = pieces_of (from, axis, n);
  guint8 *target = (guint8 *) to->data + index * p.piece;

  for (gsize i = 0; i < p.outer && p.piece > 0; i++)
    memcpy (target + i * p.step, (const guint8 *) from->data + i * p.piece,
        p.piece);
}

/* --- states --- */

/* NULL: reset, and the initial value is not known without evaluation. */
static const InferTensor *
value_of (InferState *state)
{
  const InferTensor *value = infer_state_peek (state);

  return value != NULL ? value : infer_state_get_initial (state);
}

static gboolean
can_be_row (const InferTensor *value, int axis)
{
  return value->dense && axis < value->shape.rank
         && value->shape.dims[axis] == 1;
}

gboolean
infer_batch_states_fit (
    InferState *const *a, InferState *const *b, const GArray *axes)
{
  for (guint i = 0; i < axes->len; i++) {
    const InferTensor *x = value_of (a[i]);
    const InferTensor *y = value_of (b[i]);

    if ((x == NULL) != (y == NULL))
      return FALSE;
    if (x != NULL
        && (x->type != y->type || !infer_shape_equal (&x->shape, &y->shape)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
gather_one (InferState *state, InferState *const *const *rows, guint n,
    guint index, int axis, GError **error)
{
  const InferTensor *first = value_of (rows[0][index]);

  if (first == NULL)
    return TRUE; /* stays reset */
  if (!can_be_row (first, axis)) {
    g_autofree char *text = infer_shape_to_string (&first->shape);

    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "variable '%s' is %s, not a row of a batch along dimension %d",
        infer_state_get_name (state), text, axis);
  }
  InferShape shape = first->shape;
  shape.dims[axis] = n;
  InferTensor *joined = infer_state_next (state, first->type, &shape, error);
  if (joined == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    set_row (value_of (rows[i][index]), axis, i, n, joined);
  infer_state_commit (state);
  return TRUE;
}

gboolean
infer_batch_gather (InferState *const *batch, InferState *const *const *rows,
    guint n, const GArray *axes, GError **error)
{
  for (guint i = 0; i < axes->len; i++)
    infer_state_clear (batch[i]);
  for (guint i = 0; i < axes->len; i++)
    if (!gather_one (batch[i], rows, n, i, g_array_index (axes, int, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
scatter_one (InferState *state, InferState *const *const *rows, guint n,
    guint index, int axis, GError **error)
{
  const InferTensor *joined = infer_state_peek (state);

  if (joined == NULL)
    return TRUE;
  InferShape shape = joined->shape;
  if (axis >= shape.rank || shape.dims[axis] != (gint64) n) {
    g_autofree char *text = infer_shape_to_string (&shape);

    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "variable '%s' became %s: dimension %d is not the batch of %u",
        infer_state_get_name (state), text, axis, n);
  }
  shape.dims[axis] = 1;
  for (guint i = 0; i < n; i++) {
    InferTensor *row =
        infer_state_next (rows[i][index], joined->type, &shape, error);

    if (row == NULL)
      return FALSE;
    infer_batch_get_row (joined, axis, i, n, row);
  }
  return TRUE;
}

gboolean
infer_batch_scatter (InferState *const *batch, InferState *const *const *rows,
    guint n, const GArray *axes, GError **error)
{
  if (!infer_states_make_dense (batch, error))
    return FALSE;
  for (guint i = 0; i < axes->len; i++)
    if (!scatter_one (
            batch[i], rows, n, i, g_array_index (axes, int, i), error))
      return FALSE;
  return TRUE;
}
