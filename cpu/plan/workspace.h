/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that the plans of one runner share: they run one at a time. */

#pragma once

#include "cpu/base/arenas.h"
#include "cpu/graph/plan.h"

struct _CpuWorkspace
{
  CpuArenas *arenas;  /* nullable: those that the memory is taken from … */
  gconstpointer last; /* … and what it was the last time */
  gsize most_arena, most_scratch; /* that plans have asked for */
  gboolean taken;                 /* memory is one of arenas */
  CpuArena memory;
  GPtrArray *own; /* (element-type InferTensor*) nullable: memory of values
                     whose size is known only when they are made */
};

/* Memory of at least the given sizes, until cpu_workspace_end(); what was there
 * is lost where it grows.  On failure there may be nothing. */
gboolean cpu_workspace_reserve (
    CpuWorkspace *workspace, gsize arena, gsize scratch, GError **error);
/* Values of @plan, which is built, that have memory of their own share it with
 * values of the plan that are alive at other times, and with those of the other
 * plans. */
void cpu_workspace_adopt (CpuWorkspace *workspace, CpuPlan *plan);
/* Memory is taken from @arenas from now on. */
void cpu_workspace_share (CpuWorkspace *workspace, CpuArenas *arenas);
/* After a run: memory that was taken from arenas is given back.  Nothing for
 * memory of its own. */
void cpu_workspace_end (CpuWorkspace *workspace);
/* Between runs: the system gets the pages of arena and scratch back. */
void cpu_workspace_rest (CpuWorkspace *workspace);
void cpu_workspace_clear (CpuWorkspace *workspace);
