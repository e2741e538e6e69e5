/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/features/mel.h"

#include <math.h>

/* Slaney's scale: 66.67 Hz a mel up to 1 kHz, then 27 mel for a factor of 6.4.
 */
#define LINEAR_STEP (200.0 / 3.0)
#define LINEAR_END 1000.0
#define LOG_STEP (log (6.4) / 27.0)

/* A filter's weights over the bins [first, first + n). */
typedef struct
{
  guint first, n;
  double *weights;
} Band;

struct _InferMelBank
{
  guint n;
  Band *bands;
};

static double
to_mel (InferMelScale scale, double hz)
{
  switch (scale) {
    case INFER_MEL_HTK:
      return 2595.0 * log10 (1.0 + hz / 700.0);
    case INFER_MEL_KALDI:
      return 1127.0 * log (1.0 + hz / 700.0);
    default:
      return hz < LINEAR_END
                 ? hz / LINEAR_STEP
                 : LINEAR_END / LINEAR_STEP + log (hz / LINEAR_END) / LOG_STEP;
  }
}

/* The inverse, for the scales whose triangles are over Hz. */
static double
to_hz (InferMelScale scale, double mel)
{
  if (scale == INFER_MEL_HTK)
    return 700.0 * (pow (10.0, mel / 2595.0) - 1.0);
  return mel < LINEAR_END / LINEAR_STEP
             ? mel * LINEAR_STEP
             : LINEAR_END * exp (LOG_STEP * (mel - LINEAR_END / LINEAR_STEP));
}

/* The triangle from corner 0 over 1 to 2, in mel or Hz, at spectral line @k. */
static double
triangle (InferMelScale scale, guint k, double bin_hz, const double *corners)
{
  const double height =
      scale == INFER_MEL_SLANEY ? 2.0 / (corners[2] - corners[0]) : 1.0;
  double x = k * bin_hz;

  if (scale == INFER_MEL_KALDI)
    x = to_mel (scale, x);
  const double up = (x - corners[0]) / (corners[1] - corners[0]);
  const double down = (corners[2] - x) / (corners[2] - corners[1]);
  return height * MIN (up, down);
}

/* Fills @band with the lines within the triangle.  FALSE: memory is short. */
static gboolean
make_band (Band *band, InferMelScale scale, guint bins, double bin_hz,
    const double *corners)
{
  guint end = 0;

  for (guint k = 0; k < bins; k++) {
    if (triangle (scale, k, bin_hz, corners) <= 0)
      continue;
    if (end == 0)
      band->first = k;
    end = k + 1;
  }
  if (end == 0)
    return TRUE;
  band->n = end - band->first;
  band->weights = g_try_new (double, band->n);
  for (guint i = 0; band->weights != NULL && i < band->n; i++)
    band->weights[i] = triangle (scale, band->first + i, bin_hz, corners);
  return band->weights != NULL;
}

InferMelBank *
infer_mel_bank_new (InferMelScale scale, guint bands, guint points,
    guint sample_rate, double fmin, double fmax)
{
  InferMelBank *bank = g_new0 (InferMelBank, 1);
  double low = to_mel (scale, fmin);
  double step = (to_mel (scale, fmax) - low) / (bands + 1);
  guint bins = scale == INFER_MEL_KALDI ? points / 2 : points / 2 + 1;

  bank->bands = g_try_new0 (Band, bands);
  if (bank->bands == NULL) {
    infer_mel_bank_free (bank);
    return NULL;
  }
  bank->n = bands;
  for (guint m = 0; m < bands; m++) {
    double corners[3];

    for (guint i = 0; i < 3; i++) {
      corners[i] = low + step * (m + i);
      if (scale != INFER_MEL_KALDI)
        corners[i] = to_hz (scale, corners[i]);
    }
    if (!make_band (&bank->bands[m], scale, bins, (double) sample_rate / points,
            corners)) {
      infer_mel_bank_free (bank);
      return NULL;
    }
  }
  return bank;
}

void
infer_mel_bank_free (InferMelBank *bank)
{
  if (bank == NULL)
    return;
  for (guint m = 0; m < bank->n; m++)
    g_free (bank->bands[m].weights);
  g_free (bank->bands);
  g_free (bank);
}

void
infer_mel_bank_apply (
    const InferMelBank *bank, const double *power, double *energies)
{
  for (guint m = 0; m < bank->n; m++) {
    const Band *band = &bank->bands[m];
    double energy = 0;

    for (guint i = 0; i < band->n; i++)
      energy += power[band->first + i] * band->weights[i];
    energies[m] = energy;
  }
}
