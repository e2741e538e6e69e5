/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Of ONNX, not in OpenVINO's opsets: the bytes of elements as another type of
 * the same size. */

#include "inference/graph/known-type.h"
#include "inference/graph/ops/elementwise.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConvert *attrs = op->attrs;

  return infer_attr_require (from, error, "destination_type", NULL)
         && infer_attr_known_type (
             from, "destination_type", &attrs->type, error);
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferConvert *attrs = context->op->attrs;
  const InferDesc *in = &context->inputs[0];

  context->outputs[0] = (InferDesc){ attrs->type, in->shape };
  if (infer_type_size (attrs->type) > 0
      && (in->type == INFER_TYPE_DYNAMIC
          || infer_type_size (in->type) == infer_type_size (attrs->type)))
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "elements of %s and %s are not of the same number of whole bytes",
      infer_type_name (in->type), infer_type_name (attrs->type));
}

const InferOpClass infer_op_bit_cast = {
  .type = "BitCast",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_INTERNAL,
  .min_inputs = 1,
  .attrs_size = sizeof (InferConvert),
  .parse = parse,
  .infer_shapes = infer,
};
