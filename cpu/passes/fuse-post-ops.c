/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that follow a step are done by it, on what it would have written
 * (CpuOp.absorb), as long as nobody else reads that. */

#include "cpu/passes/pass.h"

#include "cpu/graph/constants.h"

/* The operand of @reader other than @from, if it has one, is there when @step
 * runs.  Weights that @reader packs are left as the file stores them. */
static gboolean
find_other (CpuPlan *plan, const CpuPlanStep *reader, guint from,
    const CpuPlanStep *step, CpuPlanValue **other)
{
  *other = NULL;
  if (reader->s.n_in == 1)
    return TRUE;
  *other = cpu_plan_step_in (reader, 1 - from);
  return *other != NULL && (*other)->v.known && (*other)->place != CPU_PLACE_RUN
         && cpu_plan_is_before (*other, step)
         && !cpu_unpack_is_for (reader->s.op, 1 - from)
         && cpu_plan_unpack (plan, *other, NULL);
}

static gboolean
can_fuse (const CpuPlanStep *step, const CpuPlanStep *reader)
{
  const CpuValue *out = step->s.out[0];

  return reader != NULL && reader->node != NULL && !reader->s.lazy
         && reader->guard == step->guard && reader->s.n_in <= 2
         && reader->s.n_out == 1
         && reader->s.out[0]->desc.type == out->desc.type
         && infer_shape_equal (cpu_out_shape (&reader->s, 0), &out->desc.shape);
}

/* TRUE: @step now does what its only reader did. */
static gboolean
fuse_reader (CpuPlan *plan, CpuPlanStep *step)
{
  CpuPlanValue *out = cpu_plan_step_out (step, 0), *last, *other;
  const CpuUse *use = cpu_plan_only_use (out);
  CpuPlanStep *reader = use != NULL ? use->step : NULL;
  const guint from = use != NULL ? use->slot : 0;

  if (!can_fuse (step, reader) || !find_other (plan, reader, from, step, &other)
      || !step->s.cpu_op->absorb (
          &step->s, reader->s.op, from, (const CpuValue *) other))
    return FALSE;
  const InferOperation *op = reader->s.op;
  last = cpu_plan_step_out (reader, 0);
  cpu_plan_remove_step (plan, reader);
  cpu_plan_add_post (step, op, from, other);
  cpu_plan_replace (plan, last, out);
  out->grid = last->grid;
  plan->ports[op->index][0] = out;
  return TRUE;
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (step->node != NULL && !step->s.lazy && step->s.n_out == 1
        && step->s.cpu_op->absorb != NULL)
      while (fuse_reader (plan, step)) {
      }
  return TRUE;
}

const CpuPass cpu_pass_fuse_post_ops = { .name = "fuse-post-ops", .run = run };
