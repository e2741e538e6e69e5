/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FakeQuantize and FakeConvert. */

#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/quantize.h"

static gboolean
parse_fake_quantize (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferBinary *attrs = op->attrs;

  if (!infer_attr_require (from, error, "levels", NULL)
      || !infer_attr_int (from, "levels", &attrs->levels, error)
      || !infer_parse_broadcast (attrs, from, error))
    return FALSE;
  return attrs->levels >= 2
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "levels is %" G_GINT64_FORMAT ", at least 2 are needed",
             attrs->levels);
}

static gboolean
infer_fake_quantize (InferShapeContext *context, GError **error)
{
  const InferBinary *attrs = context->op->attrs;
  InferShape shape = context->inputs[0].shape;

  if (!infer_require_real (context, 0, error)
      || !infer_merge_types (context, 0, 5, &context->outputs[0].type, error))
    return FALSE;
  for (guint i = 1; i < 5; i++) {
    InferShape merged;

    if (!infer_shape_broadcast (&shape, &context->inputs[i].shape,
            attrs->rule == INFER_BROADCAST_NONE ? INFER_BROADCAST_NUMPY
                                                : attrs->rule,
            attrs->axis, &merged, error))
      return FALSE;
    shape = merged;
  }
  context->outputs[0].shape = shape;
  return TRUE;
}

static gboolean
parse_fake_convert (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const types[] = { "f8e4m3", "f8e5m2", NULL };
  InferFakeConvert *attrs = op->attrs;
  int type = 0;

  if (!infer_attr_enum (from, "destination_type", types, &type, error))
    return FALSE;
  attrs->type = type == 0 ? INFER_TYPE_F8E4M3 : INFER_TYPE_F8E5M2;
  return TRUE;
}

static gboolean
infer_fake_convert (InferShapeContext *context, GError **error)
{
  InferShape shape = context->inputs[0].shape;

  if (!infer_require_real (context, 0, error)
      || !infer_merge_types (
          context, 0, context->n_inputs, &context->outputs[0].type, error))
    return FALSE;
  for (guint i = 1; i < context->n_inputs; i++) {
    InferShape merged;

    if (!infer_shape_broadcast (&shape, &context->inputs[i].shape,
            INFER_BROADCAST_NUMPY, -1, &merged, error))
      return FALSE;
    shape = merged;
  }
  context->outputs[0].shape = shape;
  return TRUE;
}

const InferOpClass infer_op_fake_quantize = {
  .type = "FakeQuantize",
  .versions = "1",
  .min_inputs = 5,
  .attrs_size = sizeof (InferBinary),
  .parse = parse_fake_quantize,
  .infer_shapes = infer_fake_quantize,
};

const InferOpClass infer_op_fake_convert = {
  .type = "FakeConvert",
  .versions = "13",
  .flags = INFER_OP_OWN_TYPES,
  .min_inputs = 2,
  .max_inputs = 3,
  .attrs_size = sizeof (InferFakeConvert),
  .parse = parse_fake_convert,
  .infer_shapes = infer_fake_convert,
};
