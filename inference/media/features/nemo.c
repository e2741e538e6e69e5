/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NeMo's log-mel spectrogram: preemphasis of the whole stream, windows in the
 * middle of which the frames lie, zeros around the stream, Slaney's mel bands,
 * natural logarithm of the energy plus `floor`.  What NeMo calls per_feature
 * normalisation is left to whoever has the whole utterance.
 *
 * The window has one sample more than NeMo's: the one before it, which
 * preemphasis needs. */

#include <math.h>

#include "inference/media/features/kind.h"

static guint
nemo_lead (const InferFeaturesConfig *c)
{
  return c->window / 2 + 1;
}

static guint64
nemo_count (const InferFeaturesConfig *c, guint64 samples)
{
  return samples / c->hop;
}

static guint
nemo_width (const InferFeaturesConfig *c)
{
  return c->bands;
}

static gboolean
nemo_prepare (const InferFeaturesConfig *c, InferFeaturesTables *tables)
{
  g_autofree double *hann = infer_features_hann (c->window - 1, FALSE, 1);

  tables->window = g_try_new0 (double, c->window);
  if (hann == NULL || tables->window == NULL)
    return FALSE;
  for (guint i = 1; i < c->window; i++)
    tables->window[i] = hann[i - 1];
  tables->bank = infer_mel_bank_new (
      INFER_MEL_SLANEY, c->bands, c->fft, c->sample_rate, c->fmin, c->fmax);
  return tables->bank != NULL;
}

static void
nemo_compute (const InferFeaturesConfig *c, const InferFeaturesTables *tables,
    double *samples, float *frame)
{
  for (guint i = c->window - 1; i > 0; i--)
    samples[i] -= c->preemphasis * samples[i - 1];
  infer_features_energies (c, tables, samples);
  for (guint m = 0; m < c->bands; m++)
    frame[m] = (float) log (tables->energies[m] + c->floor);
}

const InferFeaturesKind infer_features_nemo = {
  .name = "nemo",
  .description = "NeMo's log-mel spectrogram, not normalised",
  .defaults = { .sample_rate = 16000,
      .window = 401,
      .hop = 160,
      .bands = 80,
      .fmax = 8000,
      .floor = 0x1p-24,
      .preemphasis = 0.97,
      .scale = 1 },
  .edge = INFER_EDGE_ZERO,
  .lead = nemo_lead,
  .count = nemo_count,
  .width = nemo_width,
  .prepare = nemo_prepare,
  .compute = nemo_compute,
};
