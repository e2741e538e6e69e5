/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pooling. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/quantize.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

/* "1,1" where the attribute is absent; items [from, from + count). */
static char *
list_of (OnnxNode *n, const char *attribute, guint from, guint count,
    gint64 otherwise)
{
  const GArray *ints = onnx_ints (n, attribute);
  GString *text = g_string_new (NULL);

  for (guint i = from; i < from + count; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > from ? "," : "",
        ints != NULL && i < ints->len ? g_array_index (ints, gint64, i)
                                      : otherwise);
  return g_string_free (text, FALSE);
}

const char *
onnx_window (OnnxNode *n, int rank, const GArray *kernel)
{
  guint axes = (guint) CLAMP (rank - 2, 0, INFER_MAX_RANK);
  g_autofree char *strides = list_of (n, "strides", 0, axes, 1);
  g_autofree char *dilations = list_of (n, "dilations", 0, axes, 1);
  g_autofree char *begin = list_of (n, "pads", 0, axes, 0);
  g_autofree char *end = list_of (n, "pads", axes, axes, 0);
  g_autofree char *pad = onnx_text (n, "auto_pad", "NOTSET");
  g_autofree char *list = onnx_list (kernel);
  const char *auto_pad = g_str_equal (pad, "SAME_UPPER")   ? "same_upper"
                         : g_str_equal (pad, "SAME_LOWER") ? "same_lower"
                         : g_str_equal (pad, "VALID")      ? "valid"
                                                           : "explicit";

  return ATTRS ("strides=%s;dilations=%s;pads_begin=%s;pads_end=%s;"
                "auto_pad=%s%s%s",
      strides, dilations, begin, end, auto_pad,
      kernel != NULL ? ";kernel=" : "", list);
}

static const char *
pool_attributes (OnnxNode *n)
{
  const GArray *kernel = onnx_ints (n, "kernel_shape");
  int rank = onnx_known_rank (n, X);

  if (kernel == NULL || (int) kernel->len != rank - 2)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its kernel_shape does not fit its input");
  return ATTRS ("%s;rounding_type=%s", onnx_window (n, rank, kernel),
      onnx_int (n, "ceil_mode", 0) != 0 ? "ceil_torch" : "floor");
}

/* Indices into the flattened input with columns first in each picture. */
static InferPort
column_major (OnnxNode *n, InferPort index)
{
  InferPort height = onnx_dim_of (n, X, 2), width = onnx_dim_of (n, X, 3);
  InferPort size = OP (n, "Multiply", "", height, width), within, column;

  if (onnx_known_rank (n, X) != 4)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "column-major indices of other than pictures");
  within = OP (n, "FloorMod", "", index, size);
  column = OP (n, "FloorMod", "", within, width);
  within = OP (n, "Add", "", OP (n, "Multiply", "", column, height),
      OP (n, "Divide", "", OP (n, "Subtract", "", within, column), width));
  return OP (n, "Add", "",
      OP (n, "Multiply", "", OP (n, "Divide", "", index, size), size), within);
}

static void
max_pool (OnnxNode *n)
{
  InferOperation *op = onnx_add (n, "MaxPool",
      ATTRS ("%s;index_element_type=i64;axis=0", pool_attributes (n)), 1, &X,
      2);

  n->outputs[0] = (InferPort){ op, 0 };
  n->outputs[1] = (InferPort){ op, 1 };
  if (onnx_int (n, "storage_order", 0) != 0 && onnx_wants (n, 1))
    n->outputs[1] = column_major (n, n->outputs[1]);
}

void
onnx_import_max_pool (OnnxNode *n)
{
  if (onnx_wants (n, 1) || !onnx_import_as_real (n, max_pool))
    max_pool (n);
}

void
onnx_import_average_pool (OnnxNode *n)
{
  n->outputs[0] = OP (n, "AvgPool",
      ATTRS ("%s;exclude-pad=%s", pool_attributes (n),
          onnx_int (n, "count_include_pad", 0) != 0 ? "false" : "true"),
      X);
}

void
onnx_import_global_pool (OnnxNode *n)
{
  gint64 axes[INFER_MAX_RANK];
  int rank = onnx_known_rank (n, X);

  for (int i = 2; i < rank; i++)
    axes[i - 2] = i;
  n->outputs[0] = OP (n,
      g_str_equal (n->type, "GlobalMaxPool") ? "ReduceMax" : "ReduceMean",
      "keep_dims=true", X, onnx_i64s (n, axes, (guint) MAX (rank - 2, 0)));
}

/* The p-th root of a sum of powers. */
static InferPort
root (OnnxNode *n, InferPort sum, double p)
{
  return OP (n, "Power", "", sum, onnx_scalar_like (n, X, 1 / p));
}

static InferPort
power (OnnxNode *n, double p)
{
  return OP (n, "Power", "", OP (n, "Abs", "", X), onnx_scalar_like (n, X, p));
}

/* The mean of the powers over the whole window, times its size. */
void
onnx_import_lp_pool (OnnxNode *n)
{
  double p = (double) onnx_int (n, "p", 2);
  const GArray *kernel = onnx_ints (n, "kernel_shape");
  double size = 1;
  InferPort mean;

  for (guint i = 0; kernel != NULL && i < kernel->len; i++)
    size *= (double) g_array_index (kernel, gint64, i);
  mean = OP (n, "AvgPool", ATTRS ("%s;exclude-pad=false", pool_attributes (n)),
      power (n, p));
  n->outputs[0] =
      root (n, OP (n, "Multiply", "", mean, onnx_scalar_like (n, X, size)), p);
}

void
onnx_import_global_lp_pool (OnnxNode *n)
{
  double p = (double) onnx_int (n, "p", 2);
  gint64 axes[INFER_MAX_RANK];
  int rank = onnx_known_rank (n, X);

  for (int i = 2; i < rank; i++)
    axes[i - 2] = i;
  n->outputs[0] = root (n,
      OP (n, "ReduceSum", "keep_dims=true", power (n, p),
          onnx_i64s (n, axes, (guint) MAX (rank - 2, 0))),
      p);
}
