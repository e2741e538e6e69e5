/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The variables of one sequence.
 *
 * A set belongs to a sequence, not to a request: bind it to the request that
 * runs the next step.  Steps of one set run one after the other, in the order
 * in which their requests were started, for any number of requests and threads.
 * Values may be read and written while no request that uses the set runs; a
 * reset may be requested at any time and applies to the next started step. */

#pragma once

#include "infer/api.h"
#include "infer/model.h"

G_BEGIN_DECLS

typedef struct _InferStateSet InferStateSet;
typedef struct _InferState InferState;

/* All variables are reset.  Any thread. */
INFER_API InferStateSet *infer_state_set_new (const InferModel *model);
INFER_API InferStateSet *infer_state_set_ref (InferStateSet *set);
INFER_API void infer_state_set_unref (InferStateSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferStateSet, infer_state_set_unref)

INFER_API guint infer_state_set_n_states (const InferStateSet *set);
/* (transfer none); lives as long as the set. */
INFER_API InferState *infer_state_set_get (InferStateSet *set, guint index);
/* By variable_id; NULL with INFER_ERROR_NOT_FOUND, listing all variables. */
INFER_API InferState *infer_state_set_find (
    InferStateSet *set, const char *name, GError **error);

/* Resets all variables: the next step starts from the initial values. */
INFER_API void infer_state_set_reset (InferStateSet *set);

/* Copies values and resets between sets of the same model: continues a sequence
 * in another set. */
INFER_API gboolean infer_state_set_copy (
    InferStateSet *dst, InferStateSet *src, GError **error);

INFER_API const char *infer_state_get_name (const InferState *state);
INFER_API gboolean infer_state_is_reset (const InferState *state);
INFER_API void infer_state_reset (InferState *state);
/* A copy of the current value; NULL with INFER_ERROR_NOT_FOUND while the
 * variable is reset and its initial value has not been computed (a constant
 * initialiser's value, or zeros without one, are known at once).
 * (transfer full) */
INFER_API InferTensor *infer_state_get_value (
    InferState *state, GError **error);
/* Copies @value, whose type and shape must match the variable's. */
INFER_API gboolean infer_state_set_value (
    InferState *state, const InferTensor *value, GError **error);

G_END_DECLS
