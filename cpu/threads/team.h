/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A few threads that split one loop at a time.  Used by one thread at a time.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CpuTeam CpuTeam;

/* Part [@begin, @end) of a loop; @thread: which of the team runs it. */
typedef void (*CpuRangeFunc) (
    gpointer data, gsize begin, gsize end, guint thread);

/* @threads counts the caller: threads - 1 are started. */
CpuTeam *cpu_team_new (guint threads);
void cpu_team_free (CpuTeam *team);

/* The thread that made it, whose processors its own have inherited. */
GThread *cpu_team_maker (const CpuTeam *team);

/* Splits [0, n) into equal ranges, @pieces for each of @parts threads, and
 * returns when all are done.  Who has done its own takes others': a thread that
 * the machine does not let run keeps nobody waiting but for the range that it
 * is at. */
void cpu_team_run (CpuTeam *team, gsize n, guint parts, guint pieces,
    CpuRangeFunc func, gpointer data);

G_END_DECLS
