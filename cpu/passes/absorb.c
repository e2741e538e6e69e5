/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

/* The operand of @reader other than @from; FALSE where it has more than one, or
 * it is not computed yet. */
static gboolean
find_other (CpuPlan *plan, const InferOperation *reader, guint from,
    CpuPlanValue **other)
{
  *other = NULL;
  if (reader->n_inputs > 2 || reader->n_outputs != 1)
    return FALSE;
  if (reader->n_inputs == 1)
    return TRUE;
  *other = cpu_plan_port (plan, &reader->inputs[1 - from]);
  cpu_plan_make_floats (plan, *other);
  return *other != NULL && cpu_plan_unpack (plan, *other, NULL)
         && (*other)->known && (*other)->place != CPU_PLACE_RUN;
}

static gboolean
keeps_desc (const CpuPlanStep *step, const InferOperation *reader, guint from,
    CpuPlanValue *other)
{
  CpuValue *in[2] = { step->s.out[0], step->s.out[0] };
  CpuPlanStep probe = { 0 };
  InferDesc out;

  if (other != NULL)
    in[1 - from] = &other->v;
  probe.s.op = reader;
  probe.s.n_in = reader->n_inputs;
  probe.s.in = in;
  probe.s.n_out = 1;
  return cpu_plan_step_infer (&probe, FALSE, &out, NULL)
         && out.type == step->s.out[0]->desc.type
         && infer_shape_equal (&out.shape, &step->s.out[0]->desc.shape);
}

const CpuNode *
cpu_plan_absorb_readers (CpuPlan *plan, CpuPlanStep *step)
{
  const CpuNode *last = step->node;

  while (step->s.cpu_op->absorb != NULL && last->n_readers == 1
         && last->op->n_outputs == 1) {
    const InferOperation *reader = last->reader;
    const guint from = last->reader_input;
    const CpuNode *node = &plan->graph->nodes[reader->index];
    CpuPlanValue *other;
    CpuPost *post;

    if (node->cpu_op == NULL || node->guard != last->guard
        || !find_other (plan, reader, from, &other)
        || !keeps_desc (step, reader, from, other)
        || !step->s.cpu_op->absorb (
            &step->s, reader, from, other != NULL ? &other->v : NULL))
      return last;
    step->s.posts = g_renew (CpuPost, step->s.posts, step->s.n_posts + 1);
    post = &step->s.posts[step->s.n_posts++];
    *post = (CpuPost){ reader, from, other != NULL ? &other->v : NULL };
    plan->ports[reader->index][0] = (CpuPlanValue *) step->s.out[0];
    last = node;
  }
  return last;
}
