/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Work in several processes, so that a crash or a hang ends only one of them
 * and the parent knows which piece of work it was.  The parent must not have
 * threads, nor have called gst_init(). */

#pragma once

#include <glib.h>

/* Written by a process, read by the parent, also after a crash. */
typedef struct
{
  GPid pid;   /* 0: it has ended */
  guint32 at; /* what it works on */
  guint64 streams, events;
  char wrong[8192]; /* "": nothing */
} WorkerNote;

/* Work of process @index of @n. FALSE: failed, described in @note->wrong. */
typedef gboolean (*WorkerFunc) (
    guint index, guint n, WorkerNote *note, gpointer data);

/* Call it where a piece of work begins: it may take @seconds. */
void worker_patience (guint seconds);

/* Runs @func in @n processes at once; the first that fails ends the others.
 * NULL: all is well; else what the failing one noted (transfer full).  @total
 * gets the sums of `streams` and `events`.  @quiet: without their stderr. */
WorkerNote *workers_run (
    guint n, gboolean quiet, WorkerFunc func, gpointer data, WorkerNote *total);
