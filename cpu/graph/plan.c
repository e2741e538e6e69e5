/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/plan.h"

#include "cpu/base/caches.h"
#include "inference/base/tensor.h"

/* Between the orders of two steps that are added one after the other. */
#define SPACING (G_GUINT64_CONSTANT (1) << 32)

CpuPlan *
cpu_plan_new (CpuScope *scope, const CpuGraph *graph, const InferDesc *inputs)
{
  CpuPlan *plan = infer_new0 (CpuPlan, 1);

  plan->scope = scope;
  plan->graph = graph;
  plan->values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cpu_plan_value_free);
  plan->quants = g_ptr_array_new_with_free_func (g_free);
  plan->packs = g_ptr_array_new ();
  plan->inputs = g_ptr_array_new ();
  plan->results = g_ptr_array_new ();
  plan->assigns = g_ptr_array_new ();
  if (graph == NULL)
    return plan;
  plan->n_inputs = graph->graph->parameters->len;
  plan->key = g_memdup2 (inputs, plan->n_inputs * sizeof *inputs);
  g_ptr_array_set_size (plan->inputs, (gint) plan->n_inputs);
  plan->ports = infer_new0 (CpuPlanValue **, graph->n_nodes + 1);
  for (guint i = 0; i < graph->n_nodes; i++)
    plan->ports[i] =
        infer_new0 (CpuPlanValue *, graph->nodes[i].op->n_outputs + 1);
  return plan;
}

void
cpu_plan_free (CpuPlan *plan)
{
  if (plan == NULL)
    return;
  for (CpuPlanStep *step = plan->first, *next; step != NULL; step = next) {
    next = step->next;
    cpu_plan_step_free (step);
  }
  for (guint i = 0; plan->ports != NULL && i < plan->graph->n_nodes; i++)
    g_free (plan->ports[i]);
  g_free (plan->ports);
  g_ptr_array_unref (plan->values);
  g_ptr_array_unref (plan->quants);
  cpu_plan_free_packs (plan->scope, plan->packs);
  g_ptr_array_unref (plan->inputs);
  g_ptr_array_unref (plan->results);
  g_ptr_array_unref (plan->assigns);
  g_free (plan->key);
  g_free (plan);
}

CpuPlanValue *
cpu_plan_port (const CpuPlan *plan, const InferPort *port)
{
  return port->op != NULL ? plan->ports[port->op->index][port->index] : NULL;
}

CpuPlanValue *
cpu_plan_add_value (CpuPlan *plan, const InferDesc *desc)
{
  CpuPlanValue *value = cpu_plan_value_new (desc);

  g_ptr_array_add (plan->values, value);
  return value;
}

const CpuQuant *
cpu_plan_add_quant (CpuPlan *plan, const CpuQuant *quant)
{
  CpuQuant *copy = g_memdup2 (quant, sizeof *quant);

  g_ptr_array_add (plan->quants, copy);
  return copy;
}

/* --- the list of steps --- */

static void
renumber (CpuPlan *plan)
{
  guint64 order = 0;

  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    step->order = order += SPACING;
}

static void
link_step (CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *before)
{
  CpuPlanStep *prev = before != NULL ? before->prev : plan->last;
  const guint64 low = prev != NULL ? prev->order : 0;

  step->prev = prev;
  step->next = before;
  if (prev != NULL)
    prev->next = step;
  else
    plan->first = step;
  if (before != NULL)
    before->prev = step;
  else
    plan->last = step;
  plan->n_steps++;
  step->order =
      before != NULL ? low + (before->order - low) / 2 : low + SPACING;
  if (step->order == low)
    renumber (plan);
}

static void
unlink_step (CpuPlan *plan, CpuPlanStep *step)
{
  if (step->prev != NULL)
    step->prev->next = step->next;
  else
    plan->first = step->next;
  if (step->next != NULL)
    step->next->prev = step->prev;
  else
    plan->last = step->prev;
  plan->n_steps--;
}

CpuPlanStep *
cpu_plan_add_step (CpuPlan *plan, CpuPlanStep *before, const CpuNode *node,
    const CpuOp *cpu_op, guint n_in, guint n_out)
{
  CpuPlanStep *step =
      cpu_plan_step_new (plan->scope, node, cpu_op, n_in, n_out);

  step->s.plan = plan;
  step->s.far_weights =
      plan->graph != NULL
      && plan->graph->packed_bytes > cpu_caches ()->second / 2 * 3;
  step->id = ++plan->n_made;
  link_step (plan, step, before);
  return step;
}

void
cpu_plan_move_step (CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *before)
{
  unlink_step (plan, step);
  link_step (plan, step, before);
}

void
cpu_plan_remove_step (CpuPlan *plan, CpuPlanStep *step)
{
  for (guint slot = 0; slot < cpu_plan_step_n_slots (step); slot++)
    cpu_plan_set_input (step, slot, NULL);
  for (guint k = 0; k < step->s.n_out; k++)
    cpu_plan_set_output (step, k, NULL);
  unlink_step (plan, step);
  cpu_plan_step_free (step);
}

void
cpu_plan_fuse_step (CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *consumer)
{
  unlink_step (plan, step);
  step->consumer = consumer;
  if (consumer->fused == NULL)
    consumer->fused = g_ptr_array_new ();
  g_ptr_array_add (consumer->fused, step);
}

/* --- uses --- */

static void
add_use (CpuPlanValue *value, CpuPlanStep *step, guint slot)
{
  if (value == NULL)
    return;
  if (value->n_uses == value->max_uses) {
    value->max_uses = MAX (2 * value->max_uses, 2);
    value->uses = g_renew (CpuUse, value->uses, value->max_uses);
  }
  value->uses[value->n_uses++] = (CpuUse){ step, slot };
}

static void
remove_use (CpuPlanValue *value, const CpuPlanStep *step, guint slot)
{
  guint i = 0;

  if (value == NULL)
    return;
  while (value->uses[i].step != step || value->uses[i].slot != slot)
    i++;
  value->uses[i] = value->uses[--value->n_uses];
}

void
cpu_plan_set_input (CpuPlanStep *step, guint slot, CpuPlanValue *value)
{
  CpuValue **place = slot < step->s.n_in
                         ? &step->s.in[slot]
                         : &step->s.posts[slot - step->s.n_in].other;

  if (*place == (CpuValue *) value)
    return;
  remove_use (cpu_plan_value (*place), step, slot);
  *place = (CpuValue *) value;
  add_use (value, step, slot);
}

void
cpu_plan_set_output (CpuPlanStep *step, guint index, CpuPlanValue *value)
{
  CpuPlanValue *old = cpu_plan_step_out (step, index);

  if (old != NULL)
    old->maker = NULL;
  step->s.out[index] = (CpuValue *) value;
  if (value != NULL)
    value->maker = step;
}

void
cpu_plan_add_post (CpuPlanStep *step, const InferOperation *op, guint from,
    CpuPlanValue *other)
{
  const guint i = step->s.n_posts++;

  step->s.posts = g_renew (CpuPost, step->s.posts, step->s.n_posts);
  step->s.posts[i] = (CpuPost){ op, from, NULL };
  cpu_plan_set_input (step, step->s.n_in + i, other);
}

void
cpu_plan_add_result (CpuPlan *plan, CpuPlanValue *value)
{
  add_use (value, NULL, plan->results->len);
  g_ptr_array_add (plan->results, value);
}

void
cpu_plan_set_result (CpuPlan *plan, guint index, CpuPlanValue *value)
{
  /* Finding a use among many takes time. */
  if (plan->results->pdata[index] == value)
    return;
  remove_use (plan->results->pdata[index], NULL, index);
  plan->results->pdata[index] = value;
  add_use (value, NULL, index);
}

void
cpu_plan_replace (CpuPlan *plan, CpuPlanValue *old, CpuPlanValue *value)
{
  while (old->n_uses > 0) {
    const CpuUse use = old->uses[0];

    if (use.step != NULL)
      cpu_plan_set_input (use.step, use.slot, value);
    else
      cpu_plan_set_result (plan, use.slot, value);
  }
}

const CpuUse *
cpu_plan_only_use (const CpuPlanValue *value)
{
  return value->n_uses == 1 ? &value->uses[0] : NULL;
}

CpuPlanStep *
cpu_plan_first_reader (const CpuPlanValue *value)
{
  CpuPlanStep *first = NULL;

  for (guint i = 0; i < value->n_uses; i++) {
    CpuPlanStep *step = value->uses[i].step;

    if (step != NULL && (first == NULL || step->order < first->order))
      first = step;
  }
  return first;
}

gboolean
cpu_plan_is_before (const CpuPlanValue *value, const CpuPlanStep *step)
{
  return value->maker == NULL || value->maker->order < step->order;
}
