/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/speech/fake-speech.h"

#include <math.h>
#include <string.h>

#include "inference/base/cancel.h"
#include "inference/speech/kind.h"

/* Samples of silence that end a word. */
#define BREAK 160
#define HALF_WAVE 16 /* samples */

FakeSpeech fake_speech;

typedef struct
{
  guint64 first;
  GArray *samples; /* of the utterance */
  gsize told;      /* streaming: words before this sample are final */
  guint prepared;  /* for so many samples; 0: not */
  char *phrases;
} Stream;

void
fake_speech_say (float *samples, gsize n, guint word)
{
  float level = (float) (word + 1) / 10;

  for (gsize i = 0; i < n; i++)
    samples[i] = i / HALF_WAVE % 2 ? -level : level;
}

const char *
fake_speech_word (guint word)
{
  static const char *const words[] = { "one", "two", "three", "four", "five",
    "six", "seven", "eight", "nine" };

  return words[MIN (word, G_N_ELEMENTS (words) - 1)];
}

/* --- the model --- */

static gboolean
probe (const SpeechFolder *folder)
{
  return FALSE; /* only by its name */
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  info->rate = FAKE_SPEECH_RATE;
  info->longest = fake_speech.longest;
  info->streaming = fake_speech.streaming;
  g_atomic_int_inc (&fake_speech.n_loaded);
  return g_new0 (char, 1);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  Stream *stream = g_new0 (Stream, 1);

  stream->samples = g_array_new (FALSE, FALSE, sizeof (float));
  return stream;
}

static void
close_stream (gpointer data)
{
  Stream *stream = data;

  g_array_unref (stream->samples);
  g_free (stream->phrases);
  g_free (stream);
}

static gboolean
set (gpointer data, const char *key, const char *value, GError **error)
{
  Stream *stream = data;

  if (strcmp (key, "phrases") != 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the kind 'fake' has no setting '%s', only phrases", key);
  g_free (stream->phrases);
  stream->phrases = g_strdup (value);
  return TRUE;
}

static gboolean
compute (gint us, GError **error)
{
  gint64 until = g_get_monotonic_time () + us;
  gboolean ok = TRUE;

  g_atomic_int_set (&fake_speech.computing, TRUE);
  while (ok && g_get_monotonic_time () < until) {
    ok = infer_cancel_check (infer_cancel_flag (), error);
    g_usleep (500);
  }
  g_atomic_int_set (&fake_speech.computing, FALSE);
  if (!ok)
    g_atomic_int_inc (&fake_speech.n_cancelled);
  return ok;
}

/* --- words --- */

/* The next word at or after sample *@at; @end: of the utterance, which ends a
 * word, too.  FALSE: there is none that is complete. */
static gboolean
next_word (const Stream *stream, gsize *at, gboolean all, InferWord *word)
{
  const float *samples = (const float *) (gconstpointer) stream->samples->data;
  gsize n = stream->samples->len, i = *at, last;
  float loudest = 0;

  while (i < n && fabsf (samples[i]) < 0.01f)
    i++;
  if (i == n)
    return FALSE;
  word->start = stream->first + i;
  for (last = i; i < n && i - last <= BREAK; i++)
    if (fabsf (samples[i]) >= 0.01f) {
      loudest = MAX (loudest, fabsf (samples[i]));
      last = i;
    }
  if (i - last <= BREAK && !all)
    return FALSE;
  word->end = stream->first + last + 1;
  word->text =
      g_strdup_printf ("%s%s", stream->phrases != NULL ? stream->phrases : "",
          fake_speech_word ((guint) lrintf (loudest * 10) - 1));
  word->probability = 0.5f;
  *at = last + 1;
  return TRUE;
}

/* NULL: no words. */
static InferTranscript *
transcribe (const Stream *stream, gsize *at, gboolean all)
{
  GArray *words = g_array_new (FALSE, TRUE, sizeof (InferWord));
  GString *text = g_string_new (NULL);
  InferWord word = { .joined = FALSE };

  while (next_word (stream, at, all, &word)) {
    g_string_append_printf (text, "%s%s", words->len > 0 ? " " : "", word.text);
    g_array_append_val (words, word);
  }
  if (words->len == 0) {
    g_array_unref (words);
    g_string_free (text, TRUE);
    return NULL;
  }
  InferTranscript *transcript = g_new0 (InferTranscript, 1);
  transcript->n_words = words->len;
  transcript->words = (InferWord *) (gpointer) g_array_free (words, FALSE);
  transcript->text = g_string_free (text, FALSE);
  transcript->start = transcript->words[0].start;
  transcript->end = transcript->words[transcript->n_words - 1].end;
  transcript->language = g_strdup ("en");
  transcript->no_speech = NAN;
  return transcript;
}

/* --- utterances --- */

static void
reset (gpointer data)
{
  Stream *stream = data;

  g_array_set_size (stream->samples, 0);
  stream->told = 0;
  stream->prepared = 0;
}

static gboolean
begin (gpointer data, guint64 first, GError **error)
{
  Stream *stream = data;

  reset (stream);
  stream->first = first;
  return TRUE;
}

static void
tell (Stream *stream, gboolean all, SpeechFinals *finals)
{
  InferTranscript *transcript = transcribe (stream, &stream->told, all);

  if (transcript != NULL)
    g_queue_push_tail (finals, transcript);
}

static gboolean
push (gpointer data, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  Stream *stream = data;

  g_array_append_vals (stream->samples, samples, (guint) n);
  if (fake_speech.streaming)
    tell (stream, FALSE, finals);
  return TRUE;
}

static gboolean
partial (gpointer data, InferTranscript **transcript, GError **error)
{
  Stream *stream = data;
  gsize at = stream->told;

  *transcript = transcribe (stream, &at, TRUE);
  return compute (g_atomic_int_get (&fake_speech.partial_us), error);
}

static gboolean
prepare_end (gpointer data, gboolean *prepared, GError **error)
{
  Stream *stream = data;

  if (!compute (g_atomic_int_get (&fake_speech.end_us), error))
    return FALSE;
  stream->prepared = stream->samples->len;
  g_atomic_int_inc (&fake_speech.n_prepared);
  *prepared = TRUE;
  return TRUE;
}

static gboolean
end (gpointer data, SpeechFinals *finals, GError **error)
{
  Stream *stream = data;
  gboolean prepared = stream->prepared == stream->samples->len;

  if (g_atomic_int_compare_and_exchange (&fake_speech.fails, TRUE, FALSE))
    return infer_fail (
        error, INFER_ERROR_FAILED, "the fake speech model fails");
  if (!prepared && !compute (g_atomic_int_get (&fake_speech.end_us), error))
    return FALSE;
  tell (data, TRUE, finals);
  InferTranscript *last = g_queue_peek_tail (finals);
  if (last != NULL
      && g_atomic_int_compare_and_exchange (&fake_speech.drops, TRUE, FALSE))
    last->dropped = "loop";
  return TRUE;
}

void
fake_speech_register (void)
{
  static const InferSpeechKind kind = { .name = "fake",
    .description = "for tests",
    .probe = probe,
    .load = load,
    .unload = g_free,
    .open = open_stream,
    .close = close_stream,
    .set = set,
    .begin = begin,
    .push = push,
    .partial = partial,
    .end = end,
    .prepare_end = prepare_end,
    .reset = reset };

  infer_speech_add_kind (&kind);
}
