/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/tensor-meta.h"

#include "gst/meta/meta.h"

static gboolean
meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstInferTensorMeta *self = (GstInferTensorMeta *) meta;

  *self = (GstInferTensorMeta){
    .meta = *meta, .map = GST_INFER_MAP_IDENTITY, .roi_id = -1
  };
  return TRUE;
}

static void
meta_free (GstMeta *meta, GstBuffer *buffer)
{
  GstInferTensorMeta *self = (GstInferTensorMeta *) meta;

  for (guint i = 0; i < self->n; i++)
    infer_tensor_unref (self->tensors[i]);
  g_clear_pointer (&self->tensors, g_free);
  g_clear_pointer (&self->model_info, gst_event_unref);
  g_clear_pointer (&self->model_instance_id, g_free);
}

static gboolean
meta_transform (GstBuffer *target, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  const GstInferTensorMeta *from = (const GstInferTensorMeta *) meta;
  GstInferMap map;

  if (!gst_infer_map_of_transform (type, data, &map))
    return FALSE;
  GstInferTensorMeta *to = gst_buffer_add_infer_tensor_meta (
      target, from->n, from->tensors, from->model_info);
  to->model_instance_id = g_strdup (from->model_instance_id);
  to->map = gst_infer_map_chain (from->map, map);
  to->input_width = from->input_width;
  to->input_height = from->input_height;
  to->roi_id = from->roi_id;
  to->age = from->age;
  to->decoded = from->decoded;
  return TRUE;
}

const GstMetaInfo *
gst_infer_tensor_meta_get_info (void)
{
  static gsize once = 0;

  return gst_infer_meta_register (&once, "GstInferTensorMeta",
      sizeof (GstInferTensorMeta), meta_init, meta_free, meta_transform);
}

GType
gst_infer_tensor_meta_api_get_type (void)
{
  return gst_infer_tensor_meta_get_info ()->api;
}

GstInferTensorMeta *
gst_buffer_add_infer_tensor_meta (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, GstEvent *model_info)
{
  GstInferTensorMeta *self = (GstInferTensorMeta *) gst_buffer_add_meta (
      buffer, GST_INFER_TENSOR_META_INFO, NULL);

  self->n = n;
  self->tensors = g_new (InferTensor *, n);
  for (guint i = 0; i < n; i++)
    self->tensors[i] = infer_tensor_ref (tensors[i]);
  self->model_info = model_info != NULL ? gst_event_ref (model_info) : NULL;
  return self;
}

GstInferTensorMeta *
gst_buffer_get_infer_tensor_meta (GstBuffer *buffer)
{
  return (GstInferTensorMeta *) gst_buffer_get_meta (
      buffer, GST_INFER_TENSOR_META_API_TYPE);
}

const GstStructure *
gst_infer_tensor_meta_model_info (const GstInferTensorMeta *meta)
{
  return meta->model_info != NULL ? gst_event_get_structure (meta->model_info)
                                  : NULL;
}

const char *
gst_infer_tensor_meta_name (const GstInferTensorMeta *meta, guint index)
{
  const GstStructure *info = gst_infer_tensor_meta_model_info (meta);
  const GValue *names =
      info != NULL ? gst_structure_get_value (info, "outputs") : NULL;
  char **strv = names && G_VALUE_HOLDS (names, G_TYPE_STRV)
                    ? g_value_get_boxed (names)
                    : NULL;

  return strv != NULL && index < g_strv_length (strv) ? strv[index] : NULL;
}
