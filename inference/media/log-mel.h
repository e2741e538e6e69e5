/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Log-mel features of a stream of samples: causal frames, periodic Hann
 * window, power spectrum, triangles on the HTK mel scale, natural logarithm.
 * Frame i covers samples [hop * (i + 1) - window, hop * (i + 1)); samples
 * before the first are 0: every `hop` samples give exactly one frame, without
 * look-ahead.  One thread at a time. */

#pragma once

#include "infer/error.h"

typedef struct
{
  guint sample_rate; /* Hz */
  guint window, hop; /* samples; hop ≤ window ≤ fft */
  guint fft;         /* points, a power of two from 16 to 65536 */
  guint bands;
  double fmin, fmax; /* Hz, 0 ≤ fmin < fmax ≤ sample_rate / 2 */
  double floor;      /* > 0; least energy */
} InferFeaturesConfig;

typedef struct _InferFeatures InferFeatures;

/* 16 kHz, 25 ms by 10 ms, 512 points, 40 bands of 20-7600 Hz, floor 1e-6. */
InferFeaturesConfig infer_features_default_config (void);

/* INFER_ERROR_INVALID_ARGUMENT if @config is out of these ranges. */
InferFeatures *infer_features_new (
    const InferFeaturesConfig *config, GError **error);
void infer_features_free (InferFeatures *features); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferFeatures, infer_features_free)

/* Discards all samples: the next one starts a stream. */
void infer_features_reset (InferFeatures *features);

/* Takes samples in [-1, 1] until a frame is complete or all @n are taken.
 * Returns how many it took.  *@complete: @frame now holds `bands` values, the
 * lowest band first. */
gsize infer_features_push (InferFeatures *features, const float *samples,
    gsize n, float *frame, gboolean *complete);

/* Returns the samples taken since the last complete frame: less than a hop. */
guint infer_features_pending (const InferFeatures *features);
