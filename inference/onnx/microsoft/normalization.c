/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Normalisations of sums. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/normalization.h"

/* The sum of those of the inputs @k, @l and @m that are given. */
static InferPort
sum_of (OnnxNode *n, guint k, guint l, guint m)
{
  const guint inputs[] = { k, l, m };
  InferPort sum = { NULL, 0 };

  for (guint i = 0; i < 3; i++)
    if (onnx_given (n, inputs[i]))
      sum = sum.op == NULL ? n->inputs[inputs[i]]
                           : OP (n, "Add", "", sum, n->inputs[inputs[i]]);
  return sum;
}

void
onnx_import_ms_skip_layer_norm (OnnxNode *n)
{
  InferPort sum = sum_of (n, 0, 1, 4);

  onnx_add_layer_norm (
      n, sum, -1, onnx_float (n, "epsilon", 1e-12), n->inputs[2], n->inputs[3]);
  n->outputs[3] = sum;
}

void
onnx_import_ms_skip_rms_norm (OnnxNode *n)
{
  InferPort sum = sum_of (n, 0, 1, 3);

  onnx_add_rms_norm (
      n, sum, -1, onnx_float (n, "epsilon", 1e-12), n->inputs[2]);
  /* Output 1 would be the mean. */
  n->outputs[2] = n->outputs[1];
  n->outputs[1] = (InferPort){ NULL, 0 };
  n->outputs[3] = sum;
}

/* Rows of words, positions and segments, added and normalised. */
void
onnx_import_ms_embed_layer_norm (OnnxNode *n)
{
  InferPort zero = onnx_i64 (n, 0), ids = n->inputs[0], at, sum;

  at = onnx_given (n, 8)
           ? n->inputs[8]
           : onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, ids, 1)), 0);
  sum = OP (n, "Add", "", OP (n, "Gather", "", n->inputs[2], ids, zero),
      OP (n, "Gather", "", n->inputs[3], at, zero));
  if (onnx_given (n, 1))
    sum = OP (n, "Add", "", sum,
        OP (n, "Gather", "", n->inputs[4], n->inputs[1], zero));
  onnx_add_layer_norm (
      n, sum, -1, onnx_float (n, "epsilon", 1e-12), n->inputs[5], n->inputs[6]);
  /* How many positions the mask lets through. */
  n->outputs[1] =
      onnx_given (n, 7) ? onnx_convert (n,
          OP (n, "ReduceSum", "keep_dims=false", n->inputs[7], I64S (n, 1)),
          INFER_TYPE_I32)
                        : onnx_fill (n, onnx_scalar (n, INFER_TYPE_I32, 0),
                            onnx_dim_of (n, ids, 0));
  n->outputs[2] = sum;
}
