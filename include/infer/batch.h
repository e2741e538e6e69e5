/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests computed together.  Each one's variables stay in its own state set.
 *
 * A batch runs when it is full, when it has a row of every announced stream, or
 * when its oldest row has waited for the timeout.  Any thread. */

#pragma once

#include "infer/api.h"
#include "infer/runtime.h"

G_BEGIN_DECLS

/* A batch is one inference, along the first dimension of all inputs and
 * outputs: each request is a row of batch 1.  Products of several rows may
 * differ from those of one in their last bits.  @timeout_us < 0: no timeout.
 * INFER_ERROR_UNSUPPORTED with the reason if
 * @model cannot be batched: an input of another batch than 1, an operation that
 * fixes the batch to 1, a variable without a batch dimension.  (transfer full)
 */
INFER_API InferExecutable *infer_executable_new_batched (InferModel *model,
    InferRuntime *runtime, guint size, gint64 timeout_us, GError **error);

/* A batch is computed operation by operation, each for all requests: weights
 * are read once, and each request gives the bits that it gives alone.  Any
 * model and any shapes; at most 8 requests at a time, and as many batches at
 * the same time as the runtime has streams.  INFER_ERROR_UNSUPPORTED if the
 * runtime's device does not do so, as only CPU does.  (transfer full) */
INFER_API InferExecutable *infer_executable_new_joint (InferModel *model,
    InferRuntime *runtime, guint size, gint64 timeout_us, GError **error);

/* 0 for an executable without batches. */
INFER_API guint infer_executable_get_batch_size (InferExecutable *executable);

/* Announces a stream that queues up to @rows rows at a time, or its end, with
 * the same number.  A batch with the rows of all streams does not wait.  This
 * and the following do nothing on executables without batches. */
INFER_API void infer_executable_add_stream (
    InferExecutable *executable, guint rows);
INFER_API void infer_executable_remove_stream (
    InferExecutable *executable, guint rows);

/* Between begin and end (they nest), batches run without waiting to be full. */
INFER_API void infer_executable_begin_flush (InferExecutable *executable);
INFER_API void infer_executable_end_flush (InferExecutable *executable);

G_END_DECLS
