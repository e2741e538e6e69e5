/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inferences of several requests computed as one, along the first dimension of
 * all inputs and outputs.  Each request is a row of its own: it gives and gets
 * tensors of batch 1, and its variables stay with its own state set; they are
 * gathered before a batch and scattered after it.
 *
 * A batch is computed as soon as it is full, or holds a row of everyone who
 * could send one, or its oldest row has waited for the timeout.  Any thread. */

#pragma once

#include "infer/runtime.h"

G_BEGIN_DECLS

/* @timeout_us < 0: waits for ever.  INFER_ERROR_UNSUPPORTED where @model cannot
 * be batched, saying why: an input that has another batch than 1, an operation
 * that insists on batch 1, a variable without a dimension for it.  (transfer
 * full) */
InferExecutable *infer_executable_new_batched (InferModel *model,
    InferRuntime *runtime, guint size, gint64 timeout_us, GError **error);

/* 0 for an executable without batches. */
guint infer_executable_get_batch_size (InferExecutable *executable);

/* A stream that has up to @rows rows waiting at a time comes (or goes, with the
 * same number): with everyone's rows there, nobody is waited for.  Without
 * effect on others than batched ones, as the following. */
void infer_executable_add_stream (InferExecutable *executable, guint rows);
void infer_executable_remove_stream (InferExecutable *executable, guint rows);

/* Between begin and end (they nest), batches run without waiting to be full. */
void infer_executable_begin_flush (InferExecutable *executable);
void infer_executable_end_flush (InferExecutable *executable);

G_END_DECLS
