/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/convolution.h"
#include "inference/graph/work.h"

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "xnor-popcount", NULL };
  InferBinaryConvolution *attrs = op->attrs;
  int mode = 0;

  return infer_attr_require (from, error, "mode", "pad_value", NULL)
         && infer_window_parse (&attrs->window, from, FALSE, error)
         && infer_attr_enum (from, "mode", modes, &mode, error)
         && infer_attr_double (from, "pad_value", &attrs->pad_value, error);
}

static gint64
dim_of (const InferDesc *desc, int i)
{
  return desc->shape.rank == INFER_DYNAMIC ? INFER_DYNAMIC
                                           : desc->shape.dims[i];
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferBinaryConvolution *attrs = context->op->attrs;
  const InferDesc *data = &context->inputs[0];
  const InferDesc *filters = &context->inputs[1];
  InferDesc *out = &context->outputs[0];
  gint64 channels;

  if (filters->type != INFER_TYPE_DYNAMIC && filters->type != INFER_TYPE_U1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "filters of type %s, not u1", infer_type_name (filters->type));
  if (data->type != INFER_TYPE_DYNAMIC && !infer_type_is_real (data->type)
      && !infer_type_is_integer (data->type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "elements of type %s are no numbers", infer_type_name (data->type));
  if (!infer_require_rank (context, 0, 4, 4, error)
      || !infer_require_rank (context, 1, 4, 4, error))
    return FALSE;
  out->type = data->type;
  out->shape = infer_shape_of_rank (4);
  if (!infer_window_check_rank (&attrs->window, &out->shape, error)
      || !infer_merge_dims (dim_of (data, 1), dim_of (filters, 1), &channels,
          "the number of input channels", error))
    return FALSE;
  out->shape.dims[0] = dim_of (data, 0);
  out->shape.dims[1] = dim_of (filters, 0);
  for (int i = 2; i < 4; i++) {
    InferWindowDim dim;

    if (!infer_window_resolve (&attrs->window, (guint) i - 2, dim_of (data, i),
            dim_of (filters, i), &dim, error))
      return FALSE;
    out->shape.dims[i] = dim.out;
  }
  return TRUE;
}

static double
work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  return infer_work_filters (&out[0], in[1]);
}

const InferOpClass infer_op_binary_convolution = {
  .type = "BinaryConvolution",
  .versions = "1",
  .flags = INFER_OP_SUB_BYTE,
  .min_inputs = 2,
  .attrs_size = sizeof (InferBinaryConvolution),
  .parse = parse,
  .infer_shapes = infer,
  .work = work,
};
