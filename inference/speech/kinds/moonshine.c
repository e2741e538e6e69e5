/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moonshine: an encoder of samples and a decoder of tokens for utterances of
 * any length.  It says nothing of times: words are spread over the loud part of
 * the utterance by their letters. */

#include <math.h>
#include <string.h>

#include "inference/speech/network.h"
#include "inference/speech/kind.h"
#include "inference/speech/moonshine/decode.h"
#include "inference/speech/text/vocabulary.h"

#define RATE 16000
#define LONGEST (30 * RATE) /* the models learned up to this */
/* Where a longer utterance is cut: the quietest place of its last seconds. */
#define CUT_WITHIN (6 * RATE)
#define CUT_FRAME 480
/* Tokens per second that no speech has; of languages with more tokens in a
 * word, 13. */
#define TOKENS_PER_SECOND 6.5
#define MOST_TOKENS_PER_SECOND 50
#define WEIGHT 1.5  /* of a phrase, per token */
#define QUIET 0.02f /* of the loudest frame: not part of the words */
#define TIME_FRAME 160
/* Tokens of the decoder without a name in the vocabulary. */
#define MOST_UNNAMED 1023

typedef struct
{
  MoonshineNetworks net;
  InferVocabulary *vocabulary;
} Moonshine;

typedef struct
{
  const Moonshine *model;
  MoonshineDecoder *decoder;
  double rate;     /* tokens per second */
  guint64 first;   /* of the samples */
  GArray *samples; /* that are not final (float) */
  GArray *tokens;
  gboolean prepared;
  InferTranscript *last; /* if prepared: of all samples; NULL: no words */
} Stream;

/* --- model --- */

static gboolean
probe (const SpeechFolder *folder)
{
  return moonshine_networks_probe (folder);
}

static void
unload (gpointer model)
{
  Moonshine *m = model;

  moonshine_networks_clear (&m->net);
  infer_vocabulary_unref (m->vocabulary);
  g_free (m);
}

static gboolean
check_tokens (const Moonshine *m, GError **error)
{
  return speech_network_check_tokens (infer_executable_get_model (m->net.first),
      m->net.classes, m->vocabulary, infer_vocabulary_size (m->vocabulary),
      MOST_UNNAMED, error);
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  Moonshine *m = g_new0 (Moonshine, 1);

  if (!moonshine_networks_load (&m->net, folder, runtime, error)
      || (m->vocabulary = infer_vocabulary_load (folder, error)) == NULL
      || !check_tokens (m, error)) {
    unload (m);
    return NULL;
  }
  info->rate = RATE;
  info->longest = LONGEST;
  return m;
}

/* --- stream --- */

static void
close_stream (gpointer stream)
{
  Stream *s = stream;

  infer_transcript_free (s->last);
  moonshine_decoder_free (s->decoder);
  g_array_unref (s->samples);
  g_array_unref (s->tokens);
  g_free (s);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  Stream *s = g_new0 (Stream, 1);

  s->model = model;
  s->rate = TOKENS_PER_SECOND;
  s->samples = g_array_sized_new (FALSE, FALSE, sizeof (float), LONGEST);
  s->tokens = g_array_new (FALSE, FALSE, sizeof (MoonshineToken));
  s->decoder = moonshine_decoder_new (&s->model->net, error);
  if (s->decoder != NULL)
    return s;
  close_stream (s);
  return NULL;
}

static gboolean
set_phrases (Stream *s, const char *value, GError **error)
{
  g_autoptr (InferPhrases) phrases = NULL;

  if (value != NULL && *value != '\0') {
    phrases = infer_phrases_new (s->model->vocabulary, value, WEIGHT, error);
    if (phrases == NULL)
      return FALSE;
  }
  moonshine_decoder_set_phrases (s->decoder, phrases);
  return TRUE;
}

static gboolean
set_rate (Stream *s, const char *value, GError **error)
{
  double rate = TOKENS_PER_SECOND;
  char *rest = NULL;

  if (value != NULL)
    rate = g_ascii_strtod (value, &rest);
  if (rest != NULL && (rest == value || *rest != '\0'))
    rate = 0;
  if (!(rate >= 1) || !(rate <= MOST_TOKENS_PER_SECOND))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tokens-per-second = '%s' is not a number from 1 to %d", value,
        MOST_TOKENS_PER_SECOND);
  s->rate = rate;
  return TRUE;
}

static gboolean
set (gpointer stream, const char *key, const char *value, GError **error)
{
  Stream *s = stream;

  if (strcmp (key, "phrases") == 0)
    return set_phrases (s, value, error);
  if (strcmp (key, "tokens-per-second") == 0)
    return set_rate (s, value, error);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "Moonshine has no setting '%s', only phrases and tokens-per-second", key);
}

/* --- transcripts --- */

static float
loudness (const float *samples, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) samples[i] * samples[i];
  return (float) sqrt (sum / (double) n);
}

/* The part of @n samples that is not silence before and after the words. */
static void
find_loud (const float *samples, gsize n, gsize *start, gsize *end)
{
  gsize frames = n / TIME_FRAME, first = 0, last = frames;
  float loudest = 0;

  for (gsize i = 0; i < frames; i++)
    loudest = MAX (loudest, loudness (samples + i * TIME_FRAME, TIME_FRAME));
  while (
      first < frames
      && loudness (samples + first * TIME_FRAME, TIME_FRAME) < QUIET * loudest)
    first++;
  while (last > first + 1
         && loudness (samples + (last - 1) * TIME_FRAME, TIME_FRAME)
                < QUIET * loudest)
    last--;
  *start = MIN (first * TIME_FRAME, n);
  *end = last == frames ? n : last * TIME_FRAME;
}

static void
set_word (InferWord *word, const char *text, const InferWordSpan *span,
    const GArray *tokens)
{
  double sum = 0;

  for (guint i = span->first; i < span->end; i++)
    sum += exp (g_array_index (tokens, MoonshineToken, i).log_probability);
  word->text = g_strndup (text + span->at, span->length);
  word->joined = span->joined;
  word->probability = (float) (sum / (span->end - span->first));
}

static void
set_times (InferTranscript *t, guint64 start, guint64 end, const GArray *spans)
{
  const InferWordSpan *span = (const InferWordSpan *) spans->data;
  gsize at = span[0].at;
  gsize letters = span[spans->len - 1].at + span[spans->len - 1].length - at;

  for (guint i = 0; i < t->n_words; i++) {
    t->words[i].start = start + (end - start) * (span[i].at - at) / letters;
    t->words[i].end =
        start + (end - start) * (span[i].at + span[i].length - at) / letters;
  }
  t->start = start;
  t->end = end;
}

/* NULL: no words. */
static InferTranscript *
make_transcript (const Stream *s, gsize n)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  g_autofree guint *ids = g_new (guint, s->tokens->len);
  double sum = 0;
  gsize start, end;

  for (guint i = 0; i < s->tokens->len; i++) {
    const MoonshineToken *token = &g_array_index (s->tokens, MoonshineToken, i);

    ids[i] = token->id;
    sum += token->log_probability;
  }
  g_autofree char *text =
      infer_vocabulary_words (s->model->vocabulary, ids, s->tokens->len, spans);
  if (spans->len == 0)
    return NULL;
  InferTranscript *t = g_new0 (InferTranscript, 1);
  t->n_words = spans->len;
  t->words = g_new0 (InferWord, spans->len);
  for (guint i = 0; i < spans->len; i++)
    set_word (&t->words[i], text, &g_array_index (spans, InferWordSpan, i),
        s->tokens);
  find_loud ((const float *) s->samples->data, n, &start, &end);
  set_times (t, s->first + start, s->first + end, spans);
  t->text = g_strstrip (g_steal_pointer (&text));
  t->log_probability = (float) (sum / s->tokens->len);
  t->no_speech = NAN;
  return t;
}

static void
forget_prepared (Stream *s)
{
  g_clear_pointer (&s->last, infer_transcript_free);
  s->prepared = FALSE;
}

/* *@transcript stays NULL where there are no words. */
static gboolean
decode (Stream *s, gsize n, InferTranscript **transcript, GError **error)
{
  guint most = (guint) ((double) n / RATE * s->rate);

  if (s->prepared && n == s->samples->len) {
    *transcript = s->last != NULL ? infer_transcript_copy (s->last) : NULL;
    return TRUE;
  }
  if (n == 0 || most == 0)
    return TRUE;
  if (!moonshine_decode (s->decoder, (const float *) s->samples->data, n, most,
          s->tokens, error))
    return FALSE;
  *transcript = make_transcript (s, n);
  return TRUE;
}

/* The first @n samples are final. */
static gboolean
finish (Stream *s, gsize n, SpeechFinals *finals, GError **error)
{
  InferTranscript *transcript = NULL;

  if (!decode (s, n, &transcript, error))
    return FALSE;
  if (transcript != NULL)
    g_queue_push_tail (finals, transcript);
  forget_prepared (s);
  g_array_remove_range (s->samples, 0, (guint) n);
  s->first += n;
  return TRUE;
}

static gsize
quietest (const Stream *s)
{
  const float *samples = (const float *) s->samples->data;
  gsize best = s->samples->len, from = best - CUT_WITHIN;
  float least = INFINITY;

  for (gsize at = from; at + CUT_FRAME <= s->samples->len;
       at += CUT_FRAME / 2) {
    float value = loudness (samples + at, CUT_FRAME);

    if (value < least) {
      least = value;
      best = at + CUT_FRAME / 2;
    }
  }
  return best;
}

/* --- utterances --- */

static void
reset (gpointer stream)
{
  Stream *s = stream;

  forget_prepared (s);
  g_array_set_size (s->samples, 0);
  g_array_set_size (s->tokens, 0);
}

static gboolean
begin (gpointer stream, guint64 first, GError **error)
{
  Stream *s = stream;

  (void) error;
  reset (s);
  s->first = first;
  return TRUE;
}

static gboolean
push (gpointer stream, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  Stream *s = stream;

  if (n > 0)
    forget_prepared (s);
  while (n > 0) {
    gsize part = MIN (n, (gsize) LONGEST - s->samples->len);

    g_array_append_vals (s->samples, samples, (guint) part);
    samples += part;
    n -= part;
    if (s->samples->len == LONGEST && !finish (s, quietest (s), finals, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
partial (gpointer stream, InferTranscript **transcript, GError **error)
{
  Stream *s = stream;

  return decode (s, s->samples->len, transcript, error);
}

static gboolean
prepare_end (gpointer stream, gboolean *prepared, GError **error)
{
  Stream *s = stream;

  if (!s->prepared && !decode (s, s->samples->len, &s->last, error))
    return FALSE;
  *prepared = s->prepared = TRUE;
  return TRUE;
}

static gboolean
end (gpointer stream, SpeechFinals *finals, GError **error)
{
  Stream *s = stream;

  return finish (s, s->samples->len, finals, error);
}

const InferSpeechKind infer_speech_moonshine = {
  .name = "moonshine",
  .description = "Moonshine: preprocess, encode, uncached_decode and "
                 "cached_decode, or encoder_model and decoder_model_merged",
  .probe = probe,
  .load = load,
  .unload = unload,
  .open = open_stream,
  .close = close_stream,
  .set = set,
  .begin = begin,
  .push = push,
  .partial = partial,
  .end = end,
  .prepare_end = prepare_end,
  .reset = reset,
};
