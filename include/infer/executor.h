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

/* Gives a pool more threads, if it has less than @threads. */
INFER_API void infer_executor_grow_pool (
    InferExecutor *pool, const char *name, guint threads);

/* The same with each thread, the later grown ones too, on @processors of those
 * that the process may use and on no others: the first thread on the first of
 * them, and so on, round and round.  Threads that its tasks start inherit that.
 */
INFER_API InferExecutor *infer_executor_new_pinned_pool (
    const char *name, guint threads, guint processors);

/* Tasks go to @submit, which sees to it that `task->run (task)` is called, e.g.
 * on a pad's task.  @destroy (nullable) at the last unref. */
INFER_API InferExecutor *infer_executor_new_custom (
    void (*submit) (InferTask *task, gpointer data), gpointer data,
    GDestroyNotify destroy);

INFER_API InferExecutor *infer_executor_ref (InferExecutor *executor);
INFER_API void infer_executor_unref (InferExecutor *executor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferExecutor, infer_executor_unref)

INFER_API void infer_executor_submit (InferExecutor *executor, InferTask *task);

/* From here to `leave` the calling thread stands for one of @executor's, and
 * may run its tasks without waking that one.  FALSE where it has no room. Never
 * waits. */
INFER_API gboolean infer_executor_try_enter (InferExecutor *executor);
INFER_API void infer_executor_leave (InferExecutor *executor);
/* How many threads are free to be stood for; < 0: never any, as it is no pool,
 * or a pinned one. */
INFER_API int infer_executor_get_room (InferExecutor *executor);

/* Tasks posted to a strand run one at a time in the order of posting, each on
 * the executor it was posted with (nullable: at once, on the thread that posted
 * it or that ended the one before).  A task is over when `infer_strand_done`
 * was called for it, which may be later and elsewhere than its `run` returning.
 * `enter` waits for a turn on the calling thread; `done` ends it. */
typedef struct _InferStrand InferStrand;

INFER_API InferStrand *infer_strand_new (void);
INFER_API void infer_strand_free (InferStrand *strand); /* must be idle */
INFER_API void infer_strand_post (
    InferStrand *strand, InferExecutor *executor, InferTask *task);
INFER_API void infer_strand_enter (InferStrand *strand);
INFER_API void infer_strand_done (InferStrand *strand);

G_END_DECLS
