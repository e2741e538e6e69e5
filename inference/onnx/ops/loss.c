/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Losses: some models give them as scores. */

#include "inference/onnx/ops/importers.h"

/* All axes of @x. */
static InferPort
all_axes (OnnxNode *n, InferPort x)
{
  gint64 axes[INFER_MAX_RANK];
  int rank = onnx_known_rank (n, x);

  for (int i = 0; i < rank; i++)
    axes[i] = i;
  return onnx_i64s (n, axes, (guint) rank);
}

static InferPort
sum (OnnxNode *n, InferPort x)
{
  return OP (n, "ReduceSum", "keep_dims=false", x, all_axes (n, x));
}

/* The loss of @log [N, C, …] for the classes @target [N, …]. */
static InferPort
loss (OnnxNode *n, InferPort log, InferPort target, InferPort weights)
{
  gboolean ignores = onnx_has (n, "ignore_index");
  InferPort zero = onnx_scalar_like (n, log, 0), ignored = { NULL, 0 };
  InferPort at = onnx_convert (n, target, INFER_TYPE_I64), picked, weight;

  if (ignores) {
    ignored =
        OP (n, "Equal", "", at, onnx_i64 (n, onnx_int (n, "ignore_index", 0)));
    at = OP (n, "Select", "", ignored, onnx_i64 (n, 0), at);
  }
  picked = OP (n, "Negative", "",
      onnx_squeeze (n,
          OP (n, "GatherElements", "axis=1", log, onnx_unsqueeze (n, at, 1)),
          1));
  weight = weights.op != NULL
               ? OP (n, "Gather", "", weights, at, onnx_i64 (n, 0))
               : OP (n, "Broadcast", "mode=numpy", onnx_scalar_like (n, log, 1),
                   onnx_shape_of (n, at));
  if (ignores)
    weight = OP (n, "Select", "", ignored, zero, weight);
  picked = OP (n, "Multiply", "", picked, weight);
  if (onnx_text_is (n, "reduction", "none", "mean"))
    return picked;
  if (onnx_text_is (n, "reduction", "sum", "mean"))
    return sum (n, picked);
  return OP (n, "Divide", "", sum (n, picked), sum (n, weight));
}

void
onnx_import_nll_loss (OnnxNode *n)
{
  n->outputs[0] = loss (n, n->inputs[0], n->inputs[1], n->inputs[2]);
}

void
onnx_import_softmax_loss (OnnxNode *n)
{
  InferPort log = OP (n, "LogSoftmax", "axis=1", n->inputs[0]);

  n->outputs[0] = loss (n, log, n->inputs[1], n->inputs[2]);
  n->outputs[1] = log;
}
