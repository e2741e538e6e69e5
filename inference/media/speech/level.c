/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/speech/level.h"

#include <math.h>
#include <string.h>

#include "inference/media/features/spectrum.h"

#define BANDS 8
#define BLOCKS 8        /* whose least values are kept */
#define BLOCK_WINDOWS 8 /* windows of a block: BLOCKS of them are 2 s */

#define QUIETEST -100.f   /* dB, of a band */
#define FIRST_NOISE -40.f /* dB, at most, until 2 s have passed */
#define SMOOTHING 0.5f    /* weight of the windows before */
#define BIAS 4.f          /* dB that noise is above its own least */
#define MOST 20.f         /* dB of one band that count */
#define MIDDLE 3.f        /* dB above noise: probability 0.5 */
#define SLOPE 1.f         /* dB */

/* First bins of the bands, 31.25 Hz each: 156 Hz to 4 kHz. */
static const guint edges[BANDS + 1] = { 5, 10, 16, 24, 34, 48, 66, 92, 128 };

struct _InferLevel
{
  InferSpectrum *spectrum;
  double window[INFER_LEVEL_WINDOW];
  float smooth[BANDS];        /* dB */
  float least[BLOCKS][BANDS]; /* dB, of each block; a ring */
  guint block, windows;       /* the current one, and windows in it */
  gboolean begun;
};

void
infer_level_reset (InferLevel *self)
{
  self->begun = FALSE;
  self->block = self->windows = 0;
  for (guint b = 0; b < BANDS; b++)
    for (guint i = 0; i < BLOCKS; i++)
      self->least[i][b] = FIRST_NOISE;
}

InferLevel *
infer_level_new (void)
{
  InferLevel *self = g_new0 (InferLevel, 1);

  self->spectrum = infer_spectrum_new (INFER_LEVEL_WINDOW);
  if (self->spectrum == NULL) {
    infer_level_free (self);
    return NULL;
  }
  for (guint i = 0; i < INFER_LEVEL_WINDOW; i++)
    self->window[i] =
        0.5 - 0.5 * cos (2 * G_PI * (i + 0.5) / INFER_LEVEL_WINDOW);
  infer_level_reset (self);
  return self;
}

void
infer_level_free (InferLevel *self)
{
  if (self == NULL)
    return;
  infer_spectrum_free (self->spectrum);
  g_free (self);
}

/* dB of the bands, 0 for a sine of full scale. */
static void
measure (InferLevel *self, const float *samples, float *bands)
{
  double windowed[INFER_LEVEL_WINDOW];
  const double scale =
      32. / 3 / ((double) INFER_LEVEL_WINDOW * INFER_LEVEL_WINDOW);

  for (guint i = 0; i < INFER_LEVEL_WINDOW; i++)
    windowed[i] = samples[i] * self->window[i];
  const double *power =
      infer_spectrum_power (self->spectrum, windowed, INFER_LEVEL_WINDOW);
  for (guint b = 0; b < BANDS; b++) {
    double sum = 0;

    for (guint i = edges[b]; i < edges[b + 1]; i++)
      sum += power[i];
    bands[b] = sum > 1e-12 ? (float) (10 * log10 (sum * scale)) : QUIETEST;
    bands[b] = MAX (bands[b], QUIETEST);
  }
}

/* Moves on to the next block of windows. */
static void
turn_block (InferLevel *self)
{
  self->windows = 0;
  self->block = (self->block + 1) % BLOCKS;
  for (guint b = 0; b < BANDS; b++)
    self->least[self->block][b] = G_MAXFLOAT;
}

static float
noise_of (const InferLevel *self, guint band)
{
  float least = self->least[0][band];

  for (guint i = 1; i < BLOCKS; i++)
    least = MIN (least, self->least[i][band]);
  return least;
}

float
infer_level_push (InferLevel *self, const float *samples)
{
  float bands[BANDS], above = 0;

  measure (self, samples, bands);
  if (!self->begun)
    memcpy (self->smooth, bands, sizeof bands);
  self->begun = TRUE;
  if (self->windows++ == BLOCK_WINDOWS)
    turn_block (self);
  for (guint b = 0; b < BANDS; b++) {
    float *least = &self->least[self->block][b];

    self->smooth[b] = SMOOTHING * self->smooth[b] + (1 - SMOOTHING) * bands[b];
    *least = MIN (*least, self->smooth[b]);
    above += CLAMP (self->smooth[b] - noise_of (self, b) - BIAS, 0, MOST);
  }
  return 1 / (1 + expf ((MIDDLE - above / BANDS) / SLOPE));
}
