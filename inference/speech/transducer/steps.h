/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decoder and joiner of one stream, for up to so many paths at once.  They
 * allocate nothing once each number of paths has been seen. */

#pragma once

#include "infer/request.h"
#include "inference/speech/transducer/networks.h"

typedef struct
{
  const TransducerNetworks *net;
  guint most; /* paths */
  InferRequest *decoder, *joiner;
  InferTensor *context;       /* [n, net->context] i64, NeMo's i32 */
  InferTensor *frames, *rows; /* [n, width], [n, row] */
  gint64 *contexts; /* [most, net->context], to be set by the caller */
  float *given;     /* [most, row]: what `decode` gave */
  float *scores;    /* [most, transducer_steps_width]: what `join` gave */
} TransducerSteps;

gboolean transducer_steps_init (TransducerSteps *steps,
    const TransducerNetworks *net, guint most, GError **error);
void transducer_steps_clear (TransducerSteps *steps);
/* The next token is the first: a decoder with states forgets others. */
void transducer_steps_reset (TransducerSteps *steps);

/* Scores of the joiner: of tokens, then of durations. */
static inline guint
transducer_steps_width (const TransducerNetworks *net)
{
  return net->classes + net->durations;
}

/* `contexts` [@n] → `given`. */
gboolean transducer_steps_decode (
    TransducerSteps *steps, guint n, GError **error);
/* @frame [width] with each of @rows [@n] → `scores`. */
gboolean transducer_steps_join (TransducerSteps *steps, const float *frame,
    const float *const *rows, guint n, GError **error);
