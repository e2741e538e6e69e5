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

/* The determinant of a matrix [.., size, size], by the first row: the sum over
 * its elements times the determinant of what is left, alternating. */
static InferPort
determinant (OnnxNode *n, InferPort x, gint64 size)
{
  InferPort sum = { NULL, 0 };
  InferPort first = OP (n, "Gather", "", x, onnx_i64 (n, 0), onnx_i64 (n, -2));
  InferPort rest = onnx_slice (n, x, 1, size, -2);

  for (gint64 c = 0; c < size; c++) {
    gint64 others[3];
    guint count = 0;
    InferPort part =
        OP (n, "Gather", "", first, onnx_i64 (n, c), onnx_i64 (n, -1));

    for (gint64 i = 0; i < size; i++)
      if (i != c)
        others[count++] = i;
    if (size > 1)
      part = OP (n, "Multiply", "", part,
          determinant (n,
              OP (n, "Gather", "", rest, onnx_i64s (n, others, count),
                  onnx_i64 (n, -1)),
              size - 1));
    sum =
        c == 0 ? part : OP (n, c % 2 == 0 ? "Add" : "Subtract", "", sum, part);
  }
  return sum;
}

void
onnx_import_det (OnnxNode *n)
{
  gint64 size = onnx_dim (n->inputs[0], onnx_rank (n->inputs[0]) - 1);

  if (onnx_rank (n->inputs[0]) < 2 || size < 1 || size > 4) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "other than matrices of up to 4 rows, known at load");
    return;
  }
  n->outputs[0] = determinant (n, n->inputs[0], size);
}
