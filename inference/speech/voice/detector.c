/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "infer/bindings.h"
#include "inference/base/cancel.h"
#include "inference/speech/voice/model.h"

struct _InferVoiceDetector
{
  gatomicrefcount refs;
  InferVoiceModel *model;
  gpointer stream; /* of the kind */
  gint cancelled;  /* atomic */
  guint64 begin;   /* of the window that is being filled */
  guint filled;
  float samples[]; /* [window] */
};

InferVoiceDetector *
infer_voice_detector_new (InferVoiceModel *model, GError **error)
{
  gpointer stream = model->kind->open (model->executable, error);

  if (stream == NULL)
    return NULL;
  InferVoiceDetector *self = g_malloc0 (
      sizeof (InferVoiceDetector) + model->kind->window * sizeof (float));
  g_atomic_ref_count_init (&self->refs);
  self->model = infer_voice_model_ref (model);
  self->stream = stream;
  return self;
}

InferVoiceDetector *
infer_voice_detector_ref (InferVoiceDetector *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
infer_voice_detector_free (InferVoiceDetector *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  self->model->kind->close (self->stream);
  infer_voice_model_unref (self->model);
  g_free (self);
}

/* --- windows --- */

static float
mean_square (const float *samples, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) samples[i] * samples[i];
  return (float) (sum / n);
}

/* Judges the samples so far, followed by zeros. */
static gboolean
judge (InferVoiceDetector *self, GArray *windows, GError **error)
{
  const InferVoiceKind *kind = self->model->kind;
  InferVoiceWindow window = { self->begin, self->begin + self->filled, 0,
    mean_square (self->samples, self->filled) };

  memset (self->samples + self->filled, 0,
      (kind->window - self->filled) * sizeof (float));
  const gint *before = infer_cancel_enter (&self->cancelled);
  gboolean ok =
      infer_cancel_check (&self->cancelled, error)
      && kind->judge (self->stream, self->samples, &window.probability, error);
  infer_cancel_enter (before);
  if (!ok)
    return FALSE;
  window.probability = isfinite (window.probability)
                           ? CLAMP (window.probability, 0.f, 1.f)
                           : 0.f;
  g_array_append_val (windows, window);
  self->begin = window.end;
  self->filled = 0;
  return TRUE;
}

gboolean
infer_voice_detector_push (InferVoiceDetector *self, const float *samples,
    gsize n, GArray *windows, GError **error)
{
  guint length = self->model->kind->window;

  while (n > 0) {
    guint part = (guint) MIN (n, length - self->filled);

    for (guint i = 0; i < part; i++)
      self->samples[self->filled + i] = isfinite (samples[i]) ? samples[i] : 0;
    self->filled += part;
    samples += part;
    n -= part;
    if (self->filled == length && !judge (self, windows, error))
      return FALSE;
  }
  return infer_cancel_check (&self->cancelled, error);
}

gboolean
infer_voice_detector_finish (
    InferVoiceDetector *self, GArray *windows, GError **error)
{
  gboolean ok = infer_cancel_check (&self->cancelled, error);

  if (ok && self->filled > 0)
    ok = judge (self, windows, error);
  if (ok)
    infer_voice_detector_reset (self);
  return ok;
}

void
infer_voice_detector_reset (InferVoiceDetector *self)
{
  self->model->kind->reset (self->stream);
  self->begin = 0;
  self->filled = 0;
}

void
infer_voice_detector_set_cancelled (
    InferVoiceDetector *self, gboolean cancelled)
{
  g_atomic_int_set (&self->cancelled, cancelled);
}
