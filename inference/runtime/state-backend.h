/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For backends: the values of variables.  Only inside a step. */

#pragma once

#include "infer/state.h"

/* The current value, NULL while reset.  Dense, unless the backend sets
 * `strided_states` and has grown it. */
InferTensor *infer_state_peek (InferState *state);
/* A tensor of the given type and shape for the next value, apart from the
 * current one; its memory is reused.  infer_state_commit makes it the value;
 * backends call that when the whole step has succeeded. */
InferTensor *infer_state_next (
    InferState *state, InferType type, const InferShape *shape, GError **error);
void infer_state_commit (InferState *state);

/* The memory that infer_state_next would reuse, for another sequence: a backend
 * that keeps it between steps has one for all sequences, in the caches.  NULL:
 * there is none, or it is not free.  (transfer full) */
InferTensor *infer_state_take_spare (InferState *state);
/* FALSE: the state has one; else it takes @spare. */
gboolean infer_state_give_spare (InferState *state, InferTensor *spare);

/* Like infer_state_next, for a value that grows along @axis with each step. The
 * result is a view of a larger tensor, which doubles when it is full; the view
 * is strided if dimensions before @axis are greater than 1.  @keep: the result
 * starts with the current value.  *@kept: it is there already and must not be
 * written; else everything must be written. */
InferTensor *infer_state_grow (InferState *state, InferType type,
    const InferShape *shape, int axis, gboolean keep, gboolean *kept,
    GError **error);

/* A value that stays on a device, for the next step.  Reading it with a
 * function above fetches it first, once. */
typedef struct
{
  /* Into dense memory of the value's type and shape. */
  gboolean (*fetch) (gpointer data, InferTensor *into, GError **error);
  void (*free) (gpointer data);
} InferStateKeeper;

/* For the value's type and shape, NULL while reset; its elements may not have
 * been fetched. */
const InferTensor *infer_state_peek_desc (const InferState *state);
/* The value on @place, as given to infer_state_commit_kept; NULL: not there. */
gpointer infer_state_peek_kept (const InferState *state,
    const InferStateKeeper *keeper, gconstpointer place);
/* Commits a value that stays at @place.  @data: (transfer full), freed by
 * @keeper; may be that of the previous value, which is not given twice then. */
gboolean infer_state_commit_kept (InferState *state,
    const InferStateKeeper *keeper, gconstpointer place, gpointer data,
    const InferDesc *desc, GError **error);

/* Total bytes requested for next values, for tests. */
guint64 infer_state_get_written (const InferState *state);
