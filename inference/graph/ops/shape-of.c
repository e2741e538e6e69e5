/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ShapeOf. */

#include "inference/graph/op.h"

typedef struct
{
  InferType type;
} ShapeOf;

static gboolean
parse (InferOperation *op, const InferAttributes *attributes, GError **error)
{
  ShapeOf *attrs = op->attrs;

  attrs->type = INFER_TYPE_I64;
  if (!infer_attributes_type (attributes, "output_type", &attrs->type, error))
    return FALSE;
  if (attrs->type != INFER_TYPE_I64 && attrs->type != INFER_TYPE_I32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'output_type' is %s, not i32 or i64",
        infer_type_name (attrs->type));
  return TRUE;
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const ShapeOf *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;

  context->outputs[0].type = attrs->type;
  context->outputs[0].shape =
      infer_shape_make (1, (gint64) (in->rank < 0 ? INFER_DYNAMIC : in->rank));
  return TRUE;
}

const InferOpClass infer_op_shape_of = {
  .type = "ShapeOf",
  .versions = "1,3",
  .flags = INFER_OP_SHAPE_ONLY | INFER_OP_SUB_BYTE,
  .min_inputs = 1,
  .max_inputs = 1,
  .n_outputs = 1,
  .attrs_size = sizeof (ShapeOf),
  .parse = parse,
  .infer_shapes = infer,
};
