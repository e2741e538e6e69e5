/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of a stream → rows of a CTC model's input → its scores.  One thread
 * at a time. */

#pragma once

#include "infer/request.h"
#include "inference/speech/ctc/model.h"

typedef struct
{
  const CtcModel *model;
  InferRequest *request;
  InferFeatures *features; /* NULL: rows are samples */
  float *frame;            /* [width], scratch */
  GArray *rows;            /* (element-type float): not consumed yet */
  GArray *floats;          /* scores, scratch */
} CtcRunner;

/* After a failure, too, it is to be cleared. */
gboolean ctc_runner_init (
    CtcRunner *runner, const CtcModel *model, GError **error);
void ctc_runner_clear (CtcRunner *runner);
/* States, features and rows as at the beginning. */
void ctc_runner_reset (CtcRunner *runner);

/* Rows that are complete and not dropped. */
gsize ctc_runner_rows (const CtcRunner *runner);
void ctc_runner_add (CtcRunner *runner, const float *samples, gsize n);
/* The stream ends: the rows that this completes. */
void ctc_runner_end (CtcRunner *runner);
/* Silence, up to @n rows. */
void ctc_runner_pad (CtcRunner *runner, gsize n);
void ctc_runner_drop (CtcRunner *runner, gsize n);
/* Normalises the first @n rows, a whole utterance, as the model wants it. */
void ctc_runner_normalize (CtcRunner *runner, gsize n);

/* Runs the model on the first @n rows, of which @given were heard.  *@steps: of
 * the scores. */
gboolean ctc_runner_run (
    CtcRunner *runner, gsize n, gsize given, gsize *steps, GError **error);
/* [steps, tokens], until the next run. */
const float *ctc_runner_scores (const CtcRunner *runner);
