/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results are written where the caller wants them, and the output of a step
 * takes the memory of an input that nobody reads afterwards. */

#include "cpu/passes/liveness.h"
#include "cpu/passes/pass.h"

static void
place_results (const CpuPlan *plan)
{
  for (guint k = 0; k < plan->results->len; k++) {
    const CpuPlanValue *value = plan->results->pdata[k];
    CpuPlanValue *root = value->root;

    if (value->v.known && root->place == CPU_PLACE_ARENA
        && root->v.bytes == value->v.bytes) {
      root->place = CPU_PLACE_RESULT;
      root->index = k;
    }
  }
}

/* How often a step, and those that it runs, read the memory of @root. */
static guint
count_reads (const CpuPlanStep *step, const CpuPlanValue *root)
{
  guint n = 0;

  for (guint slot = 0; slot < cpu_plan_step_n_slots (step); slot++) {
    const CpuPlanValue *value = cpu_plan_step_in (step, slot);

    n += value != NULL && value->root == root;
  }
  for (guint k = 0; step->fused != NULL && k < step->fused->len; k++)
    n += count_reads (step->fused->pdata[k], root);
  return n;
}

/* Whose memory the output may take; nullable. */
static CpuPlanValue *
in_place_input (const CpuPlanStep *step)
{
  if (step->s.lazy || step->s.n_out != 1)
    return NULL;
  if (step->s.overwrites != NULL)
    return cpu_plan_value (step->s.overwrites);
  if ((step->s.cpu_op->flags & CPU_OP_INPLACE) == 0 || step->s.n_in == 0)
    return NULL;
  return cpu_plan_step_in (step, 0);
}

/* @out and all that share its memory share that of @base. */
static void
merge (CpuPlanValue *out, CpuPlanValue *base)
{
  /* The chain lives where its end must be. */
  base->last = out->last;
  base->place = out->place;
  base->index = out->index;
  for (CpuPlanValue *alias = out, *next; alias != NULL; alias = next) {
    next = alias->next_alias;
    alias->root = base;
    alias->place = base->place;
    alias->next_alias = base->next_alias;
    base->next_alias = alias;
  }
}

static void
try_in_place (const CpuPlanStep *step, guint at)
{
  CpuPlanValue *in = in_place_input (step), *out, *base;

  if (in == NULL)
    return;
  out = cpu_plan_step_out (step, 0);
  base = in->root;
  if (base->place != CPU_PLACE_ARENA || out->root != out
      || (out->place != CPU_PLACE_ARENA && out->place != CPU_PLACE_RESULT)
      || base->last != at || base->v.bytes != out->v.bytes
      || in->v.bytes != out->v.bytes || base->first == at
      || count_reads (step, base) != 1)
    return;
  merge (out, base);
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  guint at = 0;

  place_results (plan);
  cpu_liveness_find (plan);
  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    try_in_place (step, at++);
  return TRUE;
}

const CpuPass cpu_pass_reuse_inputs = { .name = "reuse-inputs", .run = run };
