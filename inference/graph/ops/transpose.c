/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transpose. */

#include "inference/graph/op.h"

static gboolean
check_order (const GArray *order, int rank, GError **error)
{
  guint32 seen = 0;

  if ((int) order->len != rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "an order of %u axes for an input of rank %d", order->len, rank);
  for (int i = 0; i < rank; i++) {
    gint64 axis = g_array_index (order, gint64, i);

    if (axis < 0 || axis >= rank || (seen >> axis & 1) != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " of the order is beyond rank %d or named "
          "twice",
          axis, rank);
    seen |= 1u << axis;
  }
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  g_autoptr (GArray) order = NULL;

  context->outputs[0].type = context->inputs[0].type;
  if (!infer_require_integers (context, 1, 1, 1, error)
      || !infer_input_ints (context, 1, &order, error))
    return FALSE;
  if (in->rank < 0)
    return TRUE;
  *out = infer_shape_of_rank (in->rank);
  if (order == NULL)
    return TRUE;
  if (order->len > 0 && !check_order (order, in->rank, error))
    return FALSE;
  for (int i = 0; i < in->rank; i++)
    out->dims[i] = in->dims[order->len == 0 ? in->rank - 1 - i
                                            : g_array_index (order, gint64, i)];
  return TRUE;
}

const InferOpClass infer_op_transpose = {
  .type = "Transpose",
  .versions = "1",
  .min_inputs = 2,
  .value_inputs = 1 << 1,
  .infer_shapes = infer,
};
