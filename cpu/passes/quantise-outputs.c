/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FakeQuantize gives u8 where a convolution may read that, and becomes part of
 * the convolution or sum of u8 values in front of it; what only moves elements
 * moves u8. */

#include "cpu/passes/pass.h"
#include "cpu/passes/quantise.h"

#include "inference/graph/ops/elementwise.h"

/* The FakeQuantize that alone reads what @step gives; NULL: there is none. */
static CpuPlanStep *
find_quantiser (const CpuPlanStep *step, CpuQuant *quant)
{
  const CpuUse *use = cpu_plan_only_use (cpu_plan_step_out (step, 0));

  if (use == NULL || use->step == NULL || use->slot != 0 || use->step->s.lazy
      || use->step->guard != step->guard
      || !cpu_quantise_range (use->step, quant))
    return NULL;
  return use->step;
}

static void
fuse_quantiser (CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *quantiser,
    const CpuQuant *quant)
{
  CpuPlanValue *floats = cpu_plan_step_out (quantiser, 0);

  step->s.quantizer = quantiser->s.op;
  cpu_plan_remove_step (plan, quantiser);
  cpu_quantise_output (plan, step, floats, quant);
}

static void
set_quantised_input (CpuPlan *plan, CpuPlanStep *step, guint i)
{
  CpuPlanValue *floats = cpu_plan_step_in (step, i);

  cpu_plan_set_input (step, i, cpu_quantise_value (plan, floats, step));
  if (floats->n_uses == 0 && floats->maker != NULL
      && floats->maker->node == NULL)
    cpu_plan_remove_step (plan, floats->maker);
}

static void
fuse_sum (CpuPlan *plan, CpuPlanStep *step)
{
  CpuQuant quant;

  if (!infer_op_is (step->s.op, &infer_op_add) || step->s.n_posts > 0)
    return;
  CpuPlanStep *quantiser = find_quantiser (step, &quant);
  if (quantiser == NULL)
    return;
  for (guint i = 0; i < 2; i++)
    if (!cpu_quantise_has_value (cpu_plan_step_in (step, i))
        || !infer_shape_equal (
            cpu_in_shape (&step->s, i), cpu_out_shape (&step->s, 0)))
      return;
  step->s.cpu_op = &cpu_quantise_add_op;
  step->s.kernel = "u8";
  for (guint i = 0; i < 2; i++)
    set_quantised_input (plan, step, i);
  fuse_quantiser (plan, step, quantiser, &quant);
}

static void
fuse_convolution (CpuPlan *plan, CpuPlanStep *step)
{
  CpuQuant quant;

  if (!cpu_quantise_is_convolution (step->s.op)
      || step->s.in[0]->form.quant == NULL)
    return;
  CpuPlanStep *quantiser = find_quantiser (step, &quant);
  if (quantiser != NULL)
    fuse_quantiser (plan, step, quantiser, &quant);
}

/* As a convolution may read it. */
static gboolean
feeds_convolution (const CpuPlanStep *step)
{
  return cpu_isa_has_int8 (step->s.isa) && step->node->feeds_convolution;
}

static void
quantise (CpuPlan *plan, CpuPlanStep *step)
{
  CpuQuant quant;

  if (!feeds_convolution (step) || !cpu_quantise_range (step, &quant))
    return;
  CpuPlanValue *out = cpu_plan_step_out (step, 0);
  if (step->s.in[0]->n == 0 || step->s.in[0]->desc.type != INFER_TYPE_F32
      || !infer_shape_equal (cpu_in_shape (&step->s, 0), &out->v.desc.shape))
    return;
  step->s.cpu_op = &cpu_quantise_op;
  step->s.kernel = "u8";
  cpu_quantise_output (plan, step, out, &quant);
}

static void
move (CpuPlan *plan, CpuPlanStep *step)
{
  const guint n = cpu_graph_moves_bytes (step->s.op);

  if (n == 0 || !feeds_convolution (step) || step->s.n_posts > 0)
    return;
  CpuPlanValue *out = cpu_plan_step_out (step, 0);
  if (out->grid == NULL)
    return;
  for (guint i = 0; i < n; i++)
    set_quantised_input (plan, step, i);
  cpu_quantise_output (plan, step, out, out->grid);
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    if (step->node == NULL || step->s.lazy)
      continue;
    fuse_sum (plan, step);
    fuse_convolution (plan, step);
    quantise (plan, step);
    move (plan, step);
  }
  return TRUE;
}

const CpuPass cpu_pass_quantise_outputs = { .name = "quantise-outputs",
  .run = run };
