/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/upstream-tensors.h"

#include <gst/analytics/analytics.h>

static const struct
{
  InferType type;
  GstTensorDataType name;
} types[] = {
  { INFER_TYPE_F64, GST_TENSOR_DATA_TYPE_FLOAT64 },
  { INFER_TYPE_F32, GST_TENSOR_DATA_TYPE_FLOAT32 },
  { INFER_TYPE_F16, GST_TENSOR_DATA_TYPE_FLOAT16 },
  { INFER_TYPE_BF16, GST_TENSOR_DATA_TYPE_BFLOAT16 },
  { INFER_TYPE_I64, GST_TENSOR_DATA_TYPE_INT64 },
  { INFER_TYPE_I32, GST_TENSOR_DATA_TYPE_INT32 },
  { INFER_TYPE_I16, GST_TENSOR_DATA_TYPE_INT16 },
  { INFER_TYPE_I8, GST_TENSOR_DATA_TYPE_INT8 },
  { INFER_TYPE_U64, GST_TENSOR_DATA_TYPE_UINT64 },
  { INFER_TYPE_U32, GST_TENSOR_DATA_TYPE_UINT32 },
  { INFER_TYPE_U16, GST_TENSOR_DATA_TYPE_UINT16 },
  { INFER_TYPE_U8, GST_TENSOR_DATA_TYPE_UINT8 },
  { INFER_TYPE_BOOLEAN, GST_TENSOR_DATA_TYPE_UINT8 },
};

static void
release (gpointer tensor)
{
  infer_tensor_unref (tensor);
}

static GstBuffer *
wrap (InferTensor *tensor)
{
  if (tensor->size == 0)
    return gst_buffer_new ();
  return gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, tensor->data,
      tensor->size, 0, tensor->size, infer_tensor_ref (tensor), release);
}

/* NULL: of a type without a name. */
static GstTensor *
convert (InferTensor *tensor, const char *name)
{
  const InferShape *shape = &tensor->shape;
  gsize dims[INFER_MAX_RANK] = { 1 };

  for (int i = 0; i < shape->rank; i++)
    dims[i] = (gsize) shape->dims[i];
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].type == tensor->type)
      return gst_tensor_new_simple (g_quark_from_string (name), types[i].name,
          wrap (tensor), GST_TENSOR_DIM_ORDER_ROW_MAJOR,
          (gsize) MAX (shape->rank, 1), dims);
  return NULL;
}

void
gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names)
{
  GstTensorMeta *meta = gst_buffer_get_tensor_meta (buffer);
  gsize before = meta != NULL ? meta->num_tensors : 0;
  GstTensor **all = g_new (GstTensor *, before + n);
  guint count = 0;

  for (gsize i = 0; i < before; i++)
    all[count++] = gst_tensor_copy (gst_tensor_meta_get (meta, i));
  for (guint i = 0; i < n; i++) {
    GstTensor *tensor = convert (tensors[i], names[i]);

    if (tensor != NULL)
      all[count++] = tensor;
  }
  if (meta == NULL)
    meta = gst_buffer_add_tensor_meta (buffer);
  gst_tensor_meta_set (meta, count, all);
}
