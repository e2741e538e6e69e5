/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/decoder/gstinferdecoder.h"
#include "gst/common/error-message.h"

#define GST_CAT_DEFAULT gst_infer_decoder_debug

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
  GstInferDecoderConfig config = { .tensors = &self->tensors,
    .json = self->json };

  if (self->decoder != NULL)
    return TRUE;
  if (!gst_infer_decoder_read_settings (
          self, self->info, &config, &keep, error))
    return FALSE;
  self->decoder = self->kind->create (&config, error);
  return self->decoder != NULL;
}

/* The first of the kind's caps that downstream takes.  (transfer full) */
static GstCaps *
choose_caps (GstInferDecoder *self)
{
  GstCaps *own = gst_caps_from_string (self->kind->caps);

  if (gst_caps_get_size (own) > 1) {
    GstCaps *common = gst_pad_peer_query_caps (self->srcpad, own);

    if (gst_caps_is_empty (common))
      gst_caps_unref (common);
    else
      gst_caps_take (&own, common);
  }
  return gst_caps_fixate (own);
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
  g_autoptr (GstCaps) caps = choose_caps (self);
  self->json = gst_structure_has_name (
      gst_caps_get_structure (caps, 0), "application/json");
  GST_INFO_OBJECT (self, "decoder %s: %" GST_PTR_FORMAT " leaves",
      self->kind->name, (void *) caps);
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (self->srcpad);
  if (sent == NULL || !gst_caps_is_strictly_equal (caps, sent))
    gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  gst_infer_decoder_push_held (self);
  return TRUE;
}

/* --- latency --- */

gboolean
gst_infer_decoder_answer_latency (GstInferDecoder *self, GstQuery *query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  own = self->latency;
  self->latency_told = live;
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self,
      "latency: %" GST_TIME_FORMAT " here, %" GST_TIME_FORMAT
      " upstream, which is %slive",
      GST_TIME_ARGS (own), GST_TIME_ARGS (min), live ? "" : "not ");
  gst_query_set_latency (
      query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

static void
set_latency (GstInferDecoder *self, GstClockTime own)
{
  GST_OBJECT_LOCK (self);
  gboolean tell = self->latency_told && self->latency != own;
  self->latency = own;
  if (tell)
    self->latency_told = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (!tell)
    return;
  GST_INFO_OBJECT (self, "results are up to %" GST_TIME_FORMAT " behind",
      GST_TIME_ARGS (own));
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

/* Upstream's latency covers data up to the timestamp of what came last; a
 * result with an earlier timestamp is behind by the difference. */
static void
note_latency (GstInferDecoder *self, GstClockTime behind)
{
  if (behind > self->latency)
    set_latency (self, behind);
}

static void
observe_latency (GstInferDecoder *self, GstBuffer *buffer)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (GST_CLOCK_TIME_IS_VALID (pts) && GST_CLOCK_TIME_IS_VALID (self->reached)
      && pts < self->reached)
    note_latency (self, self->reached - pts);
}

/* --- data --- */

void
gst_infer_decoder_drop (GstInferDecoder *self)
{
  if (self->decoder != NULL)
    self->kind->free (self->decoder);
  self->decoder = NULL;
  set_latency (self, 0);
}

/* Takes @message. */
static void
post (GstInferDecoder *self, GstMessage *message)
{
  GstStructure *s = gst_message_writable_structure (message);
  const GstSegment *segment = &self->segment;
  guint64 time;

  if (gst_structure_get_uint64 (s, "timestamp", &time)
      && segment->format == GST_FORMAT_TIME)
    gst_structure_set (s, "stream-time", G_TYPE_UINT64,
        gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time),
        "running-time", G_TYPE_UINT64,
        gst_segment_to_running_time (segment, GST_FORMAT_TIME, time), NULL);
  GST_MESSAGE_SRC (message) = gst_object_ref (GST_OBJECT (self));
  gst_element_post_message (GST_ELEMENT (self), message);
}

static void
mark_discont (GstInferDecoder *self, GstBuffer *buffer)
{
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
}

static GstFlowReturn
push_output (GstInferDecoder *self, GstInferDecoderOutput *output)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while ((object = g_queue_pop_head (output)) != NULL) {
    if (flow != GST_FLOW_OK)
      gst_mini_object_unref (object);
    else if (GST_IS_MESSAGE (object))
      post (self, GST_MESSAGE (object));
    else if (self->reversal.in_unit)
      gst_infer_reversed_hold (&self->reversal.reversed, object, NULL, NULL);
    else if (GST_IS_EVENT (object))
      gst_pad_push_event (self->srcpad, GST_EVENT (object));
    else {
      observe_latency (self, GST_BUFFER (object));
      mark_discont (self, GST_BUFFER (object));
      flow = gst_pad_push (self->srcpad, GST_BUFFER (object));
    }
  }
  return flow;
}

GstFlowReturn
gst_infer_decoder_finish (GstInferDecoder *self, const char *why)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;

  if (GST_CLOCK_TIME_IS_VALID (self->next))
    GST_DEBUG_OBJECT (self, "%s: the sequence ends", why);
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
  gst_infer_unit_clear (&self->reversal.unit);
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
  self->reached = input.pts;
  if (self->kind->latency != NULL)
    note_latency (self, self->kind->latency (self->decoder));
  if (GST_CLOCK_TIME_IS_VALID (input.pts)
      && GST_CLOCK_TIME_IS_VALID (input.duration))
    self->next = input.pts + input.duration;
  return push_output (self, &output);
}

/* --- reverse playback --- */

static GstFlowReturn
unit_take (GstElement *element, GstBuffer *buffer)
{
  return decode (GST_INFER_DECODER (element), buffer);
}

static GstFlowReturn
unit_finish (GstElement *element)
{
  return gst_infer_decoder_finish (
      GST_INFER_DECODER (element), "a unit of reverse playback");
}

/* Units of inferfilter end with DISCONT; those of others end by their length.
 */
static const GstInferReversalFuncs unit_funcs = { 4 * GST_INFER_UNIT_LENGTH,
  unit_take, unit_finish };

GstFlowReturn
gst_infer_decoder_run_unit (GstInferDecoder *self)
{
  return gst_infer_reversal_run (
      &self->reversal, &unit_funcs, GST_ELEMENT (self), self->srcpad);
}

/* --- buffers --- */

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
  if (self->segment.rate < 0 && self->kind->finish != NULL)
    return gst_infer_reversal_collect (&self->reversal, &unit_funcs,
        GST_ELEMENT (self), self->srcpad, owned, GST_BUFFER_DURATION (owned));
  if (GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_DISCONT)
      || GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_RESYNC))
    flow = gst_infer_decoder_finish (self, "a buffer with DISCONT or RESYNC");
  return flow == GST_FLOW_OK ? decode (self, owned) : flow;
}
