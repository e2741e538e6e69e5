/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parameter, Const, Result, Identity. */

#include "inference/graph/ops/parameter.h"

static gboolean
parse_desc (const InferAttributes *from, InferDesc *desc, InferShape *lower,
    InferShape *upper, GError **error)
{
  const char *shape = infer_attr_get (from, "shape");
  gsize bytes;

  if (!infer_attr_require (from, error, "element_type", "shape", NULL)
      || !infer_attr_type (from, "element_type", &desc->type, error))
    return FALSE;
  if (!infer_shape_parse (shape, &desc->shape, lower, upper, error)) {
    g_prefix_error (error, "attribute 'shape': ");
    return FALSE;
  }
  if (desc->type != INFER_TYPE_DYNAMIC && infer_shape_is_static (&desc->shape)
      && !infer_tensor_bytes (desc->type, &desc->shape, &bytes))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'shape': a tensor of shape '%.100s' has more bytes than "
        "can be counted",
        shape);
  return TRUE;
}

static gboolean
parameter_parse (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferParameterAttrs *attrs = op->attrs;

  return parse_desc (from, &attrs->desc, &attrs->lower, &attrs->upper, error);
}

static gboolean
parameter_infer (InferShapeContext *context, GError **error)
{
  const InferParameterAttrs *attrs = context->op->attrs;

  context->outputs[0] = attrs->desc;
  return TRUE;
}

const InferOpClass infer_op_parameter = {
  .type = "Parameter",
  .versions = "1",
  .flags = INFER_OP_IMPURE | INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .attrs_size = sizeof (InferParameterAttrs),
  .parse = parameter_parse,
  .infer_shapes = parameter_infer,
};

static gboolean
parse_unsigned (const InferAttributes *from, const char *name, guint64 *value,
    GError **error)
{
  const char *text = infer_attr_get (from, name);

  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, value, NULL)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute '%s': '%.100s' is no count of bytes", name, text);
}

static gboolean
const_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConstAttrs *attrs = op->attrs;
  gsize bytes;

  if (!parse_desc (from, &attrs->desc, NULL, NULL, error)
      || !infer_attr_require (from, error, "offset", "size", NULL)
      || !parse_unsigned (from, "offset", &attrs->offset, error)
      || !parse_unsigned (from, "size", &attrs->size, error))
    return FALSE;
  if (infer_type_bits (attrs->desc.type) == 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "constants of type %s are not supported",
        infer_type_name (attrs->desc.type));
  if (!infer_shape_is_static (&attrs->desc.shape)
      || !infer_tensor_bytes (attrs->desc.type, &attrs->desc.shape, &bytes))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'shape': '%.100s' is no shape of a constant",
        infer_attr_get (from, "shape"));
  if (attrs->size < bytes)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'size': %" G_GUINT64_FORMAT " bytes, but shape '%.100s' of "
        "%s needs %" G_GSIZE_FORMAT,
        attrs->size, infer_attr_get (from, "shape"),
        infer_type_name (attrs->desc.type), bytes);
  return TRUE;
}

static gboolean
const_infer (InferShapeContext *context, GError **error)
{
  const InferTensor *value = context->op->value;

  context->outputs[0] = (InferDesc){ value->type, value->shape };
  return TRUE;
}

const InferOpClass infer_op_const = {
  .type = "Const",
  .alias = "Constant",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .attrs_size = sizeof (InferConstAttrs),
  .parse = const_parse,
  .infer_shapes = const_infer,
};

const InferOpClass infer_op_result = {
  .type = "Result",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .min_inputs = 1,
  .infer_shapes = infer_same_as_input,
};

const InferOpClass infer_op_identity = {
  .type = "Identity",
  .versions = "16",
  .flags = INFER_OP_SUB_BYTE | INFER_OP_COPIES,
  .min_inputs = 1,
  .infer_shapes = infer_same_as_input,
};
