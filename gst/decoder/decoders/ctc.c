/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text from the scores of a CTC model: a buffer for each word, from its first
 * step to its last, and GAP events for the silence between words.
 *
 * If a label is a word delimiter ("|", a space) or begins with one ("▁"),
 * labels are pieces of words; otherwise each label is a word. */

#include <string.h>

#include "gst/decoder/decoders/decoder.h"
#include "gst/common/model-info.h"
#include "inference/media/ctc.h"

#define WORD_START "\xe2\x96\x81" /* U+2581 */

typedef struct
{
  InferCtc *ctc;
  GArray *tokens;        /* (element-type InferCtcToken), scratch */
  GstInferFloats floats; /* scratch for other element types */
  GStrv labels;
  guint classes;
  guint tensor; /* index of the one with the scores */
  gboolean pieces;
  char *separator;
  GstClockTime step; /* NONE: not known before the first buffer */
  double threshold;  /* of the text of a frame; property only */

  GstClockTime origin; /* of step 0 since the reset; NONE: not known */
  guint64 covered;     /* steps that text or gaps were given out for */
  GString *word;       /* pieces so far */
  guint64 word_start, word_end;
} Ctc;

static gboolean
are_pieces (const GStrv labels)
{
  for (guint i = 0; labels[i] != NULL; i++)
    if (g_str_equal (labels[i], "|") || g_str_equal (labels[i], " ")
        || g_str_has_prefix (labels[i], WORD_START))
      return TRUE;
  return FALSE;
}

static void
ctc_free (gpointer decoder)
{
  Ctc *self = decoder;

  g_clear_pointer (&self->ctc, infer_ctc_free);
  g_clear_pointer (&self->tokens, g_array_unref);
  gst_infer_floats_clear (&self->floats);
  g_clear_pointer (&self->labels, g_strfreev);
  g_string_free (self->word, TRUE);
  g_free (self->separator);
  g_free (self);
}

/* Takes the labels of the properties, else of the model. */
static gboolean
find_labels (Ctc *self, const GstInferDecoderConfig *config, GError **error)
{
  const char *own = config->info != NULL
                        ? gst_structure_get_string (config->info, "labels")
                        : NULL;

  if (config->labels != NULL)
    self->labels = g_strdupv (config->labels);
  else if (own != NULL)
    self->labels = gst_infer_labels_parse (own);
  else
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "ctc: the model has no labels: set 'labels' or 'labels-file'");
  self->classes = g_strv_length (self->labels);
  self->pieces = are_pieces (self->labels);
  return TRUE;
}

/* Finds the first tensor with a score for each label in its last dimension. */
static gboolean
find_tensor (Ctc *self, const GstInferTensors *tensors, GError **error)
{
  for (guint i = 0; i < tensors->n; i++) {
    const InferShape *shape = &tensors->descs[i].shape;

    if (shape->rank > 0 && shape->dims[shape->rank - 1] == self->classes) {
      self->tensor = i;
      return TRUE;
    }
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "ctc: there are %u labels, but no tensor has as many scores in a row",
      self->classes);
}

static void
ctc_reset (gpointer decoder)
{
  Ctc *self = decoder;

  infer_ctc_reset (self->ctc);
  g_string_truncate (self->word, 0);
  self->origin = GST_CLOCK_TIME_NONE;
  self->covered = 0;
}

static gpointer
ctc_create (const GstInferDecoderConfig *config, GError **error)
{
  Ctc *self = g_new0 (Ctc, 1);
  double blank = gst_infer_decoder_number (config->info, "blank", 0);
  double step_ms = gst_infer_decoder_number (config->info, "step_ms", 0);

  self->threshold = config->threshold;
  self->word = g_string_new (NULL);
  self->separator = g_strdup (config->separator);
  self->tokens = g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  self->step = step_ms > 0 && step_ms < 1e6
                   ? (GstClockTime) (step_ms * 1e6 + 0.5)
                   : GST_CLOCK_TIME_NONE;
  if (find_labels (self, config, error)
      && find_tensor (self, config->tensors, error))
    self->ctc = infer_ctc_new (self->classes,
        blank >= 0 && blank < self->classes ? (guint) blank : G_MAXUINT,
        config->beam_width, error);
  if (self->ctc == NULL) {
    ctc_free (self);
    return NULL;
  }
  ctc_reset (self);
  return self;
}

static GstClockTime
time_of_step (const Ctc *self, guint64 step)
{
  if (!GST_CLOCK_TIME_IS_VALID (self->origin)
      || !GST_CLOCK_TIME_IS_VALID (self->step))
    return GST_CLOCK_TIME_NONE;
  return self->origin + step * self->step;
}

/* Gives out a gap from the last covered step to @step. */
static void
give_gap (Ctc *self, guint64 step, GstInferDecoderOutput *output)
{
  GstClockTime from = time_of_step (self, self->covered);

  if (step <= self->covered)
    return;
  if (GST_CLOCK_TIME_IS_VALID (from))
    g_queue_push_tail (
        output, gst_event_new_gap (from, (step - self->covered) * self->step));
  self->covered = step;
}

static void
give_word (Ctc *self, const char *text, guint64 start, guint64 end,
    GstInferDecoderOutput *output)
{
  g_autofree char *line = g_strconcat (text, self->separator, NULL);
  gsize size = strlen (line);

  give_gap (self, start, output);
  GstBuffer *buffer = gst_buffer_new_wrapped (g_steal_pointer (&line), size);
  GST_BUFFER_PTS (buffer) = time_of_step (self, start);
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    GST_BUFFER_DURATION (buffer) = (end - start) * self->step;
  self->covered = MAX (self->covered, end);
  g_queue_push_tail (output, buffer);
}

static void
close_word (Ctc *self, GstInferDecoderOutput *output)
{
  if (self->word->len > 0)
    give_word (self, self->word->str, self->word_start, self->word_end, output);
  g_string_truncate (self->word, 0);
}

static void
take_piece (
    Ctc *self, const InferCtcToken *token, GstInferDecoderOutput *output)
{
  const char *piece = self->labels[token->class_index];

  if (g_str_equal (piece, "|") || g_str_equal (piece, " ")) {
    close_word (self, output);
    return;
  }
  if (g_str_has_prefix (piece, WORD_START)) {
    close_word (self, output);
    piece += strlen (WORD_START);
  }
  if (self->word->len == 0)
    self->word_start = token->start;
  self->word_end = token->end;
  g_string_append (self->word, piece);
}

static void
take_tokens (Ctc *self, GstInferDecoderOutput *output)
{
  for (guint i = 0; i < self->tokens->len; i++) {
    const InferCtcToken *token =
        &g_array_index (self->tokens, InferCtcToken, i);

    if (self->pieces)
      take_piece (self, token, output);
    else
      give_word (self, self->labels[token->class_index], token->start,
          token->end, output);
  }
  g_array_set_size (self->tokens, 0);
}

/* Steps are counted from the first buffer; a timestamp more than a step away
 * from that moves the origin. */
static void
align (Ctc *self, GstClockTime pts)
{
  guint64 steps = infer_ctc_steps (self->ctc);
  GstClockTime expected = time_of_step (self, steps);

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (expected))
    self->origin = pts;
  else if (ABS (GST_CLOCK_DIFF (pts, expected)) > (GstClockTimeDiff) self->step
           && pts >= steps * self->step)
    self->origin = pts - steps * self->step;
}

static gboolean
ctc_decode (gpointer decoder, const GstInferDecoderInput *input,
    GstInferDecoderOutput *output, GError **error)
{
  Ctc *self = decoder;
  const InferDesc *desc = &input->tensors->descs[self->tensor];
  gsize n = infer_shape_count (&desc->shape);
  guint steps = (guint) (n / self->classes);

  if (steps == 0)
    return TRUE;
  if (!GST_CLOCK_TIME_IS_VALID (self->step)
      && GST_CLOCK_TIME_IS_VALID (input->duration))
    self->step = input->duration / steps;
  align (self, input->pts);

  if (!gst_infer_floats_read (
          &self->floats, desc, input->data[self->tensor], "ctc", error))
    return FALSE;
  infer_ctc_push (self->ctc, self->floats.values, steps, self->tokens);
  take_tokens (self, output);
  guint64 decided = infer_ctc_decided (self->ctc);
  if (self->word->len > 0)
    decided = MIN (decided, self->word_start);
  give_gap (self, decided, output);
  return TRUE;
}

static void
ctc_finish (gpointer decoder, GstInferDecoderOutput *output)
{
  Ctc *self = decoder;
  guint64 steps = infer_ctc_steps (self->ctc);

  infer_ctc_finish (self->ctc, self->tokens);
  take_tokens (self, output);
  close_word (self, output);
  give_gap (self, steps, output);
  ctc_reset (self);
}

/* A token is final with the step after it. */
static GstClockTime
ctc_latency (gpointer decoder)
{
  Ctc *self = decoder;

  return GST_CLOCK_TIME_IS_VALID (self->step) ? self->step : 0;
}

/* --- video --- */

/* Fits if each of several rows has a score for every label. */
static GstInferFit
ctc_fit (const GstInferDecoderConfig *config)
{
  g_autoptr (GPtrArray) labels = gst_infer_decoder_labels (config);

  for (guint i = 0; labels != NULL && i < config->tensors->n; i++) {
    const InferShape *shape = &config->tensors->descs[i].shape;

    if (shape->rank == 3 && shape->dims[1] > 1 && labels->len > 20
        && shape->dims[2] == labels->len)
      return GST_INFER_FIT_LABELS;
  }
  return GST_INFER_FIT_NONE;
}

/* Whether labels are joined without spaces: letters, or pieces of words. */
static gboolean
are_letters (const Ctc *self)
{
  guint single = 0;

  for (guint i = 0; i < self->classes; i++)
    single += g_utf8_strlen (self->labels[i], -1) == 1;
  return self->pieces || single * 2 > self->classes;
}

static char *
join_tokens (const Ctc *self)
{
  GString *text = g_string_new (NULL);
  gboolean letters = are_letters (self);

  for (guint i = 0; i < self->tokens->len; i++) {
    const char *label =
        self->labels[g_array_index (self->tokens, InferCtcToken, i)
                         .class_index];
    gboolean starts = g_str_has_prefix (label, WORD_START);

    if (starts)
      label += strlen (WORD_START);
    if (text->len > 0 && (starts || !letters))
      g_string_append_c (text, ' ');
    g_string_append (text, g_str_equal (label, "|") ? " " : label);
  }
  return g_string_free (text, FALSE);
}

/* Returns the mean score of the tokens, each at its first step. */
static double
mean_confidence (const Ctc *self, const float *scores)
{
  double sum = 0;

  for (guint i = 0; i < self->tokens->len; i++) {
    const InferCtcToken *token =
        &g_array_index (self->tokens, InferCtcToken, i);
    float score = scores[token->start * self->classes + token->class_index];

    if (score < 0 || score > 1.001f)
      return 1; /* logits are not probabilities */
    sum += score;
  }
  return self->tokens->len > 0 ? sum / self->tokens->len : 0;
}

static gboolean
ctc_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  Ctc *self = decoder;
  g_auto (GstInferViews) views = { 0 };
  GstInferLabel label = { NULL, -1, 0, frame->model_name, NULL };

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  const InferView *view = &views.views[MIN (self->tensor, views.n - 1)];
  gsize n = infer_shape_count (&view->shape);
  if (views.n <= self->tensor || infer_view_dim (view, 1) != self->classes)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "ctc: an output no longer has %u scores in a row", self->classes);
  ctc_reset (self);
  g_array_set_size (self->tokens, 0);
  infer_ctc_push (self->ctc, view->data, n / self->classes, self->tokens);
  infer_ctc_finish (self->ctc, self->tokens);
  g_autofree char *text = join_tokens (self);
  label.label = g_strstrip (text);
  label.layer_name = view->name;
  label.confidence = mean_confidence (self, view->data);
  if (self->tokens->len > 0 && label.confidence >= self->threshold)
    gst_infer_add_label (frame->buffer, frame->roi, "text", &label);
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_ctc = {
  .name = "ctc",
  .description = "Text from CTC scores",
  .model_types = (const char *const[]){ "ctc", "text_recognition",
      "text-recognition", NULL },
  .caps = "text/x-raw, format = (string) utf8",
  .fit = ctc_fit,
  .create = ctc_create,
  .free = ctc_free,
  .decode = ctc_decode,
  .finish = ctc_finish,
  .reset = ctc_reset,
  .latency = ctc_latency,
  .decode_frame = ctc_decode_frame,
};
