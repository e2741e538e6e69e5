/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions read u8 where all their inputs are on the grid of a
 * FakeQuantize, wherever these were moved since. */

#include "cpu/passes/pass.h"
#include "cpu/passes/quantise.h"

#include "cpu/conv/u8/u8.h"

static gboolean
same_grid (const CpuQuant *a, const CpuQuant *b)
{
  return a != NULL && b != NULL && a->top == b->top && a->step == b->step
         && a->out_low == b->out_low;
}

/* Of what is computed: FakeQuantize; of what is moved: as it was. */
static void
find_grid (CpuPlan *plan, CpuPlanStep *step)
{
  const guint n = cpu_quantise_n_moved (step->s.op);
  CpuQuant quant;

  if (step->s.n_out == 0 || step->s.n_in == 0
      || step->s.out[0]->desc.type != INFER_TYPE_F32)
    return;
  if (cpu_quantise_range (step, &quant)) {
    quant = cpu_quantise_grid (&quant);
    cpu_plan_step_out (step, 0)->grid = cpu_plan_add_quant (plan, &quant);
    return;
  }
  const CpuQuant *grid = n > 0 ? cpu_plan_step_in (step, 0)->grid : NULL;
  for (guint i = 0; i < n; i++)
    if (!same_grid (cpu_plan_step_in (step, i)->grid, grid))
      return;
  for (guint k = 0; n > 0 && k < step->s.n_out; k++)
    if (step->s.out[k]->desc.type == INFER_TYPE_F32)
      cpu_plan_step_out (step, k)->grid = grid;
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    if (step->node == NULL || step->s.lazy)
      continue;
    find_grid (plan, step);
    if (!cpu_quantise_is_convolution (step->s.op))
      continue;
    CpuPlanValue *in = cpu_plan_step_in (step, 0);
    if (in->grid != NULL && cpu_conv_u8_can (&step->s, in->grid))
      cpu_plan_set_input (step, 0, cpu_quantise_value (plan, in, step));
  }
  return TRUE;
}

const CpuPass cpu_pass_quantise_inputs = { .name = "quantise-inputs",
  .run = run };
