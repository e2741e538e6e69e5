/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The networks of a Moonshine model.  Two layouts are published:
 *
 *   preprocess, encode, uncached_decode, cached_decode   (Keras, sherpa-onnx)
 *   encoder_model, decoder_model_merged                  (optimum)
 *
 * In both, the decoder's first step computes the keys and values of what the
 * encoder gave, and further steps take them, and those of the tokens before.
 * Here these are two executables, `first` and `next`, and what grows are
 * variables of `next`.  Immutable once loaded; any thread. */

#pragma once

#include "infer/runtime.h"
#include "inference/speech/folder.h"

/* An output of `first` that `next` takes. */
typedef struct
{
  guint output;
  char *state; /* the variable; NULL: it is input `input`, always the same */
  guint input;
} MoonshineLink;

typedef struct
{
  InferExecutable *preprocess; /* NULL: the encoder takes samples */
  InferExecutable *encoder, *first, *next;
  GArray *links;     /* MoonshineLink */
  gboolean merged;   /* layout of optimum */
  gint64 start, end; /* tokens */
  guint classes;
} MoonshineNetworks;

gboolean moonshine_networks_probe (const SpeechFolder *folder);
gboolean moonshine_networks_load (MoonshineNetworks *networks,
    const SpeechFolder *folder, InferRuntime *runtime, GError **error);
void moonshine_networks_clear (MoonshineNetworks *networks);
