/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Worker: samples, events and queries in the order they came; utterances begin
 * and end, and the model hears them. */

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/speech/transcriber.h"

#define GST_CAT_DEFAULT gst_infer_transcriber_debug

/* A longer gap in the stream ends the sequence; as inferfilter's default. */
#define MAX_GAP GST_SECOND
/* Live: the input may wait for as long before there is a warning. */
#define OVERLOAD (2 * GST_SECOND)
/* Partials that commit=deadline needs where nobody wants any. */
#define DEADLINE_INTERVAL 500 /* ms */

static guint64
samples_in (const GstInferHearing *hearing, guint64 ms)
{
  return gst_util_uint64_scale_round (ms, hearing->info.rate, 1000);
}

/* --- events that wait for the text before them --- */

static void
release_events (GstInferTranscriber *self, guint64 until)
{
  GstInferHearing *hearing = &self->hearing;
  GstInferWaiting *first;

  while ((first = g_queue_peek_head (&hearing->waiting)) != NULL
         && first->sample <= until) {
    g_queue_pop_head (&hearing->waiting);
    gst_infer_transcriber_emit_silence (self, first->sample, TRUE);
    gst_infer_transcriber_put_event (self, first->event, 0);
    g_free (first);
  }
}

static void
hold_event (GstInferTranscriber *self, GstEvent *event)
{
  GstInferWaiting *waiting = g_new (GstInferWaiting, 1);

  *waiting = (GstInferWaiting){ event, self->hearing.history.end };
  g_queue_push_tail (&self->hearing.waiting, waiting);
}

/* --- overload --- */

static gboolean
is_behind (GstInferTranscriber *self, guint64 samples)
{
  return gst_infer_delays_is_live (&self->delays)
         && gst_infer_speech_queue_get_weight (self->input) > samples;
}

static void
warn_of_overload (GstInferTranscriber *self)
{
  GstInferHearing *hearing = &self->hearing;
  guint64 most =
      gst_util_uint64_scale (OVERLOAD, hearing->info.rate, GST_SECOND);

  if (hearing->overload_told || !is_behind (self, most))
    return;
  hearing->overload_told = TRUE;
  GST_ELEMENT_WARNING (self, RESOURCE, BUSY,
      ("Recognition is slower than the stream: %" G_GUINT64_FORMAT
       " ms of audio wait. Partial results are left out until it has caught up; "
       "nothing else is lost, but text comes late. A smaller model or another "
       "device would help",
          gst_util_uint64_scale (
              gst_infer_speech_queue_get_weight (self->input), 1000,
              hearing->info.rate)),
      (NULL));
}

/* --- utterances --- */

/* The model gets the utterance's samples until @end. */
static gboolean
feed (GstInferTranscriber *self, guint64 end, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  gint64 begin = g_get_monotonic_time ();

  end = MIN (end, hearing->history.end);
  if (end <= hearing->pushed)
    return TRUE;
  gboolean ok = infer_speech_stream_push (hearing->stream,
      gst_infer_history_at (&hearing->history, hearing->pushed),
      (gsize) (end - hearing->pushed), error);
  gst_infer_speech_stats_add (&self->stats, &self->stats.counters.push, begin);
  hearing->pushed = end;
  if (ok)
    gst_infer_transcriber_emit_finals (self, NULL);
  return ok;
}

/* Partials are wanted by somebody, or by commit=deadline. */
static guint64
partial_interval (const GstInferTranscriber *self)
{
  const GstInferTranscriberSettings *s = &self->active;
  guint ms = s->partial_interval;

  if (ms == 0 && s->commit == GST_INFER_COMMIT_DEADLINE)
    ms = DEADLINE_INTERVAL;
  return samples_in (&self->hearing, ms);
}

static gboolean
begin_utterance (GstInferTranscriber *self, guint64 first, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  g_autoptr (GError) failure = NULL;

  first = MAX (first, gst_infer_history_begin (&hearing->history));
  if (!gst_infer_transcriber_configure (self, &failure))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", failure->message),
        ("The settings before stay in use"));
  GST_DEBUG_OBJECT (
      self, "an utterance begins with sample %" G_GUINT64_FORMAT, first);
  hearing->speaking = TRUE;
  hearing->begin = hearing->pushed = first;
  hearing->next_partial = first + partial_interval (self);
  hearing->prepared = 0;
  hearing->utterance++;
  hearing->revision = 0;
  infer_agreement_begin (hearing->agreement, hearing->info.rate);
  gst_infer_speech_stats_count (
      &self->stats, &self->stats.counters.utterances, 1);
  return infer_speech_stream_begin (hearing->stream, first, error);
}

static gboolean
end_utterance (GstInferTranscriber *self, guint64 end,
    const InferSegmentEvent *cut, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  if (!feed (self, end, error))
    return FALSE;
  gint64 begin = g_get_monotonic_time ();
  hearing->speaking = FALSE;
  if (!infer_speech_stream_end (hearing->stream, error))
    return FALSE;
  gst_infer_speech_stats_add (&self->stats, &self->stats.counters.end, begin);
  GST_DEBUG_OBJECT (self,
      "the utterance ends before sample %" G_GUINT64_FORMAT "%s", end,
      cut != NULL ? ", and goes on as another one" : "");
  gst_infer_transcriber_emit_finals (self, cut);
  return TRUE;
}

static gboolean
take_decision (
    GstInferTranscriber *self, const InferSegmentEvent *event, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  switch (event->type) {
    case INFER_SEGMENT_START:
      return begin_utterance (self, event->time, error);
    case INFER_SEGMENT_END:
      return !hearing->speaking
             || end_utterance (self, event->time, NULL, error);
    case INFER_SEGMENT_CUT:
      return end_utterance (self, event->end, event, error)
             && begin_utterance (self, event->begin, error);
    case INFER_SEGMENT_SILENCE:
      break;
  }
  return TRUE;
}

static gboolean
take_decisions (GstInferTranscriber *self, GError **error)
{
  const GArray *events = self->hearing.listener.events;

  for (guint i = 0; i < events->len; i++)
    if (!take_decision (
            self, &g_array_index (events, InferSegmentEvent, i), error))
      return FALSE;
  return TRUE;
}

/* The utterance is about to end, which a partial result would delay. */
static gboolean
is_ending (const GstInferHearing *hearing, guint64 heard)
{
  return !hearing->info.streaming
         && heard - MIN (heard, hearing->listener.voiced)
                > hearing->rules.vad.min_silence / 2;
}

/* Live: in the middle of the silence that ends the utterance, unless somebody
 * goes on, the model decodes it, so that the text leaves with its end. */
static gboolean
prepare_end (GstInferTranscriber *self, guint64 heard, gboolean *prepared,
    GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  const guint64 end = gst_infer_listener_expected_end (&hearing->listener);

  *prepared = FALSE;
  if (end == 0 || heard < end || end == hearing->prepared
      || !is_ending (hearing, heard)
      || !gst_infer_delays_is_live (&self->delays)
      || is_behind (self, hearing->rules.vad.min_silence / 2))
    return TRUE;
  hearing->prepared = end;
  if (!feed (self, end, error))
    return FALSE;
  gint64 begin = g_get_monotonic_time ();
  gboolean ok =
      infer_speech_stream_prepare_end (hearing->stream, prepared, error);
  gst_infer_speech_stats_add (
      &self->stats, &self->stats.counters.prepare, begin);
  return ok;
}

static gboolean
make_partial (GstInferTranscriber *self, guint64 heard, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  guint64 interval = partial_interval (self);
  g_autoptr (GError) failure = NULL;
  gboolean prepared;

  if (!prepare_end (self, heard, &prepared, error))
    return FALSE;
  if (interval == 0
      || (!prepared
          && (heard < hearing->next_partial || is_ending (hearing, heard))))
    return TRUE;
  hearing->next_partial = heard + interval;
  if (is_behind (self, interval)) {
    gst_infer_speech_stats_count (
        &self->stats, &self->stats.counters.partials_skipped, 1);
    return TRUE;
  }
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (InferTranscript) transcript =
      infer_speech_stream_partial (hearing->stream, &failure);
  gst_infer_speech_stats_add (
      &self->stats, &self->stats.counters.partial, begin);
  if (failure != NULL) {
    g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  if (transcript != NULL)
    gst_infer_transcriber_emit_partial (self, transcript, heard);
  return TRUE;
}

/* --- samples --- */

/* Nothing that is still to be said or written begins before this. */
static guint64
quiet_until (const GstInferHearing *hearing)
{
  guint64 quiet = hearing->speaking
                      ? hearing->begin
                      : gst_infer_listener_decided (&hearing->listener);

  if (hearing->tail->len > 0) {
    const InferWord *word = hearing->tail->pdata[0];
    quiet = MIN (quiet, word->start);
  }
  return MIN (quiet, hearing->history.end);
}

static void
forget_samples (GstInferHearing *hearing, guint64 heard)
{
  const InferSegmenterConfig *rules = &hearing->rules;
  guint64 back = rules->search + rules->overlap + hearing->info.rate;
  guint64 needed = hearing->speaking
                       ? hearing->pushed
                       : gst_infer_listener_decided (&hearing->listener);

  needed = MIN (needed, heard > back ? heard - back : 0);
  gst_infer_history_drop (&hearing->history, needed);
  gst_infer_sample_clock_prune (&hearing->clock, hearing->out);
  while (hearing->arrivals->len > 1
         && g_array_index (hearing->arrivals, GstInferArrival, 1).sample
                <= hearing->out)
    g_array_remove_index (hearing->arrivals, 0);
}

/* The samples before @heard have been judged. */
static gboolean
step (GstInferTranscriber *self, guint64 heard, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  heard = MIN (heard, hearing->history.end);
  if (!take_decisions (self, error))
    return FALSE;
  if (hearing->speaking) {
    /* A model that decodes as samples arrive loses nothing by silence after the
     * utterance; another one would decode that, too. */
    guint64 end = hearing->info.streaming
                      ? heard
                      : hearing->listener.voiced + hearing->rules.vad.pad;
    end = MIN (end, heard);
    if (!feed (self, end, error) || !make_partial (self, heard, error))
      return FALSE;
  }
  guint64 quiet = quiet_until (hearing);
  release_events (self, quiet);
  gst_infer_transcriber_emit_silence (self, quiet, FALSE);
  forget_samples (hearing, heard);
  return TRUE;
}

static gboolean
take_windows (GstInferTranscriber *self, GError **error)
{
  guint64 heard;

  while ((heard = gst_infer_listener_next (&self->hearing.listener)) > 0)
    if (!step (self, heard, error))
      return FALSE;
  return TRUE;
}

/* @samples NULL: silence. */
static gboolean
take_samples (
    GstInferTranscriber *self, const float *samples, gsize n, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  guint64 first = hearing->history.end;

  gst_infer_history_append (&hearing->history, samples, n);
  gst_infer_speech_stats_count (&self->stats, &self->stats.counters.samples, n);
  gint64 begin = g_get_monotonic_time ();
  gboolean ok = gst_infer_listener_push (&hearing->listener,
      gst_infer_history_at (&hearing->history, first), n, error);
  gst_infer_speech_stats_add (&self->stats, &self->stats.counters.voice, begin);
  return ok && take_windows (self, error);
}

/* --- sequences --- */

void
gst_infer_transcriber_begin_sequence (GstInferTranscriber *self)
{
  GstInferHearing *hearing = &self->hearing;

  gst_infer_listener_reset (&hearing->listener);
  gst_infer_history_reset (&hearing->history);
  gst_infer_sample_clock_reset (&hearing->clock, hearing->info.rate);
  g_array_set_size (hearing->arrivals, 0);
  g_ptr_array_set_size (hearing->tail, 0);
  infer_speech_stream_reset (hearing->stream);
  hearing->speaking = FALSE;
  hearing->out = 0;
}

/* Says what is left of the sequence. */
static gboolean
end_sequence (GstInferTranscriber *self, const char *why, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  if (hearing->history.end > 0) {
    GST_DEBUG_OBJECT (self, "%s: the sequence ends", why);
    if (!gst_infer_listener_finish (&hearing->listener, error)
        || !take_windows (self, error))
      return FALSE;
    gst_infer_listener_end (&hearing->listener);
    if (!take_decisions (self, error))
      return FALSE;
    if (hearing->speaking
        && !end_utterance (self, hearing->history.end, NULL, error))
      return FALSE;
    gst_infer_transcriber_emit_finals (self, NULL);
    release_events (self, hearing->history.end);
    gst_infer_transcriber_emit_silence (self, hearing->history.end, TRUE);
    gst_infer_speech_stats_count (
        &self->stats, &self->stats.counters.resets, 1);
  }
  release_events (self, G_MAXUINT64);
  gst_infer_transcriber_begin_sequence (self);
  return TRUE;
}

static GstClockTime
next_pts (const GstInferHearing *hearing)
{
  return gst_infer_sample_clock_at (&hearing->clock, hearing->history.end);
}

/* The next sample has the timestamp @pts. */
static gboolean
begin_samples (GstInferTranscriber *self, GstClockTime pts, gint64 arrived,
    gboolean discont, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  GstClockTime next = next_pts (hearing);
  gboolean jump = GST_CLOCK_TIME_IS_VALID (next)
                  && GST_CLOCK_TIME_IS_VALID (pts)
                  && ABS (GST_CLOCK_DIFF (next, pts)) > (gint64) MAX_GAP;
  GstInferArrival arrival = { .time = arrived };

  if (discont && !end_sequence (self, "a discontinuity", error))
    return FALSE;
  if (!discont && jump
      && !end_sequence (self, "a jump of the timestamps", error))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (pts) && hearing->clock.anchors->len == 0)
    pts =
        hearing->segment.format == GST_FORMAT_TIME ? hearing->segment.start : 0;
  gst_infer_sample_clock_note (&hearing->clock, hearing->history.end, pts);
  arrival.sample = hearing->history.end;
  g_array_append_val (hearing->arrivals, arrival);
  return TRUE;
}

static gboolean
take_audio (
    GstInferTranscriber *self, const GstInferAudio *audio, GError **error)
{
  warn_of_overload (self);
  return begin_samples (self, audio->pts, audio->arrived, audio->discont, error)
         && take_samples (self, audio->samples, audio->n, error);
}

/* --- events --- */

/* (transfer full) */
static GstEvent *
late_segment (GstInferTranscriber *self, GstEvent *event)
{
  GstSegment segment;
  guint32 seqnum = gst_event_get_seqnum (event);

  gst_event_copy_segment (event, &segment);
  if (segment.format != GST_FORMAT_TIME)
    gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base += (guint64) self->active.lateness * GST_MSECOND;
  gst_event_unref (event);
  GstEvent *late = gst_event_new_segment (&segment);
  gst_event_set_seqnum (late, seqnum);
  return late;
}

static gboolean
take_segment (GstInferTranscriber *self, GstEvent *event, GError **error)
{
  GstInferHearing *hearing = &self->hearing;
  GstSegment segment;
  gboolean ok = TRUE;

  gst_event_copy_segment (event, &segment);
  gboolean continues = gst_infer_segment_continues (
      &hearing->segment, &segment, next_pts (hearing));
  if (!continues) {
    ok = end_sequence (self, "a segment that does not continue", error);
    hearing->out_time = 0;
  }
  hearing->segment = segment;
  event = late_segment (self, event);
  if (continues)
    hold_event (self, event);
  else
    gst_infer_transcriber_put_event (self, event, 0);
  return ok;
}

/* A short gap is silence, so that time passes inside the model, too; a long one
 * ends the sequence. */
static gboolean
take_gap (GstInferTranscriber *self, GstEvent *event, GError **error)
{
  g_autoptr (GstEvent) owned = event;
  GstInferHearing *hearing = &self->hearing;
  GstClockTime pts, duration;

  gst_event_parse_gap (event, &pts, &duration);
  if (!GST_CLOCK_TIME_IS_VALID (duration) || duration > MAX_GAP
      || hearing->history.end == 0) {
    gboolean ok = end_sequence (self, "a gap", error);
    if (pts >= hearing->out_time) {
      hearing->out_time =
          pts + (GST_CLOCK_TIME_IS_VALID (duration) ? duration : 0);
      gst_infer_transcriber_put_event (self, g_steal_pointer (&owned), 1);
    }
    return ok;
  }
  guint64 n =
      gst_util_uint64_scale_round (duration, hearing->info.rate, GST_SECOND);
  return begin_samples (self, pts, g_get_monotonic_time (), FALSE, error)
         && (n == 0 || take_samples (self, NULL, (gsize) n, error));
}

/* Takes @event. */
static gboolean
take_event (GstInferTranscriber *self, GstEvent *event, GError **error)
{
  gboolean ok = TRUE;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      return take_segment (self, event, error);
    case GST_EVENT_GAP:
      return take_gap (self, event, error);
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      ok = end_sequence (self, GST_EVENT_TYPE_NAME (event), error);
      gst_infer_transcriber_put_event (self, event, 0);
      return ok;
    default:
      break;
  }
  if (gst_infer_is_reset_event (event))
    ok = end_sequence (self, "reset-state", error);
  hold_event (self, event);
  if (self->hearing.history.end == 0)
    release_events (self, 0);
  return ok;
}

static gboolean
take_query (GstInferTranscriber *self, gpointer question, GError **error)
{
  GstQueryType type = gst_infer_speech_queue_peek (self->input, question);
  gboolean ok = TRUE;

  if (type == GST_QUERY_DRAIN)
    ok = end_sequence (self, "a DRAIN query", error);
  gst_infer_speech_queue_put (
      self->output, GST_INFER_SPEECH_QUERY, question, 0, 0);
  return ok;
}

/* --- the thread --- */

void
gst_infer_transcriber_stop_flow (GstInferTranscriber *self, GstFlowReturn flow)
{
  gst_infer_speech_queue_set_flow (self->input, flow);
  gst_infer_speech_queue_set_flow (self->output, flow);
}

static void
fail (GstInferTranscriber *self, const GError *error)
{
  if (g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED)
      || gst_infer_speech_queue_get_flow (self->input) == GST_FLOW_FLUSHING)
    return;
  gst_infer_post_error (self, error);
  gst_infer_speech_queue_set_flow (self->input, GST_FLOW_ERROR);
  gst_infer_transcriber_put_event (self, gst_event_new_eos (), 0);
}

void
gst_infer_transcriber_work (gpointer data)
{
  GstInferTranscriber *self = data;
  g_autoptr (GError) error = NULL;
  GstInferSpeechItem item;
  gboolean ok = TRUE;

  if (!gst_infer_speech_queue_take (self->input, &item,
          gst_infer_listener_wanted (&self->hearing.listener))) {
    gst_task_pause (self->worker);
    /* The queue may have been started again before the pause. */
    if (gst_infer_speech_queue_get_flow (self->input) == GST_FLOW_OK)
      gst_task_start (self->worker);
    return;
  }
  switch (item.kind) {
    case GST_INFER_SPEECH_AUDIO:
      if (gst_infer_speech_queue_get_flow (self->input) == GST_FLOW_OK)
        ok = take_audio (self, item.object, &error);
      gst_infer_speech_item_clear (&item);
      break;
    case GST_INFER_SPEECH_EVENT:
      ok = take_event (self, item.object, &error);
      break;
    case GST_INFER_SPEECH_QUERY:
      ok = take_query (self, item.object, &error);
      break;
    default:
      g_assert_not_reached ();
  }
  if (!ok)
    fail (self, error);
}
