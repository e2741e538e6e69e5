/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An asynchronous request of one number, and a record of its callbacks. */

#pragma once

#include "infer/request.h"

typedef struct
{
  InferAsyncRequest *async;
  gint calls;
  GError *error; /* of the last callback */
  GThread *thread;
  guint restarts; /* number of restarts from inside the callback */
  GArray *order;  /* numbers in the order of callbacks; nullable */
  guint number;
} AsyncRun;

void async_run_init (
    AsyncRun *run, InferExecutable *executable, InferExecutor *callbacks);
void async_run_clear (AsyncRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsyncRun, async_run_clear)
void async_run_bind (AsyncRun *run, InferStateSet *states);
void async_run_set (AsyncRun *run, float value);
float async_run_get (AsyncRun *run);
void async_run_start (AsyncRun *run, InferStartFlags flags);
/* Waits for the run, which must succeed. */
void async_run_finish (AsyncRun *run);
