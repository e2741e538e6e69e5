/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations become steps, their outputs values; types and shapes are inferred,
 * which needs the values of constants: what follows from constants alone is
 * computed here.  Steps whose shapes depend on data become lazy. */

#include "cpu/passes/fold.h"
#include "cpu/passes/pass.h"

#include "cpu/graph/constants.h"
#include "inference/base/tensor.h"
#include "inference/graph/ops/state.h"

static void
lower_builtin (CpuPlan *plan, const CpuNode *node)
{
  const InferOperation *op = node->op;
  CpuPlanValue *value;

  if (op->value != NULL) {
    InferDesc desc = { node->value->type, node->value->shape };

    value = cpu_plan_add_value (plan, &desc);
    cpu_plan_value_make_constant (value, infer_tensor_ref (node->value));
    plan->ports[op->index][0] = value;
    return;
  }
  for (guint i = 0; i < plan->n_inputs; i++)
    if (plan->graph->graph->parameters->pdata[i] == op) {
      value = cpu_plan_add_value (plan, &plan->key[i]);
      value->place = CPU_PLACE_INPUT;
      value->index = i;
      plan->inputs->pdata[i] = value;
      plan->ports[op->index][0] = value;
    }
}

/* The floats are made when a step needs them; for dumps, at once. */
static gboolean
lower_weights (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const InferDesc desc = { INFER_TYPE_F32, node->unpack->stored.shape };
  CpuPlanValue *value = cpu_plan_add_value (plan, &desc);

  value->place = CPU_PLACE_CONSTANT;
  value->v.constant = TRUE;
  value->v.unpack = node->unpack;
  plan->ports[node->op->index][0] = value;
  return cpu_scope_dump (plan->scope) == NULL
         || cpu_plan_unpack (plan, value, error);
}

static gboolean
inputs_known (const CpuPlanStep *step)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && !step->s.in[i]->known)
      return FALSE;
  return TRUE;
}

static gboolean
outputs_known (const CpuPlanStep *step)
{
  for (guint k = 0; k < step->s.n_out; k++)
    if (!step->s.out[k]->known)
      return FALSE;
  return TRUE;
}

/* Whether all values that shapes depend on have been checked. */
static gboolean
values_known (const CpuPlanStep *step)
{
  const guint32 inputs = step->s.op->klass->value_inputs;

  for (guint i = 0; i < MIN (step->s.n_in, 32); i++)
    if ((inputs >> i & 1) != 0 && step->s.in[i] != NULL
        && !step->s.in[i]->constant)
      return (step->s.cpu_op->flags & CPU_OP_CHECKS_VALUES) != 0;
  return TRUE;
}

/* Its shapes are resolved when it runs. */
static void
make_lazy (CpuPlanStep *step)
{
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = cpu_plan_step_out (step, k);

    if (value->place == CPU_PLACE_ARENA)
      value->place = CPU_PLACE_OWN;
    value->v.known = FALSE;
  }
  step->s.lazy = TRUE;
  step->seen = infer_new0 (InferDesc, step->s.n_in + 1);
  step->seen_values = g_byte_array_new ();
  step->seen_blocks = infer_new0 (gsize, step->s.n_in + 1);
}

/* Else an earlier run may have given the variable another shape. */
static gboolean
variable_is_static (const CpuPlan *plan, const InferOperation *op)
{
  const InferModel *model = plan->graph->model;
  int index = infer_model_find_variable (model, infer_op_variable_id (op));
  const InferDesc *desc = &infer_model_variable (model, (guint) index)->desc;

  return desc->type != INFER_TYPE_DYNAMIC
         && infer_shape_is_static (&desc->shape);
}

/* Outputs whose step says where they lie, when it runs. */
static void
place_run_values (const CpuPlan *plan, CpuPlanStep *step)
{
  const CpuNode *node = step->node;
  CpuPlanValue *value = plan->ports[node->op->index][0];

  step->s.growth = node->growth;
  if (infer_op_is (node->op, &infer_op_read_value)) {
    value->place = CPU_PLACE_RUN;
    value->initial = step->s.n_in > 0 ? cpu_plan_step_in (step, 0) : NULL;
    if (!variable_is_static (plan, node->op))
      value->v.known = FALSE;
  } else if (node->growth != NULL) {
    const CpuPlanValue *read = plan->ports[node->growth->read->index][0];

    step->s.grown = read != NULL ? &read->v : NULL;
    value->place = CPU_PLACE_RUN;
    value->v.known = FALSE;
  }
}

static gboolean
lower_operation (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const InferOperation *op = node->op;
  /* An Assign gives what it takes, which is seldom read. */
  const gboolean unread =
      infer_op_is (op, &infer_op_assign) && node->n_readers == 0;
  const guint n_outputs = unread ? 0 : op->n_outputs;
  CpuPlanStep *step = cpu_plan_add_step (
      plan, NULL, node, node->cpu_op, op->n_inputs, n_outputs);
  g_autofree InferDesc *out = infer_new0 (InferDesc, op->n_outputs + 1);

  for (guint i = 0; i < op->n_inputs; i++)
    cpu_plan_set_input (step, i, cpu_plan_port (plan, &op->inputs[i]));
  if (!cpu_plan_step_infer (step, FALSE, out, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++) {
    plan->ports[op->index][k] = cpu_plan_add_value (plan, &out[k]);
    cpu_plan_set_output (step, k, plan->ports[op->index][k]);
  }
  if (cpu_step_can_fold (step)) {
    if (!cpu_step_fold (step, error))
      return FALSE;
    cpu_plan_remove_step (plan, step);
    return TRUE;
  }
  place_run_values (plan, step);
  if (inputs_known (step) && values_known (step)
      && cpu_plan_step_is_idle (step)) {
    if (!cpu_step_fold_idle (step, error))
      return FALSE;
    cpu_plan_remove_step (plan, step);
    return TRUE;
  }
  if (!inputs_known (step) || !outputs_known (step) || !values_known (step))
    make_lazy (step);
  return TRUE;
}

static gboolean
lower_node (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const gboolean parameter = infer_op_is (node->op, &infer_op_parameter);

  if ((!node->needed && !parameter) || node->unpacks)
    return TRUE;
  if (node->unpack != NULL)
    return lower_weights (plan, node, error);
  if (!cpu_graph_is_builtin (node->op))
    return lower_operation (plan, node, error);
  lower_builtin (plan, node);
  return TRUE;
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  const GPtrArray *results = plan->graph->graph->results;

  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];

    if (!lower_node (plan, node, error))
      return cpu_operation_failed (node->op, error);
  }
  for (guint k = 0; k < results->len; k++) {
    const InferOperation *op = results->pdata[k];

    cpu_plan_add_result (plan, cpu_plan_port (plan, &op->inputs[0]));
  }
  return TRUE;
}

const CpuPass cpu_pass_lower = { .name = "lower", .run = run };
