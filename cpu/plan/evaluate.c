/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/evaluate.h"

#include "cpu/graph/plan.h"
#include "cpu/ops/op-table.h"
#include "cpu/passes/fold.h"
#include "inference/base/tensor.h"

gboolean
cpu_evaluate (CpuScope *scope, const InferOperation *op,
    InferTensor *const *inputs, InferTensor **outputs, GError **error)
{
  CpuPlan *plan = cpu_plan_new (scope, NULL, NULL);
  const CpuOp *cpu_op = cpu_op_find (op->klass);
  g_autofree InferDesc *out = infer_new0 (InferDesc, op->n_outputs + 1);

  if (cpu_op == NULL || op->n_bodies > 0) {
    cpu_plan_free (plan);
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "cannot be folded");
  }
  CpuPlanStep *step =
      cpu_plan_add_step (plan, NULL, NULL, cpu_op, op->n_inputs, op->n_outputs);
  step->s.op = op;
  for (guint i = 0; i < op->n_inputs; i++) {
    if (inputs[i] == NULL)
      continue;
    InferDesc desc = (InferDesc){ inputs[i]->type, inputs[i]->shape };
    CpuPlanValue *value = cpu_plan_add_value (plan, &desc);
    cpu_plan_value_make_constant (value, infer_tensor_ref (inputs[i]));
    cpu_plan_set_input (step, i, value);
  }
  gboolean ok = cpu_plan_step_infer (step, TRUE, out, error);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    cpu_plan_set_output (step, k, cpu_plan_add_value (plan, &out[k]));
  plan->team = cpu_scope_take_team (scope);
  ok = ok && cpu_step_run_now (step, error);
  cpu_scope_give_team (scope, plan->team);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    outputs[k] = g_steal_pointer (&cpu_plan_step_out (step, k)->tensor);
  cpu_plan_free (plan);
  return ok;
}
