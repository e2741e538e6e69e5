/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A set of states as bytes: the checkpoint of protocol/README.md. */

#pragma once

#include "infer/state.h"

/* Bytes of all values. */
gsize serve_states_size (InferStateSet *states);
/* While no step of the set runs.  (transfer full), @size: its length. */
guint8 *serve_states_write (InferStateSet *states, gsize *size, GError **error);
/* A new set with the values of a checkpoint.  INFER_ERROR_INVALID_ARGUMENT: it
 * is malformed or of another model.  (transfer full) */
InferStateSet *serve_states_read (
    const InferModel *model, const guint8 *data, gsize size, GError **error);
