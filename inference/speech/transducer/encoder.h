/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples → frames, by one stream's encoder: a window after the other, with its
 * states in place, or all of an utterance at once. */

#pragma once

#include "infer/request.h"
#include "inference/media/features/features.h"
#include "inference/speech/transducer/networks.h"

typedef struct
{
  const TransducerNetworks *net;
  InferFeatures *features;
  InferRequest *request;
  InferTensor *input; /* [1, rows, bands]; NeMo's: [1, bands, rows] */
  InferTensor *count; /* [1] i64; NULL: it takes none */
  float *rows;        /* [capacity, bands]: features that it did not go past */
  guint capacity, filled;
  guint64 done;  /* rows that it went past */
  float *frames; /* [n_frames, width]: what it gave last */
  guint n_frames, most_frames;
} TransducerEncoder;

gboolean transducer_encoder_init (TransducerEncoder *encoder,
    const TransducerNetworks *net, const InferFeaturesKind *kind,
    const InferFeaturesConfig *config, GError **error);
void transducer_encoder_clear (TransducerEncoder *encoder);
void transducer_encoder_reset (TransducerEncoder *encoder);

/* Takes samples until the rows are full or all @n are taken.  Returns how many
 * it took. */
gsize transducer_encoder_push (
    TransducerEncoder *encoder, const float *samples, gsize n, gboolean *full);
/* The samples end: the rows of the last ones, until the rows are full.  FALSE:
 * there are no more. */
gboolean transducer_encoder_finish (TransducerEncoder *encoder);
/* Computes `frames`; the states go on, the rows stay. */
gboolean transducer_encoder_run (TransducerEncoder *encoder, GError **error);
/* Goes past what was computed. */
void transducer_encoder_advance (TransducerEncoder *encoder);
