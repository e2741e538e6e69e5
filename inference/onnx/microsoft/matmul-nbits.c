/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MatMulNBits: weights [N, K] as blocks of K. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/microsoft/packed.h"

static gboolean
read_sizes (OnnxPacked *p, gint64 *columns)
{
  OnnxNode *n = p->n;
  const gint64 bits = onnx_int (n, "bits", 4);

  p->rows = onnx_int (n, "N", 0);
  *columns = onnx_int (n, "K", 0);
  p->block = onnx_int (n, "block_size", 32);
  if (!onnx_packed_set_bits (p, bits) || p->rows < 1 || *columns < 1
      || p->block < 8 || p->rows > G_MAXINT32 || *columns > G_MAXINT32
      || p->block > G_MAXINT32 || onnx_int (n, "weight_prepacked", 0) != 0
      || onnx_given (n, 4)) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "bits=%" G_GINT64_FORMAT ", block_size=%" G_GINT64_FORMAT
        ", N=%" G_GINT64_FORMAT ", K=%" G_GINT64_FORMAT
        ", or g_idx or prepacked weights",
        bits, p->block, p->rows, *columns);
    return FALSE;
  }
  p->blocks = (*columns + p->block - 1) / p->block;
  return TRUE;
}

void
onnx_import_ms_matmul_nbits (OnnxNode *n)
{
  OnnxPacked p = { .n = n };
  InferType type = onnx_known_type (n, n->inputs[0]);
  gint64 columns;
  InferPort w, y;

  if (!read_sizes (&p, &columns))
    return;
  w = onnx_packed_weights (&p, 1, 2, 3);
  if (p.blocks * p.block != columns)
    w = onnx_slice (n, w, 0, columns, 1);
  y = OP (n, "MatMul", "transpose_b=true",
      onnx_convert (n, n->inputs[0], INFER_TYPE_F32), w);
  if (onnx_given (n, 5))
    y = OP (n, "Add", "", y, onnx_convert (n, n->inputs[5], INFER_TYPE_F32));
  n->outputs[0] = onnx_convert (n, y, type);
}
