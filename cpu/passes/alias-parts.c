/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contiguous parts share memory with the whole: what a step cuts out of its
 * input lies there, and what a step joins is written to its place in the output
 * by whoever makes it.  A step with nothing left to copy goes. */

#include "cpu/passes/pass.h"

/* Larger memory is not kept alive for the sake of a part. */
#define MOST_BYTES ((gsize) 1 << 20)

static gboolean
holds_parts (const CpuPlanValue *whole)
{
  return whole != NULL && whole->v.known && !whole->v.constant
         && whole->root->v.bytes <= MOST_BYTES;
}

/* Whether @value is all of memory of the plan's own that can lie elsewhere. */
static gboolean
can_move (const CpuPlanValue *value, const CpuPlanValue *whole)
{
  const CpuPlanValue *root = value->root;

  return value->v.known && value->v.bytes > 0 && root->place == CPU_PLACE_ARENA
         && root->v.bytes == value->v.bytes && root != whole->root;
}

/* TRUE: all outputs of @step lie in its input. */
static gboolean
alias_outputs (const CpuPlanStep *step)
{
  CpuPlanValue *whole = cpu_plan_step_in (step, 0);
  guint n = 0;
  gsize at;

  if (!holds_parts (whole))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *part = cpu_plan_step_out (step, k);

    if (!can_move (part, whole)
        || !step->s.cpu_op->output_part (&step->s, k, &at))
      continue;
    cpu_plan_value_alias (part->root, whole, at);
    n++;
  }
  return n == step->s.n_out;
}

/* TRUE: all inputs of @step lie in its output. */
static gboolean
alias_inputs (const CpuPlanStep *step)
{
  CpuPlanValue *whole = cpu_plan_step_out (step, 0);
  guint n = 0;
  gsize at;

  if (!holds_parts (whole) || whole->root->place != CPU_PLACE_ARENA)
    return FALSE;
  for (guint i = 0; i < step->s.n_in; i++) {
    CpuPlanValue *part = cpu_plan_step_in (step, i);

    if (!can_move (part, whole)
        || !step->s.cpu_op->input_part (&step->s, i, &at))
      continue;
    cpu_plan_value_alias (part->root, whole, at);
    n++;
  }
  return n == step->s.n_in;
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  /* Steps would be missing in a dump. */
  if (cpu_scope_dump (plan->scope) != NULL)
    return TRUE;
  for (CpuPlanStep *step = plan->first, *next; step != NULL; step = next) {
    const CpuOp *op = step->s.cpu_op;

    next = step->next;
    if (step->s.lazy)
      continue;
    if ((op->output_part != NULL && alias_outputs (step))
        || (op->input_part != NULL && alias_inputs (step)))
      cpu_plan_remove_step (plan, step);
  }
  return TRUE;
}

const CpuPass cpu_pass_alias_parts = { .name = "alias-parts", .run = run };
