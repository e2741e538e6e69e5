/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements that are chosen, or set to a constant, by their place. */

#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

/* The triangle of the matrices in the last two axes. */
void
onnx_import_trilu (OnnxNode *n)
{
  gboolean upper = onnx_int (n, "upper", 1) != 0;
  InferType type = onnx_known_type (n, X);
  InferPort rows =
      onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, X, -2)), 1);
  InferPort columns =
      onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, X, -1)), 0);
  InferPort k = onnx_given (n, 1)
                    ? onnx_reshape (n, n->inputs[1], onnx_i64s (n, NULL, 0))
                    : onnx_i64 (n, 0);
  InferPort off = OP (n, "Subtract", "", columns, rows);
  InferPort keep = OP (n, upper ? "GreaterEqual" : "LessEqual", "", off, k);

  n->outputs[0] = OP (n, "Select", "", keep, X, onnx_scalar (n, type, 0));
}

/* 1 at the first greatest element along the axis. */
void
onnx_import_hardmax (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 axis =
      onnx_axis (n, onnx_int (n, "axis", n->opset < 13 ? 1 : -1), rank);
  InferType type = onnx_known_type (n, X);
  InferOperation *top;
  InferPort zeros, ones;

  if (n->opset < 13 && axis != rank - 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "an axis before the last");
  top = onnx_add (n, "TopK",
      ATTRS ("axis=%" G_GINT64_FORMAT
             ";mode=max;sort=value;index_element_type=i64;stable=true",
          axis),
      2, (InferPort[]){ X, onnx_i64 (n, 1) }, 2);
  zeros = OP (n, "Broadcast", "mode=numpy", onnx_scalar (n, type, 0),
      onnx_shape_of (n, X));
  ones = OP (n, "Broadcast", "mode=numpy", onnx_scalar (n, type, 1),
      onnx_shape_of (n, (InferPort){ top, 1 }));
  n->outputs[0] = OP (n, "ScatterElementsUpdate", "", zeros,
      (InferPort){ top, 1 }, ones, onnx_i64 (n, axis));
}

/* Negative indices count from the end. */
void
onnx_import_one_hot (OnnxNode *n)
{
  InferPort depth = onnx_convert (n,
      onnx_reshape (n, n->inputs[1], onnx_i64s (n, NULL, 0)), INFER_TYPE_I64);
  InferPort at = onnx_convert (n, X, INFER_TYPE_I64);
  InferOperation *values = onnx_add (n, "Split", "num_splits=2", 2,
      (InferPort[]){ n->inputs[2], onnx_i64 (n, 0) }, 2);
  InferPort off =
      onnx_reshape (n, (InferPort){ values, 0 }, onnx_i64s (n, NULL, 0));
  InferPort on =
      onnx_reshape (n, (InferPort){ values, 1 }, onnx_i64s (n, NULL, 0));
  InferPort below = OP (n, "Less", "", at, onnx_i64 (n, 0));

  at = OP (n, "Select", "", below, OP (n, "Add", "", at, depth), at);
  n->outputs[0] = OP (n, "OneHot",
      ATTRS ("axis=%" G_GINT64_FORMAT, onnx_int (n, "axis", -1)), at, depth, on,
      off);
}

/* The slices for which the condition holds; without an axis, elements. */
void
onnx_import_compress (OnnxNode *n)
{
  gboolean flat = !onnx_has (n, "axis");
  InferPort x = flat ? onnx_reshape (n, X, I64S (n, -1)) : X;
  InferPort at =
      onnx_squeeze (n, OP (n, "NonZero", "output_type=i64", n->inputs[1]), 0);

  n->outputs[0] = OP (
      n, "Gather", "", x, at, onnx_i64 (n, flat ? 0 : onnx_int (n, "axis", 0)));
}

void
onnx_import_non_max_suppression (OnnxNode *n)
{
  InferPort most = onnx_given (n, 2) ? n->inputs[2] : onnx_i64 (n, 0);
  InferPort iou =
      onnx_given (n, 3) ? n->inputs[3] : onnx_scalar (n, INFER_TYPE_F32, 0);
  InferPort least =
      onnx_given (n, 4) ? n->inputs[4] : onnx_scalar (n, INFER_TYPE_F32, -1e30);
  InferPort none = onnx_i64s (n, NULL, 0);
  InferOperation *op = onnx_add (n, "NonMaxSuppression",
      ATTRS ("box_encoding=%s;sort_result_descending=false;output_type=i64",
          onnx_int (n, "center_point_box", 0) != 0 ? "center" : "corner"),
      5,
      (InferPort[]){ X, n->inputs[1], onnx_reshape (n, most, none),
          onnx_reshape (n, iou, none), onnx_reshape (n, least, none) },
      3);
  InferPort boxes = { op, 0 }, count = { op, 2 };

  /* Ours is padded with -1. */
  n->outputs[0] = OP (n, "Slice", "", boxes, I64S (n, 0),
      onnx_reshape (n, count, I64S (n, 1)), I64S (n, 1), I64S (n, 0));
}

void
onnx_import_roi_align (OnnxNode *n)
{
  gboolean half = onnx_text_is (n, "coordinate_transformation_mode",
      "half_pixel", n->opset < 16 ? "output_half_pixel" : "half_pixel");

  /* The greatest of weighted corners in ONNX, of interpolated values in ours.
   */
  if (onnx_text_is (n, "mode", "max", "avg"))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "mode=max is not supported");
  n->outputs[0] = OP (n, "ROIAlign",
      ATTRS ("pooled_h=%" G_GINT64_FORMAT ";pooled_w=%" G_GINT64_FORMAT
             ";sampling_ratio=%" G_GINT64_FORMAT
             ";spatial_scale=%.9g;mode=avg;aligned_mode=%s",
          onnx_int (n, "output_height", 1), onnx_int (n, "output_width", 1),
          onnx_int (n, "sampling_ratio", 0), onnx_float (n, "spatial_scale", 1),
          half ? "half_pixel_for_nn" : "asymmetric"),
      X, n->inputs[1], n->inputs[2]);
}

void
onnx_import_unique (OnnxNode *n)
{
  const char *attributes =
      onnx_int (n, "sorted", 1) != 0
          ? "sorted=true;index_element_type=i64;count_element_type=i64"
          : "sorted=false;index_element_type=i64;count_element_type=i64";
  InferPort axis = onnx_has (n, "axis") ? onnx_i64 (n, onnx_int (n, "axis", 0))
                                        : (InferPort){ NULL, 0 };
  InferOperation *op =
      onnx_add (n, "Unique", attributes, 2, (InferPort[]){ X, axis }, 4);

  for (guint k = 0; k < 4; k++)
    n->outputs[k] = (InferPort){ op, k };
}
