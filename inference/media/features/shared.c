/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parts that several kinds of features share. */

#include <math.h>

#include "inference/media/features/kind.h"

#define POVEY 0.85 /* exponent of Kaldi's default window */

double *
infer_features_hann (guint n, gboolean periodic, double exponent)
{
  double *window = g_try_new (double, MAX (n, 1));
  double period = periodic ? n : MAX (n, 2) - 1;

  for (guint i = 0; window != NULL && i < n; i++) {
    window[i] = 0.5 - 0.5 * cos (2.0 * G_PI * i / period);
    if (exponent != 1)
      window[i] = pow (window[i], exponent);
  }
  return window;
}

void
infer_features_energies (const InferFeaturesConfig *c,
    const InferFeaturesTables *tables, double *samples)
{
  for (guint i = 0; i < c->window; i++)
    samples[i] *= tables->window[i];
  infer_mel_bank_apply (tables->bank,
      infer_spectrum_power (tables->spectrum, samples, c->window),
      tables->energies);
}

double
infer_features_condition (const InferFeaturesConfig *c, double *samples)
{
  double mean = 0, energy = 0;

  for (guint i = 0; i < c->window; i++)
    mean += samples[i];
  mean /= c->window;
  for (guint i = 0; i < c->window; i++) {
    samples[i] -= mean;
    energy += samples[i] * samples[i];
  }
  for (guint i = c->window - 1; i > 0; i--)
    samples[i] -= c->preemphasis * samples[i - 1];
  samples[0] -= c->preemphasis * samples[0];
  return energy;
}

guint
infer_features_kaldi_lead (const InferFeaturesConfig *c)
{
  return c->snip_edges ? 0 : c->window / 2 - c->hop / 2;
}

guint64
infer_features_kaldi_count (const InferFeaturesConfig *c, guint64 samples)
{
  if (!c->snip_edges)
    return (samples + c->hop / 2) / c->hop;
  return samples < c->window ? 0 : 1 + (samples - c->window) / c->hop;
}

gboolean
infer_features_kaldi_prepare (
    const InferFeaturesConfig *c, InferFeaturesTables *tables)
{
  tables->window = infer_features_hann (c->window, FALSE, POVEY);
  tables->bank = infer_mel_bank_new (
      INFER_MEL_KALDI, c->bands, c->fft, c->sample_rate, c->fmin, c->fmax);
  return tables->window != NULL && tables->bank != NULL;
}
