/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RotaryEmbedding as ONNX Runtime has it: positions before the caches. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/attention.h"

#define X (n->inputs[0])

/* Positions [batch, position]; or the first one, [1]. */
static InferPort
angles_at (OnnxNode *n, InferPort cache, InferPort x)
{
  InferPort at = n->inputs[1];

  if (onnx_known_rank (n, at) < 2)
    at = onnx_unsqueeze (n,
        OP (n, "Add", "", onnx_as_scalar (n, at),
            onnx_count_to (n, onnx_dim_of (n, x, 1))),
        0);
  return onnx_unsqueeze (
      n, OP (n, "Gather", "", cache, at, onnx_i64 (n, 0)), 2);
}

void
onnx_import_ms_rotary_embedding (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 turned = onnx_int (n, "rotary_embedding_dim", 0);
  gint64 heads = onnx_int (n, "num_heads", 0);
  gint64 half = onnx_dim (n->inputs[2], 1), width = onnx_dim (X, 2);
  InferPort x, y;

  if (onnx_int (n, "is_packed_batching", 0) != 0
      || onnx_float (n, "scale", 1) != 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "packed batches, or a scale");
  /* Without rotary_embedding_dim, the whole head is as wide as the caches. */
  if (rank == 3 && heads < 1 && half > 0 && width > 0)
    heads = width / (2 * half);
  x = rank == 4 ? onnx_transpose (n, X, (gint64[]){ 0, 2, 1, 3 }, 4)
                : OP (n, "Reshape", "special_zero=true", X,
                    I64S (n, 0, 0, heads, -1));
  const OnnxRotation r = { .cosines = angles_at (n, n->inputs[2], x),
    .sines = angles_at (n, n->inputs[3], x),
    .turned = turned,
    .interleaved = onnx_int (n, "interleaved", 0) != 0 };
  y = onnx_rotate (n, x, &r);
  n->outputs[0] = rank == 4 ? onnx_transpose (n, y, (gint64[]){ 0, 2, 1, 3 }, 4)
                            : onnx_reshape (n, y, onnx_shape_of (n, X));
}
