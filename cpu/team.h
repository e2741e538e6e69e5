/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A few threads that split one loop at a time.  Used by one thread at a time.
 */

#pragma once

#include "cpu/step.h"

G_BEGIN_DECLS

typedef struct _CpuTeam CpuTeam;

/* @threads counts the caller: threads - 1 are started. */
CpuTeam *cpu_team_new (guint threads);
void cpu_team_free (CpuTeam *team);

/* The thread that made it, whose processors its own have inherited. */
GThread *cpu_team_maker (const CpuTeam *team);

/* Splits [0, n) into @parts equal ranges, one for each thread. */
void cpu_team_run (
    CpuTeam *team, gsize n, guint parts, CpuRangeFunc func, gpointer data);

G_END_DECLS
