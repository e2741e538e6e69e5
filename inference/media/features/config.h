/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How features are computed: numbers that a kind has defaults
 * for. */

#pragma once

#include <glib.h>

typedef struct
{
  guint sample_rate;   /* Hz */
  guint window, hop;   /* samples; hop ≤ window ≤ fft */
  guint fft;           /* points: a power of two, or the window */
  guint bands;         /* mel bands */
  guint coefficients;  /* of mfcc, at most the bands */
  guint block;         /* frames of an utterance; 0: the stream is one */
  double fmin, fmax;   /* Hz, 0 ≤ fmin < fmax ≤ sample_rate / 2 */
  double floor;        /* > 0; least energy */
  double preemphasis;  /* 0 … 1 */
  double scale;        /* > 0; samples are multiplied by it */
  double energy_floor; /* of mfcc's energy; 0: none */
  gboolean snip_edges; /* of fbank and mfcc: only whole windows */
  gboolean use_energy; /* of mfcc: instead of the first coefficient */
} InferFeaturesConfig;

typedef struct _InferFeaturesKind InferFeaturesKind; /* opened in kind.h */
