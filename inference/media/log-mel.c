/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/log-mel.h"

#include <math.h>
#include <string.h>

/* A triangle's weights over the bins [first, first + n). */
typedef struct
{
  guint first, n;
  double *weights;
} Band;

struct _InferFeatures
{
  InferFeaturesConfig config;
  float *history;   /* the last `window` samples */
  guint filled;     /* new samples since the last frame */
  double *hann;     /* window */
  double *twiddle;  /* fft / 2 pairs of (cos, -sin) */
  guint *reversed;  /* fft: bit-reversed indices */
  double *spectrum; /* fft pairs of (re, im) */
  double *power;    /* fft / 2 + 1 */
  Band *bands;
};

InferFeaturesConfig
infer_features_default_config (void)
{
  return (InferFeaturesConfig){
    .sample_rate = 16000,
    .window = 400,
    .hop = 160,
    .fft = 512,
    .bands = 40,
    .fmin = 20,
    .fmax = 7600,
    .floor = 1e-6,
  };
}

static gboolean
check_config (const InferFeaturesConfig *c, GError **error)
{
  if (c->sample_rate == 0 || c->bands == 0 || c->bands > 4096)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs a sample rate (%u Hz) above 0 and 1 to 4096 bands (%u)",
        c->sample_rate, c->bands);
  if (c->fft < 16 || c->fft > 65536 || (c->fft & (c->fft - 1)) != 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: an FFT of %u points is not a power of two from 16 to 65536",
        c->fft);
  if (c->hop == 0 || c->hop > c->window || c->window > c->fft)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs 1 ≤ hop (%u) ≤ window (%u) ≤ FFT points (%u)", c->hop,
        c->window, c->fft);
  if (!(c->fmin >= 0) || !(c->fmin < c->fmax)
      || !(c->fmax <= 0.5 * c->sample_rate))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: needs 0 ≤ lowest (%g Hz) < highest (%g Hz) ≤ %g Hz", c->fmin,
        c->fmax, 0.5 * c->sample_rate);
  if (!(c->floor > 0) || !isfinite (c->floor))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "features: the floor %g is not above 0", c->floor);
  return TRUE;
}

static double
hz_to_mel (double hz)
{
  return 2595.0 * log10 (1.0 + hz / 700.0);
}

static double
mel_to_hz (double mel)
{
  return 700.0 * (pow (10.0, mel / 2595.0) - 1.0);
}

static void
make_bands (InferFeatures *f)
{
  const InferFeaturesConfig *c = &f->config;
  double low = hz_to_mel (c->fmin);
  double step = (hz_to_mel (c->fmax) - low) / (c->bands + 1);
  double bin_hz = (double) c->sample_rate / c->fft;
  guint bins = c->fft / 2 + 1;

  f->bands = g_new0 (Band, c->bands);
  for (guint m = 0; m < c->bands; m++) {
    double left = mel_to_hz (low + step * m);
    double peak = mel_to_hz (low + step * (m + 1));
    double right = mel_to_hz (low + step * (m + 2));
    Band *band = &f->bands[m];

    band->weights = g_new (double, bins);
    for (guint k = 0; k < bins; k++) {
      double hz = k * bin_hz;
      double weight =
          MIN ((hz - left) / (peak - left), (right - hz) / (right - peak));

      if (weight <= 0)
        continue;
      if (band->n == 0)
        band->first = k;
      band->weights[band->n++] = weight;
    }
  }
}

static void
make_tables (InferFeatures *f)
{
  guint n = f->config.fft;

  f->hann = g_new (double, f->config.window);
  for (guint i = 0; i < f->config.window; i++)
    f->hann[i] = 0.5 - 0.5 * cos (2.0 * G_PI * i / f->config.window);

  f->twiddle = g_new (double, n);
  for (guint i = 0; i < n / 2; i++) {
    f->twiddle[2 * i] = cos (2.0 * G_PI * i / n);
    f->twiddle[2 * i + 1] = -sin (2.0 * G_PI * i / n);
  }

  f->reversed = g_new0 (guint, n);
  for (guint i = 1; i < n; i++)
    f->reversed[i] = f->reversed[i / 2] / 2 + (i & 1 ? n / 2 : 0);
}

InferFeatures *
infer_features_new (const InferFeaturesConfig *config, GError **error)
{
  if (!check_config (config, error))
    return NULL;

  InferFeatures *f = g_new0 (InferFeatures, 1);
  f->config = *config;
  f->history = g_new0 (float, config->window);
  f->spectrum = g_new (double, 2 * config->fft);
  f->power = g_new (double, config->fft / 2 + 1);
  make_tables (f);
  make_bands (f);
  return f;
}

void
infer_features_free (InferFeatures *f)
{
  if (f == NULL)
    return;
  for (guint m = 0; m < f->config.bands; m++)
    g_free (f->bands[m].weights);
  g_free (f->bands);
  g_free (f->power);
  g_free (f->spectrum);
  g_free (f->reversed);
  g_free (f->twiddle);
  g_free (f->hann);
  g_free (f->history);
  g_free (f);
}

void
infer_features_reset (InferFeatures *f)
{
  memset (f->history, 0, f->config.window * sizeof (float));
  f->filled = 0;
}

/* The windowed samples, padded with zeros, in bit-reversed order. */
static void
load_samples (InferFeatures *f)
{
  double *x = f->spectrum;

  for (guint i = 0; i < f->config.fft; i++) {
    guint to = f->reversed[i];

    x[2 * to] = i < f->config.window ? f->hann[i] * f->history[i] : 0.0;
    x[2 * to + 1] = 0.0;
  }
}

/* Radix 2, decimation in time, in place. */
static void
transform (InferFeatures *f)
{
  double *x = f->spectrum;
  guint n = f->config.fft;

  for (guint half = 1; half < n; half *= 2) {
    for (guint start = 0; start < n; start += 2 * half) {
      for (guint k = 0; k < half; k++) {
        const double *w = f->twiddle + 2 * (gsize) k * (n / (2 * half));
        double *a = x + 2 * (gsize) (start + k);
        double *b = a + 2 * (gsize) half;
        double re = b[0] * w[0] - b[1] * w[1];
        double im = b[0] * w[1] + b[1] * w[0];

        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
      }
    }
  }
}

static void
compute_frame (InferFeatures *f, float *frame)
{
  load_samples (f);
  transform (f);
  for (guint k = 0; k <= f->config.fft / 2; k++) {
    double re = f->spectrum[2 * k], im = f->spectrum[2 * k + 1];

    f->power[k] = re * re + im * im;
  }
  for (guint m = 0; m < f->config.bands; m++) {
    const Band *band = &f->bands[m];
    double energy = 0;

    for (guint i = 0; i < band->n; i++)
      energy += f->power[band->first + i] * band->weights[i];
    frame[m] = (float) log (MAX (energy, f->config.floor));
  }
}

gsize
infer_features_push (InferFeatures *f, const float *samples, gsize n,
    float *frame, gboolean *complete)
{
  guint window = f->config.window, hop = f->config.hop;
  gsize taken = MIN (n, (gsize) (hop - f->filled));

  if (taken > 0)
    memcpy (
        f->history + window - hop + f->filled, samples, taken * sizeof (float));
  f->filled += (guint) taken;
  *complete = f->filled == hop;
  if (*complete) {
    compute_frame (f, frame);
    memmove (f->history, f->history + hop, (window - hop) * sizeof (float));
    f->filled = 0;
  }
  return taken;
}

guint
infer_features_pending (const InferFeatures *f)
{
  return f->filled;
}
