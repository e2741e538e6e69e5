/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions over axes. */

#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

/* The axes, all of them if none are given; op == NULL: nothing is reduced. */
static InferPort
axes_of (OnnxNode *n)
{
  const GArray *list = onnx_ints (n, "axes");
  InferPort zero, end, all;

  if (list != NULL && list->len > 0)
    return onnx_i64_list (n, list);
  if (onnx_given (n, 1)
      && !(onnx_dim (n->inputs[1], 0) == 0 && onnx_rank (n->inputs[1]) == 1))
    return n->inputs[1];
  if (onnx_int (n, "noop_with_empty_axes", 0) != 0)
    return (InferPort){ NULL, 0 };
  zero = onnx_i64 (n, 0);
  end = OP (n, "Squeeze", "", onnx_shape_of (n, onnx_shape_of (n, X)));
  all = OP (n, "Range", "output_type=i64", zero, end, onnx_i64 (n, 1));
  return all;
}

static InferPort
reduce (OnnxNode *n, const char *type, InferPort x)
{
  InferPort axes = axes_of (n);

  return axes.op == NULL
             ? x
             : OP (n, type,
                 onnx_int (n, "keepdims", 1) != 0 ? "keep_dims=true"
                                                  : "keep_dims=false",
                 x, axes);
}

void
onnx_import_reduce (OnnxNode *n)
{
  gboolean boolean = onnx_type (X) == INFER_TYPE_BOOLEAN;
  const char *type =
      boolean && g_str_equal (n->type, "ReduceMax")   ? "ReduceLogicalOr"
      : boolean && g_str_equal (n->type, "ReduceMin") ? "ReduceLogicalAnd"
                                                      : n->type;

  n->outputs[0] = reduce (n, type, X);
}

static InferPort
square (OnnxNode *n, InferPort x)
{
  return OP (n, "Multiply", "", x, x);
}

void
onnx_import_reduce_sum_square (OnnxNode *n)
{
  n->outputs[0] = reduce (n, "ReduceSum", square (n, X));
}

void
onnx_import_reduce_log_sum (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Log", "", reduce (n, "ReduceSum", X));
}

/* The greatest element is taken out first, so that nothing overflows. */
void
onnx_import_reduce_log_sum_exp (OnnxNode *n)
{
  InferPort axes = axes_of (n), greatest, finite, sum;
  gboolean keep = onnx_int (n, "keepdims", 1) != 0;

  if (axes.op == NULL) {
    n->outputs[0] = X;
    return;
  }
  greatest = OP (n, "ReduceMax", "keep_dims=true", X, axes);
  finite = OP (n, "Select", "", OP (n, "IsInf", "", greatest),
      onnx_scalar_like (n, X, 0), greatest);
  sum = OP (n, "Log", "",
      OP (n, "ReduceSum", "keep_dims=true",
          OP (n, "Exp", "", OP (n, "Subtract", "", X, finite)), axes));
  sum = OP (n, "Add", "", sum, finite);
  n->outputs[0] = keep ? sum : OP (n, "Squeeze", "", sum, axes);
}

void
onnx_import_arg (OnnxNode *n)
{
  const gboolean max = g_str_equal (n->type, "ArgMax");
  const gboolean last = onnx_int (n, "select_last_index", 0) != 0;
  int rank = onnx_known_rank (n, X);
  gint64 axis = onnx_axis (n, onnx_int (n, "axis", 0), rank);
  InferPort x = X, at = I64S (n, axis), found;
  InferOperation *top;

  if (last)
    x = OP (n, "Slice", "", X, I64S (n, -1), I64S (n, G_MININT64 + 1),
        I64S (n, -1), at);
  top = onnx_add (n, "TopK",
      ATTRS ("axis=%" G_GINT64_FORMAT
             ";mode=%s;sort=value;index_element_type=i64;stable=true",
          axis, max ? "max" : "min"),
      2, (InferPort[]){ x, onnx_i64 (n, 1) }, 2);
  found = (InferPort){ top, 1 };
  if (last) {
    InferPort length = OP (n, "Gather", "", onnx_shape_of (n, X),
        onnx_i64 (n, axis), onnx_i64 (n, 0));

    found = OP (n, "Subtract", "",
        OP (n, "Subtract", "", length, onnx_i64 (n, 1)), found);
  }
  n->outputs[0] = onnx_int (n, "keepdims", 1) != 0
                      ? found
                      : OP (n, "Squeeze", "", found, at);
}

void
onnx_import_cum_sum (OnnxNode *n)
{
  n->outputs[0] = OP (n, "CumSum",
      ATTRS ("exclusive=%s;reverse=%s",
          onnx_int (n, "exclusive", 0) != 0 ? "true" : "false",
          onnx_int (n, "reverse", 0) != 0 ? "true" : "false"),
      X, onnx_reshape (n, n->inputs[1], onnx_i64s (n, NULL, 0)));
}

/* The product of what a mask [out, in] lets through: along the last axis, which
 * the axis is exchanged with. */
void
onnx_import_cum_prod (OnnxNode *n)
{
  gboolean exclusive = onnx_int (n, "exclusive", 0) != 0;
  gboolean reverse = onnx_int (n, "reverse", 0) != 0;
  int rank = onnx_known_rank (n, X);
  InferPort zero = onnx_i64 (n, 0), last = I64S (n, rank - 1);
  InferPort axis = OP (n, "FloorMod", "",
      onnx_reshape (
          n, onnx_convert (n, n->inputs[1], INFER_TYPE_I64), I64S (n, 1)),
      onnx_i64 (n, MAX (rank, 1)));
  InferPort order = onnx_count_to (n, onnx_i64 (n, rank)), x, index, mask;

  order = OP (n, "ScatterElementsUpdate", "", order, axis, last, zero);
  order = OP (n, "ScatterElementsUpdate", "", order, last, axis, zero);
  x = OP (n, "Transpose", "", X, order);
  index = onnx_count_to (n, onnx_dim_of (n, x, rank - 1));
  mask = OP (n,
      reverse ? (exclusive ? "Greater" : "GreaterEqual")
              : (exclusive ? "Less" : "LessEqual"),
      "", onnx_unsqueeze (n, index, 0), onnx_unsqueeze (n, index, 1));
  x = OP (n, "Select", "", mask, onnx_unsqueeze (n, x, -2),
      onnx_scalar_like (n, X, 1));
  n->outputs[0] = OP (n, "Transpose", "",
      OP (n, "ReduceProd", "keep_dims=false", x, I64S (n, -1)), order);
}
