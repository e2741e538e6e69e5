/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OpenAI's Whisper, as optimum exports it: an encoder of 30 s windows and a
 * decoder whose self-attention caches are variables, or inputs and outputs. */

#include "inference/speech/kind.h"
#include "inference/speech/whisper/segments.h"
#include "inference/speech/whisper/stream.h"

static gboolean
probe (const SpeechFolder *folder)
{
  return whisper_model_probe (folder);
}

/* --- model --- */

static gsize
window_frames (const WhisperConfig *c)
{
  return (gsize) c->positions * WHISPER_FRAMES_PER_POSITION;
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  WhisperModel *model = whisper_model_load (folder, runtime, error);

  if (model == NULL)
    return NULL;
  info->rate = model->config.rate;
  info->longest = (guint64) window_frames (&model->config) * model->config.hop;
  info->languages = (const char *const *) model->languages;
  return model;
}

static void
unload (gpointer model)
{
  whisper_model_free (model);
}

/* --- what was heard --- */

static void
heard_init (WhisperHeard *heard)
{
  whisper_window_init (&heard->window);
  g_queue_init (&heard->found);
}

static void
heard_clear (WhisperHeard *heard)
{
  whisper_window_clear (&heard->window);
  g_queue_clear_full (&heard->found, (GDestroyNotify) infer_transcript_free);
}

static void
forget_prepared (WhisperStream *stream)
{
  if (stream->prepared)
    heard_clear (&stream->last);
  stream->prepared = FALSE;
}

/* --- stream --- */

static void
close_stream (gpointer data)
{
  WhisperStream *stream = data;

  forget_prepared (stream);
  whisper_session_close (&stream->session);
  whisper_mel_close (&stream->mel);
  whisper_settings_clear (&stream->settings);
  g_rand_free (stream->random);
  g_array_unref (stream->scratch);
  g_array_unref (stream->rows);
  g_array_unref (stream->prompt);
  g_array_unref (stream->previous);
  g_array_unref (stream->guess);
  g_free (stream);
}

static gpointer
open_stream (gpointer data, GError **error)
{
  WhisperModel *model = data;
  WhisperStream *stream = g_new0 (WhisperStream, 1);

  stream->model = model;
  stream->random = g_rand_new_with_seed (0);
  stream->scratch = g_array_new (FALSE, FALSE, sizeof (float));
  stream->rows = g_array_new (FALSE, FALSE, sizeof (float));
  stream->prompt = g_array_new (FALSE, FALSE, sizeof (gint64));
  stream->previous = g_array_new (FALSE, FALSE, sizeof (guint));
  stream->guess = g_array_new (FALSE, FALSE, sizeof (guint));
  whisper_settings_init (&stream->settings);
  if (whisper_mel_open (&stream->mel, model->config.rate,
          (guint) model->config.bands, model->config.hop, error)
      && whisper_session_open (&stream->session, &model->networks, error))
    return stream;
  close_stream (stream);
  return NULL;
}

static gboolean
set (gpointer data, const char *key, const char *value, GError **error)
{
  WhisperStream *stream = data;

  return whisper_settings_set (
      &stream->settings, &stream->model->config, key, value, error);
}

static gboolean
begin (gpointer data, guint64 first, GError **error)
{
  WhisperStream *stream = data;

  forget_prepared (stream);
  whisper_mel_reset (&stream->mel);
  stream->first = first;
  stream->seek = 0;
  g_array_set_size (stream->guess, 0);
  return TRUE;
}

/* The text of a window is what the next one follows. */
static void
remember (WhisperStream *stream, const WhisperWindow *window)
{
  const WhisperConfig *c = &stream->model->config;

  /* At a high temperature it is not to be relied on. */
  if (window->dropped || window->hypothesis.temperature > 0.5f)
    g_array_set_size (stream->previous, 0);
  for (guint i = 0; !window->dropped && i < window->hypothesis.tokens->len;
       i++) {
    guint id = g_array_index (window->hypothesis.tokens, guint, i);

    if (id < c->end)
      g_array_append_val (stream->previous, id);
  }
  if (stream->previous->len > c->context)
    g_array_remove_range (
        stream->previous, 0, stream->previous->len - c->context);
}

/* Hears the next @n frames.  @heard: to be cleared if that succeeds. */
static gboolean
hear (WhisperStream *stream, gsize n, gboolean quick, WhisperHeard *heard,
    GError **error)
{
  heard_init (heard);
  if (!whisper_window_decode (
          stream, stream->seek, n, quick, &heard->window, error)
      || !whisper_window_transcripts (stream, &heard->window, stream->seek,
          stream->settings.word_times, &heard->found, &heard->advance, error)) {
    heard_clear (heard);
    return FALSE;
  }
  whisper_session_rest (&stream->session);
  return TRUE;
}

/* The transcripts of @heard are final: they go to @finals, and the next window
 * begins where they end. */
static void
settle (WhisperStream *stream, WhisperHeard *heard, SpeechFinals *finals)
{
  remember (stream, &heard->window);
  if (heard->window.reason != NULL)
    g_queue_push_tail (
        finals, whisper_window_dropped (stream, &heard->window, stream->seek));
  for (InferTranscript *t; (t = g_queue_pop_head (&heard->found)) != NULL;)
    g_queue_push_tail (finals, t);
  stream->seek += MAX (heard->advance, 1);
  g_array_set_size (stream->guess, 0);
  whisper_mel_drop (&stream->mel, stream->seek);
}

static gboolean
decode_window (
    WhisperStream *stream, gsize n, SpeechFinals *finals, GError **error)
{
  WhisperHeard heard;

  if (!hear (stream, n, FALSE, &heard, error))
    return FALSE;
  settle (stream, &heard, finals);
  heard_clear (&heard);
  return TRUE;
}

static gboolean
push (gpointer data, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  WhisperStream *stream = data;
  const gsize whole = window_frames (&stream->model->config);

  if (n > 0)
    forget_prepared (stream);
  whisper_mel_push (&stream->mel, samples, n);
  /* OpenAI's algorithm knows where the audio ends; a window that it ends in is
   * decoded by `end`. */
  while (whisper_mel_frames (&stream->mel) > stream->seek + whole)
    if (!decode_window (stream, whole, finals, error))
      return FALSE;
  return TRUE;
}

static gboolean
end (gpointer data, SpeechFinals *finals, GError **error)
{
  WhisperStream *stream = data;
  const gsize whole = window_frames (&stream->model->config);

  whisper_mel_finish (&stream->mel);
  const gsize frames = whisper_mel_frames (&stream->mel);
  if (stream->prepared) {
    stream->heard = stream->last_heard;
    settle (stream, &stream->last, finals);
    forget_prepared (stream);
  }
  while (stream->seek < frames)
    if (!decode_window (
            stream, MIN (whole, frames - stream->seek), finals, error))
      return FALSE;
  return TRUE;
}

/* Only where the utterance would end in the window that comes next. */
static gboolean
prepare_end (gpointer data, gboolean *prepared, GError **error)
{
  WhisperStream *stream = data;
  const gsize whole = window_frames (&stream->model->config);
  const WhisperLanguage *language = stream->heard;
  gboolean ok = TRUE;

  *prepared = stream->prepared;
  if (stream->prepared)
    return TRUE;
  whisper_mel_finish (&stream->mel);
  const gsize frames = whisper_mel_frames (&stream->mel);
  if (stream->seek < frames && frames - stream->seek <= whole) {
    ok = hear (stream, frames - stream->seek, FALSE, &stream->last, error);
    *prepared = stream->prepared = ok;
    stream->last_heard = stream->heard;
    stream->heard = language;
  }
  whisper_mel_reopen (&stream->mel);
  return ok;
}

/* --- partial --- */

/* The words of all segments as one. */
static InferTranscript *
join (const GQueue *found)
{
  const GList *link = found->head;

  if (link == NULL)
    return NULL;
  InferTranscript *all = infer_transcript_copy (link->data);
  while ((link = link->next) != NULL) {
    const InferTranscript *t = link->data;
    g_autofree char *text = g_strconcat (all->text, " ", t->text, NULL);

    g_free (all->text);
    all->text = g_steal_pointer (&text);
    all->words = g_renew (InferWord, all->words, all->n_words + t->n_words + 1);
    for (guint i = 0; i < t->n_words; i++) {
      all->words[all->n_words] = t->words[i];
      all->words[all->n_words++].text = g_strdup (t->words[i].text);
    }
    all->end = t->end;
  }
  return all;
}

/* The next text of the window probably begins as this one; where it ends is
 * another matter. */
static void
guess (WhisperStream *stream, const WhisperHypothesis *hypothesis)
{
  const GArray *tokens = hypothesis->tokens;
  guint n = tokens->len;

  while (n > 0
         && whisper_is_timestamp (
             &stream->model->config, g_array_index (tokens, guint, n - 1)))
    n--;
  g_array_set_size (stream->guess, 0);
  g_array_append_vals (stream->guess, tokens->data, n);
}

static gboolean
partial (gpointer data, InferTranscript **transcript, GError **error)
{
  WhisperStream *stream = data;
  const gsize whole = window_frames (&stream->model->config);
  const gsize frames = whisper_mel_frames (&stream->mel);
  WhisperHeard heard;

  if (stream->prepared) {
    *transcript = join (&stream->last.found);
    return TRUE;
  }
  if (frames <= stream->seek)
    return TRUE;
  if (!hear (stream, MIN (whole, frames - stream->seek), TRUE, &heard, error))
    return FALSE;
  guess (stream, &heard.window.hypothesis);
  *transcript = join (&heard.found);
  heard_clear (&heard);
  return TRUE;
}

static void
reset (gpointer data)
{
  WhisperStream *stream = data;

  forget_prepared (stream);
  whisper_mel_reset (&stream->mel);
  whisper_session_restart (&stream->session);
  g_array_set_size (stream->previous, 0);
  g_array_set_size (stream->guess, 0);
  stream->heard = NULL;
  stream->seek = 0;
}

const InferSpeechKind infer_speech_whisper = {
  .name = "whisper",
  .description = "Whisper: config.json, tokenizer.json, and as IR or ONNX "
                 "encoder_model and decoder_model, stateful or with past",
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
