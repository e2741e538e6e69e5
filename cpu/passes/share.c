/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps that read the same value share what they compute of it (CpuOp.share).
 */

#include "cpu/passes/pass.h"

/* Whether @step reads what @earlier found. */
static gboolean
share_with (CpuPlanStep *step, const CpuPlanStep *earlier)
{
  return earlier != NULL && earlier->consumer == NULL
         && earlier->order < step->order && !earlier->s.lazy
         && earlier->guard == step->guard && earlier->s.cpu_op == step->s.cpu_op
         && step->s.cpu_op->share (&step->s, &earlier->s);
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    if (step->s.lazy || step->s.cpu_op->share == NULL)
      continue;
    const CpuPlanValue *value = cpu_plan_step_in (step, 0);
    for (guint i = 0; i < value->n_uses; i++)
      if (value->uses[i].slot == 0 && share_with (step, value->uses[i].step))
        break;
  }
  return TRUE;
}

const CpuPass cpu_pass_share = { .name = "share", .run = run };
