/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every step whose shapes are known chooses its kernels and packs its
 * constants. */

#include "cpu/passes/pass.h"

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (!step->s.lazy && !cpu_plan_step_prepare (step, error))
      return cpu_plan_step_failed (step, error);
  return TRUE;
}

const CpuPass cpu_pass_prepare = { .name = "prepare", .run = run };
