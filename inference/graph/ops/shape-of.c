/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ShapeOf. */

#include "inference/graph/op.h"

typedef struct
{
  InferType type;
} ShapeOf;

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  ShapeOf *attrs = op->attrs;

  attrs->type = INFER_TYPE_I64;
  return infer_attr_index_type (from, "output_type", &attrs->type, error);
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
  .attrs_size = sizeof (ShapeOf),
  .parse = parse,
  .infer_shapes = infer,
};
