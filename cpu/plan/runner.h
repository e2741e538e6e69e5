/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph with its plans, one for each set of input shapes. */

#pragma once

#include "cpu/graph/plan.h"

CpuRunner *cpu_runner_new (CpuContext *context, const CpuGraph *graph);
/* The plan for @inputs, for a run of it; NULL: it cannot be made.
 * (transfer none) */
CpuPlan *cpu_runner_plan (
    CpuRunner *runner, const CpuInput *inputs, GError **error);
/* Whether there is a plan for @inputs. */
gboolean cpu_runner_has_plan (const CpuRunner *runner, const CpuInput *inputs);
/* A context's own, which shares the memory of activations with others; to be
 * ended after each run. */
CpuRunner *cpu_runner_new_main (CpuContext *context, const CpuGraph *graph);
void cpu_runner_end (CpuRunner *runner);
/* Gives the memory of activations back to the system until the next run, and
 * keeps the plans of few shapes. */
void cpu_runner_rest (CpuRunner *runner);
const CpuPlan *cpu_runner_last_plan (CpuRunner *runner);
