/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where tasks run.  Executors are ref-counted and usable from any thread; they
 * never drop a task: what was submitted runs, and the last unref waits for it.
 */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

typedef struct _InferExecutor InferExecutor;

/* Intrusive: the caller owns the memory, which must stay until `run` was
 * called; `run` may free or resubmit it.  Nothing is allocated to submit. */
typedef struct _InferTask InferTask;
struct _InferTask
{
  void (*run) (InferTask *task);
  /*< private >*/
  InferTask *next;
  InferExecutor *executor; /* where a strand runs it */
};

/* Runs tasks at once, on the submitting thread. */
INFER_API InferExecutor *infer_executor_new_immediate (void);

/* @threads threads take tasks in the order they came.  @name: for thread names.
 * A device's wait executor is one of these with a single thread. */
INFER_API InferExecutor *infer_executor_new_pool (
    const char *name, guint threads);

/* Tasks go to @submit, which sees to it that `task->run (task)` is called, e.g.
 * on a pad's task.  @destroy (nullable) at the last unref. */
INFER_API InferExecutor *infer_executor_new_custom (
    void (*submit) (InferTask *task, gpointer data), gpointer data,
    GDestroyNotify destroy);

INFER_API InferExecutor *infer_executor_ref (InferExecutor *executor);
INFER_API void infer_executor_unref (InferExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferExecutor, infer_executor_unref)

INFER_API void infer_executor_submit (InferExecutor *executor, InferTask *task);

G_END_DECLS
