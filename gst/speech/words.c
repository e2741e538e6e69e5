/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Worker: transcripts become buffers, gaps and messages. */

#include <string.h>

#include "gst/speech/transcriber.h"

#define GST_CAT_DEFAULT gst_infer_transcriber_debug

/* Buffers and gaps that may wait for the source-pad task. */
#define MOST_WAITING 256
/* Length of the gaps in silence. */
#define GAP_MS 200
/* commit=deadline where no latency is set. */
#define DEADLINE_MS 4000

/* --- words --- */

static void
word_free (gpointer data)
{
  InferWord *word = data;

  g_free (word->text);
  g_free (word);
}

static InferWord *
word_copy (const InferWord *word)
{
  InferWord *copy = g_memdup2 (word, sizeof *word);

  copy->text = g_strdup (word->text);
  return copy;
}

GPtrArray *
gst_infer_transcriber_new_words (void)
{
  return g_ptr_array_new_with_free_func (word_free);
}

static char *
join_words (const GPtrArray *words, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const InferWord *word = words->pdata[i];

    if (i > 0 && !word->joined)
      g_string_append_c (text, ' ');
    g_string_append (text, word->text);
  }
  return g_string_free (text, FALSE);
}

/* The words of @transcript that have not left yet; its text as one word where
 * the model gives no words. */
static GPtrArray *
new_words (const GstInferHearing *hearing, const InferTranscript *transcript)
{
  GPtrArray *words = gst_infer_transcriber_new_words ();
  InferWord whole = { .text = transcript->text,
    .start = transcript->start,
    .end = transcript->end,
    .probability = 1 };

  if (transcript->n_words == 0 && transcript->text != NULL
      && *transcript->text != '\0')
    g_ptr_array_add (words, word_copy (&whole));
  for (guint i = 0; i < transcript->n_words; i++) {
    const InferWord *word = &transcript->words[i];
    guint64 middle =
        word->start + (MAX (word->end, word->start) - word->start) / 2;

    if (middle >= hearing->out)
      g_ptr_array_add (words, word_copy (word));
  }
  return words;
}

/* --- output --- */

void
gst_infer_transcriber_put_event (
    GstInferTranscriber *self, GstEvent *event, guint64 weight)
{
  gst_infer_speech_queue_put (self->output, GST_INFER_SPEECH_EVENT, event,
      weight, weight > 0 ? MOST_WAITING : 0);
}

/* The time of @sample, not before what has left. */
static GstClockTime
time_of (const GstInferHearing *hearing, guint64 sample)
{
  GstClockTime time = gst_infer_sample_clock_at (&hearing->clock, sample);

  return GST_CLOCK_TIME_IS_VALID (time) ? MAX (time, hearing->out_time)
                                        : hearing->out_time;
}

static void
put_gap (GstInferTranscriber *self, guint64 until)
{
  GstInferHearing *hearing = &self->hearing;
  GstClockTime begin = time_of (hearing, hearing->out);
  GstClockTime end = MAX (time_of (hearing, until), begin);

  hearing->out = until;
  hearing->out_time = end;
  if (end == begin)
    return;
  gst_infer_speech_stats_count (&self->stats, &self->stats.counters.gaps, 1);
  gst_infer_transcriber_put_event (
      self, gst_event_new_gap (begin, end - begin), 1);
}

void
gst_infer_transcriber_emit_silence (
    GstInferTranscriber *self, guint64 sample, gboolean all)
{
  GstInferHearing *hearing = &self->hearing;
  guint64 length = MAX (1, hearing->info.rate * GAP_MS / 1000);

  while (hearing->out + length <= sample)
    put_gap (self, hearing->out + length);
  if (all && hearing->out < sample)
    put_gap (self, sample);
}

/* How long ago @sample came. */
static GstClockTime
age_of (const GstInferHearing *hearing, guint64 sample)
{
  gint64 now = g_get_monotonic_time (), came = now;

  for (guint i = hearing->arrivals->len; i > 0; i--) {
    const GstInferArrival *arrival =
        &g_array_index (hearing->arrivals, GstInferArrival, i - 1);

    came = arrival->time;
    if (arrival->sample <= sample)
      break;
  }
  return (GstClockTime) MAX (now - came, 0) * GST_USECOND;
}

/* A text that begins with @sample leaves. */
static void
note_delay (GstInferTranscriber *self, guint64 sample)
{
  GstInferHearing *hearing = &self->hearing;
  const GstInferTranscriberSettings *s = &self->active;
  GstClockTime delay = age_of (hearing, sample);
  gboolean changed;

  if (gst_infer_delays_add (&self->delays, delay, &changed))
    g_object_notify (G_OBJECT (self), "max-observed-delay");
  if (changed)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  if (s->latency == 0 || hearing->late_told
      || !gst_infer_delays_is_live (&self->delays)
      || delay <= ((GstClockTime) s->latency + s->lateness) * GST_MSECOND)
    return;
  hearing->late_told = TRUE;
  GST_ELEMENT_WARNING (self, CORE, CLOCK,
      ("A text came %" G_GUINT64_FORMAT
       " ms after its speech began, but 'latency' and 'lateness' allow for %u "
       "ms: set more of either, less 'max-utterance', or commit=deadline",
          (guint64) (delay / GST_MSECOND), s->latency + s->lateness),
      (NULL));
}

/* Tells elements upstream of a text, as other transcribers do. */
static void
put_item_event (GstInferTranscriber *self, const char *text, GstClockTime begin,
    GstClockTime duration)
{
  GstClockTime running = gst_segment_to_running_time (
      &self->hearing.segment, GST_FORMAT_TIME, begin);
  GstStructure *item = gst_structure_new ("rstranscribe/new-item", "speaker",
      G_TYPE_STRING, NULL, "content", G_TYPE_STRING, text, "running-time",
      G_TYPE_UINT64, running, "duration", G_TYPE_UINT64, duration, NULL);

  gst_infer_speech_queue_put (self->output, GST_INFER_SPEECH_UPSTREAM,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, item), 0, 0);
}

static void
put_text (
    GstInferTranscriber *self, const char *text, guint64 start, guint64 end)
{
  GstInferHearing *hearing = &self->hearing;

  end = MIN (end, hearing->history.end);
  start = MIN (MAX (start, hearing->out), hearing->history.end);
  end = MAX (end, start);
  gst_infer_transcriber_emit_silence (self, start, TRUE);
  GstClockTime pts = time_of (hearing, start);
  GstClockTime until = MAX (time_of (hearing, end), pts);
  GstBuffer *buffer = gst_buffer_new_memdup (text, strlen (text));
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = until - pts;
  note_delay (self, start);
  hearing->out = end;
  hearing->out_time = until;
  put_item_event (self, text, pts, until - pts);
  gst_infer_speech_queue_put (
      self->output, GST_INFER_SPEECH_BUFFER, buffer, 1, MOST_WAITING);
}

static void
put_segment (GstInferTranscriber *self, const GPtrArray *words)
{
  gst_infer_speech_stats_count (
      &self->stats, &self->stats.counters.words, words->len);
  if (words->len == 0)
    return;
  if (self->active.granularity == GST_INFER_GRANULARITY_WORD) {
    for (guint i = 0; i < words->len; i++) {
      const InferWord *word = words->pdata[i];
      put_text (self, word->text, word->start, word->end);
    }
    return;
  }
  const InferWord *first = words->pdata[0],
                  *last = words->pdata[words->len - 1];
  g_autofree char *text = join_words (words, words->len);
  put_text (self, text, first->start, last->end);
}

/* --- messages --- */

static void
append_word (
    const GstInferHearing *hearing, const InferWord *word, GValue *list)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("word", "text", G_TYPE_STRING, word->text, "joined",
          G_TYPE_BOOLEAN, word->joined, "timestamp", G_TYPE_UINT64,
          gst_infer_sample_clock_at (&hearing->clock, word->start), "end",
          G_TYPE_UINT64, gst_infer_sample_clock_at (&hearing->clock, word->end),
          "probability", G_TYPE_DOUBLE, (double) word->probability, NULL));
  gst_value_array_append_value (list, &value);
}

/* @n_stable: words that will probably not change. */
static void
post_message (GstInferTranscriber *self, const GPtrArray *words,
    const InferTranscript *of, guint n_stable, gboolean final)
{
  GstInferHearing *hearing = &self->hearing;
  g_autofree char *text = join_words (words, words->len);
  g_autofree char *stable = join_words (words, n_stable);
  g_auto (GValue) list = G_VALUE_INIT;
  const InferWord *first = words->pdata[0],
                  *last = words->pdata[words->len - 1];
  GstClockTime begin =
      gst_infer_sample_clock_at (&hearing->clock, first->start);

  g_value_init (&list, GST_TYPE_ARRAY);
  for (guint i = 0; i < words->len; i++)
    append_word (hearing, words->pdata[i], &list);
  GstStructure *s = gst_structure_new ("infer-transcript", "final",
      G_TYPE_BOOLEAN, final, "text", G_TYPE_STRING, text, "stable",
      G_TYPE_STRING, stable, "utterance", G_TYPE_UINT, hearing->utterance,
      "revision", G_TYPE_UINT, hearing->revision, "timestamp", G_TYPE_UINT64,
      begin, "end", G_TYPE_UINT64,
      gst_infer_sample_clock_at (&hearing->clock, last->end), "running-time",
      G_TYPE_UINT64,
      gst_segment_to_running_time (&hearing->segment, GST_FORMAT_TIME, begin),
      "language", G_TYPE_STRING, of->language, "log-probability", G_TYPE_DOUBLE,
      (double) of->log_probability, NULL);
  gst_structure_take_value (s, "words", &list);
  memset (&list, 0, sizeof list);
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), s));
}

static void
put_revision (GstInferTranscriber *self, const GPtrArray *words)
{
  GstInferHearing *hearing = &self->hearing;
  g_autoptr (GstPad) pad = gst_infer_transcriber_ref_partial (self);
  const InferWord *first = words->pdata[0],
                  *last = words->pdata[words->len - 1];

  if (pad == NULL)
    return;
  char *text = join_words (words, words->len);
  GstBuffer *buffer = gst_buffer_new_wrapped (text, strlen (text));
  GstClockTime begin =
      gst_infer_sample_clock_at (&hearing->clock, first->start);
  GST_BUFFER_PTS (buffer) = begin;
  GST_BUFFER_DURATION (buffer) =
      MAX (gst_infer_sample_clock_at (&hearing->clock, last->end), begin)
      - begin;
  GST_BUFFER_OFFSET (buffer) = hearing->revision;
  gst_infer_speech_queue_put (
      self->output, GST_INFER_SPEECH_PARTIAL, buffer, 1, MOST_WAITING);
}

/* --- partial --- */

/* Words whose time has come, where samples until @heard were judged, leave
 * before they are final. */
static void
commit_words (GstInferTranscriber *self, GPtrArray *words, guint64 heard)
{
  GstInferHearing *hearing = &self->hearing;
  guint ms = self->active.latency > 0 ? self->active.latency : DEADLINE_MS;
  guint64 deadline = gst_util_uint64_scale (ms, hearing->info.rate, 1000);

  while (words->len > 0) {
    g_autoptr (GPtrArray) due = gst_infer_transcriber_new_words ();
    const InferWord *word = words->pdata[0];

    if (word->start + deadline > heard)
      return;
    g_ptr_array_add (due, g_ptr_array_steal_index (words, 0));
    put_segment (self, due);
  }
}

void
gst_infer_transcriber_emit_partial (
    GstInferTranscriber *self, const InferTranscript *transcript, guint64 heard)
{
  GstInferHearing *hearing = &self->hearing;
  g_autoptr (GPtrArray) words = new_words (hearing, transcript);
  guint before = transcript->n_words - MIN (words->len, transcript->n_words);
  guint n_stable = infer_agreement_push (
      hearing->agreement, transcript->words, transcript->n_words, heard);

  if (words->len == 0)
    return;
  hearing->revision++;
  n_stable = n_stable > before ? MIN (n_stable - before, words->len) : 0;
  if (self->active.partial_interval > 0) {
    gst_infer_speech_stats_count (
        &self->stats, &self->stats.counters.partials, 1);
    post_message (self, words, transcript, n_stable, FALSE);
    put_revision (self, words);
  }
  if (self->active.commit == GST_INFER_COMMIT_DEADLINE)
    commit_words (self, words, heard);
}

/* --- finals --- */

/* The words of the utterance before this one that it has in common with it are
 * joined with @words, of which the first ones may be dropped. */
static void
join_tail (GstInferHearing *hearing, GPtrArray *words)
{
  const InferSegmentEvent *cut = &hearing->cut;
  GPtrArray *tail = hearing->tail;
  g_autofree InferWord *left = g_new (InferWord, tail->len);
  g_autofree InferWord *right = g_new (InferWord, words->len + 1);
  guint n_left, first;

  for (guint i = 0; i < tail->len; i++)
    left[i] = *(const InferWord *) tail->pdata[i];
  for (guint i = 0; i < words->len; i++)
    right[i] = *(const InferWord *) words->pdata[i];
  infer_words_join (left, tail->len, right, words->len, cut->begin, cut->time,
      cut->end, &n_left, &first);
  if (first > 0)
    g_ptr_array_remove_range (words, 0, first);
  for (guint i = n_left; i > 0; i--)
    g_ptr_array_insert (words, 0, word_copy (tail->pdata[i - 1]));
  g_ptr_array_set_size (tail, 0);
}

/* Words that the next utterance may have, too, stay for it. */
static void
keep_tail (
    GstInferHearing *hearing, GPtrArray *words, const InferSegmentEvent *cut)
{
  guint n = words->len;
  guint64 reach = infer_words_reach (cut->begin, cut->time);

  while (n > 0 && ((const InferWord *) words->pdata[n - 1])->end > reach)
    n--;
  while (words->len > n)
    g_ptr_array_add (hearing->tail, g_ptr_array_steal_index (words, n));
  hearing->cut = *cut;
}

/* Posts the decoded texts that the model's guards dropped or cut. */
static void
post_dropped (GstInferTranscriber *self)
{
  GstInferHearing *hearing = &self->hearing;

  for (InferTranscript *t;
       (t = infer_speech_stream_pop_dropped (hearing->stream)) != NULL;
       infer_transcript_free (t)) {
    GstClockTime begin = gst_infer_sample_clock_at (&hearing->clock, t->start);
    GstStructure *s = gst_structure_new ("infer-speech-dropped", "reason",
        G_TYPE_STRING, t->dropped, "text", G_TYPE_STRING, t->text, "timestamp",
        G_TYPE_UINT64, begin, "end", G_TYPE_UINT64,
        gst_infer_sample_clock_at (&hearing->clock, t->end), "running-time",
        G_TYPE_UINT64,
        gst_segment_to_running_time (&hearing->segment, GST_FORMAT_TIME, begin),
        "log-probability", G_TYPE_DOUBLE, (double) t->log_probability,
        "no-speech", G_TYPE_DOUBLE, (double) t->no_speech, NULL);

    gst_infer_speech_stats_dropped (&self->stats, t->dropped);
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), s));
  }
}

/* The final transcripts that the stream has.  (transfer full) */
static GPtrArray *
pop_finals (GstInferHearing *hearing)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_transcript_free);
  InferTranscript *transcript;

  while ((transcript = infer_speech_stream_pop (hearing->stream)) != NULL)
    g_ptr_array_add (all, transcript);
  return all;
}

static void
emit_final (GstInferTranscriber *self, const InferTranscript *transcript,
    GPtrArray *words)
{
  if (words->len == 0)
    return;
  self->hearing.revision++;
  gst_infer_speech_stats_count (&self->stats, &self->stats.counters.finals, 1);
  post_message (self, words, transcript, words->len, TRUE);
  if (self->active.partial_interval > 0)
    put_revision (self, words);
  put_segment (self, words);
  gst_infer_transcriber_put_event (self,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("rstranscribe/final-transcript")),
      0);
}

void
gst_infer_transcriber_emit_finals (
    GstInferTranscriber *self, const InferSegmentEvent *cut)
{
  static const InferTranscript nothing = { .log_probability = 0 };
  GstInferHearing *hearing = &self->hearing;
  g_autoptr (GPtrArray) finals = pop_finals (hearing);

  post_dropped (self);

  for (guint i = 0; i < finals->len; i++) {
    const InferTranscript *transcript = finals->pdata[i];
    g_autoptr (GPtrArray) words = new_words (hearing, transcript);

    if (hearing->tail->len > 0)
      join_tail (hearing, words);
    if (cut != NULL && i + 1 == finals->len)
      keep_tail (hearing, words, cut);
    emit_final (self, transcript, words);
  }
  /* The next utterance had nothing to say about them. */
  if (hearing->tail->len > 0 && cut == NULL && !hearing->speaking) {
    g_autoptr (GPtrArray) words = g_steal_pointer (&hearing->tail);
    hearing->tail = gst_infer_transcriber_new_words ();
    emit_final (self, &nothing, words);
  }
}
