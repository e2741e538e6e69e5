/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of batches. */

#pragma once

#include "infer/request.h"

/* A copy of @model with a dynamic batch; @axes gets the batch dimension of each
 * variable (element-type int). */
InferModel *infer_model_open_batch (
    const InferModel *model, GArray *axes, GError **error);

/* TRUE if the values of all variables of @a and @b can be joined. */
gboolean infer_batch_states_fit (
    InferState *const *a, InferState *const *b, const GArray *axes);
/* Gather copies the values of @n sequences, of batch 1 each, into @batch;
 * scatter copies them back into the sequences' next values, which the caller
 * commits. */
gboolean infer_batch_gather (InferState *const *batch,
    InferState *const *const *rows, guint n, const GArray *axes,
    GError **error);
gboolean infer_batch_scatter (InferState *const *batch,
    InferState *const *const *rows, guint n, const GArray *axes,
    GError **error);

/* Copies row @index of @n along @axis of @from to the dense @to. */
void infer_batch_get_row (
    const InferTensor *from, int axis, guint index, guint n, InferTensor *to);
