/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What runtimes, executables and requests share. */

#pragma once

#include <pthread.h>

#include "inference/backend.h"
#include "inference/executor.h"
#include "inference/runtime.h"

G_BEGIN_DECLS

struct _InferRuntime
{
  gint refs;
  const InferBackend *backend;
  guint device;
  char *name; /* "CPU", "OPENCL.1" */
  InferConfig config;
  gpointer scope;
  InferExecutor *wait_executor; /* the device's own; NULL where none waits */
};

struct _InferExecutable
{
  gint refs;
  InferRuntime *runtime;
  const InferBackend *backend;
  InferModel *model;    /* as given: for names */
  InferModel *compiled; /* after the passes; what `code` was made from */
  gpointer code;        /* the backend's */
  pthread_mutex_t lock;
  InferExecutor *task_executor; /* made for the first asynchronous request */
  gint n_requests;
  gint next_request; /* numbers requests in span names */
  const char *label; /* interned "<device>_<model>", of spans */
};

/* NUM_STREAMS threads, which live as long as the executable. */
InferExecutor *infer_executable_get_task_executor (InferExecutable *executable);

/* For a backend that is not in the list, as tests have. */
InferRuntime *infer_runtime_new_for_backend (const InferBackend *backend,
    guint device, const char *config, GError **error);

/* Distinct "Type opset (reason)" of what @backend cannot run of @graph and the
 * bodies in it; *@n (nullable) counts all such operations.
 * (transfer full) (element-type utf8) */
GPtrArray *infer_graph_unsupported (
    const InferGraph *graph, const InferBackend *backend, guint *n);

G_END_DECLS
