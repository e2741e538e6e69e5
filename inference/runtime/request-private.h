/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For asynchronous requests, which order the steps themselves and run the
 * stages one by one. */

#pragma once

#include "inference/runtime/backend.h"

/* Chooses where the next run is executed; with AUTO it may be another device
 * than before. */
InferExecutable *infer_request_choose_place (InferRequest *request);

/* Whether there is anything to do in @stage. */
gboolean infer_request_has_stage (
    const InferRequest *request, InferStage stage);
/* Runs one stage up to INFER_STAGE_POSTPROCESS and times it; ignores the order
 * of steps and resets. */
gboolean infer_request_run_stage (
    InferRequest *request, InferStage stage, GError **error);

/* The set of the next step; NULL for a model without variables. */
InferStateSet *infer_request_peek_states (InferRequest *request);

/* When the request is started: moves pending resets (all states if @all) to the
 * coming step. */
void infer_request_take_resets (InferRequest *request, gboolean all);
/* When the step's turn comes, whether it then runs or not. */
void infer_request_apply_resets (InferRequest *request);

/* The executor of the `wait` stage; NULL: the runtime's. */
InferExecutor *infer_request_wait_executor (InferRequest *request);
/* Ends a started step early if the backend can; see backend.h. */
InferTask *infer_request_cancel_step (InferRequest *request);

void infer_request_clear_timings (InferRequest *request);
void infer_request_set_timing (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end);
/* Writes the stage as a trace span. */
void infer_request_trace (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end);

/* In place of infer_request_start, several requests on one executable at once:
 * begin (FALSE with step->error: end it at once), the backend's start_joint,
 * end.  @begin, @end: ns, of its time. */
gboolean infer_request_begin_joint (
    InferRequest *request, InferJointStep *step);
void infer_request_end_joint (
    InferRequest *request, InferJointStep *step, guint64 begin, guint64 end);
