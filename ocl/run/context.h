/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request on a device: its buffers, and a plan for each set of shapes that it
 * has run with.  Used by one thread at a time. */

#pragma once

#include "ocl/plan/plan.h"

typedef struct _OclContext OclContext;

/* @model must outlive it.  NULL with @error. */
OclContext *ocl_context_new (
    OclScope *scope, const InferModel *model, GError **error);
void ocl_context_free (OclContext *context);

/* The stages, as in inference/runtime/backend.h. */
gboolean ocl_context_upload (
    OclContext *context, InferTensor *const *inputs, GError **error);
gboolean ocl_context_start (OclContext *context, InferTensor *const *inputs,
    InferTensor **outputs, InferState *const *states, GError **error);
gboolean ocl_context_wait (OclContext *context, GError **error);
gboolean ocl_context_download (
    OclContext *context, InferTensor **outputs, GError **error);

/* In memory shared with the device; may outlive the context and its scope. */
InferTensor *ocl_context_tensor (OclContext *context, InferType type,
    const InferShape *shape, GError **error);

/* Of the last run; NULL before the first. */
const OclPlan *ocl_context_last_plan (const OclContext *context);
