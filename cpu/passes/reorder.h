/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A value in the other layout, and the step that converts it. */

#pragma once

#include "cpu/graph/plan.h"

/* @value in @layout before @before (NULL: the end): itself, or another value
 * that a reorder step makes of it.  NULL with @error where memory is short. */
CpuPlanValue *cpu_plan_in_layout (CpuPlan *plan, CpuPlanValue *value,
    CpuLayout layout, CpuPlanStep *before, GError **error);

/* Both layouts are the same bytes. */
gboolean cpu_layouts_coincide (const InferShape *shape);
