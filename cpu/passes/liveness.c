/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/liveness.h"

/* A step that sets where its output lies may let it lie where its input does:
 * that lives as long.  So from a gather of beams to the initial value. */
#define MOST_CHAINED 3

static void
touch (CpuPlanValue *value, guint at)
{
  for (guint depth = 0; value != NULL && depth < MOST_CHAINED; depth++) {
    CpuPlanValue *root = value->root;

    root->first = MIN (root->first, at);
    root->last = MAX (root->last, at);
    value = root->place == CPU_PLACE_RUN && root->maker != NULL
                    && root->maker->s.n_in > 0
                ? cpu_plan_step_in (root->maker, 0)
                : NULL;
  }
}

/* Inputs of step @at, and of the steps that it runs. */
static void
touch_read (const CpuPlanStep *step, guint at)
{
  for (guint slot = 0; slot < cpu_plan_step_n_slots (step); slot++)
    touch (cpu_plan_step_in (step, slot), at);
  for (guint k = 0; step->fused != NULL && k < step->fused->len; k++)
    touch_read (step->fused->pdata[k], at);
}

void
cpu_liveness_find (CpuPlan *plan)
{
  guint at = 0;

  for (guint i = 0; i < plan->values->len; i++) {
    CpuPlanValue *value = plan->values->pdata[i];

    value->first = G_MAXUINT;
    value->last = 0;
  }
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next, at++) {
    touch_read (step, at);
    for (guint k = 0; k < step->s.n_out; k++)
      touch (cpu_plan_step_out (step, k), at);
    /* Made when it runs, a view shares the memory of its input. */
    if (step->s.lazy && (step->s.cpu_op->flags & CPU_OP_VIEW) != 0)
      touch (cpu_plan_step_in (step, 0), plan->n_steps);
  }
  for (guint k = 0; k < plan->results->len; k++)
    touch (plan->results->pdata[k], plan->n_steps);
}
