/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs tasks.  Reference-counted; any thread.  Every submitted task runs; the
 * last unref waits for it. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

typedef struct _InferExecutor InferExecutor;

/* Intrusive: the caller owns the memory, which must stay valid until `run` is
 * called; `run` may free or resubmit it.  Submitting allocates nothing. */
typedef struct _InferTask InferTask;
struct _InferTask
{
  void (*run) (InferTask *task);
  /*< private >*/
  InferTask *next;
  InferExecutor *executor; /* where a strand runs it */
};

/* Runs tasks immediately, on the submitting thread. */
INFER_API InferExecutor *infer_executor_new_immediate (void);

/* @threads threads run tasks in the order of submission.  @name: for thread
 * names.  Where the system cannot start as many, a warning is logged and fewer
 * run; NULL if it starts none. */
INFER_API InferExecutor *infer_executor_new_pool (
    const char *name, guint threads);

/* Passes tasks to @submit, which must have `task->run (task)` called, e.g. on a
 * pad's task.  @destroy (nullable) is called by the last unref. */
INFER_API InferExecutor *infer_executor_new_custom (
    void (*submit) (InferTask *task, gpointer data), gpointer data,
    GDestroyNotify destroy);

INFER_API InferExecutor *infer_executor_ref (InferExecutor *executor);
INFER_API void infer_executor_unref (InferExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferExecutor, infer_executor_unref)

INFER_API void infer_executor_submit (InferExecutor *executor, InferTask *task);

G_END_DECLS
