/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC models: one network that scores tokens step by step.
 *
 * With states it is run while samples arrive, always on as many rows, so that
 * the results do not depend on how they arrive; without, on the whole
 * utterance. */

#include <math.h>
#include <string.h>

#include "inference/speech/ctc/runner.h"
#include "inference/speech/ctc/words.h"
#include "inference/speech/kind.h"
#include "inference/speech/text/phrases.h"

#define GAP_MS 600        /* of silence, after which a word is over */
#define PHRASE_WEIGHT 1.5 /* per token, without one in the line */
#define PHRASE_BEAM 8     /* prefixes, where phrases need a search */
#define MOST_BEAM 1024

typedef struct
{
  const CtcModel *model;
  CtcRunner runner;

  guint beam; /* 0: one, or what phrases need */
  InferPhrases *phrases;
  InferCtcBias bias;
  gboolean changed; /* the search is made anew for the next utterance */
  InferCtc *ctc;
  GArray *tokens; /* (element-type InferCtcToken), scratch */
  CtcWords words;
  guint64 first, pushed; /* samples: of the utterance, in it */
} Stream;

/* --- settings --- */

static guint
bias_step (gconstpointer data, guint state, guint class_index, float *bonus)
{
  return infer_phrases_step (data, state, class_index, bonus);
}

static float
bias_end (gconstpointer data, guint state)
{
  return infer_phrases_end (data, state);
}

static gboolean
set_phrases (Stream *self, const char *value, GError **error)
{
  InferPhrases *phrases = NULL;

  if (value != NULL && value[0] != '\0') {
    phrases = infer_phrases_new (
        self->model->vocabulary, value, PHRASE_WEIGHT, error);
    if (phrases == NULL)
      return FALSE;
  }
  g_clear_pointer (&self->phrases, infer_phrases_unref);
  self->phrases = phrases;
  return TRUE;
}

static gboolean
set_beam (Stream *self, const char *value, GError **error)
{
  guint64 beam = 0;

  if (value != NULL
      && !g_ascii_string_to_unsigned (value, 10, 1, MOST_BEAM, &beam, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "beam '%s' is not a number from 1 to %d", value, MOST_BEAM);
  self->beam = (guint) beam;
  return TRUE;
}

static gboolean
set (gpointer stream, const char *key, const char *value, GError **error)
{
  Stream *self = stream;
  gboolean ok;

  if (strcmp (key, "phrases") == 0)
    ok = set_phrases (self, value, error);
  else if (strcmp (key, "beam") == 0)
    ok = set_beam (self, value, error);
  else
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "CTC models have the settings phrases and beam, not '%s'", key);
  self->changed |= ok;
  return ok;
}

static gboolean
make_search (Stream *self, GError **error)
{
  const guint size = infer_vocabulary_size (self->model->vocabulary);
  guint beam = self->beam;

  if (self->phrases != NULL)
    beam = MAX (beam, PHRASE_BEAM);
  g_clear_pointer (&self->ctc, infer_ctc_free);
  self->ctc = infer_ctc_new (size, self->model->blank, MAX (beam, 1), error);
  if (self->ctc == NULL)
    return FALSE;
  if (self->phrases != NULL) {
    self->bias = (InferCtcBias){ .step = bias_step,
      .end = bias_end,
      .data = self->phrases,
      .most = infer_phrases_most (self->phrases) };
    infer_ctc_set_bias (self->ctc, &self->bias);
  }
  self->changed = FALSE;
  return TRUE;
}

/* --- finals --- */

static void
take_tokens (Stream *self)
{
  g_array_append_vals (
      self->words.tokens, self->tokens->data, self->tokens->len);
  g_array_set_size (self->tokens, 0);
}

/* @decided: as in ctc_words_take. */
static void
give_words (Stream *self, guint64 decided, SpeechFinals *finals)
{
  take_tokens (self);
  InferTranscript *transcript = ctc_words_take (&self->words, decided);
  if (transcript != NULL)
    g_queue_push_tail (finals, transcript);
}

static void
set_step (Stream *self, double step)
{
  self->words.step = step;
  self->words.gap =
      (guint64) (GAP_MS * self->model->rate / 1000.0 / MAX (step, 1)) + 1;
}

/* --- streaming --- */

static gboolean
run_stream (
    Stream *self, gsize n, gsize shift, SpeechFinals *finals, GError **error)
{
  gsize steps;

  if (!ctc_runner_run (&self->runner, n, n, &steps, error))
    return FALSE;
  ctc_runner_drop (&self->runner, shift);
  if (self->words.step == 0 && steps > 0)
    set_step (self, (double) (shift * self->model->row) / (double) steps);
  infer_ctc_push (
      self->ctc, ctc_runner_scores (&self->runner), steps, self->tokens);
  give_words (self, infer_ctc_decided (self->ctc), finals);
  return TRUE;
}

static gboolean
run_complete (Stream *self, SpeechFinals *finals, GError **error)
{
  while (ctc_runner_rows (&self->runner) >= self->model->run)
    if (!run_stream (self, self->model->run, self->model->shift, finals, error))
      return FALSE;
  return TRUE;
}

/* The rows that no run has had; silence makes them complete. */
static gboolean
run_rest (Stream *self, SpeechFinals *finals, GError **error)
{
  const CtcModel *model = self->model;
  const gsize shared = model->run - model->shift;
  const gsize rows = ctc_runner_rows (&self->runner);

  if (rows <= shared)
    return TRUE;
  const gsize n =
      model->multiple == 0
          ? model->run
          : (rows + model->multiple - 1) / model->multiple * model->multiple;
  ctc_runner_pad (&self->runner, n);
  return run_stream (self, n, n - shared, finals, error);
}

static gboolean
end_stream (Stream *self, SpeechFinals *finals, GError **error)
{
  static const float silence[256] = { 0 };

  self->words.last = self->first + self->pushed;
  for (guint64 left = self->model->tail; left > 0;) {
    const gsize n = MIN (left, G_N_ELEMENTS (silence));

    ctc_runner_add (&self->runner, silence, n);
    left -= n;
  }
  ctc_runner_end (&self->runner);
  if (!run_complete (self, finals, error) || !run_rest (self, finals, error))
    return FALSE;
  infer_ctc_finish (self->ctc, self->tokens);
  give_words (self, G_MAXUINT64, finals);
  return TRUE;
}

/* --- whole utterances --- */

/* Where the model does not say: a multiple of 5 ms if it can be. */
static double
guess_step (const CtcModel *model, gsize rows, gsize steps)
{
  const double step = (double) (rows * model->row) / (double) steps;
  const double grid = model->rate / 200.0;

  return steps < 8 || step < grid ? step : floor (step / grid + 0.5) * grid;
}

/* Appends the tokens of all rows, which are then gone. */
static gboolean
decode_rows (Stream *self, GError **error)
{
  const CtcModel *model = self->model;
  const gsize given = ctc_runner_rows (&self->runner);
  gsize steps;

  if (given == 0)
    return TRUE;
  ctc_runner_pad (&self->runner, model->run);
  const gsize n = ctc_runner_rows (&self->runner);
  ctc_runner_normalize (&self->runner, given);
  gboolean ok = ctc_runner_run (&self->runner, n, given, &steps, error);
  ctc_runner_drop (&self->runner, n);
  if (!ok || steps == 0)
    return ok;
  set_step (self, model->step > 0 ? model->step : guess_step (model, n, steps));
  infer_ctc_push (
      self->ctc, ctc_runner_scores (&self->runner), steps, self->tokens);
  infer_ctc_finish (self->ctc, self->tokens);
  return TRUE;
}

/* The utterance so far becomes final; samples that follow are another one. */
static gboolean
end_whole (Stream *self, SpeechFinals *finals, GError **error)
{
  ctc_runner_end (&self->runner);
  self->words.last = self->first + self->pushed;
  if (!decode_rows (self, error))
    return FALSE;
  give_words (self, G_MAXUINT64, finals);
  self->first += self->pushed;
  self->pushed = 0;
  ctc_words_reset (&self->words, self->first);
  return TRUE;
}

/* @samples: as many as the longest utterance still takes. */
static gboolean
push_whole (Stream *self, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  while (n > 0) {
    const gsize room = (gsize) (self->model->longest - self->pushed);
    const gsize taken = MIN (n, room);

    ctc_runner_add (&self->runner, samples, taken);
    self->pushed += taken;
    samples += taken;
    n -= taken;
    if (self->pushed == self->model->longest
        && !end_whole (self, finals, error))
      return FALSE;
  }
  return TRUE;
}

/* Decodes a copy: the rows stay, and of features only whole frames count. */
static gboolean
guess_whole (Stream *self, GError **error)
{
  CtcRunner *runner = &self->runner;
  GArray *rows = runner->rows;

  runner->rows = g_array_copy (rows);
  gboolean ok = decode_rows (self, error);
  g_array_unref (runner->rows);
  runner->rows = rows;
  return ok;
}

/* --- the kind --- */

static gboolean
probe (const SpeechFolder *folder)
{
  return ctc_model_file (folder) != NULL
         && (folder->file != NULL || infer_vocabulary_probe (folder));
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  CtcModel *model = ctc_model_load (folder, runtime, error);

  if (model == NULL)
    return NULL;
  info->rate = model->rate;
  info->longest = model->longest;
  info->streaming = model->streaming;
  info->delay = model->tail;
  return model;
}

static void
unload (gpointer model)
{
  ctc_model_free (model);
}

static void
reset (gpointer stream)
{
  Stream *self = stream;

  ctc_runner_reset (&self->runner);
  infer_ctc_reset (self->ctc);
  g_array_set_size (self->tokens, 0);
  ctc_words_reset (&self->words, 0);
}

static void
close_stream (gpointer stream)
{
  Stream *self = stream;

  ctc_runner_clear (&self->runner);
  g_clear_pointer (&self->ctc, infer_ctc_free);
  g_clear_pointer (&self->phrases, infer_phrases_unref);
  g_clear_pointer (&self->tokens, g_array_unref);
  ctc_words_clear (&self->words);
  g_free (self);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  Stream *self = g_new0 (Stream, 1);

  self->model = model;
  self->tokens = g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  ctc_words_init (&self->words, self->model->vocabulary);
  self->words.whole_words = self->model->whole_words;
  if (!ctc_runner_init (&self->runner, model, error)
      || !make_search (self, error)) {
    close_stream (self);
    return NULL;
  }
  return self;
}

static gboolean
begin (gpointer stream, guint64 first, GError **error)
{
  Stream *self = stream;

  if (self->changed && !make_search (self, error))
    return FALSE;
  reset (self);
  self->first = first;
  self->pushed = 0;
  ctc_words_reset (&self->words, first);
  set_step (self, self->model->step);
  return TRUE;
}

static gboolean
push (gpointer stream, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  Stream *self = stream;

  if (!self->model->streaming)
    return push_whole (self, samples, n, finals, error);
  self->pushed += n;
  /* As rows complete, so that no more are kept than a run needs. */
  while (n > 0) {
    const gsize taken = MIN (n, 4096);

    ctc_runner_add (&self->runner, samples, taken);
    if (!run_complete (self, finals, error))
      return FALSE;
    samples += taken;
    n -= taken;
  }
  return TRUE;
}

static gboolean
partial (gpointer stream, InferTranscript **transcript, GError **error)
{
  Stream *self = stream;

  if (!self->model->streaming) {
    if (!guess_whole (self, error))
      return FALSE;
  } else
    infer_ctc_peek (self->ctc, self->tokens);
  *transcript = ctc_words_peek (&self->words, self->tokens);
  g_array_set_size (self->tokens, 0);
  return TRUE;
}

static gboolean
end (gpointer stream, SpeechFinals *finals, GError **error)
{
  Stream *self = stream;

  return (self->model->streaming ? end_stream : end_whole) (
      self, finals, error);
}

const InferSpeechKind infer_speech_ctc = {
  .name = "ctc",
  .description = "CTC models: NeMo's, wav2vec2, streaming zipformers, our own",
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
  .reset = reset,
};
