/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An asynchronous request of one number, and what its callback has seen. */

#pragma once

#include "infer/request.h"

G_BEGIN_DECLS

typedef struct
{
  InferAsyncRequest *async;
  gint calls;
  GError *error; /* of the last call */
  GThread *thread;
  guint restarts; /* how often the callback starts it again */
  GArray *order;  /* of callbacks; nullable */
  guint number;
} AsyncRun;

void async_run_init (
    AsyncRun *run, InferExecutable *executable, InferExecutor *callbacks);
void async_run_clear (AsyncRun *run);
void async_run_set (AsyncRun *run, float value);
float async_run_get (AsyncRun *run);
void async_run_start (AsyncRun *run, InferStartFlags flags);
/* Waits, and it must have succeeded. */
void async_run_finish (AsyncRun *run);

G_END_DECLS
