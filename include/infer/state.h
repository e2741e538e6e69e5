/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The variables of one sequence.
 *
 * A set belongs to a model's list of variables, not to a request: bind it to
 * whichever request runs the next step.  Steps of one set run one after the
 * other, in the order in which their requests were started, whatever number of
 * requests and threads there is.  Reading and writing values is for the time
 * when no request that the set is bound to runs; reset may be called any time
 * and takes effect before the next started step. */

#pragma once

#include "infer/api.h"
#include "infer/model.h"

G_BEGIN_DECLS

typedef struct _InferStateSet InferStateSet;
typedef struct _InferState InferState;

/* Every variable starts reset.  Any thread. */
INFER_API InferStateSet *infer_state_set_new (const InferModel *model);
INFER_API InferStateSet *infer_state_set_ref (InferStateSet *set);
INFER_API void infer_state_set_unref (InferStateSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferStateSet, infer_state_set_unref)

INFER_API guint infer_state_set_n_states (const InferStateSet *set);
/* (transfer none); lives as long as the set. */
INFER_API InferState *infer_state_set_get (InferStateSet *set, guint index);
/* By variable_id; NULL with INFER_ERROR_NOT_FOUND, listing what there is. */
INFER_API InferState *infer_state_set_find (
    InferStateSet *set, const char *name, GError **error);

/* Back to the initial values: the next step evaluates the initialisers. */
INFER_API void infer_state_set_reset (InferStateSet *set);

/* Copies all values (and which are reset) from one set of the same model to
 * another: moves a sequence between processes of any kind. */
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
/* Copies @value in; its type and shape must fit the variable's. */
INFER_API gboolean infer_state_set_value (
    InferState *state, const InferTensor *value, GError **error);

G_END_DECLS
