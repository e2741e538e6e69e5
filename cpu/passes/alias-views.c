/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values that are another one's bytes share its memory: no step makes them. */

#include "cpu/passes/pass.h"

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first, *next; step != NULL; step = next) {
    next = step->next;
    if (step->s.lazy || !step->view)
      continue;
    cpu_plan_value_alias (
        cpu_plan_step_out (step, 0), cpu_plan_step_in (step, 0), 0);
    cpu_plan_remove_step (plan, step);
  }
  return TRUE;
}

const CpuPass cpu_pass_alias_views = { .name = "alias-views", .run = run };
