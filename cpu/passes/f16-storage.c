/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Floats between two steps are stored as f16 or bf16 where precision allows it,
 * the one can write and all others can read them. */

#include "cpu/base/f16-gemm.h"
#include "cpu/passes/pass.h"

static gboolean
can_read (const CpuUse *use, const CpuPlanValue *value)
{
  const CpuPlanStep *step = use->step;

  if (step == NULL
      || (use->slot != 0
          && !(
              cpu_bf16_is_stored (step->s.scope) && use->slot >= step->s.n_in)))
    return FALSE;
  while (step->consumer != NULL)
    step = step->consumer;
  return !step->s.lazy && step->s.cpu_op->reads_f16 != NULL
         && step->s.cpu_op->reads_f16 (&step->s, &value->v);
}

static gboolean
can_be_f16 (const CpuPlanStep *maker, const CpuPlanValue *value)
{
  if (value->v.desc.type != INFER_TYPE_F32 || value->root != value
      || value->next_alias != NULL || value->place != CPU_PLACE_ARENA
      || value->v.form.quant != NULL || value->n_uses == 0
      || !maker->s.cpu_op->gives_f16 (&maker->s))
    return FALSE;
  for (guint i = 0; i < value->n_uses; i++)
    if (!can_read (&value->uses[i], value))
      return FALSE;
  return TRUE;
}

static gboolean
reads_f16 (const CpuPlanStep *step)
{
  if (step->s.n_in > 0 && step->s.in[0] != NULL
      && step->s.in[0]->form.f16 != NULL)
    return TRUE;
  for (guint i = 0; i < step->s.n_posts; i++)
    if (step->s.posts[i].other != NULL
        && step->s.posts[i].other->form.f16 != NULL)
      return TRUE;
  for (guint k = 0; step->fused != NULL && k < step->fused->len; k++)
    if (reads_f16 (step->fused->pdata[k]))
      return TRUE;
  return FALSE;
}

static gboolean
choose (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  CpuPlanValue *value = cpu_plan_step_out (step, 0);

  if (can_be_f16 (step, value)) {
    value->f16 =
        (CpuF16Scale){ .bf16 = cpu_bf16_is_stored (plan->scope), .back = 1 };
    value->v.form.f16 = &value->f16;
    value->v.bytes /= 2;
  }
  if (value->v.form.f16 == NULL && !reads_f16 (step))
    return TRUE;
  if (!step->s.cpu_op->use_f16 (&step->s))
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory to pack the weights");
  plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
  return TRUE;
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  if (cpu_scope_precision (plan->scope) == INFER_PRECISION_F32
      || !((cpu_scope_isa (plan->scope) & CPU_ISA_FP16)
           || cpu_bf16_is_stored (plan->scope))
      || cpu_scope_dump (plan->scope) != NULL)
    return TRUE;
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (!step->s.lazy && step->s.n_out == 1 && step->s.cpu_op->gives_f16 != NULL
        && !choose (plan, step, error))
      return cpu_plan_step_failed (step, error);
  return TRUE;
}

const CpuPass cpu_pass_f16_storage = { .name = "f16-storage", .run = run };
