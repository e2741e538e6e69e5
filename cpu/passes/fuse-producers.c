/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps that compute an operand for one other step alone are run by that one,
 * piece by piece as it needs them (CpuOp.fuse_producer). */

#include "cpu/passes/pass.h"

/* The step that makes @value for one reader alone; NULL: not so. */
static CpuPlanStep *
only_maker (const CpuPlanValue *value)
{
  if (value == NULL || value->n_uses != 1 || value->root != value
      || value->next_alias != NULL || value->place != CPU_PLACE_ARENA)
    return NULL;
  return value->maker;
}

static void
try_fuse (CpuPlan *plan, CpuPlanStep *step, guint slot)
{
  CpuPlanStep *producer = only_maker (cpu_plan_step_in (step, slot));

  if (producer == NULL || producer->s.lazy || producer->s.n_out != 1
      || producer->guard != step->guard
      || !step->s.cpu_op->fuse_producer (&step->s, &producer->s, slot))
    return;
  cpu_plan_fuse_step (plan, producer, step);
  /* Nobody asks for its memory. */
  cpu_plan_step_out (producer, 0)->place = CPU_PLACE_OWN;
  plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  /* Values in between would be missing in a dump. */
  if (cpu_scope_dump (plan->scope) != NULL)
    return TRUE;
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    for (guint slot = 0; !step->s.lazy && step->s.cpu_op->fuse_producer != NULL
                         && slot < cpu_plan_step_n_slots (step);
         slot++)
      try_fuse (plan, step, slot);
  return TRUE;
}

const CpuPass cpu_pass_fuse_producers = { .name = "fuse-producers",
  .run = run };
