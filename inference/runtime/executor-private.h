/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "infer/executor.h"

/* Adds threads up to @threads.  Returns how many there are: fewer, with a
 * warning, where no more can be started. */
guint infer_executor_grow_pool (
    InferExecutor *pool, const char *name, guint threads);

/* A pool whose threads, also later ones, are each bound to @processors of those
 * allowed to the process, in turn.  Threads started by its tasks inherit that.
 * NULL: no thread can be started. */
InferExecutor *infer_executor_new_pinned_pool (
    const char *name, guint threads, guint processors);

/* Before the tasks that wait, but for every eighth: what a task needs that has
 * just ended is in the caches, and whoever takes its result is not woken for
 * each of several. */
void infer_executor_submit_ahead (InferExecutor *executor, InferTask *task);

/* Guests: from here to `leave` the calling thread counts as one of @executor's
 * and may run its tasks, without waking another.  FALSE if all its threads are
 * busy.  Does not wait. */
gboolean infer_executor_try_enter (InferExecutor *executor);
void infer_executor_leave (InferExecutor *executor);
/* Number of guests that could enter now; < 0: never any, since it is not a
 * pool, or pinned. */
int infer_executor_get_room (InferExecutor *executor);
/* Tasks that wait, without @own, divided by threads; 0: it is not a pool. */
guint infer_executor_get_backlog (InferExecutor *executor, guint own);
