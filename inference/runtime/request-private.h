/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an asynchronous request needs of the synchronous one it wraps.  It sees
 * to the order of steps itself, hence takes them one by one. */

#pragma once

#include "infer/request.h"

G_BEGIN_DECLS

/* Before a run: where it will be.  Of AUTO that may be another device than the
 * last time. */
InferExecutable *infer_request_choose_place (InferRequest *request);

/* Runs one stage up to INFER_STAGE_POSTPROCESS, timed; knows nothing of the
 * order of steps and of resets. */
gboolean infer_request_run_stage (
    InferRequest *request, InferStage stage, GError **error);

/* The set that the next step works on; NULL for a model without variables. */
InferStateSet *infer_request_peek_states (InferRequest *request);

/* At the time of starting: resets asked for so far (and @all of them where set)
 * belong to the coming step. */
void infer_request_take_resets (InferRequest *request, gboolean all);
/* In the step's turn, whether it then runs or not. */
void infer_request_apply_resets (InferRequest *request);

/* Where its waits go; nullable: the runtime's executor. */
InferExecutor *infer_request_wait_executor (InferRequest *request);
/* Ends a started step early where the backend can; see backend.h. */
InferTask *infer_request_cancel_step (InferRequest *request);

void infer_request_clear_timings (InferRequest *request);
void infer_request_set_timing (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end);
/* The same as a span. */
void infer_request_trace (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end);

G_END_DECLS
