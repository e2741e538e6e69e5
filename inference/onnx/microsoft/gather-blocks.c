/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GatherBlockQuantized: embeddings in blocks of the last axis, each with a
 * scale.  Rows are unpacked when they are gathered. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/microsoft/packed.h"

typedef struct
{
  OnnxPacked packed;
  InferShape shape; /* of the numbers */
  gint64 axis;      /* along which is gathered */
} Table;

static gboolean
read_type (Table *t, gint64 *bits)
{
  OnnxNode *n = t->packed.n;
  const InferType type = onnx_known_type (n, n->inputs[0]);

  *bits = onnx_int (n, "bits", 4);
  if (type == INFER_TYPE_U8)
    return onnx_packed_set_bits (&t->packed, *bits);
  t->packed.type = type;
  t->packed.zero = 0;
  return *bits == 4 && (type == INFER_TYPE_I4 || type == INFER_TYPE_U4);
}

/* The last axis is that of the blocks; bytes hold several of its numbers. */
static gboolean
read_table (Table *t)
{
  OnnxNode *n = t->packed.n;
  const InferDesc desc = onnx_desc (n->inputs[0]);
  const int rank = onnx_known_rank (n, n->inputs[0]);
  gint64 bits = 0, block = onnx_int (n, "block_size", 128), *last;

  if (n->error != NULL)
    return FALSE;
  if (onnx_value (n->inputs[0]) == NULL || !read_type (t, &bits) || rank < 2
      || onnx_axis (n, onnx_int (n, "quantize_axis", 1), rank) != rank - 1
      || block < 16 || block > G_MAXINT32) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "its data of %" G_GINT64_FORMAT " bits in blocks of %" G_GINT64_FORMAT
        ": it is supported for constants of i4, u4 and bytes of 2, 4 or 8 "
        "bits, with blocks of 16 or more along the last axis",
        bits, block);
    return FALSE;
  }
  t->shape = desc.shape;
  last = &t->shape.dims[rank - 1];
  if (desc.type == INFER_TYPE_U8)
    *last *= 8 / bits;
  t->axis = onnx_axis (n, onnx_int (n, "gather_axis", 0), rank);
  if (*last == 0 || *last % block != 0) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "rows of %" G_GINT64_FORMAT " numbers are no whole blocks of "
        "%" G_GINT64_FORMAT,
        *last, block);
    return FALSE;
  }
  t->packed.block = block;
  t->packed.blocks = *last / block;
  t->packed.rows = (gint64) infer_shape_count (&t->shape) / *last;
  return n->error == NULL;
}

void
onnx_import_ms_gather_block_quantized (OnnxNode *n)
{
  Table t = { .packed = { .n = n } };
  const InferType type = onnx_known_type (n, n->inputs[2]);
  InferPort w;

  if (!read_table (&t))
    return;
  w = onnx_reshape (n, onnx_packed_weights (&t.packed, 0, 2, 3),
      onnx_i64s (n, t.shape.dims, (guint) t.shape.rank));
  w = OP (n, "Gather", "", w, n->inputs[1], onnx_i64 (n, t.axis));
  n->outputs[0] = onnx_convert (n, w, type);
}
