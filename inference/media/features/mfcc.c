/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kaldi's mel cepstrum: the orthonormal DCT of its filter banks, weighted by a
 * lifter of 22; the first coefficient is the logarithm of the energy, if
 * use_energy. */

#include <float.h>
#include <math.h>

#include "inference/media/features/kind.h"

#define LIFTER 22.0

static guint
mfcc_width (const InferFeaturesConfig *c)
{
  return c->coefficients;
}

static gboolean
mfcc_prepare (const InferFeaturesConfig *c, InferFeaturesTables *tables)
{
  tables->matrix =
      g_try_new (double, MAX ((gsize) c->coefficients * c->bands, 1));
  if (tables->matrix == NULL || !infer_features_kaldi_prepare (c, tables))
    return FALSE;
  for (guint k = 0; k < c->coefficients; k++) {
    double lifter = 1.0 + 0.5 * LIFTER * sin (G_PI * k / LIFTER);
    double norm = sqrt ((k == 0 ? 1.0 : 2.0) / c->bands);

    for (guint m = 0; m < c->bands; m++)
      tables->matrix[(gsize) k * c->bands + m] =
          lifter * norm * cos (G_PI / c->bands * (m + 0.5) * k);
  }
  return TRUE;
}

static void
mfcc_compute (const InferFeaturesConfig *c, const InferFeaturesTables *tables,
    double *samples, float *frame)
{
  double energy = infer_features_condition (c, samples);

  infer_features_energies (c, tables, samples);
  for (guint m = 0; m < c->bands; m++)
    tables->energies[m] = log (MAX (tables->energies[m], c->floor));
  for (guint k = 0; k < c->coefficients; k++) {
    const double *row = tables->matrix + (gsize) k * c->bands;
    double sum = 0;

    for (guint m = 0; m < c->bands; m++)
      sum += row[m] * tables->energies[m];
    frame[k] = (float) sum;
  }
  if (c->use_energy)
    frame[0] = (float) log (MAX (MAX (energy, FLT_EPSILON), c->energy_floor));
}

const InferFeaturesKind infer_features_mfcc = {
  .name = "mfcc",
  .description = "Kaldi's mel cepstrum",
  .defaults = { INFER_FEATURES_KALDI_DEFAULTS, .coefficients = 13 },
  INFER_FEATURES_KALDI_FRAMES,
  .width = mfcc_width,
  .prepare = mfcc_prepare,
  .compute = mfcc_compute,
};
