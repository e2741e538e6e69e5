/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/graph/plan.h"

/* @outputs: tensors that the results are written to, reshaped as needed. */
gboolean cpu_plan_run (CpuPlan *plan, const CpuInput *inputs,
    InferTensor **outputs, GError **error);

/* The same in pieces: binds memory; runs steps one by one; then runs those from
 * @from (nullable: none) to the last and finishes the results. */
gboolean cpu_plan_begin (CpuPlan *plan, const CpuInput *inputs,
    InferTensor **outputs, GError **error);
gboolean cpu_plan_run_step (CpuPlan *plan, CpuPlanStep *step, GError **error);
gboolean cpu_plan_end (
    CpuPlan *plan, CpuPlanStep *from, InferTensor **outputs, GError **error);
/* Whether this run needs @step, which has a guard. */
gboolean cpu_plan_wants_step (const CpuPlan *plan, const CpuPlanStep *step);
