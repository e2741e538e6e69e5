/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products of matrices. */

#include "inference/onnx/ops/importers.h"

void
onnx_import_matmul (OnnxNode *n)
{
  n->outputs[0] = OP (n, "MatMul", "", n->inputs[0], n->inputs[1]);
}

/* alpha A B + beta C */
void
onnx_import_gemm (OnnxNode *n)
{
  double alpha = onnx_float (n, "alpha", 1), beta = onnx_float (n, "beta", 1);
  InferPort c = n->inputs[2];
  InferPort y = OP (n, "MatMul",
      ATTRS ("transpose_a=%s;transpose_b=%s",
          onnx_int (n, "transA", 0) != 0 ? "true" : "false",
          onnx_int (n, "transB", 0) != 0 ? "true" : "false"),
      n->inputs[0], n->inputs[1]);

  if (alpha != 1)
    y = OP (n, "Multiply", "", y, onnx_scalar_like (n, y, alpha));
  if (c.op != NULL && beta != 1)
    c = OP (n, "Multiply", "", c, onnx_scalar_like (n, c, beta));
  if (c.op != NULL && beta != 0)
    y = OP (n, "Add", "", y, c);
  n->outputs[0] = y;
}

void
onnx_import_einsum (OnnxNode *n)
{
  g_autofree char *equation = onnx_text (n, "equation", "");
  g_auto (GStrv) words = g_strsplit (equation, " ", -1);
  g_autofree char *tight = g_strjoinv ("", words);

  n->outputs[0] = onnx_op (
      n, "Einsum", ATTRS ("equation=%s", tight), n->n_inputs, n->inputs);
}
