/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph with its plans, one for each set of input shapes. */

#pragma once

#include "cpu/graph/plan.h"

G_BEGIN_DECLS

CpuRunner *cpu_runner_new (CpuContext *context, const CpuGraph *graph);
/* Memory for plans: at least the given sizes.  Plans of one runner run one at a
 * time and share it. */
gboolean cpu_runner_reserve (
    CpuRunner *runner, gsize arena, gsize scratch, GError **error);
gpointer cpu_runner_arena (CpuRunner *runner);
gpointer cpu_runner_scratch (CpuRunner *runner);
const CpuPlan *cpu_runner_last_plan (CpuRunner *runner);

G_END_DECLS
