/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes of a plan as text, for `infer-model info --passes`. */

#pragma once

#include "cpu/graph/plan.h"

typedef struct _CpuTrace CpuTrace;

/* @plan as it is now. */
CpuTrace *cpu_trace_new (const CpuPlan *plan);
void cpu_trace_free (CpuTrace *trace); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CpuTrace, cpu_trace_free)

/* Changes since the last call: a line with the number of steps and values
 * before and after pass @name, and one for each step: '+' added, '-' gone, '~'
 * other than before.  (transfer full) */
char *cpu_trace_changes (
    CpuTrace *trace, const CpuPlan *plan, const char *name);
