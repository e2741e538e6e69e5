/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results are written where the caller wants them, next values of variables
 * where the variables will have them, and the output of a step takes the memory
 * of an input that nobody reads afterwards. */

#include "cpu/passes/liveness.h"
#include "cpu/passes/pass.h"

#include "inference/graph/ops/state.h"

#include <string.h>

/* Gives @value memory @index of @place instead of the arena's.  FALSE: it has
 * other memory already, or only a part of it. */
static gboolean
move_value (const CpuPlanValue *value, CpuPlace place, guint index)
{
  CpuPlanValue *root = value->root;

  if (!value->v.known || root->place != CPU_PLACE_ARENA
      || root->v.bytes != value->v.bytes)
    return FALSE;
  root->place = place;
  root->index = index;
  return TRUE;
}

static void
place_results (const CpuPlan *plan)
{
  for (guint k = 0; k < plan->results->len; k++)
    move_value (plan->results->pdata[k], CPU_PLACE_RESULT, k);
}

/* Nothing but @assign writes the next value of its variable: no other Assign,
 * nor a ReadValue that computes the first value. */
static gboolean
writes_alone (const CpuPlan *plan, const CpuPlanStep *assign)
{
  const char *id = infer_op_variable_id (assign->s.op);

  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    const InferOperation *op = step->s.op;
    const gboolean reads = op != NULL && infer_op_is (op, &infer_op_read_value);

    if (step == assign || op == NULL
        || (!reads && !infer_op_is (op, &infer_op_assign))
        || strcmp (infer_op_variable_id (op), id) != 0)
      continue;
    if (!reads || (step->s.n_in > 0 && !step->s.in[0]->constant))
      return FALSE;
  }
  return TRUE;
}

static void
place_state (CpuPlan *plan, CpuPlanStep *assign)
{
  const CpuPlanValue *value = cpu_plan_step_in (assign, 0);
  const guint variable = (guint) infer_model_find_variable (
      plan->graph->model, infer_op_variable_id (assign->s.op));

  if (assign->guard == NULL && !assign->s.lazy && value->v.bytes > 0
      && writes_alone (plan, assign)
      && move_value (value, CPU_PLACE_STATE, variable))
    g_ptr_array_add (plan->assigns, assign);
}

/* Bodies run several times, and may assign what the graph around them does. */
static gboolean
has_bodies (const CpuPlan *plan)
{
  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (step->s.op != NULL && step->s.op->n_bodies > 0)
      return TRUE;
  return FALSE;
}

static void
place_states (CpuPlan *plan)
{
  if (plan->graph == NULL
      || plan->graph->graph != infer_model_get_graph (plan->graph->model)
      || has_bodies (plan))
    return;
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (step->s.op != NULL && infer_op_is (step->s.op, &infer_op_assign))
      place_state (plan, step);
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
  cpu_plan_value_alias (out, base, 0);
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
      || (out->place != CPU_PLACE_ARENA && out->place != CPU_PLACE_RESULT
          && out->place != CPU_PLACE_STATE)
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
  place_states (plan);
  cpu_liveness_find (plan);
  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    try_in_place (step, at++);
  return TRUE;
}

const CpuPass cpu_pass_reuse_inputs = { .name = "reuse-inputs", .run = run };
