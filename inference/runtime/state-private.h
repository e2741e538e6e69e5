/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What requests need of a state set besides state.h. */

#pragma once

#include "infer/state.h"

G_BEGIN_DECLS

/* For backends that get a part of a model: states of other sets under new
 * indices.  What may be asked of it is infer_state_set_get, …_make_dense,
 * …_hold and …_settle. */
InferStateSet *infer_state_set_new_view (guint n);
/* @state: (transfer none), used until it is replaced. */
void infer_state_set_view (InferStateSet *view, guint index, InferState *state);

/* From hold to settle what is committed waits: then all of it becomes the
 * values, or nothing where @commit is FALSE.  Inside a step; where one pair is
 * inside another, the outer one decides, too. */
void infer_state_set_hold (InferStateSet *set);
void infer_state_set_settle (InferStateSet *set, gboolean commit);

/* TRUE where somebody besides the caller holds a reference. */
gboolean infer_state_set_is_shared (const InferStateSet *set);

/* Values that were grown become dense. */
gboolean infer_state_set_make_dense (InferStateSet *set, GError **error);

/* When a request is started: the resets asked for so far become this step's;
 * sets entries of @resets (one per state), clears none. */
void infer_state_set_take_resets (InferStateSet *set, gboolean *resets);

/* Just before the step, in its turn; clears @resets. */
void infer_state_set_apply_resets (InferStateSet *set, gboolean *resets);

/* The value of a reset variable where it needs no evaluation; nullable. */
const InferTensor *infer_state_get_initial (const InferState *state);

G_END_DECLS
