/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/watch.h"

#include "inference/base/cancel.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#define TICK_MS 100

static gint cancelled;
static guint execution, seen;

/* An execution that two ticks fall into is cancelled. */
static void
tick (int number)
{
  const guint now = __atomic_load_n (&execution, __ATOMIC_RELAXED);

  if (now == seen)
    __atomic_store_n (&cancelled, 1, __ATOMIC_RELAXED);
  seen = now;
}

/* One timer for all executions, none of which makes a system call. */
static void
begin (void)
{
  const struct sigaction action = { .sa_handler = tick,
    .sa_flags = SA_RESTART };
  const char *text = g_getenv ("FUZZ_TICK_MS");
  const glong us = 1000 * (text != NULL ? atoi (text) : TICK_MS);
  const struct itimerval period = { { 0, us }, { 0, us } };

  sigaction (SIGPROF, &action, NULL);
  setitimer (ITIMER_PROF, &period, NULL);
  infer_cancel_enter (&cancelled);
}

void
fuzz_watch (void)
{
  if (execution == 0)
    begin ();
  __atomic_add_fetch (&execution, 1, __ATOMIC_RELAXED);
  __atomic_store_n (&cancelled, 0, __ATOMIC_RELAXED);
}

gboolean
fuzz_watch_ended (void)
{
  return infer_cancel_is_set (&cancelled);
}
