/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/signal.h"

#include "cpu/gemm/fourier/fft.h"
#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

typedef struct
{
  CpuWiden widen;
  CpuFftCache ffts;
} Stft;

static void
stft_release (gpointer priv)
{
  Stft *stft = priv;
  cpu_fft_cache_clear (&stft->ffts);
  g_free (stft);
}

/* Frame size and step, and the transform. */
static gboolean
read_frame (CpuStep *step, Stft *stft, gsize *frame, gsize *hop, CpuFft **fft,
    GError **error)
{
  *frame = (gsize) cpu_integer_at (step->in[2], 0);
  *hop = (gsize) cpu_integer_at (step->in[3], 0);
  *fft = cpu_fft_cache_get (&stft->ffts, *frame);
  return *fft != NULL
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "no memory for a frame of %" G_GSIZE_FORMAT, *frame);
}

/* Frequencies of a frame of n are n / 2 + 1, so n is at most this. */
static gsize
longest_frame (gint64 bins)
{
  return bins > 0 ? 2 * (gsize) bins : 2;
}

/* Centres @window in @frame values. */
static double
window_at (const CpuStep *step, const double *window, gsize frame, gsize i)
{
  gsize length = (gsize) cpu_in_shape (step, 1)->dims[0];
  gsize left = (frame - length) / 2;
  return i >= left && i - left < length ? window[i - left] : 0;
}

static gboolean
stft_prepare (CpuStep *step, GError **error)
{
  const InferStft *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  Stft *stft = g_new0 (Stft, 1);
  step->priv = stft;
  step->kernel = "fft_f64";
  gint64 bins = out->dims[out->rank - (attrs->transpose_frames ? 3 : 2)];
  if (step->in[2]->constant
      && !cpu_fft_cache_get (
          &stft->ffts, (gsize) cpu_integer_at (step->in[2], 0)))
    return infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory");
  return cpu_widen_prepare (&stft->widen, step, INFER_TYPE_F64, 1 << 2 | 1 << 3,
      cpu_scratch_add (0, longest_frame (bins), sizeof (CpuComplex)), error);
}

static gboolean
stft_run (CpuStep *step, GError **error)
{
  const InferStft *attrs = step->op->attrs;
  Stft *stft = step->priv;
  const InferShape *signal = cpu_in_shape (step, 0);
  gsize frame, hop;
  CpuFft *fft;
  if (step->out[0]->n == 0)
    return TRUE;
  if (!read_frame (step, stft, &frame, &hop, &fft, error))
    return FALSE;
  gsize length = (gsize) signal->dims[signal->rank - 1];
  gsize batch = signal->rank == 2 ? (gsize) signal->dims[0] : 1;
  gsize frames = (length - frame) / hop + 1, bins = frame / 2 + 1;
  gsize bin_step = attrs->transpose_frames ? frames : 1;
  gsize frame_step = attrs->transpose_frames ? 1 : bins;
  const double *x = cpu_widen_in (&stft->widen, step, 0);
  const double *window = cpu_widen_in (&stft->widen, step, 1);
  double *y = cpu_widen_out (&stft->widen, step, 0);
  CpuComplex *line = cpu_widen_more (&stft->widen, step);
  for (gsize i = 0; i < batch * frames && !cpu_step_is_cancelled (step); i++) {
    const double *from = x + i / frames * length + i % frames * hop;
    double *to = y + 2 * (i / frames * frames * bins + i % frames * frame_step);
    for (gsize j = 0; j < frame; j++)
      line[j] = (CpuComplex){ from[j] * window_at (step, window, frame, j), 0 };
    cpu_fft_run (fft, line, FALSE);
    for (gsize k = 0; k < bins; k++)
      memcpy (to + 2 * k * bin_step, &line[k], sizeof *line);
  }
  cpu_widen_finish (&stft->widen, step);
  return TRUE;
}

const CpuOp cpu_op_stft = {
  .prepare = stft_prepare,
  .run = stft_run,
  .release = stft_release,
};

/* --- ISTFT */

static gboolean
istft_prepare (CpuStep *step, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  Stft *stft = g_new0 (Stft, 1);
  step->priv = stft;
  step->kernel = "fft_f64";
  gsize frame = longest_frame (data->dims[data->rank - 3]);
  if (step->in[2]->constant
      && !cpu_fft_cache_get (
          &stft->ffts, (gsize) cpu_integer_at (step->in[2], 0)))
    return infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory");
  /* A frame; the sum of squared windows of one signal. */
  gsize total = cpu_scratch_add (0, frame, sizeof (CpuComplex));
  const InferShape *out = cpu_out_shape (step, 0);
  total = cpu_scratch_add (
      total, (gsize) out->dims[out->rank - 1], sizeof (double));
  return cpu_widen_prepare (&stft->widen, step, INFER_TYPE_F64,
      1 << 2 | 1 << 3 | 1 << 4, total, error);
}

typedef struct
{
  CpuStep *step;
  CpuFft *fft;
  const double *window;
  gsize bins, frames, frame, hop, length, margin;
  double scale;
  CpuComplex *line;
  double *weights; /* divisor of the sum of frames */
} Istft;

/* Adds frame @t, transformed and windowed, to the signal. */
static void
add_frame (const Istft *s, const double *x, double *y, gsize t)
{
  for (gsize k = 0; k < s->frame; k++) {
    gsize bin = k < s->bins ? k : s->frame - k;
    const double *from = x + 2 * (bin * s->frames + t);
    s->line[k] = (CpuComplex){ from[0], k < s->bins ? from[1] : -from[1] };
  }
  cpu_fft_run (s->fft, s->line, TRUE);
  for (gsize j = 0; j < s->frame; j++) {
    gsize at = t * s->hop + j;
    double w = window_at (s->step, s->window, s->frame, j);
    if (at < s->margin || at - s->margin >= s->length)
      continue;
    y[at - s->margin] += s->line[j].re * w * s->scale;
    s->weights[at - s->margin] += w * w;
  }
}

static void
restore_signal (const Istft *s, const double *x, double *y)
{
  memset (y, 0, s->length * sizeof *y);
  memset (s->weights, 0, s->length * sizeof *s->weights);
  for (gsize t = 0; t < s->frames; t++)
    add_frame (s, x, y, t);
  for (gsize i = 0; i < s->length; i++)
    if (s->weights[i] > 1e-12)
      y[i] /= s->weights[i];
}

static gboolean
istft_run (CpuStep *step, GError **error)
{
  const InferStft *attrs = step->op->attrs;
  Stft *stft = step->priv;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *out = cpu_out_shape (step, 0);
  gsize batch = data->rank == 4 ? (gsize) data->dims[0] : 1;
  Istft s = { .step = step,
    .bins = (gsize) data->dims[data->rank - 3],
    .frames = (gsize) data->dims[data->rank - 2],
    .length = (gsize) out->dims[out->rank - 1] };
  if (step->out[0]->n == 0)
    return TRUE;
  if (!read_frame (step, stft, &s.frame, &s.hop, &s.fft, error))
    return FALSE;
  s.margin = attrs->center ? s.frame / 2 : 0;
  s.scale = attrs->normalized ? sqrt ((double) s.frame) : 1;
  s.window = cpu_widen_in (&stft->widen, step, 1);
  s.line = cpu_widen_more (&stft->widen, step);
  s.weights = (double *) (gpointer) ((char *) s.line
                                     + cpu_scratch_add (0,
                                         longest_frame ((gint64) s.bins),
                                         sizeof (CpuComplex)));
  const double *x = cpu_widen_in (&stft->widen, step, 0);
  double *y = cpu_widen_out (&stft->widen, step, 0);
  for (gsize b = 0; b < batch; b++)
    restore_signal (&s, x + b * s.bins * s.frames * 2, y + b * s.length);
  cpu_widen_finish (&stft->widen, step);
  return TRUE;
}

const CpuOp cpu_op_istft = {
  .prepare = istft_prepare,
  .run = istft_run,
  .release = stft_release,
};
