/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The three networks of a transducer, as sherpa-onnx's folders have
 * them: encoder (frames of features and its states → frames), decoder (the last
 * tokens → a row), joiner (a frame and a row → scores of the tokens); or
 * NeMo's.
 * Immutable once loaded; any thread. */

#pragma once

#include "infer/runtime.h"
#include "inference/speech/folder.h"
#include "inference/speech/text/vocabulary.h"

#define TRANSDUCER_MOST_CONTEXT 8

typedef struct
{
  InferExecutable *encoder, *decoder, *joiner;
  guint rate;     /* Hz */
  guint bands;    /* of the features */
  gboolean whole; /* the encoder takes utterances, not a window at a time */
  guint window, shift;  /* frames that it takes, at most, and goes on by */
  guint frames;         /* that it gives for each window; 0: not known */
  gboolean counts;      /* its last input: frames before, of the utterance */
  guint width;          /* of a frame */
  guint row;            /* width of the decoder's rows */
  InferShape row_shape; /* of one, as the joiner takes it */
  guint context;        /* tokens that the decoder sees */
  guint classes;        /* tokens, the blank among them */
  guint blank;          /* its number */
  gboolean batch_steps; /* decoder and joiner take several rows at once */
  gboolean nemo;        /* the networks are of NeMo's form (nemo.h) */
  gboolean per_feature; /* each band of an utterance: mean 0, deviation 1 */
  guint durations;      /* scores behind those of the tokens; 0: none */
  guint most_symbols;   /* tokens of a frame */
} TransducerNetworks;

gboolean transducer_networks_probe (const SpeechFolder *folder);
/* @vocabulary: says how many tokens there are where no network does. */
gboolean transducer_networks_load (TransducerNetworks *networks,
    const SpeechFolder *folder, const InferVocabulary *vocabulary,
    InferRuntime *runtime, GError **error);
void transducer_networks_clear (TransducerNetworks *networks);
