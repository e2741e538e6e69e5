/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])
#define W (n->inputs[1])

/* [O, I, …] → [G, O / G, I, …]; of a transposed convolution [I, O, …] →
 * [G, I / G, O, …]: the same. */
static InferPort
group_weights (OnnxNode *n, InferPort w, gint64 groups)
{
  InferPort shape = onnx_shape_of (n, w), rest;

  rest = OP (
      n, "Slice", "", shape, I64S (n, 1), I64S (n, G_MAXINT64), I64S (n, 1));
  return onnx_reshape (
      n, w, OP (n, "Concat", "axis=0", I64S (n, groups, -1), rest));
}

/* Input and weights have the same rank; that of weights is always known. */
static int
rank_of (OnnxNode *n)
{
  int rank = onnx_rank (X);

  return rank >= 0 ? rank : onnx_known_rank (n, W);
}

InferPort
onnx_add_bias (OnnxNode *n, InferPort y, InferPort bias, int rank)
{
  gint64 shape[INFER_MAX_RANK] = { 1, -1 };

  if (bias.op == NULL)
    return y;
  for (int i = 2; i < rank; i++)
    shape[i] = 1;
  return OP (n, "Add", "", y,
      onnx_reshape (n, bias, onnx_i64s (n, shape, (guint) rank)));
}

InferPort
onnx_add_convolution (OnnxNode *n, InferPort x, InferPort w, int rank)
{
  gint64 groups = onnx_int (n, "group", 1);
  const char *window = onnx_window (n, rank, NULL);

  return groups == 1 ? OP (n, "Convolution", window, x, w)
                     : OP (n, "GroupConvolution", window, x,
                         group_weights (n, w, groups));
}

void
onnx_import_conv (OnnxNode *n)
{
  int rank = rank_of (n);

  n->outputs[0] = onnx_add_bias (
      n, onnx_add_convolution (n, X, W, rank), n->inputs[2], rank);
}

void
onnx_import_conv_transpose (OnnxNode *n)
{
  gint64 groups = onnx_int (n, "group", 1);
  int rank = rank_of (n);
  const GArray *padding = onnx_ints (n, "output_padding");
  const GArray *shape = onnx_ints (n, "output_shape");
  g_autoptr (GArray) zeros = NULL;
  g_autofree char *list = NULL;
  const char *window = onnx_window (n, rank, NULL), *attributes;
  InferPort w = groups == 1 ? W : group_weights (n, W, groups), y;
  const char *type =
      groups == 1 ? "ConvolutionBackpropData" : "GroupConvolutionBackpropData";

  if (padding == NULL) {
    zeros = g_array_new (FALSE, TRUE, sizeof (gint64));
    g_array_set_size (zeros, (guint) MAX (rank - 2, 0));
    padding = zeros;
  }
  list = onnx_list (padding);
  attributes = ATTRS ("%s;output_padding=%s", window, list);
  if (shape != NULL && (int) shape->len > rank - 2) {
    /* Some exporters give all dims. */
    y = OP (n, type, attributes, X, w,
        onnx_i64s (
            n, (const gint64 *) (gpointer) shape->data + 2, shape->len - 2));
  } else if (shape != NULL) {
    y = OP (n, type, attributes, X, w, onnx_i64_list (n, shape));
  } else {
    y = OP (n, type, attributes, X, w);
  }
  n->outputs[0] = onnx_add_bias (n, y, n->inputs[2], rank);
}
