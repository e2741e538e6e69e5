/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "gst/decoder/gstinferdecoder.h"
#include "gst/common/error-message.h"
#include "gst/meta/upstream-tensors.h"

#define MAX_MODELS 16 /* kept at a time */

/* A model that gave tensors, and its decoder. */
typedef struct
{
  GstEvent *info;    /* as in the meta; nullable */
  char *instance_id; /* as in the meta; nullable */
  char *name;        /* file name without suffix; nullable */
  const GstInferDecoderKind *kind;
  gpointer decoder;
} Model;

static void
model_free (gpointer data)
{
  Model *model = data;

  if (model->decoder != NULL)
    model->kind->free (model->decoder);
  if (model->info != NULL)
    gst_event_unref (model->info);
  g_free (model->instance_id);
  g_free (model->name);
  g_free (model);
}

void
gst_infer_decoder_forget_models (GstInferDecoder *self)
{
  g_clear_pointer (&self->models, g_ptr_array_unref);
  g_clear_pointer (&self->foreign, gst_event_unref);
}

/* Returns the name of the model's file without ".xml" or ".onnx", or of its
 * folder if the file is "model.xml" or "model.onnx". */
static char *
name_of_model (const GstStructure *info)
{
  const char *path =
      info != NULL ? gst_structure_get_string (info, "model") : NULL;
  g_autofree char *base = path != NULL ? g_path_get_basename (path) : NULL;

  if (g_strcmp0 (base, "model.xml") == 0
      || g_strcmp0 (base, "model.onnx") == 0) {
    g_autofree char *folder = g_path_get_dirname (path);

    if (!g_str_equal (folder, "."))
      return g_path_get_basename (folder);
  }
  if (base != NULL && g_str_has_suffix (base, ".xml"))
    base[strlen (base) - strlen (".xml")] = '\0';
  else if (base != NULL && g_str_has_suffix (base, ".onnx"))
    base[strlen (base) - strlen (".onnx")] = '\0';
  return g_steal_pointer (&base);
}

static gboolean
describe_tensors (
    const GstInferTensorMeta *meta, GstInferTensors *tensors, GError **error)
{
  if (meta->n > GST_INFER_MAX_TENSORS)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "The model has %u results, at most %d can be decoded: select them with "
        "the properties of inferfilter",
        meta->n, GST_INFER_MAX_TENSORS);
  *tensors = (GstInferTensors){ .n = meta->n, .fps_d = 1 };
  for (guint i = 0; i < meta->n; i++)
    tensors->descs[i] =
        (InferDesc){ meta->tensors[i]->type, meta->tensors[i]->shape };
  return TRUE;
}

static gboolean
make_model (GstInferDecoder *self, const GstInferTensorMeta *meta, Model *model,
    GError **error)
{
  const GstStructure *info = gst_infer_tensor_meta_model_info (meta);
  g_auto (GstInferDecoderStrings) keep = { 0 };
  GstInferTensors tensors;
  GstInferDecoderConfig config = { .tensors = &tensors,
    .input_width = meta->input_width,
    .input_height = meta->input_height };

  model->info =
      meta->model_info != NULL ? gst_event_ref (meta->model_info) : NULL;
  model->instance_id = g_strdup (meta->model_instance_id);
  model->name = name_of_model (info);
  if (!describe_tensors (meta, &tensors, error)
      || !gst_infer_decoder_read_settings (self, info, &config, &keep, error))
    return FALSE;
  model->kind = gst_infer_decoder_choose (self, &config, TRUE, error);
  if (model->kind != NULL)
    model->decoder = model->kind->create (&config, error);
  return model->decoder != NULL;
}

static Model *
find_model (
    GstInferDecoder *self, const GstInferTensorMeta *meta, GError **error)
{
  Model *model;

  if (self->models == NULL)
    self->models = g_ptr_array_new_with_free_func (model_free);
  for (guint i = 0; i < self->models->len; i++) {
    model = g_ptr_array_index (self->models, i);
    if (model->info == meta->model_info
        && g_strcmp0 (model->instance_id, meta->model_instance_id) == 0)
      return model;
  }
  /* inferfilter may change its model while playing: drop the oldest. */
  if (self->models->len >= MAX_MODELS)
    g_ptr_array_remove_index (self->models, 0);
  model = g_new0 (Model, 1);
  g_ptr_array_add (self->models, model);
  if (make_model (self, meta, model, error))
    return model;
  g_ptr_array_remove (self->models, model);
  return NULL;
}

static gboolean
decode_meta (GstInferDecoder *self, GstBuffer *buffer,
    const GstInferTensorMeta *meta, GError **error)
{
  Model *model = find_model (self, meta, error);
  GstInferDecoderFrame frame = { buffer, &self->video, meta, NULL, NULL };

  if (model == NULL)
    return FALSE;
  frame.roi = gst_infer_find_object (buffer, meta->roi_id);
  frame.model_name = model->name;
  return model->kind->decode_frame (model->decoder, &frame, error);
}

/* Lists the metas to decode, before any result is added.  (element-type
 * GstInferTensorMeta) */
static GPtrArray *
list_metas (GstInferDecoder *self, GstBuffer *buffer)
{
  GPtrArray *metas = g_ptr_array_new ();
  gpointer state = NULL;
  GstMeta *meta;

  GST_OBJECT_LOCK (self);
  g_autofree char *id = g_strdup (self->settings.model_instance_id);
  GST_OBJECT_UNLOCK (self);
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_TENSOR_META_API_TYPE))) {
    const GstInferTensorMeta *tensors = (GstInferTensorMeta *) meta;

    if (id == NULL || g_strcmp0 (id, tensors->model_instance_id) == 0)
      g_ptr_array_add (metas, meta);
  }
  return metas;
}

/* Adds the tensors of another element if inferfilter added none. */
static gboolean
list_foreign (
    GstInferDecoder *self, GstBuffer *buffer, GPtrArray *metas, GError **error)
{
  GError *failure = NULL;

  GST_OBJECT_LOCK (self);
  gboolean any = self->settings.model_instance_id == NULL;
  GST_OBJECT_UNLOCK (self);
  if (!any || gst_buffer_get_infer_tensor_meta (buffer) != NULL)
    return TRUE;
  GstInferTensorMeta *meta = gst_infer_read_upstream_tensors (
      buffer, &self->video, &self->foreign, &failure);
  if (meta != NULL)
    g_ptr_array_add (metas, meta);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

static void
drop_meta (GstInferDecoder *self, GstBuffer *buffer, GstInferTensorMeta *meta)
{
  gboolean foreign =
      meta->model_info != NULL && meta->model_info == self->foreign;

  gst_infer_drop_upstream_tensors (
      buffer, foreign ? 0 : meta->n, meta->tensors);
  gst_buffer_remove_meta (buffer, &meta->meta);
}

GstFlowReturn
gst_infer_decoder_frame (GstInferDecoder *self, GstBuffer *buffer)
{
  GstBuffer *frame = gst_buffer_make_writable (buffer);
  g_autoptr (GPtrArray) metas = list_metas (self, frame);
  g_autoptr (GError) error = NULL;
  gboolean keep, ok;

  GST_OBJECT_LOCK (self);
  keep = self->settings.keep_tensors;
  GST_OBJECT_UNLOCK (self);
  ok = list_foreign (self, frame, metas, &error);
  for (guint i = 0; i < metas->len && ok; i++) {
    GstInferTensorMeta *meta = g_ptr_array_index (metas, i);

    ok = decode_meta (self, frame, meta, &error);
    meta->decoded = TRUE;
    if (!keep)
      drop_meta (self, frame, meta);
  }
  if (ok)
    return gst_pad_push (self->srcpad, frame);
  gst_buffer_unref (frame);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}
