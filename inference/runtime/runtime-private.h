/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runtimes and executables, opened for the runtime's own files. */

#pragma once

#include <pthread.h>

#include "inference/runtime/constants.h"
#include "inference/runtime/devices/device-name.h"
#include "inference/runtime/devices/partition.h"
#include "infer/executor.h"
#include "infer/runtime.h"

struct _InferRuntime
{
  gint refs;
  InferDeviceKind kind;
  char *name; /* "CPU", "OPENCL.1", "HETERO:OPENCL,CPU" */
  char *config_text;
  InferConfig config;
  gboolean tracing;          /* holds a reference to the trace */
  InferConstants *constants; /* of all models on this runtime */
  /* AUTO, MULTI, HETERO: the member runtimes, best first. */
  guint n_members;
  InferRuntime *members[INFER_MAX_DEVICES];
  /* A single device: */
  const InferBackend *backend;
  guint device;
  gpointer scope;
  pthread_mutex_t lock;
  InferRuntime
      *fallback; /* created when a model cannot run whole on this device */
  InferExecutor *wait_executor; /* the device's own; NULL: no request waits */
};

struct _InferExecutable
{
  gint refs;
  InferRuntime *runtime;
  /* The runtime whose device it runs on; NULL: on several. */
  InferRuntime *where;
  const InferBackend *backend;
  InferModel *model;    /* as loaded, for names */
  InferModel *compiled; /* after the passes; `code` was compiled from it */
  GPtrArray *shared;    /* its constants shared through the runtime; nullable */
  gpointer code;        /* owned by the backend */
  pthread_mutex_t lock;
  InferExecutor *task_executor; /* created by the first asynchronous request */
  guint checked_faults; /* atomic: infer_mapping_faults() that do not concern it
                         */
  gint n_requests;
  gint next_request; /* number of the next request, for span names */
  const char *label; /* interned "<device>_<model>", for spans */

  /* AUTO and MULTI: the model compiled per device, NULL if it is not; `backend`
   * is NULL. */
  guint n_members;
  InferExecutable *members[INFER_MAX_DEVICES];
  gboolean is_auto;
  /* AUTO only. */
  InferExecutable *current; /* atomic: the best compiled member */
  guint host;               /* index of the CPU's member; n_members: none */
  gboolean compiling;       /* guarded by `lock`; `settled` signals changes */
  pthread_cond_t settled;
  gboolean has_thread;
  pthread_t thread;
  gint stopping, sequences;
};

/* For a backend in front of the runtime's, as batches are; takes @code. */
InferExecutable *infer_executable_new_with_code (InferModel *model,
    InferRuntime *runtime, const InferBackend *backend, gpointer code);
/* @parent's model, compiled for @runtime only. */
InferExecutable *infer_executable_new_member (
    InferExecutable *parent, InferRuntime *runtime, GError **error);
/* Where a new request, or AUTO's next run, is executed: a member, or
 * @executable itself if it has none.  (transfer none), lives as long as
 * @executable. */
InferExecutable *infer_executable_choose (InferExecutable *executable);

/* FALSE: a mapped file that the model or what was compiled of it is in was cut
 * short since; the error names it. */
gboolean infer_executable_check_files (
    InferExecutable *executable, GError **error);

/* NUM_STREAMS threads; lives as long as the executable.  NULL: none can be
 * started. */
InferExecutor *infer_executable_get_task_executor (
    InferExecutable *executable, GError **error);

/* For a backend that is not in the list, in tests. */
InferRuntime *infer_runtime_new_for_backend (const InferBackend *backend,
    guint device, const char *config, GError **error);

/* @runtime: of a single device. */
InferPlace infer_runtime_place (const InferRuntime *runtime);
/* The runtime for operations that a single device cannot run; NULL without
 * @error if @runtime is itself that.  (transfer none) */
InferRuntime *infer_runtime_get_fallback (
    InferRuntime *runtime, GError **error);
