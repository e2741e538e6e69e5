/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of batches share. */

#pragma once

#include "infer/request.h"

G_BEGIN_DECLS

/* A model whose batch is open, and the dimension of each variable that is
 * it (element-type int). */
InferModel *infer_model_open_batch (
    const InferModel *model, GArray *axes, GError **error);

/* Whether the values of variable @index of @a and @b can stand side by side
 * along @axis. */
gboolean infer_batch_states_fit (
    InferStateSet *a, InferStateSet *b, const GArray *axes);
/* Values of @n sets, of batch 1 each, into @batch; and back into what the sets'
 * next commit takes over. */
gboolean infer_batch_gather (InferStateSet *batch, InferStateSet *const *sets,
    guint n, const GArray *axes, GError **error);
gboolean infer_batch_scatter (InferStateSet *batch, InferStateSet *const *sets,
    guint n, const GArray *axes, GError **error);

/* Row @index of @from, which has @n along @axis, into the dense @to. */
void infer_batch_get_row (
    const InferTensor *from, int axis, guint index, guint n, InferTensor *to);

G_END_DECLS
