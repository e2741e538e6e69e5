/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/known-type.h"
#include "inference/graph/ops/elementwise.h"

static gboolean
parse_convert (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConvert *attrs = op->attrs;

  return infer_attr_require (from, error, "destination_type", NULL)
         && infer_attr_known_type (
             from, "destination_type", &attrs->type, error);
}

static gboolean
infer_convert_op (InferShapeContext *context, GError **error)
{
  const InferConvert *attrs = context->op->attrs;

  context->outputs[0].type = attrs->type;
  context->outputs[0].shape = context->inputs[0].shape;
  return TRUE;
}

static gboolean
infer_convert_like (InferShapeContext *context, GError **error)
{
  context->outputs[0].type = context->inputs[1].type;
  context->outputs[0].shape = context->inputs[0].shape;
  return TRUE;
}

static gboolean
parse_promote (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferConvert *attrs = op->attrs;

  attrs->type = INFER_TYPE_F32;
  return infer_attr_bool (from, "promote_unsafe", &attrs->promote_unsafe, error)
         && infer_attr_bool (from, "pytorch_scalar_promotion",
             &attrs->pytorch_scalar_promotion, error)
         && infer_attr_known_type (
             from, "u64_integer_promotion_target", &attrs->type, error);
}

/* Promotion order: boolean, integers, floats. */
static int
category (InferType type)
{
  return type == INFER_TYPE_BOOLEAN ? 0 : infer_type_is_integer (type) ? 1 : 2;
}

static InferType
signed_of_bits (guint bits)
{
  return bits > 32   ? INFER_TYPE_I64
         : bits > 16 ? INFER_TYPE_I32
         : bits > 8  ? INFER_TYPE_I16
                     : INFER_TYPE_I8;
}

/* The common type of two integers. */
static InferType
promote_integers (const InferConvert *attrs, InferType a, InferType b)
{
  InferType wide = infer_type_bits (a) >= infer_type_bits (b) ? a : b;

  if (infer_type_is_signed (a) == infer_type_is_signed (b))
    return wide;
  if (a == INFER_TYPE_U64 || b == INFER_TYPE_U64)
    return attrs->type;
  guint bits_unsigned = infer_type_bits (infer_type_is_signed (a) ? b : a);
  return signed_of_bits (MAX (
      infer_type_bits (infer_type_is_signed (a) ? a : b), bits_unsigned + 1));
}

static InferType
promote_reals (InferType a, InferType b)
{
  if (a == b)
    return a;
  if (infer_type_bits (a) == infer_type_bits (b))
    return infer_type_bits (a) < 16 ? INFER_TYPE_F16 : INFER_TYPE_F32;
  return infer_type_bits (a) > infer_type_bits (b) ? a : b;
}

static InferType
promote (const InferConvert *attrs, InferType a, gboolean scalar_a, InferType b,
    gboolean scalar_b)
{
  int ca = category (a), cb = category (b);

  if (a == b)
    return a;
  if (attrs->pytorch_scalar_promotion && scalar_a != scalar_b) {
    InferType tensor = scalar_a ? b : a, scalar = scalar_a ? a : b;

    if (category (scalar) <= category (tensor))
      return tensor;
    return scalar;
  }
  if (ca != cb)
    return ca > cb ? a : b;
  return ca == 1 ? promote_integers (attrs, a, b) : promote_reals (a, b);
}

/* Whether a conversion from @from to @to may lose values. */
static gboolean
is_unsafe (InferType from, InferType to)
{
  int cf = category (from), ct = category (to);

  if (from == to || cf == 0)
    return FALSE;
  if (cf == 2 || ct == 1)
    return infer_type_bits (from) > infer_type_bits (to)
           || (cf == 1
               && infer_type_is_signed (from) != infer_type_is_signed (to)
               && infer_type_bits (from) == infer_type_bits (to));
  guint bits = to == INFER_TYPE_F64   ? 53
               : to == INFER_TYPE_F32 ? 24
               : to == INFER_TYPE_F16 ? 11
                                      : 8;
  return infer_type_bits (from) > bits;
}

static gboolean
infer_promote (InferShapeContext *context, GError **error)
{
  const InferConvert *attrs = context->op->attrs;
  const InferDesc *in = context->inputs;
  InferType type = INFER_TYPE_DYNAMIC;

  if (in[0].type != INFER_TYPE_DYNAMIC && in[1].type != INFER_TYPE_DYNAMIC) {
    type = promote (attrs, in[0].type, in[0].shape.rank == 0, in[1].type,
        in[1].shape.rank == 0);
    for (guint i = 0; i < 2; i++)
      if (!attrs->promote_unsafe && is_unsafe (in[i].type, type))
        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "types %s and %s have no common type that holds both exactly",
            infer_type_name (in[0].type), infer_type_name (in[1].type));
  }
  for (guint i = 0; i < 2; i++) {
    context->outputs[i].type = type;
    context->outputs[i].shape = in[i].shape;
  }
  return TRUE;
}

const InferOpClass infer_op_convert = {
  .type = "Convert",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE | INFER_OP_CONVERTS,
  .min_inputs = 1,
  .attrs_size = sizeof (InferConvert),
  .parse = parse_convert,
  .infer_shapes = infer_convert_op,
};

const InferOpClass infer_op_convert_like = {
  .type = "ConvertLike",
  .versions = "1",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE | INFER_OP_CONVERTS,
  .min_inputs = 2,
  .infer_shapes = infer_convert_like,
};

const InferOpClass infer_op_convert_promote_types = {
  .type = "ConvertPromoteTypes",
  .versions = "14",
  .flags = INFER_OP_OWN_TYPES | INFER_OP_CONVERTS,
  .min_inputs = 2,
  .n_outputs = 2,
  .attrs_size = sizeof (InferConvert),
  .parse = parse_promote,
  .infer_shapes = infer_promote,
};
