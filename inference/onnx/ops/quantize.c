/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantisation. */

#include <math.h>

#include "inference/base/tensor.h"
#include "inference/onnx/ops/cast.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/quantize.h"
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

OnnxScale
onnx_scale_of (OnnxNode *n, guint scale, guint zero)
{
  return (OnnxScale){ n->inputs[scale],
    onnx_given (n, zero) ? n->inputs[zero] : (InferPort){ NULL, 0 } };
}

/* A zero point that is not 0 everywhere. */
static gboolean
has_zero (OnnxScale scale)
{
  const InferTensor *value = onnx_value (scale.zero);
  g_autoptr (GArray) all =
      value != NULL ? infer_tensor_to_doubles (value) : NULL;

  for (guint i = 0; all != NULL && i < all->len; i++)
    if (g_array_index (all, double, i) != 0)
      return TRUE;
  return scale.zero.op != NULL && all == NULL;
}

InferPort
onnx_quantize (OnnxNode *n, InferPort x, OnnxScale scale, InferType type)
{
  const InferType of = onnx_type (scale.scale);
  const InferType real =
      of == INFER_TYPE_F16 || of == INFER_TYPE_F8E8M0 ? INFER_TYPE_F32 : of;
  double low, high;
  InferPort y = OP (n, "Divide", "", onnx_convert (n, x, real),
      onnx_convert (n, scale.scale, real));

  if (infer_type_is_real (type))
    return onnx_cast (n,
        has_zero (scale)
            ? OP (n, "Add", "", y, onnx_convert (n, scale.zero, real))
            : y,
        type);
  if (!range_of (type, &low, &high)) {
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "quantising to %s", infer_type_name (type));
    return y;
  }
  y = OP (n, "Round", "mode=half_to_even", y);
  if (has_zero (scale))
    y = OP (n, "Add", "", y, onnx_convert (n, scale.zero, real));
  return onnx_convert (
      n, OP (n, "Clamp", ATTRS ("min=%.9g;max=%.9g", low, high), y), type);
}

/* --- FakeQuantize --- */

static const InferOperation *
input_of (const InferOperation *op, const InferOpClass *klass)
{
  return infer_op_is (op, klass) ? op->inputs[0].op : NULL;
}

/* The value that onnx_quantize made @q of, as f32, and its constant scale;
 * op == NULL: none. */
static InferPort
find_quantised (InferPort q, OnnxScale *scale)
{
  const InferPort none = { NULL, 0 };
  const InferOperation *op = input_of (q.op, &infer_op_convert);
  double number;

  scale->zero = none;
  op = input_of (op, &infer_op_clamp);
  if (infer_op_is (op, &infer_op_add)) {
    scale->zero = op->inputs[1];
    if (!infer_port_number (&scale->zero, &number))
      return none;
    op = op->inputs[0].op;
  }
  op = input_of (op, &infer_op_round);
  if (!infer_op_is (op, &infer_op_divide))
    return none;
  scale->scale = op->inputs[1];
  return infer_port_number (&scale->scale, &number)
                 && onnx_type (op->inputs[0]) == INFER_TYPE_F32
             ? op->inputs[0]
             : none;
}

/* The number that @port is a constant of; FALSE: it is not. */
static gboolean
number_of (InferPort port, double *number)
{
  const InferTensor *value = onnx_value (port);

  return value != NULL && infer_shape_count (&value->shape) == 1
         && infer_convert (number, INFER_TYPE_F64, value->data, value->type, 1);
}

/* Numbers of @scale if there is one of each, and they are constant. */
static gboolean
constant_scale (OnnxScale scale, double *factor, double *zero)
{
  *zero = 0;
  return number_of (scale.scale, factor) && *factor > 0
         && (scale.zero.op == NULL || number_of (scale.zero, zero));
}

static InferPort
fake_quantize (OnnxNode *n, InferPort q, OnnxScale scale)
{
  double factor, zero, low, high, had_factor, had_zero;
  InferPort x, from, to;
  OnnxScale had;

  if (!constant_scale (scale, &factor, &zero)
      || infer_type_bits (onnx_type (q)) > 8
      || !range_of (onnx_type (q), &low, &high))
    return (InferPort){ NULL, 0 };
  x = find_quantised (q, &had);
  if (x.op == NULL || !constant_scale (had, &had_factor, &had_zero)
      || had_factor != factor || had_zero != zero)
    return (InferPort){ NULL, 0 };
  from = onnx_scalar (n, INFER_TYPE_F32, (low - zero) * factor);
  to = onnx_scalar (n, INFER_TYPE_F32, (high - zero) * factor);
  return OP (n, "FakeQuantize",
      ATTRS ("levels=%.0f;auto_broadcast=numpy", high - low + 1), x, from, to,
      from, to);
}

InferPort
onnx_dequantize (OnnxNode *n, InferPort x, OnnxScale scale, InferType type)
{
  InferPort y = type == INFER_TYPE_F32 ? fake_quantize (n, x, scale)
                                       : (InferPort){ NULL, 0 };

  if (y.op != NULL)
    return y;
  y = onnx_convert (n, x, type);
  if (has_zero (scale))
    y = OP (n, "Subtract", "", y, onnx_convert (n, scale.zero, type));
  return OP (n, "Multiply", "", y, onnx_convert (n, scale.scale, type));
}

gboolean
onnx_import_as_real (OnnxNode *n, void (*import) (OnnxNode *))
{
  InferType type = onnx_type (X);
  OnnxScale scale;

  if (find_quantised (X, &scale).op == NULL)
    return FALSE;
  InferPort x = fake_quantize (n, X, scale);
  if (x.op == NULL)
    return FALSE;
  n->inputs[0] = x;
  import (n);
  n->outputs[0] = onnx_quantize (n, n->outputs[0], scale, type);
  return TRUE;
}

/* --- QuantizeLinear, DequantizeLinear --- */

static OnnxScale
fit_scale (OnnxNode *n)
{
  return (OnnxScale){ fit (n, n->inputs[1], X),
    onnx_given (n, 2) ? fit (n, n->inputs[2], X) : (InferPort){ NULL, 0 } };
}

static InferType
output_type (OnnxNode *n, InferType otherwise)
{
  return onnx_int (n, "output_dtype", 0) != 0
             ? onnx_type_attribute (n, "output_dtype", otherwise)
             : otherwise;
}

void
onnx_import_quantize_linear (OnnxNode *n)
{
  InferType type =
      onnx_given (n, 2) ? onnx_known_type (n, n->inputs[2]) : INFER_TYPE_U8;

  n->outputs[0] = onnx_quantize (n, X, fit_scale (n), output_type (n, type));
}

void
onnx_import_dequantize_linear (OnnxNode *n)
{
  n->outputs[0] = onnx_dequantize (
      n, X, fit_scale (n), output_type (n, onnx_known_type (n, n->inputs[1])));
}

static InferPort
all_axes (OnnxNode *n, InferPort x)
{
  gint64 axes[INFER_MAX_RANK];
  const int rank = onnx_rank (x);

  if (rank < 0)
    return onnx_count_to (n, onnx_shape_of (n, onnx_shape_of (n, x)));
  for (int i = 0; i < rank; i++)
    axes[i] = i;
  return onnx_i64s (n, axes, (guint) rank);
}

InferPort
onnx_quantize_dynamic (OnnxNode *n, InferPort x, OnnxScale *scale)
{
  InferPort all = all_axes (n, x);
  InferPort none = onnx_scalar (n, INFER_TYPE_F32, 0);
  InferPort most = onnx_scalar (n, INFER_TYPE_F32, 255);
  InferPort low = OP (
      n, "Minimum", "", OP (n, "ReduceMin", "keep_dims=false", x, all), none);
  InferPort high = OP (
      n, "Maximum", "", OP (n, "ReduceMax", "keep_dims=false", x, all), none);
  InferPort zero;

  scale->scale = OP (n, "Divide", "", OP (n, "Subtract", "", high, low), most);
  zero = OP (n, "Divide", "", OP (n, "Negative", "", low), scale->scale);
  scale->zero = onnx_convert (n,
      OP (n, "Round", "mode=half_to_even",
          OP (n, "Clamp", "min=0;max=255", zero)),
      INFER_TYPE_U8);
  return onnx_quantize (n, x, *scale, INFER_TYPE_U8);
}

void
onnx_import_dynamic_quantize_linear (OnnxNode *n)
{
  OnnxScale scale;

  n->outputs[0] = onnx_quantize_dynamic (n, X, &scale);
  n->outputs[1] = scale.scale;
  n->outputs[2] = scale.zero;
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

static InferPort
centre_as (OnnxNode *n, InferPort x, InferPort zero, InferType type)
{
  InferPort y = onnx_convert (n, x, type);

  return has_zero ((OnnxScale){ zero, zero })
             ? OP (n, "Subtract", "", y, onnx_convert (n, zero, type))
             : y;
}

InferPort
onnx_centre (OnnxNode *n, InferPort x, InferPort zero)
{
  return centre_as (n, x, zero, INFER_TYPE_F32);
}

/* Sums of so many products of -255 … 255 are below 2^24, thus exact in f32. */
#define EXACT_IN_F32 258

/* Whether what @x was quantised from is known: its levels are rounded already.
 */
static gboolean
is_rounded (InferPort x)
{
  const InferOperation *op = input_of (x.op, &infer_op_convert);

  return op != NULL && infer_op_is (op, &infer_op_clamp)
         && infer_type_is_real (onnx_type (op->inputs[0]));
}

/* Output 0 is an exact sum of @depth products: @product makes it of operands
 * without their zero points.  A Cast to floats reads floats where x was floats,
 * too: dynamically quantised networks have such pairs, which int8 kernels take
 * as one step. */
static void
add_integer_product (OnnxNode *n, gint64 depth, InferPort a_zero,
    InferPort b_zero, InferPort (*product) (OnnxNode *, InferPort, InferPort))
{
  const InferPort b = n->inputs[1];
  const InferPort real =
      product (n, onnx_centre (n, X, a_zero), onnx_centre (n, b, b_zero));

  if (depth >= 0 && depth <= EXACT_IN_F32)
    n->outputs[0] = onnx_convert (n, real, INFER_TYPE_I32);
  else
    n->outputs[0] = product (n, centre_as (n, X, a_zero, INFER_TYPE_I32),
        centre_as (n, b, b_zero, INFER_TYPE_I32));
  if (is_rounded (X))
    onnx_set_real (n, n->outputs[0], real);
}

static InferPort
multiply (OnnxNode *n, InferPort a, InferPort b)
{
  return OP (n, "MatMul", "", a, b);
}

void
onnx_import_matmul_integer (OnnxNode *n)
{
  const int rank = onnx_rank (X), b_rank = onnx_rank (n->inputs[1]);
  gint64 depth = rank > 0 ? onnx_dim (X, rank - 1) : INFER_DYNAMIC;

  if (depth < 0 && b_rank > 0)
    depth = onnx_dim (n->inputs[1], MAX (b_rank - 2, 0));
  add_integer_product (
      n, depth, as_column (n, n->inputs[2]), n->inputs[3], multiply);
}

void
onnx_import_qlinear_matmul (OnnxNode *n)
{
  const OnnxScale rows = { as_column (n, n->inputs[1]),
    as_column (n, n->inputs[2]) };
  OnnxScale y = onnx_scale_of (n, 6, 7);
  InferPort a = onnx_dequantize (n, X, rows, INFER_TYPE_F32);
  InferPort b = onnx_dequantize (
      n, n->inputs[3], onnx_scale_of (n, 4, 5), INFER_TYPE_F32);

  y.scale = onnx_convert (n, y.scale, INFER_TYPE_F32);
  n->outputs[0] = onnx_quantize (
      n, OP (n, "MatMul", "", a, b), y, onnx_known_type (n, n->inputs[7]));
}

OnnxScale
onnx_per_output (OnnxNode *n, OnnxScale scale, int rank)
{
  gint64 shape[INFER_MAX_RANK] = { -1 };

  for (int i = 1; i < rank; i++)
    shape[i] = 1;
  scale.scale =
      onnx_reshape (n, scale.scale, onnx_i64s (n, shape, (guint) rank));
  if (scale.zero.op != NULL)
    scale.zero =
        onnx_reshape (n, scale.zero, onnx_i64s (n, shape, (guint) rank));
  return scale;
}

static InferPort
convolve (OnnxNode *n, InferPort x, InferPort w)
{
  return onnx_add_convolution (n, x, w, onnx_known_rank (n, X));
}

void
onnx_import_conv_integer (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort zero = n->inputs[3];
  gint64 depth = 1;

  if (zero.op != NULL)
    zero = onnx_per_output (n, (OnnxScale){ zero, zero }, rank).zero;
  for (int i = 1; i < rank; i++) {
    const gint64 dim = onnx_dim (n->inputs[1], i);

    depth = dim < 0 || depth > EXACT_IN_F32 ? G_MAXINT32 : depth * dim;
  }
  add_integer_product (n, depth, n->inputs[2], zero, convolve);
}

void
onnx_import_qlinear_conv (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort x = onnx_dequantize (n, X, onnx_scale_of (n, 1, 2), INFER_TYPE_F32);
  InferPort w = onnx_dequantize (n, n->inputs[3],
      onnx_per_output (n, onnx_scale_of (n, 4, 5), rank), INFER_TYPE_F32);
  InferPort y = onnx_add_convolution (n, x, w, rank);

  if (onnx_given (n, 8)) {
    InferPort unit = OP (n, "Multiply", "", n->inputs[1], n->inputs[4]);

    y = onnx_add_bias (n, y,
        OP (n, "Multiply", "", onnx_convert (n, n->inputs[8], INFER_TYPE_F32),
            unit),
        rank);
  }
  n->outputs[0] = onnx_quantize (
      n, y, onnx_scale_of (n, 6, 7), onnx_known_type (n, n->inputs[7]));
}
