/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Crops, patches, deformed convolutions, the way back from pooling. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

static InferPort
half_of (OnnxNode *n, InferPort length)
{
  return OP (n, "Divide", "", length, onnx_i64 (n, 2));
}

/* The middle of the input, or the input in the middle of zeros. */
void
onnx_import_center_crop_pad (OnnxNode *n)
{
  const GArray *list = onnx_ints (n, "axes");
  int rank = onnx_known_rank (n, X);
  InferPort have = onnx_shape_of (n, X), want = n->inputs[1], cut, missing, y;
  InferPort zero = onnx_i64 (n, 0), pads, from;

  want = onnx_convert (n, want, INFER_TYPE_I64);
  if (list != NULL)
    want = OP (n, "ScatterElementsUpdate", "", have,
        OP (n, "FloorMod", "", onnx_i64_list (n, list), onnx_i64 (n, rank)),
        want, zero);
  cut = OP (n, "Maximum", "", OP (n, "Subtract", "", have, want), zero);
  missing = OP (n, "Maximum", "", OP (n, "Subtract", "", want, have), zero);
  from = half_of (n, cut);
  y = OP (n, "Slice", "", X, from,
      OP (n, "Add", "", from, OP (n, "Minimum", "", have, want)),
      onnx_fill (n, onnx_i64 (n, 1), I64S (n, rank)));
  pads = half_of (n, missing);
  n->outputs[0] = OP (n, "Pad", "pad_mode=constant", y, pads,
      OP (n, "Subtract", "", missing, pads), onnx_scalar_like (n, X, 0));
}

/* "1,2" for the pictures' two axes: @first items of the list attribute are
 * skipped, what is missing is @otherwise. */
static const char *
pair_of (OnnxNode *n, const char *attribute, guint first, gint64 otherwise)
{
  const GArray *list = onnx_ints (n, attribute);
  gint64 pair[2] = { otherwise, otherwise };

  for (guint i = 0; i < 2 && list != NULL && first + i < list->len; i++)
    pair[i] = g_array_index (list, gint64, first + i);
  return ATTRS ("%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, pair[0], pair[1]);
}

void
onnx_import_col2im (OnnxNode *n)
{
  if (onnx_dim (n->inputs[1], 0) != 2)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "other than pictures of two axes");
  n->outputs[0] = OP (n, "Col2Im",
      ATTRS ("strides=%s;dilations=%s;pads_begin=%s;pads_end=%s",
          pair_of (n, "strides", 0, 1), pair_of (n, "dilations", 0, 1),
          pair_of (n, "pads", 0, 0), pair_of (n, "pads", 2, 0)),
      X, n->inputs[1], n->inputs[2]);
}

void
onnx_import_deform_conv (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort y;

  if (rank != 4)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "other than pictures of two axes");
  y = OP (n, "DeformableConvolution",
      ATTRS ("%s;group=%" G_GINT64_FORMAT ";deformable_group=%" G_GINT64_FORMAT
             ";bilinear_interpolation_pad=true",
          onnx_window (n, rank, NULL), onnx_int (n, "group", 1),
          onnx_int (n, "offset_group", 1)),
      X, n->inputs[2], n->inputs[1], n->inputs[4]);
  n->outputs[0] = onnx_add_bias (n, y, n->inputs[3], rank);
}

/* The size before pooling along each spatial axis. */
static InferPort
unpooled_shape (OnnxNode *n, int rank)
{
  const GArray *kernel = onnx_ints (n, "kernel_shape");
  const GArray *strides = onnx_ints (n, "strides");
  const GArray *pads = onnx_ints (n, "pads");
  InferPort shape = onnx_shape_of (n, X);
  gint64 times[INFER_MAX_RANK], more[INFER_MAX_RANK];

  for (int d = 0; d < rank; d++) {
    guint i = (guint) d - 2, dims = (guint) rank - 2;

    times[d] = 1;
    more[d] = 0;
    if (d < 2 || kernel == NULL || i >= kernel->len)
      continue;
    if (strides != NULL && i < strides->len)
      times[d] = g_array_index (strides, gint64, i);
    more[d] = g_array_index (kernel, gint64, i) - times[d];
    if (pads != NULL && dims + i < pads->len)
      more[d] -= g_array_index (pads, gint64, i)
                 + g_array_index (pads, gint64, dims + i);
  }
  return OP (n, "Add", "",
      OP (n, "Multiply", "", shape, onnx_i64s (n, times, (guint) rank)),
      onnx_i64s (n, more, (guint) rank));
}

/* Each value at its index in the flattened tensor, zeros elsewhere. */
void
onnx_import_max_unpool (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort shape = unpooled_shape (n, rank), flat = I64S (n, -1), y;
  InferPort zero = onnx_scalar_like (n, X, 0);

  y = onnx_fill (n, zero, onnx_product (n, shape, 0, rank));
  y = OP (n, "ScatterElementsUpdate", "", y,
      onnx_reshape (n, n->inputs[1], flat), onnx_reshape (n, X, flat),
      onnx_i64 (n, 0));
  y = onnx_reshape (n, y, shape);
  if (onnx_given (n, 2))
    y = OP (n, "Pad", "pad_mode=constant", y,
        onnx_fill (n, onnx_i64 (n, 0), I64S (n, rank)),
        OP (n, "Subtract", "", n->inputs[2], shape), zero);
  n->outputs[0] = y;
}

/* `update` at the positions from write_indices[batch] on; mode=circular: past
 * the end of the axis from its beginning. */
void
onnx_import_tensor_scatter (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 axis = onnx_axis (n, onnx_int (n, "axis", -2), rank);
  gint64 batch[INFER_MAX_RANK], along[INFER_MAX_RANK];
  InferPort update = n->inputs[1], at;

  for (int d = 0; d < rank; d++) {
    batch[d] = d == 0 ? -1 : 1;
    along[d] = d == axis ? -1 : 1;
  }
  at = onnx_reshape (n, onnx_count_to (n, onnx_dim_of (n, update, axis)),
      onnx_i64s (n, along, (guint) rank));
  if (onnx_given (n, 2))
    at = OP (n, "Add", "", at,
        onnx_reshape (n, n->inputs[2], onnx_i64s (n, batch, (guint) rank)));
  if (onnx_text_is (n, "mode", "circular", "linear"))
    at = OP (n, "FloorMod", "", at, onnx_dim_of (n, X, axis));
  n->outputs[0] = OP (n, "ScatterElementsUpdate", "", X,
      OP (n, "Broadcast", "mode=bidirectional", at, onnx_shape_of (n, update)),
      update, onnx_i64 (n, axis));
}
