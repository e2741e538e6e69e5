/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/ctc/runner.h"

#include <math.h>
#include <string.h>

/* --- runs --- */

static gboolean
set_length (
    CtcRunner *self, int port, gint64 rows, gboolean mask, GError **error)
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
    CtcRunner *self, const float *rows, gsize n, gsize given, GError **error)
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
read_scores (CtcRunner *self, gsize *steps, GError **error)
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

const float *
ctc_runner_scores (const CtcRunner *self)
{
  return (const float *) (gpointer) self->floats->data;
}

/* --- rows --- */

gsize
ctc_runner_rows (const CtcRunner *self)
{
  return self->rows->len / self->model->width;
}

/* Rows complete with these samples. */
void
ctc_runner_add (CtcRunner *self, const float *samples, gsize n)
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

void
ctc_runner_end (CtcRunner *self)
{
  while (self->features != NULL
         && infer_features_finish (self->features, self->frame))
    g_array_append_vals (self->rows, self->frame, self->model->width);
}

void
ctc_runner_pad (CtcRunner *self, gsize n)
{
  const gsize from = self->rows->len;

  if (n <= ctc_runner_rows (self))
    return;
  g_array_set_size (self->rows, (guint) (n * self->model->width));
  for (gsize i = from; i < self->rows->len; i++)
    g_array_index (self->rows, float, i) = self->model->pad;
}

void
ctc_runner_drop (CtcRunner *self, gsize n)
{
  g_array_remove_range (self->rows, 0, (guint) (n * self->model->width));
}

/* --- normalisation --- */

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

static void
normalize_features (const CtcModel *model, float *rows, gsize n)
{
  for (guint w = 0; w < model->width; w++)
    infer_features_unit_variance (rows + w, n, model->width, 1e-5);
}

/* --- for callers --- */

gboolean
ctc_runner_run (
    CtcRunner *self, gsize n, gsize given, gsize *steps, GError **error)
{
  return infer_rows (
             self, (const float *) (gpointer) self->rows->data, n, given, error)
         && read_scores (self, steps, error);
}

void
ctc_runner_normalize (CtcRunner *self, gsize n)
{
  float *rows = (float *) (gpointer) self->rows->data;

  if (self->model->unit_variance)
    normalize (self->model, rows, n);
  if (self->features != NULL)
    infer_features_normalize (self->features, rows, n);
  if (self->model->per_feature)
    normalize_features (self->model, rows, n);
}

gboolean
ctc_runner_init (CtcRunner *self, const CtcModel *model, GError **error)
{
  *self = (CtcRunner){ .model = model };
  self->rows = g_array_new (FALSE, FALSE, sizeof (float));
  self->floats = g_array_new (FALSE, FALSE, sizeof (float));
  self->frame = g_new (float, model->width);
  self->request = infer_request_new (model->executable, error);
  if (self->request == NULL)
    return FALSE;
  if (model->features != NULL)
    self->features =
        infer_features_new (model->features, &model->config, error);
  return model->features == NULL || self->features != NULL;
}

void
ctc_runner_clear (CtcRunner *self)
{
  g_clear_pointer (&self->request, infer_request_free);
  g_clear_pointer (&self->features, infer_features_free);
  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->floats, g_array_unref);
  g_clear_pointer (&self->frame, g_free);
}

void
ctc_runner_reset (CtcRunner *self)
{
  if (self->model->streaming)
    infer_state_set_reset (infer_request_get_states (self->request));
  if (self->features != NULL)
    infer_features_reset (self->features);
  g_array_set_size (self->rows, 0);
}
