/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/op-table.h"
#include "cpu/plan/plan.h"

#include <string.h>

/* Folding a constant expression while planning must not blow it up. */
#define MAX_FOLDED_BYTES (64u << 20)

gboolean
cpu_plan_can_fold (const CpuPlanStep *step)
{
  const InferOpClass *klass = step->s.op->klass;
  gsize bytes = 0;

  if ((klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
      || step->s.op->n_bodies > 0 || step->s.n_out == 0)
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    bytes += ((const CpuPlanValue *) step->s.out[k])->bytes;
  if (bytes > MAX_FOLDED_BYTES)
    return FALSE;
  if ((klass->flags & INFER_OP_SHAPE_ONLY) != 0)
    return ((const CpuPlanValue *) step->s.in[0])->known;
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && !step->s.in[i]->constant)
      return FALSE;
  return TRUE;
}

/* Runs a step on the spot; its outputs get memory of their own. */
static gboolean
run_now (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  g_autofree gpointer scratch_memory = NULL;
  gboolean ok;

  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    if (value->known
        && !cpu_step_alloc_output (&step->s, k, &value->v.desc.shape, error))
      return FALSE;
  }
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    const CpuPlanValue *in = (const CpuPlanValue *) step->s.in[0];

    if (in->bytes > 0)
      memcpy (step->s.out[0]->data, in->v.data, in->bytes);
    return TRUE;
  }
  if (!cpu_plan_step_prepare (plan, step, error))
    return FALSE;
  if (step->s.scratch_size > 0) {
    scratch_memory = g_try_malloc (step->s.scratch_size + 64);
    if (scratch_memory == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "%" G_GSIZE_FORMAT " bytes of working memory", step->s.scratch_size);
    step->s.scratch = (gpointer) (((gsize) scratch_memory + 63) & ~(gsize) 63);
  }
  ok = step->s.cpu_op->run (&step->s, error);
  step->s.scratch = NULL;
  return ok;
}

gboolean
cpu_plan_fold (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (!cpu_step_want_data (&step->s, i, error))
      return FALSE;
  if (!run_now (plan, step, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    cpu_plan_make_constant (value, g_steal_pointer (&value->tensor));
  }
  return TRUE;
}

gboolean
cpu_evaluate (CpuScope *scope, const InferOperation *op,
    InferTensor *const *inputs, InferTensor **outputs, GError **error)
{
  CpuPlan *plan = cpu_plan_alloc (scope);
  const CpuOp *cpu_op = cpu_op_find (op->klass);
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);
  CpuPlanStep *step;
  gboolean ok;

  if (cpu_op == NULL || op->n_bodies > 0) {
    cpu_plan_free (plan);
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "cannot be folded");
  }
  step = cpu_plan_add_step (plan, NULL, cpu_op, op->n_inputs, op->n_outputs);
  step->s.op = op;
  for (guint i = 0; i < op->n_inputs; i++) {
    InferDesc desc;
    CpuPlanValue *value;

    if (inputs[i] == NULL)
      continue;
    desc = (InferDesc){ inputs[i]->type, inputs[i]->shape };
    value = cpu_plan_add_value (plan, &desc);
    cpu_plan_make_constant (value, infer_tensor_ref (inputs[i]));
    step->s.in[i] = &value->v;
  }
  ok = cpu_plan_step_infer (step, TRUE, out, error);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    step->s.out[k] = &cpu_plan_add_value (plan, &out[k])->v;
  plan->team = cpu_scope_take_team (scope);
  ok = ok && run_now (plan, step, error);
  cpu_scope_give_team (scope, plan->team);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    outputs[k] = g_steal_pointer (&((CpuPlanValue *) step->s.out[k])->tensor);
  cpu_plan_free (plan);
  return ok;
}
