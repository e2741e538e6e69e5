/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantisation. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

/* --- scales and zero points --- */

/* @values of blocks of @block along @axis, each repeated, in the shape of @x.
 */
static InferPort
repeat_blocks (
    OnnxNode *n, InferPort values, InferPort x, gint64 axis, gint64 block)
{
  gint64 ones[INFER_MAX_RANK + 1];
  int rank = onnx_rank (x);
  InferPort blocks = onnx_unsqueeze (n, values, axis + 1);
  InferPort shape = onnx_shape_of (n, values), at = I64S (n, axis);
  InferPort length = OP (n, "Multiply", "",
      OP (n, "Gather", "", shape, at, onnx_i64 (n, 0)), onnx_i64 (n, block));

  for (int i = 0; i <= rank; i++)
    ones[i] = i == axis + 1 ? block : 1;
  blocks = OP (n, "Tile", "", blocks, onnx_i64s (n, ones, (guint) rank + 1));
  blocks = onnx_reshape (n, blocks,
      OP (n, "ScatterElementsUpdate", "", shape, at, length, onnx_i64 (n, 0)));
  return OP (n, "Slice", "", blocks, I64S (n, 0),
      OP (n, "Gather", "", onnx_shape_of (n, x), at, onnx_i64 (n, 0)),
      I64S (n, 1), at);
}

/* @values as they broadcast to @x: one, one for each index of `axis`, or one
 * for each block. */
static InferPort
fit (OnnxNode *n, InferPort values, InferPort x)
{
  gint64 shape[INFER_MAX_RANK], block = onnx_int (n, "block_size", 0);
  int rank = onnx_known_rank (n, x), own = onnx_known_rank (n, values);
  gint64 axis;

  if (own == 0 || (own == 1 && onnx_dim (values, 0) == 1 && block == 0))
    return own == 0 ? values : onnx_reshape (n, values, onnx_i64s (n, NULL, 0));
  axis = onnx_axis (n, onnx_int (n, "axis", 1), rank);
  if (block > 0)
    return repeat_blocks (n, values, x, axis, block);
  if (own != 1)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "its scale is of rank %d", own);
  for (int i = 0; i < rank; i++)
    shape[i] = i == axis ? -1 : 1;
  return onnx_reshape (n, values, onnx_i64s (n, shape, (guint) rank));
}

static gboolean
range_of (InferType type, double *low, double *high)
{
  guint bits = infer_type_bits (type);

  if (!infer_type_is_integer (type) || bits > 16)
    return FALSE;
  *low = infer_type_is_signed (type) ? -(double) (1u << (bits - 1)) : 0;
  *high = *low + (double) (1u << bits) - 1;
  return TRUE;
}

/* saturate (round (x / scale) + zero), ties to even, as @type. */
static InferPort
quantize (
    OnnxNode *n, InferPort x, InferPort scale, InferPort zero, InferType type)
{
  InferType real =
      onnx_type (scale) == INFER_TYPE_F16 ? INFER_TYPE_F32 : onnx_type (scale);
  double low, high;
  InferPort y = OP (n, "Divide", "", onnx_convert (n, x, real),
      onnx_convert (n, scale, real));

  if (!range_of (type, &low, &high)) {
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "quantising to %s", infer_type_name (type));
    return y;
  }
  y = OP (n, "Round", "mode=half_to_even", y);
  if (zero.op != NULL)
    y = OP (n, "Add", "", y, onnx_convert (n, zero, real));
  return onnx_convert (
      n, OP (n, "Clamp", ATTRS ("min=%.9g;max=%.9g", low, high), y), type);
}

/* (x - zero) scale, as @type. */
static InferPort
dequantize (
    OnnxNode *n, InferPort x, InferPort scale, InferPort zero, InferType type)
{
  InferPort y = onnx_convert (n, x, type);

  if (zero.op != NULL)
    y = OP (n, "Subtract", "", y, onnx_convert (n, zero, type));
  return OP (n, "Multiply", "", y, onnx_convert (n, scale, type));
}

static InferPort
fit_optional (OnnxNode *n, guint input, InferPort x)
{
  return onnx_given (n, input) ? fit (n, n->inputs[input], x)
                               : (InferPort){ NULL, 0 };
}

void
onnx_import_quantize_linear (OnnxNode *n)
{
  InferType type =
      onnx_given (n, 2) ? onnx_known_type (n, n->inputs[2]) : INFER_TYPE_U8;

  if (onnx_int (n, "output_dtype", 0) != 0)
    type = onnx_type_attribute (n, "output_dtype", type);
  n->outputs[0] =
      quantize (n, X, fit (n, n->inputs[1], X), fit_optional (n, 2, X), type);
}

void
onnx_import_dequantize_linear (OnnxNode *n)
{
  InferType type = onnx_known_type (n, n->inputs[1]);

  if (onnx_int (n, "output_dtype", 0) != 0)
    type = onnx_type_attribute (n, "output_dtype", type);
  n->outputs[0] =
      dequantize (n, X, fit (n, n->inputs[1], X), fit_optional (n, 2, X), type);
}

void
onnx_import_dynamic_quantize_linear (OnnxNode *n)
{
  InferPort all = OP (n, "Range", "output_type=i64", onnx_i64 (n, 0),
      OP (n, "Squeeze", "", onnx_shape_of (n, onnx_shape_of (n, X))),
      onnx_i64 (n, 1));
  InferPort none = onnx_scalar (n, INFER_TYPE_F32, 0);
  InferPort most = onnx_scalar (n, INFER_TYPE_F32, 255);
  InferPort low = OP (
      n, "Minimum", "", OP (n, "ReduceMin", "keep_dims=false", X, all), none);
  InferPort high = OP (
      n, "Maximum", "", OP (n, "ReduceMax", "keep_dims=false", X, all), none);
  InferPort scale =
      OP (n, "Divide", "", OP (n, "Subtract", "", high, low), most);
  InferPort zero = OP (n, "Divide", "", OP (n, "Negative", "", low), scale);

  zero = onnx_convert (n,
      OP (n, "Round", "mode=half_to_even",
          OP (n, "Clamp", "min=0;max=255", zero)),
      INFER_TYPE_U8);
  n->outputs[0] = quantize (n, X, scale, zero, INFER_TYPE_U8);
  n->outputs[1] = scale;
  n->outputs[2] = zero;
}

/* --- products of quantised values --- */

/* @values [rows] of a matrix [.., rows, columns] as a column. */
static InferPort
as_column (OnnxNode *n, InferPort values)
{
  return onnx_rank (values) == 1 && onnx_dim (values, 0) != 1
             ? onnx_unsqueeze (n, values, 1)
             : values;
}

/* @x without its zero point, as f32: sums of products of bytes are exact up to
 * 2^24. */
static InferPort
centre (OnnxNode *n, InferPort x, InferPort zero)
{
  InferPort y = onnx_convert (n, x, INFER_TYPE_F32);

  return zero.op != NULL
             ? OP (n, "Subtract", "", y, onnx_convert (n, zero, INFER_TYPE_F32))
             : y;
}

void
onnx_import_matmul_integer (OnnxNode *n)
{
  InferPort a = centre (n, X, as_column (n, n->inputs[2]));
  InferPort b = centre (n, n->inputs[1], n->inputs[3]);

  n->outputs[0] = onnx_convert (n, OP (n, "MatMul", "", a, b), INFER_TYPE_I32);
}

void
onnx_import_qlinear_matmul (OnnxNode *n)
{
  InferPort a = dequantize (n, X, as_column (n, n->inputs[1]),
      as_column (n, n->inputs[2]), INFER_TYPE_F32);
  InferPort b =
      dequantize (n, n->inputs[3], n->inputs[4], n->inputs[5], INFER_TYPE_F32);
  InferPort scale = onnx_convert (n, n->inputs[6], INFER_TYPE_F32);

  n->outputs[0] = quantize (n, OP (n, "MatMul", "", a, b), scale, n->inputs[7],
      onnx_known_type (n, n->inputs[7]));
}

/* @values [O] of weights [O, I, …]. */
static InferPort
per_output (OnnxNode *n, InferPort values, int rank)
{
  gint64 shape[INFER_MAX_RANK] = { -1 };

  for (int i = 1; i < rank; i++)
    shape[i] = 1;
  return values.op == NULL
             ? values
             : onnx_reshape (n, values, onnx_i64s (n, shape, (guint) rank));
}

void
onnx_import_conv_integer (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort x = centre (n, X, n->inputs[2]);
  InferPort w = centre (n, n->inputs[1], per_output (n, n->inputs[3], rank));

  n->outputs[0] =
      onnx_convert (n, onnx_add_convolution (n, x, w, rank), INFER_TYPE_I32);
}

void
onnx_import_qlinear_conv (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort x = dequantize (n, X, n->inputs[1], n->inputs[2], INFER_TYPE_F32);
  InferPort w = dequantize (n, n->inputs[3], per_output (n, n->inputs[4], rank),
      per_output (n, n->inputs[5], rank), INFER_TYPE_F32);
  InferPort y = onnx_add_convolution (n, x, w, rank);

  if (onnx_given (n, 8)) {
    InferPort unit = OP (n, "Multiply", "", n->inputs[1], n->inputs[4]);

    y = onnx_add_bias (n, y,
        OP (n, "Multiply", "", onnx_convert (n, n->inputs[8], INFER_TYPE_F32),
            unit),
        rank);
  }
  n->outputs[0] = quantize (
      n, y, n->inputs[6], n->inputs[7], onnx_known_type (n, n->inputs[7]));
}
