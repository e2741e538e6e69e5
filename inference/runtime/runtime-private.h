/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What runtimes, executables and requests share. */

#pragma once

#include <pthread.h>

#include "inference/runtime/constants.h"
#include "inference/runtime/devices/device-name.h"
#include "inference/runtime/devices/partition.h"
#include "infer/executor.h"
#include "infer/runtime.h"

G_BEGIN_DECLS

struct _InferRuntime
{
  gint refs;
  InferDeviceKind kind;
  char *name; /* "CPU", "OPENCL.1", "HETERO:OPENCL,CPU" */
  char *config_text;
  InferConfig config;
  gboolean tracing;          /* uses the trace */
  InferConstants *constants; /* of the models compiled for it */
  /* AUTO, MULTI, HETERO: what they are of, best first. */
  guint n_members;
  InferRuntime *members[INFER_MAX_DEVICES];
  /* Else: */
  const InferBackend *backend;
  guint device;
  gpointer scope;
  pthread_mutex_t lock;
  InferRuntime *fallback;       /* made when a model cannot run here whole */
  InferExecutor *wait_executor; /* the device's own; NULL where none waits */
};

struct _InferExecutable
{
  gint refs;
  InferRuntime *runtime;
  /* Of the one device that it is on; NULL: it is on several. */
  InferRuntime *where;
  const InferBackend *backend;
  InferModel *model;    /* as given: for names */
  InferModel *compiled; /* after the passes; what `code` was made from */
  GPtrArray *shared;    /* its constants that are the runtime's; nullable */
  gpointer code;        /* the backend's */
  pthread_mutex_t lock;
  InferExecutor *task_executor; /* made for the first asynchronous request */
  gint n_requests;
  gint next_request; /* numbers requests in span names */
  const char *label; /* interned "<device>_<model>", of spans */

  /* AUTO and MULTI: the same model for each device, NULL where it is not
   * compiled; `backend` is NULL. */
  guint n_members;
  InferExecutable *members[INFER_MAX_DEVICES];
  gboolean is_auto;
  /* AUTO only. */
  InferExecutable *current; /* atomic: the best member so far */
  guint host;               /* the processor's member; n_members: none */
  gboolean compiling;       /* under `lock`, as is the condition */
  pthread_cond_t settled;
  gboolean has_thread;
  pthread_t thread;
  gint stopping, sequences;
};

/* Of requests whose steps go to another backend than the runtime's; takes
 * @code. */
InferExecutable *infer_executable_new_with_code (InferModel *model,
    InferRuntime *runtime, const InferBackend *backend, gpointer code);
/* The model of @parent, for @runtime alone. */
InferExecutable *infer_executable_new_member (
    InferExecutable *parent, InferRuntime *runtime, GError **error);
/* What a new request is to run on, or one of AUTO its next run: a member, or
 * itself where it has none.  (transfer none), lives as long as @executable. */
InferExecutable *infer_executable_choose (InferExecutable *executable);

/* NUM_STREAMS threads, which live as long as the executable. */
InferExecutor *infer_executable_get_task_executor (InferExecutable *executable);

/* For a backend that is not in the list, as tests have. */
InferRuntime *infer_runtime_new_for_backend (const InferBackend *backend,
    guint device, const char *config, GError **error);

/* A plain device. */
InferPlace infer_runtime_place (const InferRuntime *runtime);
/* Where goes what a plain device cannot run; NULL without @error: it is itself
 * the last resort.  (transfer none) */
InferRuntime *infer_runtime_get_fallback (
    InferRuntime *runtime, GError **error);

G_END_DECLS
