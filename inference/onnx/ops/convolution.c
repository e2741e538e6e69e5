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

/* An item of a list attribute; 1 where the list is absent. */
static gint64
item (const GArray *list, int i)
{
  return list != NULL && i < (int) list->len ? g_array_index (list, gint64, i)
                                             : 1;
}

/* With auto_pad=SAME_…, the output is as large as the input times the strides:
 * what the kernel adds beyond that is cut off.  Replaces the attributes pads,
 * auto_pad and output_padding. */
static const char *
same_window (OnnxNode *n, int rank, gboolean upper, GArray *padding)
{
  g_autoptr (GString) begin = g_string_new (NULL), end = g_string_new (NULL);
  g_autoptr (GString) strides = g_string_new (NULL);
  g_autoptr (GString) dilations = g_string_new (NULL);

  for (int i = 0; i < rank - 2; i++) {
    gint64 stride = item (onnx_ints (n, "strides"), i);
    gint64 dilation = item (onnx_ints (n, "dilations"), i);
    gint64 kernel = onnx_dim (W, 2 + i);
    const char *comma = i > 0 ? "," : "";

    if (kernel < 1 || kernel > G_MAXINT32) {
      onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its kernel's size must be known");
      break;
    }
    gint64 more = (kernel - 1) * dilation + 1 - stride
                  + g_array_index (padding, gint64, i);
    g_array_index (padding, gint64, i) = MAX (-more, 0);
    more = MAX (more, 0);
    gint64 first = upper ? more / 2 : more - more / 2;
    g_string_append_printf (strides, "%s%" G_GINT64_FORMAT, comma, stride);
    g_string_append_printf (dilations, "%s%" G_GINT64_FORMAT, comma, dilation);
    g_string_append_printf (begin, "%s%" G_GINT64_FORMAT, comma, first);
    g_string_append_printf (end, "%s%" G_GINT64_FORMAT, comma, more - first);
  }
  return ATTRS ("strides=%s;dilations=%s;pads_begin=%s;pads_end=%s;"
                "auto_pad=explicit",
      strides->str, dilations->str, begin->str, end->str);
}

void
onnx_import_conv_transpose (OnnxNode *n)
{
  gint64 groups = onnx_int (n, "group", 1);
  int rank = rank_of (n);
  const GArray *given = onnx_ints (n, "output_padding");
  const GArray *shape = onnx_ints (n, "output_shape");
  g_autoptr (GArray) padding = g_array_new (FALSE, TRUE, sizeof (gint64));
  g_autofree char *pad = onnx_text (n, "auto_pad", "NOTSET");
  const char *window = onnx_window (n, rank, NULL), *attributes;
  InferPort w = groups == 1 ? W : group_weights (n, W, groups), y;
  const char *type =
      groups == 1 ? "ConvolutionBackpropData" : "GroupConvolutionBackpropData";

  g_array_set_size (padding, (guint) MAX (rank - 2, 0));
  for (guint i = 0; given != NULL && i < MIN (given->len, padding->len); i++)
    g_array_index (padding, gint64, i) = g_array_index (given, gint64, i);
  if (shape == NULL && g_str_has_prefix (pad, "SAME"))
    window = same_window (n, rank, g_str_equal (pad, "SAME_UPPER"), padding);
  g_autofree char *list = onnx_list (padding);
  attributes = ATTRS ("%s;output_padding=%s", window, list);
  if (shape == NULL)
    y = OP (n, type, attributes, X, w);
  else if ((int) shape->len > rank - 2) /* some exporters give all dims */
    y = OP (n, type, attributes, X, w,
        onnx_i64s (
            n, (const gint64 *) (gpointer) shape->data + 2, shape->len - 2));
  else
    y = OP (n, type, attributes, X, w, onnx_i64_list (n, shape));
  n->outputs[0] = onnx_add_bias (n, y, n->inputs[2], rank);
}
