/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: buffers become samples of the model's rate, one channel;
 * they and the events go to the worker. */

#include "gst/common/audio-caps.h"
#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/common/samples.h"
#include "gst/speech/transcriber.h"

#define GST_CAT_DEFAULT gst_infer_transcriber_debug

/* Not live: samples that may wait for the worker, in seconds. */
#define MOST_WAITING 5
/* Frames that are converted at a time. */
#define BLOCK 1024

void
gst_infer_transcriber_interrupt (GstInferTranscriber *self)
{
  /* First, so that the worker knows what its failures come from. */
  gst_infer_speech_queue_set_flow (self->output, GST_FLOW_FLUSHING);
  gst_infer_speech_queue_set_flow (self->input, GST_FLOW_FLUSHING);
  /* A flush may come while the element is being stopped. */
  GST_OBJECT_LOCK (self);
  if (self->hearing.stream != NULL)
    infer_speech_stream_set_cancelled (self->hearing.stream, TRUE);
  gst_infer_listener_set_cancelled (&self->hearing.listener, TRUE);
  GST_OBJECT_UNLOCK (self);
}

static void
forget_waiting (GstInferHearing *hearing, GQueue *events)
{
  GstInferWaiting *waiting;

  while ((waiting = g_queue_pop_head (&hearing->waiting)) != NULL) {
    g_queue_push_tail (events, waiting->event);
    g_free (waiting);
  }
}

void
gst_infer_transcriber_forget (GstInferTranscriber *self)
{
  GQueue events = G_QUEUE_INIT;

  gst_infer_speech_queue_clear (self->output, &events);
  forget_waiting (&self->hearing, &events);
  gst_infer_speech_queue_clear (self->input, &events);
  gst_infer_transcriber_restore_events (self, &events);
  if (self->hearing.stream != NULL) {
    infer_speech_stream_set_cancelled (self->hearing.stream, FALSE);
    gst_infer_listener_set_cancelled (&self->hearing.listener, FALSE);
    gst_infer_transcriber_begin_sequence (self);
  }
  gst_segment_init (&self->hearing.segment, GST_FORMAT_UNDEFINED);
  self->hearing.out_time = 0;
  self->intake.discont = FALSE;
}

/* --- buffers --- */

/* The mean of @n frames of @channels each. */
static void
mix (const float *frames, gsize n, guint channels, float *to)
{
  for (gsize i = 0; i < n; i++) {
    float sum = 0;

    for (guint c = 0; c < channels; c++)
      sum += frames[i * channels + c];
    to[i] = sum / (float) channels;
  }
}

static void
convert (const GstInferSamples *samples, guint channels, float *to)
{
  gsize block = BLOCK / channels;
  float frames[BLOCK];

  if (channels == 1) {
    gst_infer_samples_read (samples, 0, samples->n, to);
    return;
  }
  for (gsize at = 0; at < samples->n; at += block) {
    gsize part = MIN (block, samples->n - at);

    gst_infer_samples_read (samples, at, part, frames);
    mix (frames, part, channels, to + at);
  }
}

static void
post_no_memory (GstInferTranscriber *self, gsize n)
{
  g_autoptr (GError) error = NULL;

  infer_fail (&error, INFER_ERROR_NO_MEMORY,
      "no memory for a buffer of %" G_GSIZE_FORMAT " samples", n);
  gst_infer_post_error (self, error);
}

/* NULL: cannot be read, which was posted. */
static GstInferAudio *
read_buffer (GstInferTranscriber *self, GstBuffer *buffer)
{
  const GstAudioInfo *info = &self->intake.audio;
  g_autoptr (GError) error = NULL;
  GstInferSamples samples;

  if (!gst_infer_samples_map (&samples, info, buffer, &error)) {
    gst_infer_post_error (self, error);
    return NULL;
  }
  GstInferAudio *audio =
      g_try_malloc (sizeof *audio + samples.n * sizeof (float));
  if (audio == NULL) {
    gst_infer_samples_unmap (&samples);
    post_no_memory (self, samples.n);
    return NULL;
  }
  audio->n = samples.n;
  audio->arrived = g_get_monotonic_time ();
  audio->pts = GST_BUFFER_PTS (buffer);
  audio->discont = self->intake.discont
                   || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
                   || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC);
  convert (&samples, (guint) info->channels, audio->samples);
  gst_infer_samples_unmap (&samples);
  return audio;
}

static GstFlowReturn
take_buffer (GstInferTranscriber *self, GstBuffer *buffer)
{
  GstInferIntake *intake = &self->intake;
  GstFlowReturn flow = gst_infer_speech_queue_get_flow (self->input);

  if (flow != GST_FLOW_OK)
    return flow;
  if (!intake->have_caps) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Data came before caps: the stream's format is not known"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (intake->backward)
    return GST_FLOW_OK;
  GstInferAudio *audio = read_buffer (self, buffer);
  if (audio == NULL)
    return GST_FLOW_ERROR;
  intake->discont = FALSE;
  gst_infer_speech_stats_count (&self->stats, &self->stats.counters.buffers, 1);
  /* Live audio must not be held up, as it would be lost at its source. */
  guint64 limit = gst_infer_delays_is_live (&self->delays)
                      ? 0
                      : (guint64) intake->audio.rate * MOST_WAITING;
  return gst_infer_speech_queue_put (
      self->input, GST_INFER_SPEECH_AUDIO, audio, audio->n, limit);
}

GstFlowReturn
gst_infer_transcriber_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);
  g_autoptr (GstBuffer) owned = buffer;
  GstFlowReturn flow = take_buffer (self, owned);

  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    self->intake.discont = TRUE;
  self->intake.failed = flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS;
  return flow;
}

/* --- caps --- */

/* (transfer full) */
static GstCaps *
list_caps (GstInferTranscriber *self)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (self->sinkpad);

  GST_OBJECT_LOCK (self);
  guint rate = self->rate;
  GST_OBJECT_UNLOCK (self);
  if (rate == 0)
    return g_steal_pointer (&all);
  GstCaps *caps = gst_caps_copy (all);
  gst_caps_set_simple (
      caps, "rate", G_TYPE_INT, (int) rate, "channels", G_TYPE_INT, 1, NULL);
  g_autoptr (GstCaps) mixed = gst_caps_copy (all);
  gst_caps_set_simple (mixed, "rate", G_TYPE_INT, (int) rate, NULL);
  gst_caps_append (caps, g_steal_pointer (&mixed));
  return caps;
}

static gboolean
take_caps (GstInferTranscriber *self, GstEvent *event)
{
  g_autoptr (GstEvent) owned = event;
  g_autoptr (GstCaps) known = list_caps (self);
  GstInferIntake *intake = &self->intake;
  g_autoptr (GError) error = NULL;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (owned, &caps);
  if (!gst_caps_is_subset (caps, known)
      || !gst_audio_info_from_caps (&info, caps)) {
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "the model takes raw audio at %u Hz: put audioconvert and "
        "audioresample before",
        self->hearing.info.rate);
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  if (intake->have_caps && gst_audio_info_is_equal (&intake->audio, &info))
    return TRUE;
  GST_INFO_OBJECT (self, "speech in %" GST_PTR_FORMAT, (void *) caps);
  intake->discont |= intake->have_caps;
  intake->audio = info;
  intake->have_caps = TRUE;
  return TRUE;
}

/* --- events --- */

static gboolean
put_event (GstInferTranscriber *self, GstEvent *event)
{
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  GstFlowReturn flow = gst_infer_speech_queue_put (
      self->input, GST_INFER_SPEECH_EVENT, event, 0, 0);

  /* Nothing follows an EOS that could report this. */
  if (eos && !self->intake.failed
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return flow == GST_FLOW_OK || flow == GST_FLOW_EOS;
}

/* Downstream may have returned EOS for what was before. */
static void
end_eos (GstInferTranscriber *self)
{
  gst_infer_speech_queue_change_flow (self->input, GST_FLOW_EOS, GST_FLOW_OK);
  gst_infer_speech_queue_change_flow (self->output, GST_FLOW_EOS, GST_FLOW_OK);
}

static void
take_segment (GstInferTranscriber *self, GstEvent *event)
{
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  const GstSegment *segment;
  GstClockTime min, max;
  gboolean live;

  gst_event_parse_segment (event, &segment);
  self->intake.backward = segment->rate < 0;
  if (segment->rate < 0)
    GST_INFO_OBJECT (self, "nothing is recognised in reverse playback");
  if (!gst_pad_peer_query (self->sinkpad, latency))
    return;
  gst_query_parse_latency (latency, &live, &min, &max);
  gst_infer_delays_set_live (&self->delays, live);
}

/* To the pads of the source side.  (transfer full) */
static gboolean
push_flush (GstInferTranscriber *self, GstEvent *event)
{
  g_autoptr (GstPad) partial = gst_infer_transcriber_ref_partial (self);

  if (partial != NULL)
    gst_pad_push_event (partial, gst_event_ref (event));
  return gst_pad_push_event (self->srcpad, event);
}

static gboolean
flush_start (GstInferTranscriber *self, GstEvent *event)
{
  GST_DEBUG_OBJECT (self, "a flush begins: recognition is cancelled");
  gst_infer_transcriber_interrupt (self);
  gboolean result = push_flush (self, event);
  gst_pad_pause_task (self->srcpad);
  return result;
}

static gboolean
flush_stop (GstInferTranscriber *self, GstEvent *event)
{
  g_rec_mutex_lock (&self->worker_lock);
  /* The task of the source pad may still push what it took before. */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_infer_transcriber_forget (self);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  g_rec_mutex_unlock (&self->worker_lock);
  GST_DEBUG_OBJECT (self, "the flush ends");

  gboolean result = push_flush (self, event);
  gst_infer_transcriber_start_tasks (self);
  return result;
}

gboolean
gst_infer_transcriber_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      return flush_start (self, event);
    case GST_EVENT_FLUSH_STOP:
      return flush_stop (self, event);
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_EOS:
      gst_infer_post_unmet (self, pad, &self->unmet);
      break;
    default:
      break;
  }
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, parent, event);
  if (gst_infer_ends_eos (event))
    end_eos (self);
  return put_event (self, event);
}

/* --- queries --- */

gboolean
gst_infer_transcriber_sink_query (
    GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);
  g_autoptr (GstCaps) caps = NULL;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      caps = list_caps (self);
      if (!gst_infer_answer_caps (query, caps))
        gst_infer_note_offer (self, pad, query, caps, NULL, &self->unmet);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      caps = list_caps (self);
      if (gst_infer_are_caps_sent (pad, query))
        gst_query_set_accept_caps_result (query, TRUE);
      else
        gst_infer_answer_accept_caps (query, caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      return FALSE; /* text has nothing in common with the input */
    default:
      break;
  }
  if (GST_QUERY_IS_SERIALIZED (query))
    return gst_infer_speech_queue_ask (self->input, query);
  return gst_pad_query_default (pad, parent, query);
}

gboolean
gst_infer_transcriber_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (!active)
    gst_infer_transcriber_interrupt (self);
  return TRUE;
}
