/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pad. */

#include "inference/graph/ops/pad.h"

static const char *const modes[] = { "constant", "edge", "reflect", "symmetric",
  NULL };

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferPad *attrs = op->attrs;

  return infer_attr_require (from, error, "pad_mode", NULL)
         && infer_attr_enum (from, "pad_mode", modes, &attrs->mode, error);
}

static gboolean
pad_axis (const InferShapeContext *context, int axis, gint64 begin, gint64 end,
    gint64 *dim, GError **error)
{
  const InferPad *attrs = context->op->attrs;
  const gint64 length = context->inputs[0].shape.dims[axis];
  const gint64 most = MAX (begin, end);
  gint64 sum;

  if (context->op->version < 12 && (begin < 0 || end < 0))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a pad of %" G_GINT64_FORMAT " on axis %d", MIN (begin, end), axis);
  if (length == INFER_DYNAMIC)
    return TRUE;
  if (__builtin_add_overflow (begin, end, &sum)
      || __builtin_add_overflow (sum, length, &sum) || sum < 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "pads of %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
        " on axis %d of %" G_GINT64_FORMAT,
        begin, end, axis, length);
  /* Negative pads have cut the axis before the others copy from it. */
  const gint64 kept = infer_pad_kept (length, begin, end);
  if ((attrs->mode == INFER_PAD_REFLECT && most > 0 && most >= kept)
      || (attrs->mode == INFER_PAD_SYMMETRIC && most > kept)
      || (attrs->mode == INFER_PAD_EDGE && most > 0 && kept == 0))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a pad of %" G_GINT64_FORMAT " is too much for axis %d, of which "
        "%" G_GINT64_FORMAT " are left to copy from, in mode '%s'",
        most, axis, kept, modes[attrs->mode]);
  *dim = sum;
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  InferDesc *out = &context->outputs[0];
  g_autoptr (GArray) begin = NULL, end = NULL;

  out->type = context->inputs[0].type;
  if (!infer_require_integer (context, 1, error)
      || !infer_require_integer (context, 2, error)
      || !infer_input_ints (context, 1, &begin, error)
      || !infer_input_ints (context, 2, &end, error))
    return FALSE;
  if (context->n_inputs > 3 && context->op->inputs[3].op != NULL
      && !infer_type_merge (out->type, context->inputs[3].type, &out->type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the pad value is %s, the data %s",
        infer_type_name (context->inputs[3].type), infer_type_name (out->type));
  gsize n;
  if (context->n_inputs > 3
      && infer_shape_elements (&context->inputs[3].shape, &n) && n != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the pad value has %" G_GSIZE_FORMAT " elements, not one", n);
  if (in->rank < 0)
    return TRUE;
  out->shape = infer_shape_of_rank (in->rank);
  if ((begin != NULL && (int) begin->len != in->rank)
      || (end != NULL && (int) end->len != in->rank))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "pads_begin and pads_end need %d numbers each", in->rank);
  for (int d = 0; begin != NULL && end != NULL && d < in->rank; d++)
    if (!pad_axis (context, d, g_array_index (begin, gint64, d),
            g_array_index (end, gint64, d), &out->shape.dims[d], error))
      return FALSE;
  return TRUE;
}

const InferOpClass infer_op_pad = {
  .type = "Pad",
  .versions = "1,12",
  .min_inputs = 3,
  .max_inputs = 4,
  .value_inputs = 1 << 1 | 1 << 2,
  .attrs_size = sizeof (InferPad),
  .parse = parse,
  .infer_shapes = infer,
};
