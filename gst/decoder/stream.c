/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/decoder/gstinferdecoder.h"
#include "gst/common/error-message.h"

void
gst_infer_decoder_push_held (GstInferDecoder *self)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&self->held)) != NULL)
    gst_pad_push_event (self->srcpad, event);
}

static gboolean
create_decoder (GstInferDecoder *self, GError **error)
{
  g_auto (GstInferDecoderStrings) keep = { 0 };
  GstInferDecoderConfig config = { .tensors = &self->tensors };

  if (self->decoder != NULL)
    return TRUE;
  if (!gst_infer_decoder_read_settings (
          self, self->info, &config, &keep, error))
    return FALSE;
  self->decoder = self->kind->create (&config, error);
  return self->decoder != NULL;
}

gboolean
gst_infer_decoder_begin (GstInferDecoder *self, GError **error)
{
  g_auto (GstInferDecoderStrings) keep = { 0 };
  GstInferDecoderConfig config = { .tensors = &self->tensors };

  if (self->kind != NULL)
    return TRUE;
  if (!gst_infer_decoder_read_settings (
          self, self->info, &config, &keep, error))
    return FALSE;
  self->kind = gst_infer_decoder_choose (self, &config, FALSE, error);
  if (self->kind == NULL)
    return FALSE;
  g_autoptr (GstCaps) caps = gst_caps_from_string (self->kind->caps);
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  gst_infer_decoder_push_held (self);
  return TRUE;
}

void
gst_infer_decoder_drop (GstInferDecoder *self)
{
  if (self->decoder != NULL)
    self->kind->free (self->decoder);
  self->decoder = NULL;
}

static GstFlowReturn
push_output (GstInferDecoder *self, GstInferDecoderOutput *output)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while ((object = g_queue_pop_head (output)) != NULL) {
    if (flow != GST_FLOW_OK)
      gst_mini_object_unref (object);
    else if (GST_IS_EVENT (object))
      gst_pad_push_event (self->srcpad, GST_EVENT (object));
    else
      flow = gst_pad_push (self->srcpad, GST_BUFFER (object));
  }
  return flow;
}

GstFlowReturn
gst_infer_decoder_finish (GstInferDecoder *self)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;

  self->next = GST_CLOCK_TIME_NONE;
  if (self->decoder == NULL || self->kind->finish == NULL)
    return GST_FLOW_OK;
  self->kind->finish (self->decoder, &output);
  return push_output (self, &output);
}

void
gst_infer_decoder_forget (GstInferDecoder *self)
{
  self->next = GST_CLOCK_TIME_NONE;
  if (self->decoder != NULL && self->kind->reset != NULL)
    self->kind->reset (self->decoder);
}

/* Finds the tensors in the mapped buffer: dense, one after another. */
static gboolean
find_tensors (GstInferDecoder *self, const GstMapInfo *map,
    GstInferDecoderInput *input, GError **error)
{
  gsize offset = 0, size;

  for (guint i = 0; i < self->tensors.n; i++) {
    const InferDesc *desc = &self->tensors.descs[i];

    if (!infer_tensor_bytes (desc->type, &desc->shape, &size)
        || size > map->size - offset)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "A buffer of %" G_GSIZE_FORMAT " bytes ends within tensor %u",
          map->size, i);
    input->data[i] = map->data + offset;
    offset += size;
  }
  return TRUE;
}

static GstFlowReturn
decode (GstInferDecoder *self, GstBuffer *buffer)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;
  GstInferDecoderInput input = {
    .tensors = &self->tensors,
    .pts = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
  };
  g_autoptr (GError) error = NULL;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL), ("buffer not mapped"));
    return GST_FLOW_ERROR;
  }
  gboolean ok = find_tensors (self, &map, &input, &error)
                && self->kind->decode (self->decoder, &input, &output, &error);
  gst_buffer_unmap (buffer, &map);
  if (!ok) {
    g_queue_clear_full (&output, (GDestroyNotify) gst_mini_object_unref);
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (GST_CLOCK_TIME_IS_VALID (input.pts)
      && GST_CLOCK_TIME_IS_VALID (input.duration))
    self->next = input.pts + input.duration;
  return push_output (self, &output);
}

GstFlowReturn
gst_infer_decoder_stream (GstInferDecoder *self, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) owned = buffer;
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (!gst_infer_decoder_begin (self, &error)
      || !create_decoder (self, &error)) {
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_DISCONT)
      || GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_RESYNC))
    flow = gst_infer_decoder_finish (self);
  return flow == GST_FLOW_OK ? decode (self, owned) : flow;
}
