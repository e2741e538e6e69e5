/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/ml/transform.h"

InferPort
onnx_ml_transform (OnnxNode *n, InferPort scores, const char *how)
{
  if (g_str_equal (how, "SOFTMAX"))
    return OP (n, "Softmax", "axis=-1", scores);
  if (g_str_equal (how, "LOGISTIC"))
    return OP (n, "Sigmoid", "", scores);
  if (!g_str_equal (how, "NONE"))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "post_transform=%.40s is not supported", how);
  return scores;
}

InferPort
onnx_ml_post_transform (OnnxNode *n, InferPort scores)
{
  g_autofree char *how = onnx_text (n, "post_transform", "NONE");

  return onnx_ml_transform (n, scores, how);
}

InferPort
onnx_ml_best_label (OnnxNode *n, InferPort scores, const GArray *labels)
{
  InferOperation *top = onnx_add (n, "TopK",
      "axis=-1;mode=max;sort=value;index_element_type=i64;stable=true", 2,
      (InferPort[]){ scores, onnx_i64 (n, 1) }, 2);

  return OP (n, "Gather", "", onnx_i64_list (n, labels),
      onnx_squeeze (n, (InferPort){ top, 1 }, 1), onnx_i64 (n, 0));
}
