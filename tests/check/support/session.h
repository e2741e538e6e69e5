/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model on a device, with one request.  Every call must succeed. */

#pragma once

#include "infer/request.h"

typedef struct
{
  InferRuntime *runtime;
  InferExecutable *executable;
  InferRequest *request;
} TestSession;

/* @shape: "2,3".  (transfer full) */
InferTensor *test_tensor (InferType type, const char *shape);

/* Writes @n numbers from -1 to 1 that depend on @seed. */
void test_fill (float *data, gsize n, guint32 seed);
/* The same in new memory.  (transfer full) */
float *test_numbers (gsize n, guint32 seed);

/* For tests that need only the executable.  (transfer full) */
InferExecutable *test_compile (
    InferModel *model, const char *device, const char *config);
InferRequest *test_request (
    InferModel *model, const char *device, const char *config);
InferRequest *test_request_on (InferRuntime *runtime, InferModel *model);

/* @isa: as in INFER_CPU_ISA; NULL: as in the environment.  @device and @config:
 * as in infer_runtime_new(). */
void test_session_open (TestSession *session, InferModel *model,
    const char *isa, const char *device, const char *config);
void test_session_close (TestSession *session);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestSession, test_session_close)

/* (transfer none) */
InferTensor *test_session_input (TestSession *session, guint i);
void test_session_infer (TestSession *session);
/* (transfer full); may outlive the session. */
InferTensor *test_session_output (TestSession *session, guint i);
/* The kernel of operation @name in the last inference, with PERF_COUNT=YES;
 * NULL if it was not a step.  (transfer full) */
char *test_session_kernel (TestSession *session, const char *name);
