/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MatMulNBits: weights [N, K] as blocks of K, each with a scale.  They become
 * what compressed weights are in IR, so that nothing is unpacked at load. */

#include <string.h>

#include "inference/base/tensor.h"
#include "inference/onnx/microsoft/importers.h"

typedef struct
{
  OnnxNode *n;
  InferType type; /* of codes */
  gint64 rows, columns, bits, block, blocks;
} Packed;

static gboolean
read_sizes (Packed *p)
{
  OnnxNode *n = p->n;

  p->rows = onnx_int (n, "N", 0);
  p->columns = onnx_int (n, "K", 0);
  p->bits = onnx_int (n, "bits", 4);
  p->block = onnx_int (n, "block_size", 32);
  p->type = p->bits == 2   ? INFER_TYPE_U2
            : p->bits == 4 ? INFER_TYPE_U4
                           : INFER_TYPE_U8;
  if ((p->bits != 2 && p->bits != 4 && p->bits != 8) || p->rows < 1
      || p->columns < 1 || p->block < 8 || p->rows > G_MAXINT32
      || p->columns > G_MAXINT32 || p->block > G_MAXINT32
      || onnx_int (n, "weight_prepacked", 0) != 0 || onnx_given (n, 4)) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "bits=%" G_GINT64_FORMAT ", block_size=%" G_GINT64_FORMAT
        ", N=%" G_GINT64_FORMAT ", K=%" G_GINT64_FORMAT
        ", or g_idx or prepacked weights",
        p->bits, p->block, p->rows, p->columns);
    return FALSE;
  }
  p->blocks = (p->columns + p->block - 1) / p->block;
  return TRUE;
}

/* The bytes of constant @input as codes of @shape, used where they are. */
static InferPort
codes_of (const Packed *p, guint input, const InferShape *shape)
{
  OnnxNode *n = p->n;
  const InferTensor *bytes = onnx_value (n->inputs[input]);
  g_autoptr (GError) error = NULL;
  InferTensor *codes;
  gsize size = 0;

  if (bytes == NULL || bytes->type != INFER_TYPE_U8 || !bytes->dense
      || !infer_tensor_bytes (p->type, shape, &size) || size != bytes->size) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its input %u must be a constant of %" G_GSIZE_FORMAT " bytes", input,
        size);
    return (InferPort){ NULL, 0 };
  }
  codes = infer_tensor_new_wrapped (p->type, shape, bytes->data, size,
      infer_tensor_ref ((InferTensor *) (gsize) bytes),
      (GDestroyNotify) infer_tensor_unref, &error);
  if (codes == NULL) {
    onnx_fail (n, error->code, "%s", error->message);
    return (InferPort){ NULL, 0 };
  }
  ((InferTensorPrivate *) codes)->mapped =
      ((const InferTensorPrivate *) bytes)->mapped;
  return onnx_const (n, codes);
}

/* The first @blocks of each @row of @codes as f32 [N, blocks, 1]: computed
 * here, since only constants are recognised as terms of compressed weights. */
static InferPort
unpack_zeros (const Packed *p, InferPort codes, gint64 row)
{
  const InferTensor *from = onnx_value (codes);
  const InferShape shape = infer_shape_make (3, p->rows, p->blocks, 1);
  const gsize n = (gsize) (p->rows * row);

  if (from == NULL)
    return codes;
  g_autofree float *all = g_try_new (float, n);
  InferTensor *to = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

  if (all == NULL || to == NULL
      || !infer_convert (all, INFER_TYPE_F32, from->data, from->type, n)) {
    onnx_fail (p->n, INFER_ERROR_NO_MEMORY, "no memory for its zero points");
    infer_tensor_unref (to);
    return (InferPort){ NULL, 0 };
  }
  for (gint64 i = 0; i < p->rows; i++)
    memcpy ((float *) to->data + i * p->blocks, all + i * row,
        (gsize) p->blocks * sizeof *all);
  return onnx_const (p->n, to);
}

/* [N, blocks, 1] as f32.  Packed zero points fill whole bytes in each row. */
static InferPort
zeros_of (const Packed *p)
{
  OnnxNode *n = p->n;
  gint64 per_byte = 8 / p->bits;
  gint64 row = (p->blocks + per_byte - 1) / per_byte * per_byte;
  const InferShape shape = infer_shape_make (2, p->rows, row);
  InferPort zeros;

  if (!onnx_given (n, 3))
    return onnx_scalar (n, INFER_TYPE_F32, (double) (1 << (p->bits - 1)));
  if (!infer_type_is_real (onnx_type (n->inputs[3])))
    return unpack_zeros (p, codes_of (p, 3, &shape), row);
  zeros = onnx_convert (n, n->inputs[3], INFER_TYPE_F32);
  return onnx_reshape (n, zeros, I64S (n, p->rows, p->blocks, 1));
}

void
onnx_import_ms_matmul_nbits (OnnxNode *n)
{
  Packed p = { .n = n };
  InferType type = onnx_known_type (n, n->inputs[0]);
  InferPort w, y;

  if (!read_sizes (&p))
    return;
  const InferShape shape = infer_shape_make (3, p.rows, p.blocks, p.block);
  w = onnx_convert (n, codes_of (&p, 1, &shape), INFER_TYPE_F32);
  w = OP (n, "Subtract", "", w, zeros_of (&p));
  w = OP (n, "Multiply", "", w,
      onnx_reshape (n, onnx_convert (n, n->inputs[2], INFER_TYPE_F32),
          I64S (n, p.rows, p.blocks, 1)));
  w = onnx_reshape (n, w, I64S (n, p.rows, p.blocks * p.block));
  if (p.blocks * p.block != p.columns)
    w = onnx_slice (n, w, 0, p.columns, 1);
  y = OP (n, "MatMul", "transpose_b=true",
      onnx_convert (n, n->inputs[0], INFER_TYPE_F32), w);
  if (onnx_given (n, 5))
    y = OP (n, "Add", "", y, onnx_convert (n, n->inputs[5], INFER_TYPE_F32));
  n->outputs[0] = onnx_convert (n, y, type);
}
