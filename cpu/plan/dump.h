/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writing what steps read and write while a plan runs; only called where the
 * context has a dump. */

#pragma once

#include "cpu/graph/plan.h"

typedef struct _CpuDump CpuDump;

/* One run of @plan, beginning: its inputs.  NULL with @error. */
CpuDump *cpu_dump_begin (CpuPlan *plan, InferDumpRun *run, GError **error);
void cpu_dump_end (CpuDump *dump); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CpuDump, cpu_dump_end)

/* Before and after a step of the plan. */
gboolean cpu_dump_before (
    CpuDump *dump, const CpuPlanStep *step, GError **error);
gboolean cpu_dump_after (
    CpuDump *dump, const CpuPlanStep *step, GError **error);
/* After all of them: its results. */
gboolean cpu_dump_results (CpuDump *dump, GError **error);
