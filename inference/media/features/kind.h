/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of a kind of features. */

#pragma once

#include <float.h>

#include "inference/media/features/config.h"
#include "inference/media/features/mel.h"
#include "inference/media/features/spectrum.h"

/* The values used for samples before the start and after the end of a stream.
 */
typedef enum
{
  INFER_EDGE_ZERO,
  INFER_EDGE_MIRROR,  /* sample 0, 1, … */
  INFER_EDGE_REFLECT, /* sample 1, 2, … */
} InferFeaturesEdge;

/* Tables, made by `prepare`; unused ones are NULL. */
typedef struct
{
  double *window; /* [config.window] */
  InferSpectrum *spectrum;
  InferMelBank *bank;
  double *energies; /* [config.bands], scratch */
  double *matrix;   /* of mfcc: [coefficients, bands] */
} InferFeaturesTables;

struct _InferFeaturesKind
{
  const char *name, *description;
  /* For 16 kHz; fft 0: the power of two from the window on; fmax 0: half the
   * rate. */
  InferFeaturesConfig defaults;
  InferFeaturesEdge edge;
  gboolean bands_first;

  /* Samples before hop * i at which frame i's window begins. */
  guint (*lead) (const InferFeaturesConfig *config);
  /* Frames of a stream of @samples samples; not asked of blocks. */
  guint64 (*count) (const InferFeaturesConfig *config, guint64 samples);
  guint (*width) (const InferFeaturesConfig *config);
  /* NULL: it needs no tables but the spectrum.  FALSE: memory is short. */
  gboolean (*prepare) (
      const InferFeaturesConfig *config, InferFeaturesTables *tables);
  /* @samples [config.window], times config.scale; may be overwritten. */
  void (*compute) (const InferFeaturesConfig *config,
      const InferFeaturesTables *tables, double *samples, float *frame);
  /* NULL: nothing is left to do. */
  void (*normalize) (float *values, gsize n);
};

#define FEATURES(id, number) extern const InferFeaturesKind infer_features_##id;
#include "inference/media/features/kind-list.h"
#undef FEATURES

/* --- parts that several kinds share --- */

/* A cosine window of @n points, periodic or symmetric, to the power of
 * @exponent.  NULL: memory is short.  (transfer full) */
double *infer_features_hann (guint n, gboolean periodic, double exponent);
/* The window applied, the power spectrum, the energy of each band. */
void infer_features_energies (const InferFeaturesConfig *config,
    const InferFeaturesTables *tables, double *samples);
/* As Kaldi does before its window: no mean, preemphasis.  Returns the energy
 * between the two. */
double infer_features_condition (
    const InferFeaturesConfig *config, double *samples);
/* Kaldi's frames: whole windows, or (snip_edges FALSE) one for each hop, in the
 * middle of its window. */
guint infer_features_kaldi_lead (const InferFeaturesConfig *config);
guint64 infer_features_kaldi_count (
    const InferFeaturesConfig *config, guint64 samples);
gboolean infer_features_kaldi_prepare (
    const InferFeaturesConfig *config, InferFeaturesTables *tables);
/* Designated initialisers that all of Kaldi's kinds use. */
#define INFER_FEATURES_KALDI_DEFAULTS                                          \
  .sample_rate = 16000, .window = 400, .hop = 160, .bands = 23, .fmin = 20,    \
  .floor = FLT_EPSILON, .preemphasis = 0.97, .scale = 32768
#define INFER_FEATURES_KALDI_FRAMES                                            \
  .edge = INFER_EDGE_MIRROR, .lead = infer_features_kaldi_lead,                \
  .count = infer_features_kaldi_count
