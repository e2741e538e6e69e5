/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Log-mel features without look-ahead: periodic Hann window, power spectrum,
 * triangles on the HTK mel scale, natural logarithm.  Frame i covers samples
 * [hop * (i + 1) - window, hop * (i + 1)); samples before the first are 0. */

#include <math.h>

#include "inference/media/features/kind.h"

static guint
log_mel_lead (const InferFeaturesConfig *c)
{
  return c->window - c->hop;
}

static guint64
log_mel_count (const InferFeaturesConfig *c, guint64 samples)
{
  return samples / c->hop;
}

static guint
log_mel_width (const InferFeaturesConfig *c)
{
  return c->bands;
}

static gboolean
log_mel_prepare (const InferFeaturesConfig *c, InferFeaturesTables *tables)
{
  tables->window = infer_features_hann (c->window, TRUE, 1);
  tables->bank = infer_mel_bank_new (
      INFER_MEL_HTK, c->bands, c->fft, c->sample_rate, c->fmin, c->fmax);
  return tables->window != NULL && tables->bank != NULL;
}

static void
log_mel_compute (const InferFeaturesConfig *c,
    const InferFeaturesTables *tables, double *samples, float *frame)
{
  infer_features_energies (c, tables, samples);
  for (guint m = 0; m < c->bands; m++)
    frame[m] = (float) log (MAX (tables->energies[m], c->floor));
}

const InferFeaturesKind infer_features_log_mel = {
  .name = "log-mel",
  .description =
      "Logarithm of the energy in mel bands (HTK), without look-ahead",
  .defaults = { .sample_rate = 16000,
      .window = 400,
      .hop = 160,
      .bands = 40,
      .fmin = 20,
      .fmax = 7600,
      .floor = 1e-6,
      .scale = 1 },
  .edge = INFER_EDGE_ZERO,
  .lead = log_mel_lead,
  .count = log_mel_count,
  .width = log_mel_width,
  .prepare = log_mel_prepare,
  .compute = log_mel_compute,
};
