/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes, and tensors made from nothing but a shape. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/quantize.h"
#include "inference/onnx/proto.h"

#include <string.h>

#define X (n->inputs[0])

void
onnx_import_constant (OnnxNode *n)
{
  const GArray *ints, *floats;

  if (onnx_has (n, "value")) {
    n->outputs[0] = onnx_const (n, onnx_tensor (n, "value"));
  } else if (onnx_has (n, "sparse_value")) {
    n->outputs[0] = onnx_const (n, onnx_tensor (n, "sparse_value"));
  } else if (onnx_has (n, "value_int")) {
    n->outputs[0] = onnx_i64 (n, onnx_int (n, "value_int", 0));
  } else if (onnx_has (n, "value_float")) {
    n->outputs[0] =
        onnx_scalar (n, INFER_TYPE_F32, onnx_float (n, "value_float", 0));
  } else if ((ints = onnx_ints (n, "value_ints")) != NULL) {
    n->outputs[0] = onnx_i64_list (n, ints);
  } else if ((floats = onnx_floats (n, "value_floats")) != NULL) {
    InferShape shape = infer_shape_make (1, (gint64) floats->len);
    InferTensor *t = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

    memcpy (t->data, floats->data, floats->len * sizeof (float));
    n->outputs[0] = onnx_const (n, t);
  } else {
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "tensors of strings are not supported");
  }
}

void
onnx_import_constant_of_shape (OnnxNode *n)
{
  InferTensor *value = onnx_tensor (n, "value");
  InferPort fill = value != NULL ? onnx_reshape (
                       n, onnx_const (n, value), onnx_i64s (n, NULL, 0))
                                 : onnx_scalar (n, INFER_TYPE_F32, 0);

  n->outputs[0] = OP (n, "Broadcast", "mode=numpy", fill, X);
}

static void
reshape (OnnxNode *n)
{
  const GArray *shape = onnx_ints (n, "shape"); /* opset < 5 */

  n->outputs[0] = OP (n, "Reshape",
      onnx_int (n, "allowzero", 0) != 0 ? "special_zero=false"
                                        : "special_zero=true",
      X, shape != NULL ? onnx_i64_list (n, shape) : n->inputs[1]);
}

void
onnx_import_reshape (OnnxNode *n)
{
  if (!onnx_import_as_real (n, reshape))
    reshape (n);
}

/* Axes: an attribute before opset 13, then an input. */
static InferPort
axes_of (OnnxNode *n)
{
  const GArray *axes = onnx_ints (n, "axes");

  return axes != NULL ? onnx_i64_list (n, axes) : n->inputs[1];
}

static void
squeeze (OnnxNode *n)
{
  InferPort axes = axes_of (n);

  n->outputs[0] = axes.op != NULL ? OP (n, "Squeeze", "", X, axes)
                                  : OP (n, "Squeeze", "", X);
}

void
onnx_import_squeeze (OnnxNode *n)
{
  if (!onnx_import_as_real (n, squeeze))
    squeeze (n);
}

static void
unsqueeze (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Unsqueeze", "", X, axes_of (n));
}

void
onnx_import_unsqueeze (OnnxNode *n)
{
  if (!onnx_import_as_real (n, unsqueeze))
    unsqueeze (n);
}

static void
transpose (OnnxNode *n)
{
  const GArray *order = onnx_ints (n, "perm");

  if (order != NULL) {
    n->outputs[0] = OP (n, "Transpose", "", X, onnx_i64_list (n, order));
    return;
  }
  gint64 reversed[INFER_MAX_RANK];
  int rank = onnx_known_rank (n, X);
  for (int i = 0; i < rank; i++)
    reversed[i] = rank - 1 - i;
  n->outputs[0] = onnx_transpose (n, X, reversed, rank);
}

void
onnx_import_transpose (OnnxNode *n)
{
  if (!onnx_import_as_real (n, transpose))
    transpose (n);
}

static void
flatten (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 axis = onnx_int (n, "axis", 1);
  InferPort shape = onnx_shape_of (n, X);

  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis > rank)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "its axis is out of range");
  n->outputs[0] = onnx_reshape (n, X,
      OP (n, "Concat", "axis=0", onnx_product (n, shape, 0, axis),
          onnx_product (n, shape, axis, rank)));
}

void
onnx_import_flatten (OnnxNode *n)
{
  if (!onnx_import_as_real (n, flatten))
    flatten (n);
}

void
onnx_import_shape (OnnxNode *n)
{
  InferPort shape = onnx_shape_of (n, X);
  gint64 start = onnx_int (n, "start", 0);

  if (start != 0 || onnx_has (n, "end"))
    shape = OP (n, "Slice", "", shape, I64S (n, start),
        I64S (n, onnx_int (n, "end", G_MAXINT64)), I64S (n, 1));
  n->outputs[0] = shape;
}

void
onnx_import_size (OnnxNode *n)
{
  n->outputs[0] = OP (
      n, "ReduceProd", "keep_dims=false", onnx_shape_of (n, X), I64S (n, 0));
}

void
onnx_import_expand (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Broadcast", "mode=bidirectional", X, n->inputs[1]);
}

void
onnx_import_tile (OnnxNode *n)
{
  if (n->opset < 6)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "Tile before opset 6");
  n->outputs[0] = OP (n, "Tile", "", X, n->inputs[1]);
}

void
onnx_import_range (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Range",
      ATTRS ("output_type=%s", infer_type_name (onnx_known_type (n, X))),
      OP (n, "Squeeze", "", X), OP (n, "Squeeze", "", n->inputs[1]),
      OP (n, "Squeeze", "", n->inputs[2]));
}

void
onnx_import_eye_like (OnnxNode *n)
{
  InferType type = onnx_type_attribute (n, "dtype", onnx_known_type (n, X));
  InferPort shape = onnx_shape_of (n, X);
  InferPort zero = onnx_i64 (n, 0), one = onnx_i64 (n, 1);

  n->outputs[0] =
      OP (n, "Eye", ATTRS ("output_type=%s", infer_type_name (type)),
          OP (n, "Gather", "", shape, zero, zero),
          OP (n, "Gather", "", shape, one, zero),
          onnx_i64 (n, onnx_int (n, "k", 0)));
}
