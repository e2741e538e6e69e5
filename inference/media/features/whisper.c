/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whisper's log-mel spectrogram: windows in the middle of which the frames lie,
 * the samples reflected at both ends, Slaney's mel bands, base-10 logarithm; of
 * an utterance of `block` frames no value is less than its greatest minus 8,
 * and all are mapped by (x + 4) / 4.  A shorter utterance is followed by
 * zeros. */

#include <math.h>

#include "inference/media/features/kind.h"

#define RANGE 8.f

static guint
whisper_lead (const InferFeaturesConfig *c)
{
  return c->window / 2;
}

static guint
whisper_width (const InferFeaturesConfig *c)
{
  return c->bands;
}

static gboolean
whisper_prepare (const InferFeaturesConfig *c, InferFeaturesTables *tables)
{
  tables->window = infer_features_hann (c->window, TRUE, 1);
  tables->bank = infer_mel_bank_new (
      INFER_MEL_SLANEY, c->bands, c->fft, c->sample_rate, c->fmin, c->fmax);
  return tables->window != NULL && tables->bank != NULL;
}

static void
whisper_compute (const InferFeaturesConfig *c,
    const InferFeaturesTables *tables, double *samples, float *frame)
{
  infer_features_energies (c, tables, samples);
  for (guint m = 0; m < c->bands; m++)
    frame[m] = (float) log10 (MAX (tables->energies[m], c->floor));
}

static void
whisper_normalize (float *values, gsize n)
{
  float most = -INFINITY;

  for (gsize i = 0; i < n; i++)
    most = MAX (most, values[i]);
  for (gsize i = 0; i < n; i++)
    values[i] = (MAX (values[i], most - RANGE) + 4.f) / 4.f;
}

const InferFeaturesKind infer_features_whisper = {
  .name = "whisper",
  .description = "Whisper's log-mel spectrogram, of utterances of 30 s",
  .defaults = { .sample_rate = 16000,
      .window = 400,
      .hop = 160,
      .fft = 400,
      .bands = 80,
      .block = 3000,
      .fmax = 8000,
      .floor = 1e-10,
      .scale = 1 },
  .edge = INFER_EDGE_REFLECT,
  .bands_first = TRUE,
  .lead = whisper_lead,
  .width = whisper_width,
  .prepare = whisper_prepare,
  .compute = whisper_compute,
  .normalize = whisper_normalize,
};
