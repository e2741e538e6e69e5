/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls of the system that fail, by preload.c; and each of them in turn. */

#pragma once

#include <glib.h>

typedef enum
{
  FAIL_MEMORY, /* malloc, calloc, realloc, memalign and the like */
  FAIL_MAPPING,
  FAIL_THREAD, /* pthread_create: EAGAIN */
  FAIL_WRITE,  /* write to a regular file: ENOSPC */
  N_FAILURES,
} Failure;

typedef struct
{
  Failure kind;
  guint at;       /* which call fails, from 1; 0: none */
  gboolean after; /* and all after it */
  gsize least;    /* FAIL_MEMORY: smaller ones do not count */
  gboolean later; /* counts from failures_start() on */
} FailurePlan;

/* --- preload.c, found by dlsym --- */

void failures_preloaded_begin (const FailurePlan *plan);
/* How many calls of the kind there were since. */
guint failures_preloaded_end (void);
/* Every 50 calls clock_gettime of the wall clock jumps by up to these
 * nanoseconds, forth and back; 0: never.  The monotonic clock does not jump:
 * the kernel promises that. */
void failures_preloaded_jump (gint64 ns);

/* --- failures.c --- */

gboolean failures_are_there (void);
void failures_start (void);
void failures_jump (gint64 ns);

/* In every process before calls are counted: what is made once.  Nullable. */
extern void (*failures_prepare) (void);

/* NULL: it went well; else what the error says.  (transfer full) */
typedef char *(*FailuresFunc) (gpointer data);

/* Runs @func in processes of its own: without a failure, which must go well,
 * and with each of the calls failing (at most about @most of them).  A process
 * may succeed or end with an error that says something; with a signal, or after
 * more than ten seconds, the test fails.  Returns how many ended with an
 * error. */
guint failures_run (const char *name, const FailurePlan *plan, guint most,
    FailuresFunc func, gpointer data);
