/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Activations, and products that end with one. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

static InferPort
with_bias (OnnxNode *n)
{
  return onnx_given (n, 1) ? OP (n, "Add", "", X, n->inputs[1]) : X;
}

/* Gelu and BiasGelu. */
void
onnx_import_ms_bias_gelu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Gelu", "approximation_mode=ERF", with_bias (n));
}

void
onnx_import_ms_fast_gelu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Gelu", "approximation_mode=TANH", with_bias (n));
}

void
onnx_import_ms_quick_gelu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Swish", "", X,
      onnx_scalar_like (n, X, onnx_float (n, "alpha", 1.702)));
}

/* The activation that the attribute names; @p are its parameters. */
static InferPort
activate (OnnxNode *n, InferPort y, const float p[2])
{
  static const char *const names[][2] = { { "Relu", "ReLU" },
    { "Sigmoid", "Sigmoid" }, { "Tanh", "Tanh" }, { "HardSwish", "HSwish" } };
  g_autofree char *text = onnx_text (n, "activation", "");
  const char *plain = onnx_renamed (text, names, G_N_ELEMENTS (names), NULL);

  if (*text == '\0')
    return y;
  if (plain != NULL)
    return OP (n, plain, "", y);
  InferPort a = onnx_scalar_like (n, y, (double) p[0]);
  InferPort b = onnx_scalar_like (n, y, (double) p[1]);
  if (g_str_equal (text, "LeakyRelu"))
    return OP (n, "PRelu", "", y, a);
  if (g_str_equal (text, "Clip"))
    return OP (n, "Minimum", "", OP (n, "Maximum", "", y, a), b);
  if (g_str_equal (text, "HardSigmoid"))
    return OP (n, "HardSigmoid", "", y, a, b);
  onnx_fail (n, INFER_ERROR_UNSUPPORTED, "activation=%.40s", text);
  return y;
}

void
onnx_import_ms_fused_conv (OnnxNode *n)
{
  const GArray *list = onnx_floats (n, "activation_params");
  float p[2] = { 0.01f, 0 };

  for (guint i = 0; list != NULL && i < MIN (list->len, 2); i++)
    p[i] = g_array_index (list, float, i);
  onnx_import_conv (n);
  if (onnx_given (n, 3))
    n->outputs[0] = OP (n, "Add", "", n->outputs[0], n->inputs[3]);
  n->outputs[0] = activate (n, n->outputs[0], p);
}

void
onnx_import_ms_fused_gemm (OnnxNode *n)
{
  const float p[2] = { (float) onnx_float (n, "activation_alpha", 0.01),
    (float) onnx_float (n, "activation_beta", 0) };

  onnx_import_gemm (n);
  n->outputs[0] = activate (n, n->outputs[0], p);
}

void
onnx_import_ms_fused_matmul (OnnxNode *n)
{
  double alpha = onnx_float (n, "alpha", 1);

  if (onnx_int (n, "transBatchA", 0) != 0
      || onnx_int (n, "transBatchB", 0) != 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "transBatchA or transBatchB");
  n->outputs[0] = OP (n, "MatMul",
      ATTRS ("transpose_a=%s;transpose_b=%s",
          onnx_int (n, "transA", 0) != 0 ? "true" : "false",
          onnx_int (n, "transB", 0) != 0 ? "true" : "false"),
      X, n->inputs[1]);
  if (alpha != 1)
    n->outputs[0] =
        OP (n, "Multiply", "", n->outputs[0], onnx_scalar_like (n, X, alpha));
}
