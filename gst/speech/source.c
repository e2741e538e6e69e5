/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Source-pad task: texts, gaps and events in order; upstream events and
 * queries. */

#include <string.h>

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/speech/transcriber.h"

#define GST_CAT_DEFAULT gst_infer_transcriber_debug

static void loop (gpointer data);

GstPad *
gst_infer_transcriber_ref_partial (GstInferTranscriber *self)
{
  GST_OBJECT_LOCK (self);
  GstPad *pad =
      self->partialpad != NULL ? gst_object_ref (self->partialpad) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pad;
}

/* --- the pad `partial` --- */

/* The pad itself says so: another one may have been requested meanwhile. */
static gboolean
has_begun (GstPad *pad)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_STREAM_START, 0);

  return event != NULL;
}

static void
begin_partial (GstInferTranscriber *self, GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_infer_cue_caps (GST_INFER_CUE_PLAIN);
  g_autofree char *id =
      gst_pad_create_stream_id (pad, GST_ELEMENT (self), "partial");

  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  if (self->outlet.segment.format == GST_FORMAT_TIME)
    gst_pad_push_event (pad, gst_event_new_segment (&self->outlet.segment));
}

/* NULL: nobody has asked for it, or it is not active.  (transfer full) */
static GstPad *
open_partial (GstInferTranscriber *self)
{
  g_autoptr (GstPad) pad = gst_infer_transcriber_ref_partial (self);

  if (pad != NULL && !has_begun (pad))
    begin_partial (self, pad);
  return pad != NULL && has_begun (pad) ? g_steal_pointer (&pad) : NULL;
}

/* Events that the pad `partial` sends, too. */
static void
push_partial_event (GstInferTranscriber *self, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_TAG: {
      g_autoptr (GstPad) pad = open_partial (self);

      if (pad != NULL)
        gst_pad_push_event (pad, gst_event_ref (event));
      break;
    }
    default:
      break;
  }
}

/* EOS, or no link, behind the pad `partial` does not end the stream. */
static GstFlowReturn
push_partial (GstInferTranscriber *self, GstBuffer *buffer)
{
  g_autoptr (GstPad) pad = open_partial (self);

  if (pad == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  GstFlowReturn flow = gst_pad_push (pad, buffer);
  return flow < GST_FLOW_EOS ? flow : GST_FLOW_OK;
}

/* --- events --- */

/* Where downstream takes anything, as a file does, texts need something between
 * them. */
static gboolean
takes_anything (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (pad, NULL);

  return gst_pad_is_linked (pad) && gst_caps_is_any (caps);
}

/* Sends the caps: plain text, SubRip, WebVTT or JSON, by those that the next
 * element takes. */
static void
begin_text (GstInferTranscriber *self)
{
  GstInferOutlet *outlet = &self->outlet;
  g_autoptr (GstCaps) allowed = gst_pad_get_allowed_caps (self->srcpad);
  GstInferCueFormat format = gst_infer_cue_choose (allowed);

  outlet->separate = takes_anything (self->srcpad);
  if (outlet->caps_sent && outlet->format == format)
    return;
  g_autoptr (GstCaps) caps = gst_infer_cue_caps (format);
  outlet->format = format;
  outlet->n_cues = 0;
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  outlet->caps_sent = TRUE;
}

/* Takes @event. */
static void
push_event (GstInferTranscriber *self, GstEvent *event)
{
  GstInferOutlet *outlet = &self->outlet;

  if (gst_infer_ends_eos (event))
    outlet->eos = FALSE;
  if (outlet->eos && !GST_EVENT_IS_STICKY (event)) {
    gst_event_unref (event);
    return;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &outlet->segment);
    outlet->lost = TRUE; /* the first text is a DISCONT */
  }
  if (!outlet->caps_sent && GST_EVENT_TYPE (event) > GST_EVENT_CAPS)
    begin_text (self);
  push_partial_event (self, event);
  gst_pad_push_event (self->srcpad, event);
}

static void
restore (GstInferTranscriber *self, GstEvent *event)
{
  if (gst_infer_survives_flush (event))
    gst_pad_store_sticky_event (self->srcpad, event);
  gst_event_unref (event);
}

void
gst_infer_transcriber_restore_events (GstInferTranscriber *self, GQueue *events)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (events)) != NULL)
    restore (self, event);
  self->outlet.eos = self->outlet.lost = FALSE;
}

/* --- buffers --- */

static const char *
choose_separator (const GstInferTranscriber *self)
{
  if (self->active.separator != NULL)
    return self->active.separator;
  return self->outlet.separate ? "\n" : "";
}

/* The text of @buffer (transfer full) as the next element takes it. */
static GstBuffer *
format_text (GstInferTranscriber *self, GstBuffer *buffer)
{
  GstInferOutlet *outlet = &self->outlet;
  gsize size = gst_buffer_get_size (buffer);
  g_autofree char *text = g_malloc0 (size + 1);
  GstClockTime begin = GST_BUFFER_PTS (buffer);
  GstClockTime end = begin + GST_BUFFER_DURATION (buffer);

  gst_buffer_extract (buffer, 0, text, size);
  char *written = outlet->format == GST_INFER_CUE_PLAIN
                      ? g_strconcat (text, choose_separator (self), NULL)
                      : gst_infer_cue_write (outlet->format, outlet->n_cues,
                          gst_segment_to_stream_time (
                              &outlet->segment, GST_FORMAT_TIME, begin),
                          gst_segment_to_stream_time (
                              &outlet->segment, GST_FORMAT_TIME, end),
                          text);
  outlet->n_cues++;
  GstBuffer *formatted = gst_buffer_new_wrapped (written, strlen (written));
  gst_buffer_copy_into (formatted, buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_unref (buffer);
  return formatted;
}

/* Takes @buffer. */
static GstFlowReturn
push_buffer (GstInferTranscriber *self, GstBuffer *buffer)
{
  GstInferOutlet *outlet = &self->outlet;

  if (outlet->eos) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  if (gst_pad_check_reconfigure (self->srcpad) || !outlet->caps_sent)
    begin_text (self);
  buffer = format_text (self, buffer);
  if (outlet->lost)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  outlet->links_seen = g_atomic_int_get (&outlet->links);
  GstFlowReturn flow = gst_pad_push (self->srcpad, buffer);
  outlet->lost = flow != GST_FLOW_OK;
  return flow;
}

/* --- the task --- */

static void
answer_query (GstInferTranscriber *self, gpointer question)
{
  GstQuery *query = gst_infer_speech_queue_begin_answer (self->input, question);

  if (query != NULL)
    gst_infer_speech_queue_answer (self->input,
        !self->outlet.eos && gst_pad_peer_query (self->srcpad, query));
}

/* TRUE: downstream has been linked since the last push began. */
static gboolean
is_relinked (GstInferTranscriber *self)
{
  return g_atomic_int_get (&self->outlet.links) != self->outlet.links_seen;
}

/* Downstream is linked again; not where a flush has begun or the pad is being
 * deactivated. */
static void
go_on (GstInferTranscriber *self)
{
  gst_infer_speech_queue_change_flow (
      self->input, GST_FLOW_NOT_LINKED, GST_FLOW_OK);
  if (!gst_infer_speech_queue_change_flow (
          self->output, GST_FLOW_NOT_LINKED, GST_FLOW_OK))
    return;
  GST_DEBUG_OBJECT (self, "linked again");
  gst_task_start (self->worker);
  gst_pad_start_task (self->srcpad, loop, self, NULL);
}

static void
stop (GstInferTranscriber *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_NOT_LINKED && is_relinked (self))
    return;
  GST_DEBUG_OBJECT (self, "stopping: %s", gst_flow_get_name (flow));
  /* First, as whoever sees the flow may start the task again. */
  gst_pad_pause_task (self->srcpad);
  gst_infer_transcriber_stop_flow (self, flow);
  if (flow == GST_FLOW_ERROR)
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  else if (flow == GST_FLOW_NOT_LINKED && is_relinked (self))
    go_on (self);
  else if (flow != GST_FLOW_FLUSHING
           && (gst_infer_speech_queue_has_eos (self->output)
               || gst_infer_speech_queue_has_eos (self->input)))
    GST_ELEMENT_FLOW_ERROR (self, flow); /* no buffer follows to return it */
}

static void
begin_eos (GstInferTranscriber *self)
{
  GST_DEBUG_OBJECT (self, "downstream returned EOS: texts are dropped");
  self->outlet.eos = TRUE;
  gst_infer_transcriber_stop_flow (self, GST_FLOW_EOS);
}

static void
loop (gpointer data)
{
  GstInferTranscriber *self = data;
  GstFlowReturn flow = GST_FLOW_OK;
  GstInferSpeechItem item;

  if (!gst_infer_speech_queue_take (self->output, &item, 0)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  switch (item.kind) {
    case GST_INFER_SPEECH_BUFFER:
      flow = push_buffer (self, item.object);
      break;
    case GST_INFER_SPEECH_PARTIAL:
      flow = push_partial (self, item.object);
      break;
    case GST_INFER_SPEECH_EVENT:
      push_event (self, item.object);
      break;
    case GST_INFER_SPEECH_UPSTREAM:
      gst_pad_push_event (self->sinkpad, item.object);
      break;
    case GST_INFER_SPEECH_QUERY:
      answer_query (self, item.object);
      break;
    case GST_INFER_SPEECH_AUDIO:
      g_assert_not_reached ();
  }
  if (flow == GST_FLOW_EOS)
    begin_eos (self);
  else if (flow != GST_FLOW_OK)
    stop (self, flow);
}

gboolean
gst_infer_transcriber_start_tasks (GstInferTranscriber *self)
{
  gst_infer_speech_queue_set_flow (self->output, GST_FLOW_OK);
  gst_infer_speech_queue_set_flow (self->input, GST_FLOW_OK);
  if (gst_task_start (self->worker)
      && gst_pad_start_task (self->srcpad, loop, self, NULL))
    return TRUE;
  gst_infer_transcriber_stop_flow (self, GST_FLOW_ERROR);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
      ("The threads for recognition cannot be started; are there too many?"),
      (NULL));
  return FALSE;
}

gboolean
gst_infer_transcriber_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return gst_infer_transcriber_start_tasks (self);
  gst_infer_transcriber_interrupt (self);
  gboolean stopped = gst_pad_stop_task (pad);
  /* Not before it is paused, as it would pause itself after it was stopped. */
  g_rec_mutex_lock (&self->worker_lock);
  gst_task_stop (self->worker);
  g_rec_mutex_unlock (&self->worker_lock);
  return gst_task_join (self->worker) && stopped;
}

/* --- upstream events and queries --- */

gboolean
gst_infer_transcriber_src_event (
    GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE && pad == self->srcpad) {
    g_atomic_int_inc (&self->outlet.links);
    go_on (self);
  }
  /* That a text came late is no reason to drop audio. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
answer_latency (GstInferTranscriber *self, GstQuery *query)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GstClockTime own = gst_infer_delays_report (&self->delays, live);
  GST_DEBUG_OBJECT (self,
      "latency: %" GST_TIME_FORMAT " here, %" GST_TIME_FORMAT
      " upstream, which is %slive",
      GST_TIME_ARGS (own), GST_TIME_ARGS (min), live ? "" : "not ");
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

gboolean
gst_infer_transcriber_src_query (
    GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (self, query);
  return gst_pad_query_default (pad, parent, query);
}
