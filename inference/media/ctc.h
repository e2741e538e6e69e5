/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC decoding of a stream: scores of each step go in, classes come out as soon
 * as they are certain.  Greedy (the best class of each step, repeats merged) or
 * prefix beam search.  What is not decided yet is carried to the next call, so
 * the result does not depend on how steps are cut into calls.
 * One thread at a time. */

#pragma once

#include "infer/error.h"

G_BEGIN_DECLS

typedef struct
{
  guint class_index; /* never the blank */
  guint64 start;     /* first step it was heard in, counted from the reset */
  guint64 end;       /* one past the last */
} InferCtcToken;

typedef struct _InferCtc InferCtc;

/* @beam_width 1: greedy; up to 1024.  INFER_ERROR_INVALID_ARGUMENT where
 * @blank is no class. */
InferCtc *infer_ctc_new (
    guint classes, guint blank, guint beam_width, GError **error);
void infer_ctc_free (InferCtc *ctc); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferCtc, infer_ctc_free)

/* @scores: [steps, classes], logits or log-probabilities.  Appends to @tokens
 * (element-type InferCtcToken) what became certain. */
void infer_ctc_push (
    InferCtc *ctc, const float *scores, gsize steps, GArray *tokens);

/* The stream ends: appends what was still open, then resets. */
void infer_ctc_finish (InferCtc *ctc, GArray *tokens);

/* Forgets all; the next step is number 0. */
void infer_ctc_reset (InferCtc *ctc);

/* Steps since the reset, and the first step that a token still to come may
 * start at. */
guint64 infer_ctc_steps (const InferCtc *ctc);
guint64 infer_ctc_decided (const InferCtc *ctc);

G_END_DECLS
