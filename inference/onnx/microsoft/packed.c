/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/microsoft/packed.h"

#include <string.h>

#include "inference/base/tensor.h"

gboolean
onnx_packed_set_bits (OnnxPacked *p, gint64 bits)
{
  p->type = bits == 2   ? INFER_TYPE_U2
            : bits == 4 ? INFER_TYPE_U4
                        : INFER_TYPE_U8;
  p->zero = bits == 2 ? 2 : bits == 4 ? 8 : 128;
  return bits == 2 || bits == 4 || bits == 8;
}

/* Constant @input as codes of @shape, used where they are. */
static InferPort
codes_of (const OnnxPacked *p, guint input, const InferShape *shape)
{
  OnnxNode *n = p->n;
  const InferTensor *bytes = onnx_value (n->inputs[input]);
  g_autoptr (GError) error = NULL;
  InferTensor *codes;
  gsize size = 0;

  if (bytes == NULL || (bytes->type != INFER_TYPE_U8 && bytes->type != p->type)
      || !bytes->dense || !infer_tensor_bytes (p->type, shape, &size)
      || size != bytes->size) {
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

/* The first @blocks of each @row of @codes as f32 [rows, blocks, 1]: computed
 * here, since only constants are recognised as terms of compressed weights. */
static InferPort
unpack_zeros (const OnnxPacked *p, InferPort codes, gint64 row)
{
  const InferTensor *from = onnx_value (codes);
  const InferShape shape = infer_shape_make (3, p->rows, p->blocks, (gint64) 1);
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

/* [rows, blocks, 1] as f32. */
static InferPort
zeros_of (const OnnxPacked *p, guint input)
{
  OnnxNode *n = p->n;
  const gint64 per_byte = 8 / (gint64) infer_type_bits (p->type);
  const gint64 row = (p->blocks + per_byte - 1) / per_byte * per_byte;
  const InferShape shape = infer_shape_make (2, p->rows, row);

  if (onnx_type (n->inputs[input]) == INFER_TYPE_U8)
    return unpack_zeros (p, codes_of (p, input, &shape), row);
  return onnx_reshape (n, onnx_convert (n, n->inputs[input], INFER_TYPE_F32),
      I64S (n, p->rows, p->blocks, 1));
}

InferPort
onnx_packed_weights (
    const OnnxPacked *p, guint codes, guint scales, guint zeros)
{
  OnnxNode *n = p->n;
  const InferShape shape = infer_shape_make (3, p->rows, p->blocks, p->block);
  InferPort w = onnx_convert (n, codes_of (p, codes, &shape), INFER_TYPE_F32);

  if (onnx_given (n, zeros))
    w = OP (n, "Subtract", "", w, zeros_of (p, zeros));
  else if (p->zero != 0)
    w = OP (n, "Subtract", "", w, onnx_scalar (n, INFER_TYPE_F32, p->zero));
  w = OP (n, "Multiply", "", w,
      onnx_reshape (n, onnx_convert (n, n->inputs[scales], INFER_TYPE_F32),
          I64S (n, p->rows, p->blocks, 1)));
  return onnx_reshape (n, w, I64S (n, p->rows, p->blocks * p->block));
}
