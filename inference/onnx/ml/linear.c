/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Linear models over features. */

#include "inference/onnx/ml/floats.h"
#include "inference/onnx/ml/importers.h"

/* x [batch, feature] times @rows rows of coefficients, plus intercepts. */
static InferPort
add_product (OnnxNode *n, gint64 rows)
{
  InferPort x = onnx_convert (n, n->inputs[0], INFER_TYPE_F32);
  InferPort y = OP (n, "MatMul", "transpose_b=true", x,
      onnx_ml_floats (n, "coefficients", rows));

  return onnx_has (n, "intercepts")
             ? OP (n, "Add", "", y, onnx_ml_floats (n, "intercepts", 0))
             : y;
}

static InferPort
transform (OnnxNode *n, InferPort y)
{
  g_autofree char *how = onnx_text (n, "post_transform", "NONE");

  if (g_str_equal (how, "SOFTMAX"))
    return OP (n, "Softmax", "axis=-1", y);
  if (g_str_equal (how, "LOGISTIC"))
    return OP (n, "Sigmoid", "", y);
  if (!g_str_equal (how, "NONE"))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "post_transform=%.40s is not supported", how);
  return y;
}

void
onnx_import_ml_linear_regressor (OnnxNode *n)
{
  const gint64 targets = onnx_int (n, "targets", 1);

  if (targets < 1 || targets > G_MAXINT32) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its targets is out of range: %" G_GINT64_FORMAT, targets);
    return;
  }
  n->outputs[0] = transform (n, add_product (n, targets));
}

/* Two classes with coefficients for the second one alone have other rules. */
void
onnx_import_ml_linear_classifier (OnnxNode *n)
{
  const GArray *labels = onnx_ints (n, "classlabels_ints");
  const GArray *intercepts = onnx_floats (n, "intercepts");
  InferOperation *top;
  InferPort scores;

  if (labels == NULL || labels->len < 2
      || (intercepts != NULL && intercepts->len != labels->len)) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "it is supported with a row of coefficients for each of two or more "
        "classlabels_ints");
    return;
  }
  scores = add_product (n, labels->len);
  top = onnx_add (n, "TopK",
      "axis=-1;mode=max;sort=value;index_element_type=i64;stable=true", 2,
      (InferPort[]){ scores, onnx_i64 (n, 1) }, 2);
  n->outputs[0] = OP (n, "Gather", "", onnx_i64_list (n, labels),
      onnx_squeeze (n, (InferPort){ top, 1 }, 1), onnx_i64 (n, 0));
  n->outputs[1] = transform (n, scores);
}
