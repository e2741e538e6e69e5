/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A CTC model with what it says of itself, in rt_info, ONNX metadata and the
 * files beside it.  Immutable, any thread. */

#pragma once

#include "infer/request.h"
#include "inference/media/features/features.h"
#include "inference/speech/folder.h"
#include "inference/speech/text/vocabulary.h"

typedef struct
{
  char *path;
  InferExecutable *executable;
  InferVocabulary *vocabulary;
  guint blank;
  gboolean whole_words; /* no piece goes on with a word */

  /* Ports; -1: there is none. */
  int input, length, mask; /* lengths are of the input's rows */
  int scores, steps;

  guint rate;
  const InferFeaturesKind *features; /* NULL: rows are samples */
  InferFeaturesConfig config;
  guint width; /* values of a row */
  guint row;   /* samples from row to row */
  gboolean bands_first;
  gboolean flat;          /* the input is [rows], without a batch */
  gboolean unit_variance; /* of samples, over an utterance */
  gboolean per_feature;   /* … of each feature */
  float pad;              /* value of rows after the end */

  gboolean streaming;
  guint run, shift; /* rows of a run, and from run to run; streaming */
  guint multiple;  /* the last run may be shorter, of whole multiples; 0: not */
  double step;     /* samples from step to step; 0: by their number */
  guint64 longest; /* samples; 0: any number */
  guint64 tail;    /* silence after the end that completes the last word */
} CtcModel;

CtcModel *ctc_model_load (
    const SpeechFolder *folder, InferRuntime *runtime, GError **error);
void ctc_model_free (CtcModel *model); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CtcModel, ctc_model_free)

/* The name of the network's file; NULL: there is none, or it is not of CTC. */
const char *ctc_model_file (const SpeechFolder *folder);
