/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A few threads that split one loop at a time.  Used by one thread at a time.
 */

#pragma once

#include <glib.h>

typedef struct _CpuTeam CpuTeam;

/* Part [@begin, @end) of a loop; @thread: which of the team runs it. */
typedef void (*CpuRangeFunc) (
    gpointer data, gsize begin, gsize end, guint thread);

/* @threads counts the caller: threads - 1 are started, or fewer, with a
 * warning, where the system starts no more. */
CpuTeam *cpu_team_new (guint threads);
void cpu_team_free (CpuTeam *team);

/* The thread that made the team; its threads inherited the affinity. */
GThread *cpu_team_maker (const CpuTeam *team);

/* Splits [0, n) into equal ranges, @pieces for each of @parts threads, and
 * returns when all are done.  A thread that has finished its own steals
 * others': a descheduled thread delays the loop by one range at most. */
void cpu_team_run (CpuTeam *team, gsize n, guint parts, guint pieces,
    CpuRangeFunc func, gpointer data);
