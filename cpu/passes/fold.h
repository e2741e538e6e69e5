/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps that are computed while the plan is built. */

#pragma once

#include "cpu/graph/step.h"

/* Whether the outputs of @step, of whole shapes, follow from constants. */
gboolean cpu_step_can_fold (const CpuPlanStep *step);
/* Makes them constants, which leaves the step without use. */
gboolean cpu_step_fold (CpuPlanStep *step, GError **error);

/* Gives a step without work (cpu_plan_step_is_idle) empty constants as outputs.
 */
gboolean cpu_step_fold_idle (CpuPlanStep *step, GError **error);

/* Runs @step on the spot; its outputs get memory of their own. */
gboolean cpu_step_run_now (CpuPlanStep *step, GError **error);
