/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps, events and queries. */

#include "gst/common/audio-caps.h"
#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/speech/vad/vad.h"

#define GST_CAT_DEFAULT gst_infer_vad_debug

static gboolean
set_caps (GstInferVad *self, GstCaps *caps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) known = gst_pad_get_pad_template_caps (self->sinkpad);
  GstAudioInfo info;

  if (!gst_caps_is_subset (caps, known)
      || !gst_audio_info_from_caps (&info, caps)) {
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "speech is looked for in raw audio: put a decoder or audioconvert "
        "before");
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  if (self->have_caps && gst_audio_info_is_equal (&self->audio, &info))
    return TRUE;
  GST_INFO_OBJECT (self, "speech in %" GST_PTR_FORMAT, (void *) caps);
  gst_infer_vad_end_stream (self, "other caps");
  GstInferMono *mono = gst_infer_mono_new (&info, self->rate, &error);
  if (mono == NULL) {
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  gst_infer_mono_free (self->mono);
  self->mono = mono;
  GST_OBJECT_LOCK (self);
  self->audio = info;
  self->times.den = (guint) info.rate;
  self->delay = gst_infer_mono_delay (mono);
  self->have_caps = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (self->mode != GST_INFER_VAD_GATE_NONE)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  return TRUE;
}

static void
take_segment (GstInferVad *self, GstEvent *event)
{
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (&self->segment, &segment,
          gst_infer_timeline_at (&self->times, self->frames)))
    gst_infer_vad_end_stream (self, "a segment that does not continue");
  self->segment = segment;
}

static gboolean
flush_start (GstInferVad *self, GstEvent *event)
{
  gboolean passed =
      gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);

  gst_infer_vad_set_cancelled (self, TRUE);
  return passed;
}

/* FLUSH_STOP; sticky events that were held stay valid. */
static gboolean
flush (GstInferVad *self, GstEvent *event)
{
  g_autoptr (GPtrArray) kept =
      gst_infer_vad_gate_take_sticky (&self->gate, TRUE);

  GST_DEBUG_OBJECT (self, "the flush ends: what was begun is dropped");
  gst_infer_vad_set_cancelled (self, FALSE);
  gst_infer_vad_forget (self);
  g_array_set_size (self->samples, 0);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gboolean passed =
      gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  for (guint i = 0; i < kept->len; i++)
    gst_pad_store_sticky_event (self->srcpad, g_ptr_array_index (kept, i));
  return passed;
}

gboolean
gst_infer_vad_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferVad *self = GST_INFER_VAD (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      if (!set_caps (self, caps)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_FLUSH_START:
      return flush_start (self, event);
    case GST_EVENT_FLUSH_STOP:
      return flush (self, event);
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
      gst_infer_vad_end_stream (self, GST_EVENT_TYPE_NAME (event));
      break;
    default:
      if (gst_infer_is_reset_event (event) && GST_EVENT_IS_SERIALIZED (event))
        gst_infer_vad_end_stream (self, "reset-state");
  }
  if (GST_EVENT_IS_SERIALIZED (event)
      && gst_infer_vad_gate_take_event (&self->gate, event))
    return TRUE;
  return gst_pad_event_default (pad, parent, event);
}

gboolean
gst_infer_vad_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferVad *self = GST_INFER_VAD (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ACCEPT_CAPS:
      if (gst_infer_are_caps_sent (pad, query)) {
        gst_query_set_accept_caps_result (query, TRUE);
        return TRUE;
      }
      break;
    case GST_QUERY_ALLOCATION:
      /* Held buffers would exhaust downstream's pool. */
      if (self->mode != GST_INFER_VAD_GATE_NONE)
        return FALSE;
      break;
    case GST_QUERY_DRAIN:
      gst_infer_vad_end_stream (self, "DRAIN");
      break;
    default:
      break;
  }
  return gst_pad_query_default (pad, parent, query);
}

static GstClockTime
own_latency (GstInferVad *self)
{
  GstClockTime own = 0;

  GST_OBJECT_LOCK (self);
  if (self->mode != GST_INFER_VAD_GATE_NONE) {
    own = gst_util_uint64_scale_ceil (self->wait, GST_SECOND, self->rate);
    if (self->have_caps)
      own += gst_util_uint64_scale_ceil (
          self->delay, GST_SECOND, (guint) self->audio.rate);
  }
  GST_OBJECT_UNLOCK (self);
  return own;
}

gboolean
gst_infer_vad_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferVad *self = GST_INFER_VAD (parent);
  GstClockTime min, max;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  GstClockTime own = own_latency (self);
  gst_query_parse_latency (query, &live, &min, &max);
  GST_DEBUG_OBJECT (self,
      "latency: %" GST_TIME_FORMAT " here, %" GST_TIME_FORMAT
      " upstream, which is %slive",
      GST_TIME_ARGS (own), GST_TIME_ARGS (min), live ? "" : "not ");
  gst_query_set_latency (
      query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}
