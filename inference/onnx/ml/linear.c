/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Linear models over features. */

#include "inference/onnx/ml/floats.h"
#include "inference/onnx/ml/importers.h"
#include "inference/onnx/ml/transform.h"

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

void
onnx_import_ml_linear_regressor (OnnxNode *n)
{
  const gint64 targets = onnx_int (n, "targets", 1);

  if (targets < 1 || targets > G_MAXINT32) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its targets is out of range: %" G_GINT64_FORMAT, targets);
    return;
  }
  n->outputs[0] = onnx_ml_post_transform (n, add_product (n, targets));
}

/* Two classes with coefficients for the second one alone have other rules. */
void
onnx_import_ml_linear_classifier (OnnxNode *n)
{
  const GArray *labels = onnx_ints (n, "classlabels_ints");
  const GArray *intercepts = onnx_floats (n, "intercepts");
  InferPort scores;

  if (labels == NULL || labels->len < 2
      || (intercepts != NULL && intercepts->len != labels->len)) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "it is supported with a row of coefficients for each of two or more "
        "classlabels_ints");
    return;
  }
  scores = add_product (n, labels->len);
  n->outputs[0] = onnx_ml_best_label (n, scores, labels);
  n->outputs[1] = onnx_ml_post_transform (n, scores);
}
