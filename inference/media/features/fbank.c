/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kaldi's filter banks: samples as 16-bit integers, no mean, preemphasis,
 * window to the power of 0.85 ("povey"), power spectrum, Kaldi's mel bands,
 * natural logarithm.  No dither, no energy column. */

#include <math.h>

#include "inference/media/features/kind.h"

static guint
fbank_width (const InferFeaturesConfig *c)
{
  return c->bands;
}

static void
fbank_compute (const InferFeaturesConfig *c, const InferFeaturesTables *tables,
    double *samples, float *frame)
{
  infer_features_condition (c, samples);
  infer_features_energies (c, tables, samples);
  for (guint m = 0; m < c->bands; m++)
    frame[m] = (float) log (MAX (tables->energies[m], c->floor));
}

const InferFeaturesKind infer_features_fbank = {
  .name = "fbank",
  .description = "Kaldi's filter banks",
  .defaults = { INFER_FEATURES_KALDI_DEFAULTS },
  INFER_FEATURES_KALDI_FRAMES,
  .width = fbank_width,
  .prepare = infer_features_kaldi_prepare,
  .compute = fbank_compute,
};
