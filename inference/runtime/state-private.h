/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the runtime: resets, deferred commits and dense values of states. */

#pragma once

#include "inference/runtime/state-backend.h"
#include "inference/runtime/strand.h"

/* @initial: (transfer full) (nullable): not known without evaluation. */
InferState *infer_state_new (
    const InferVariable *variable, InferTensor *initial);
void infer_state_free (InferState *state);

/* All states in the model's order, NULL-terminated: backends get all of them,
 * or those of the part they compute.  (transfer none) */
InferState *const *infer_state_set_list (const InferStateSet *set);

/* Makes the commits of several backends atomic: between hold and settle,
 * commits are deferred; settle applies all of them, or drops them if @commit is
 * FALSE. Inside a step.  Pairs nest: an inner commit waits for the outer
 * settle. */
void infer_states_hold (InferState *const *states);
void infer_states_settle (InferState *const *states, gboolean commit);

/* TRUE if there are more references than the caller's. */
gboolean infer_state_set_is_shared (const InferStateSet *set);

/* Copies strided values (infer_state_grow) to dense memory. */
gboolean infer_states_make_dense (InferState *const *states, GError **error);

/* When a request is started: moves pending resets into @resets (one entry per
 * state); other entries keep their value. */
void infer_state_set_take_resets (InferStateSet *set, gboolean *resets);

/* When the step's turn comes: resets the states marked in @resets and clears
 * the marks. */
void infer_state_set_apply_resets (InferStateSet *set, gboolean *resets);

/* TRUE: a reset was pending; it is no longer. */
gboolean infer_state_take_reset (InferState *state);

/* Copies the value of @src into @dst's spare tensor, then makes it @dst's
 * value, or resets @dst where @src is reset. */
gboolean infer_state_copy_begin (
    InferState *dst, InferState *src, GError **error);
void infer_state_copy_end (InferState *dst, const InferState *src);

/* Inside a step: drops the value at once. */
void infer_state_clear (InferState *state);

/* The initial value if it is known without evaluating a subgraph, else NULL. */
const InferTensor *infer_state_get_initial (const InferState *state);

/* Orders the steps of the set. */
InferStrand *infer_state_set_strand (InferStateSet *set);
