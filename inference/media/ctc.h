/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC decoding of a stream: takes the scores of each step and gives out classes
 * as soon as they are final, by greedy decoding (the best class of each step,
 * repeats merged) or prefix beam search.  Pending classes are kept between
 * calls: the result does not depend on how steps are divided into calls.
 * One thread at a time. */

#pragma once

#include "infer/error.h"
#include "inference/media/ctc-token.h"

typedef struct _InferCtc InferCtc;

/* @beam_width 1: greedy; up to 1024.  INFER_ERROR_INVALID_ARGUMENT if @blank is
 * not a class. */
InferCtc *infer_ctc_new (
    guint classes, guint blank, guint beam_width, GError **error);
void infer_ctc_free (InferCtc *ctc); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferCtc, infer_ctc_free)

/* A bonus for classes by those before them, such as phrases that are expected.
 * States are numbers of whoever gives the bonus; 0 is the beginning. */
typedef struct
{
  /* The state after @class_index, and what it adds to the logarithm of the
   * probability. */
  guint (*step) (
      gconstpointer data, guint state, guint class_index, float *bonus);
  /* The bonus that the end of the stream adds in @state. */
  float (*end) (gconstpointer data, guint state);
  gconstpointer data;
  float most; /* the largest bonus of a step */
} InferCtcBias;

/* For beam search only; @bias (nullable) must stay as long as it is set.
 * Resets. */
void infer_ctc_set_bias (InferCtc *ctc, const InferCtcBias *bias);

/* Takes @scores [steps, classes], logits or log-probabilities, and appends the
 * tokens that became final to @tokens (element-type InferCtcToken). */
void infer_ctc_push (
    InferCtc *ctc, const float *scores, gsize steps, GArray *tokens);

/* Ends the stream: appends the pending tokens, then resets. */
void infer_ctc_finish (InferCtc *ctc, GArray *tokens);

/* Appends the pending tokens as they would be if the stream ended here; they
 * stay pending. */
void infer_ctc_peek (const InferCtc *ctc, GArray *tokens);

/* Discards pending tokens; the next step is number 0. */
void infer_ctc_reset (InferCtc *ctc);

/* Returns the number of steps since the reset. */
guint64 infer_ctc_steps (const InferCtc *ctc);
/* Returns the first step at which a token yet to be given out may start. */
guint64 infer_ctc_decided (const InferCtc *ctc);
