/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC models: one network that scores tokens step by step.
 *
 * With states it is run while samples arrive, always on as many rows, so that
 * the results do not depend on how they arrive; without, on the whole
 * utterance. */

#include <math.h>
#include <string.h>

#include "inference/speech/ctc/model.h"
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
  InferRequest *request;
  InferFeatures *features; /* NULL: rows are samples */
  float *frame;            /* [width], scratch */
  GArray *rows;            /* (element-type float): not consumed yet */
  GArray *floats;          /* scores, scratch */

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

/* --- runs --- */

static gboolean
set_length (Stream *self, int port, gint64 rows, gboolean mask, GError **error)
{
  if (port < 0)
    return TRUE;
  const InferModel *model =
      infer_executable_get_model (self->model->executable);
  InferShape shape = infer_model_input_desc (model, (guint) port)->shape;
  if (mask)
    shape = infer_shape_make (2, (gint64) 1, rows);
  else if (!infer_shape_is_static (&shape))
    shape = infer_shape_make (1, (gint64) 1);
  const gsize n = infer_shape_count (&shape);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_I64, &shape, error);
  if (tensor == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ((gint64 *) tensor->data)[i] = mask ? 1 : rows;
  return infer_request_set_input (self->request, (guint) port, tensor, error);
}

static InferShape
shape_of (const CtcModel *model, gint64 rows)
{
  if (model->flat)
    return infer_shape_make (1, rows);
  if (model->features == NULL)
    return infer_shape_make (2, (gint64) 1, rows);
  return model->bands_first
             ? infer_shape_make (3, (gint64) 1, (gint64) model->width, rows)
             : infer_shape_make (3, (gint64) 1, rows, (gint64) model->width);
}

static void
copy_rows (const CtcModel *model, const float *rows, gsize n, float *to)
{
  if (!model->bands_first) {
    memcpy (to, rows, n * model->width * sizeof (float));
    return;
  }
  for (gsize i = 0; i < n; i++)
    for (gsize w = 0; w < model->width; w++)
      to[w * n + i] = rows[i * model->width + w];
}

/* Runs on @rows, of which the first @given were heard. */
static gboolean
infer_rows (
    Stream *self, const float *rows, gsize n, gsize given, GError **error)
{
  const CtcModel *model = self->model;
  const InferShape shape = shape_of (model, (gint64) n);
  InferTensor *input = infer_request_set_input_shape (
      self->request, (guint) model->input, &shape, error);

  if (input == NULL)
    return FALSE;
  if (input->type == INFER_TYPE_F32)
    copy_rows (model, rows, n, input->data);
  else {
    g_autoptr (InferTensor) own =
        infer_tensor_new (INFER_TYPE_F32, &shape, error);

    if (own == NULL)
      return FALSE;
    copy_rows (model, rows, n, own->data);
    if (!infer_request_set_input (
            self->request, (guint) model->input, own, error))
      return FALSE;
  }
  return set_length (self, model->length, (gint64) given, FALSE, error)
         && set_length (self, model->mask, (gint64) n, TRUE, error)
         && infer_request_infer (self->request, error);
}

/* The scores as floats [*@steps, tokens]. */
static gboolean
read_scores (Stream *self, gsize *steps, GError **error)
{
  const CtcModel *model = self->model;
  const guint size = infer_vocabulary_size (model->vocabulary);
  const InferTensor *scores =
      infer_request_get_output (self->request, (guint) model->scores, error);

  if (scores == NULL)
    return FALSE;
  const int rank = scores->shape.rank;
  if (rank < 2 || scores->shape.dims[rank - 1] != (gint64) size)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it gives %" G_GINT64_FORMAT
        " scores per step, but %s has %u tokens",
        model->path, rank > 0 ? scores->shape.dims[rank - 1] : 0,
        infer_vocabulary_name (model->vocabulary), size);
  const gsize n = infer_shape_count (&scores->shape);
  *steps = n / size;
  g_array_set_size (self->floats, (guint) n);
  if (n > 0
      && !infer_convert (
          self->floats->data, INFER_TYPE_F32, scores->data, scores->type, n))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "%s: scores of type %s",
        model->path, infer_type_name (scores->type));
  if (model->steps < 0)
    return TRUE;
  const InferTensor *valid =
      infer_request_get_output (self->request, (guint) model->steps, error);
  gint64 given;
  if (valid == NULL)
    return FALSE;
  if (infer_shape_count (&valid->shape) == 1
      && infer_convert (&given, INFER_TYPE_I64, valid->data, valid->type, 1)
      && given >= 0)
    *steps = MIN (*steps, (gsize) given);
  return TRUE;
}

static const float *
scores_of (const Stream *self)
{
  return (const float *) (gpointer) self->floats->data;
}

/* --- rows --- */

static gsize
n_rows (const Stream *self)
{
  return self->rows->len / self->model->width;
}

/* Rows complete with these samples. */
static void
add_samples (Stream *self, const float *samples, gsize n)
{
  if (self->features == NULL) {
    g_array_append_vals (self->rows, samples, (guint) n);
    return;
  }
  while (n > 0) {
    gboolean complete;
    const gsize taken = infer_features_push (
        self->features, samples, n, self->frame, &complete);

    if (complete)
      g_array_append_vals (self->rows, self->frame, self->model->width);
    samples += taken;
    n -= taken;
  }
}

static void
end_rows (Stream *self)
{
  while (self->features != NULL
         && infer_features_finish (self->features, self->frame))
    g_array_append_vals (self->rows, self->frame, self->model->width);
}

static void
pad_rows (Stream *self, gsize n)
{
  const gsize from = self->rows->len;

  if (n <= n_rows (self))
    return;
  g_array_set_size (self->rows, (guint) (n * self->model->width));
  for (gsize i = from; i < self->rows->len; i++)
    g_array_index (self->rows, float, i) = self->model->pad;
}

static void
drop_rows (Stream *self, gsize n)
{
  g_array_remove_range (self->rows, 0, (guint) (n * self->model->width));
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

  if (!infer_rows (
          self, (const float *) (gpointer) self->rows->data, n, n, error)
      || !read_scores (self, &steps, error))
    return FALSE;
  drop_rows (self, shift);
  if (self->words.step == 0 && steps > 0)
    set_step (self, (double) (shift * self->model->row) / (double) steps);
  infer_ctc_push (self->ctc, scores_of (self), steps, self->tokens);
  give_words (self, infer_ctc_decided (self->ctc), finals);
  return TRUE;
}

static gboolean
run_complete (Stream *self, SpeechFinals *finals, GError **error)
{
  while (n_rows (self) >= self->model->run)
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
  const gsize rows = n_rows (self);

  if (rows <= shared)
    return TRUE;
  const gsize n =
      model->multiple == 0
          ? model->run
          : (rows + model->multiple - 1) / model->multiple * model->multiple;
  pad_rows (self, n);
  return run_stream (self, n, n - shared, finals, error);
}

static gboolean
end_stream (Stream *self, SpeechFinals *finals, GError **error)
{
  static const float silence[256] = { 0 };

  self->words.last = self->first + self->pushed;
  for (guint64 left = self->model->tail; left > 0;) {
    const gsize n = MIN (left, G_N_ELEMENTS (silence));

    add_samples (self, silence, n);
    left -= n;
  }
  end_rows (self);
  if (!run_complete (self, finals, error) || !run_rest (self, finals, error))
    return FALSE;
  infer_ctc_finish (self->ctc, self->tokens);
  give_words (self, G_MAXUINT64, finals);
  return TRUE;
}

/* --- whole utterances --- */

static void
normalize (const CtcModel *model, float *samples, gsize n)
{
  double mean = 0, variance = 0;

  for (gsize i = 0; i < n; i++)
    mean += (double) samples[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    variance += (samples[i] - mean) * (samples[i] - mean) / (double) n;
  const double scale = 1 / sqrt (variance + 1e-7);
  for (gsize i = 0; i < n; i++)
    samples[i] = (float) ((samples[i] - mean) * scale);
}

/* NeMo's: the deviation of a sample, plus 1e-5. */
static void
normalize_features (const CtcModel *model, float *rows, gsize n)
{
  const guint width = model->width;

  for (guint w = 0; w < width; w++) {
    double mean = 0, variance = 0;

    for (gsize i = 0; i < n; i++)
      mean += (double) rows[i * width + w] / (double) n;
    for (gsize i = 0; i < n; i++)
      variance += (rows[i * width + w] - mean) * (rows[i * width + w] - mean);
    const double deviation = sqrt (variance / (double) MAX (n - 1, 1)) + 1e-5;
    for (gsize i = 0; i < n; i++)
      rows[i * width + w] = (float) ((rows[i * width + w] - mean) / deviation);
  }
}

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
  const gsize given = n_rows (self);
  gsize steps;

  if (given == 0)
    return TRUE;
  pad_rows (self, model->run);
  float *rows = (float *) (gpointer) self->rows->data;
  const gsize n = n_rows (self);
  if (model->unit_variance)
    normalize (model, rows, given);
  if (self->features != NULL)
    infer_features_normalize (self->features, rows, given);
  if (model->per_feature)
    normalize_features (model, rows, given);
  gboolean ok = infer_rows (self, rows, n, given, error)
                && read_scores (self, &steps, error);
  g_array_set_size (self->rows, 0);
  if (!ok || steps == 0)
    return ok;
  set_step (self, model->step > 0 ? model->step : guess_step (model, n, steps));
  infer_ctc_push (self->ctc, scores_of (self), steps, self->tokens);
  infer_ctc_finish (self->ctc, self->tokens);
  return TRUE;
}

/* The utterance so far becomes final; samples that follow are another one. */
static gboolean
end_whole (Stream *self, SpeechFinals *finals, GError **error)
{
  end_rows (self);
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

    add_samples (self, samples, taken);
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
  GArray *rows = self->rows;

  self->rows = g_array_copy (rows);
  gboolean ok = decode_rows (self, error);
  g_array_unref (self->rows);
  self->rows = rows;
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

  if (self->model->streaming)
    infer_state_set_reset (infer_request_get_states (self->request));
  if (self->features != NULL)
    infer_features_reset (self->features);
  infer_ctc_reset (self->ctc);
  g_array_set_size (self->rows, 0);
  g_array_set_size (self->tokens, 0);
  ctc_words_reset (&self->words, 0);
}

static void
close_stream (gpointer stream)
{
  Stream *self = stream;

  g_clear_pointer (&self->request, infer_request_free);
  g_clear_pointer (&self->features, infer_features_free);
  g_clear_pointer (&self->ctc, infer_ctc_free);
  g_clear_pointer (&self->phrases, infer_phrases_unref);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->floats, g_array_unref);
  g_clear_pointer (&self->tokens, g_array_unref);
  ctc_words_clear (&self->words);
  g_free (self->frame);
  g_free (self);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  Stream *self = g_new0 (Stream, 1);

  self->model = model;
  self->rows = g_array_new (FALSE, FALSE, sizeof (float));
  self->floats = g_array_new (FALSE, FALSE, sizeof (float));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  self->frame = g_new (float, self->model->width);
  ctc_words_init (&self->words, self->model->vocabulary);
  self->words.whole_words = self->model->whole_words;
  self->request = infer_request_new (self->model->executable, error);
  if (self->request != NULL && self->model->features != NULL)
    self->features =
        infer_features_new (self->model->features, &self->model->config, error);
  if (self->request == NULL
      || (self->features == NULL && self->model->features != NULL)
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

    add_samples (self, samples, taken);
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
