/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tokens as words with times. */

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/align.h"
#include "inference/speech/whisper/segments.h"
#include "inference/speech/whisper/stream.h"
#include "inference/speech/whisper/word-times.h"

/* Positions by which the attention follows what is said: a median of 100 ms on
 * recordings with known times of words, of which 60 are sure. */
#define LAG 3

/* The text of a window: its tokens without timestamps. */
typedef struct
{
  GArray *ids;    /* (element-type guint) */
  GArray *places; /* (element-type guint): of each in the hypothesis */
  double *begins; /* [ids + 1]: frames; NULL: not known */
} Text;

static void
text_clear (Text *text)
{
  g_clear_pointer (&text->ids, g_array_unref);
  g_clear_pointer (&text->places, g_array_unref);
  g_clear_pointer (&text->begins, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Text, text_clear)

static Text
text_of (const WhisperConfig *c, const WhisperHypothesis *h)
{
  Text text = { g_array_new (FALSE, FALSE, sizeof (guint)),
    g_array_new (FALSE, FALSE, sizeof (guint)), NULL };

  for (guint i = 0; i < h->tokens->len; i++) {
    guint id = g_array_index (h->tokens, guint, i);

    if (id >= c->end)
      continue;
    g_array_append_val (text.ids, id);
    g_array_append_val (text.places, i);
  }
  return text;
}

static gboolean
time_text (WhisperStream *stream, const WhisperWindow *window, Text *text,
    GError **error)
{
  const guint n = text->ids->len;
  const guint positions =
      (guint) (window->frames + 1) / WHISPER_FRAMES_PER_POSITION;
  g_autofree guint *begins = g_new (guint, n + 1);

  if (n == 0 || positions == 0)
    return TRUE;
  if (!whisper_align (&stream->session, &stream->model->config,
          &g_array_index (stream->prompt, gint64, stream->start),
          stream->prompt->len - stream->start,
          (const guint *) (gpointer) text->ids->data, n, positions, begins,
          error))
    return FALSE;
  text->begins = g_new (double, n + 1);
  for (guint i = 0; i <= n; i++)
    text->begins[i] = begins[i] < LAG ? 0
                                      : (double) (begins[i] - LAG)
                                            * WHISPER_FRAMES_PER_POSITION;
  return TRUE;
}

/* --- words --- */

static float
probability_of (
    const WhisperHypothesis *h, const Text *text, guint first, guint end)
{
  float sum = 0;

  for (guint i = first; i < end; i++)
    sum += expf (g_array_index (
        h->log_probabilities, float, g_array_index (text->places, guint, i)));
  return end > first ? sum / (float) (end - first) : 0;
}

/* Words [@spans] of the ids from number @first on, between frames @from and
 * @to. */
static WhisperWordTime *
time_words (const Text *text, guint first, guint end, const GArray *spans,
    const char *written, double from, double to)
{
  WhisperWordTime *times = g_new0 (WhisperWordTime, spans->len + 1);

  for (guint i = 0; i < spans->len; i++) {
    const InferWordSpan *span = &g_array_index (spans, InferWordSpan, i);
    double a = span->first, b = span->end, n = end - first;

    times[i].start = from + (to - from) * a / n;
    times[i].end = from + (to - from) * b / n;
    if (text->begins != NULL) {
      times[i].start = text->begins[first + span->first];
      times[i].end = text->begins[first + span->end];
    }
    times[i].sentence =
        strchr (".!?", written[span->at + span->length - 1]) != NULL;
  }
  if (text->begins != NULL)
    whisper_word_times_trim (times, spans->len, from, to);
  return times;
}

static guint64
sample_of (const WhisperStream *stream, gsize window, double frames)
{
  guint64 offset =
      (guint64) (((double) window + frames) * stream->mel.hop + 0.5);

  return stream->first + MIN (offset, stream->mel.samples);
}

static void
add_words (const WhisperStream *stream, const WhisperWindow *window, gsize at,
    const Text *text, guint first, guint end, const GArray *spans,
    const WhisperWordTime *times, InferTranscript *t)
{
  double sum = 0;

  t->n_words = spans->len;
  t->words = g_new0 (InferWord, spans->len + 1);
  for (guint i = 0; i < spans->len; i++) {
    const InferWordSpan *span = &g_array_index (spans, InferWordSpan, i);

    t->words[i] = (InferWord){
      .text = g_strndup (t->text + span->at, span->length),
      .joined = span->joined,
      .start = sample_of (stream, at, times[i].start),
      .end = sample_of (stream, at, times[i].end),
      .probability = probability_of (
          &window->hypothesis, text, first + span->first, first + span->end),
    };
  }
  for (guint i = first; i < end; i++)
    sum += (double) g_array_index (window->hypothesis.log_probabilities, float,
        g_array_index (text->places, guint, i));
  t->log_probability = (float) (sum / MAX (1, end - first));
}

/* NULL: there are no words. */
static InferTranscript *
transcript_of (const WhisperStream *stream, const WhisperWindow *window,
    gsize at, const Text *text, const WhisperSegment *segment)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  guint first = 0, end = 0;

  while (first < text->ids->len
         && g_array_index (text->places, guint, first) < segment->first)
    first++;
  for (end = first; end < text->ids->len
                    && g_array_index (text->places, guint, end) < segment->end;)
    end++;
  if (first == end)
    return NULL;
  g_autofree char *written =
      infer_vocabulary_words (stream->model->config.vocabulary_file,
          &g_array_index (text->ids, guint, first), end - first, spans);
  if (spans->len == 0)
    return NULL;
  double to = (double) MIN (segment->end_at, window->frames);
  g_autofree WhisperWordTime *times = time_words (
      text, first, end, spans, written, (double) segment->start_at, to);
  InferTranscript *t = g_new0 (InferTranscript, 1);
  t->text = g_steal_pointer (&written);
  t->no_speech = window->hypothesis.no_speech;
  if (window->language != NULL)
    t->language = g_strdup (window->language->code);
  else if (!stream->model->config.multilingual)
    t->language = g_strdup ("en");
  add_words (stream, window, at, text, first, end, spans, times, t);
  g_strstrip (t->text);
  t->start = MIN (
      sample_of (stream, at, (double) segment->start_at), t->words[0].start);
  t->end = MAX (sample_of (stream, at, to), t->words[t->n_words - 1].end);
  return t;
}

/* --- nothing --- */

InferTranscript *
whisper_window_dropped (
    const WhisperStream *stream, const WhisperWindow *window, gsize from)
{
  const WhisperConfig *c = &stream->model->config;
  const WhisperHypothesis *h = &window->hypothesis;
  InferTranscript *t = g_new0 (InferTranscript, 1);

  t->text = infer_vocabulary_text (c->vocabulary_file,
      (const guint *) (gpointer) h->tokens->data, h->tokens->len, FALSE);
  g_strstrip (t->text);
  t->start = sample_of (stream, from, 0);
  t->end = sample_of (stream, from, (double) window->frames);
  t->language =
      window->language != NULL ? g_strdup (window->language->code) : NULL;
  t->log_probability = h->average;
  t->no_speech = h->no_speech;
  t->dropped = window->reason;
  return t;
}

/* --- all --- */

gboolean
whisper_window_transcripts (WhisperStream *stream, const WhisperWindow *window,
    gsize from, gboolean timed, GQueue *transcripts, gsize *advance,
    GError **error)
{
  const WhisperConfig *c = &stream->model->config;
  const WhisperHypothesis *h = &window->hypothesis;
  g_autoptr (GArray) segments =
      g_array_new (FALSE, FALSE, sizeof (WhisperSegment));

  *advance = window->frames;
  if (window->dropped)
    return TRUE;
  *advance =
      whisper_segments_cut (c, (const guint *) (gpointer) h->tokens->data,
          h->tokens->len, window->frames, segments);
  g_auto (Text) text = text_of (c, h);
  if (timed && stream->model->networks.aligner != NULL
      && !time_text (stream, window, &text, error))
    return FALSE;
  for (guint i = 0; i < segments->len; i++) {
    const WhisperSegment *segment =
        &g_array_index (segments, WhisperSegment, i);
    InferTranscript *t = NULL;

    /* A segment that begins after the end of the audio was not said. */
    if (segment->end_at > segment->start_at
        && segment->start_at < window->frames)
      t = transcript_of (stream, window, from, &text, segment);
    if (t != NULL)
      g_queue_push_tail (transcripts, t);
  }
  return TRUE;
}
