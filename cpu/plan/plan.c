/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

#include "inference/graph/ops/state.h"

CpuPlan *
cpu_plan_alloc (CpuScope *scope)
{
  CpuPlan *plan = g_new0 (CpuPlan, 1);

  plan->scope = scope;
  plan->values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cpu_value_free);
  plan->steps = g_ptr_array_new ();
  plan->packs = g_ptr_array_new ();
  plan->inputs = g_ptr_array_new ();
  plan->results = g_ptr_array_new ();
  return plan;
}

void
cpu_plan_free (CpuPlan *plan)
{
  if (plan == NULL)
    return;
  for (guint i = 0; i < plan->steps->len; i++)
    cpu_plan_step_free (plan, plan->steps->pdata[i]);
  for (guint i = 0; plan->ports != NULL && i < plan->graph->n_nodes; i++)
    g_free (plan->ports[i]);
  g_free (plan->ports);
  g_ptr_array_unref (plan->steps);
  g_ptr_array_unref (plan->values);
  cpu_plan_free_packs (plan, plan->packs);
  g_ptr_array_unref (plan->inputs);
  g_ptr_array_unref (plan->results);
  g_free (plan->key);
  g_free (plan);
}

CpuPlanValue *
cpu_plan_port (const CpuPlan *plan, const InferPort *port)
{
  return port->op != NULL ? plan->ports[port->op->index][port->index] : NULL;
}

static gboolean
prefix_operation (GError **error, const InferOperation *op)
{
  g_autofree char *name = infer_operation_describe (op);

  g_prefix_error (error, "operation %s: ", name);
  return FALSE;
}

static gboolean
plan_builtin (CpuPlan *plan, const CpuNode *node, const InferDesc *inputs)
{
  const InferOperation *op = node->op;
  CpuPlanValue *value;

  if (op->value != NULL) {
    InferDesc desc = { node->value->type, node->value->shape };

    value = cpu_plan_add_value (plan, &desc);
    cpu_plan_make_constant (value, infer_tensor_ref (node->value));
    plan->ports[op->index][0] = value;
    return TRUE;
  }
  for (guint i = 0; i < plan->n_inputs; i++)
    if (plan->graph->graph->parameters->pdata[i] == op) {
      value = cpu_plan_add_value (plan, &inputs[i]);
      value->place = CPU_PLACE_INPUT;
      value->index = i;
      plan->inputs->pdata[i] = value;
      plan->ports[op->index][0] = value;
    }
  return TRUE;
}

/* Its floats are made by those who want them: all do where values are dumped.
 */
static gboolean
plan_weights (CpuPlan *plan, const CpuNode *node, GError **error)
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
    if (step->s.in[i] != NULL && !((CpuPlanValue *) step->s.in[i])->known)
      return FALSE;
  return TRUE;
}

static gboolean
outputs_known (const CpuPlanStep *step)
{
  for (guint k = 0; k < step->s.n_out; k++)
    if (!((CpuPlanValue *) step->s.out[k])->known)
      return FALSE;
  return TRUE;
}

static gboolean
all_plain (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint i = 0; i < step->s.n_in; i++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.in[i];

    if (value == NULL)
      continue;
    value = cpu_plan_in_layout (plan, value, CPU_LAYOUT_PLAIN, error);
    if (value == NULL)
      return FALSE;
    step->s.in[i] = &value->v;
  }
  return TRUE;
}

/* Reorders were appended after @step: it goes to the end again. */
static void
move_to_end (CpuPlan *plan, CpuPlanStep *step)
{
  if (plan->steps->pdata[plan->steps->len - 1] == step)
    return;
  g_ptr_array_remove (plan->steps, step);
  g_ptr_array_add (plan->steps, step);
}

static void
drop_last_step (CpuPlan *plan, CpuPlanStep *step)
{
  g_assert (plan->steps->pdata[plan->steps->len - 1] == step);
  g_ptr_array_set_size (plan->steps, (gint) plan->steps->len - 1);
  cpu_plan_step_free (plan, step);
}

static void
make_inputs (CpuPlan *plan, CpuPlanStep *step)
{
  for (guint i = 0; i < step->s.n_in; i++)
    cpu_plan_make_floats (plan, (CpuPlanValue *) step->s.in[i]);
}

/* The operands of what @step has absorbed, in its layout. */
static gboolean
bring_posts (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint p = 0; p < step->s.n_posts; p++) {
    CpuPost *post = &step->s.posts[p];
    CpuPlanValue *other = (CpuPlanValue *) post->other;

    if (other == NULL)
      continue;
    if (infer_shape_equal (&other->v.desc.shape, cpu_out_shape (&step->s, 0)))
      other = cpu_plan_in_layout (plan, other, step->s.layout, error);
    else
      other = cpu_plan_in_layout (plan, other, CPU_LAYOUT_PLAIN, error);
    if (other == NULL)
      return FALSE;
    post->other = &other->v;
  }
  return TRUE;
}

static gboolean
finish_known_step (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  const CpuNode *last;
  CpuLayout layout;

  cpu_plan_note_grid (plan, step);
  if (cpu_plan_add_of_levels (plan, step))
    return cpu_plan_step_prepare (plan, step, error);
  if (cpu_plan_move_levels (plan, step)) {
    move_to_end (plan, step);
    return cpu_plan_step_prepare (plan, step, error);
  }
  if (!cpu_plan_take_levels (plan, step))
    make_inputs (plan, step);
  move_to_end (plan, step);
  if (cpu_layout_of_transpose (step, &layout)) {
    CpuPlanValue *out = (CpuPlanValue *) step->s.out[0];

    out->v.form.layout = layout;
    cpu_plan_alias (out, (CpuPlanValue *) step->s.in[0]);
    drop_last_step (plan, step);
    return TRUE;
  }
  if (!cpu_plan_choose_layout (plan, step, error))
    return FALSE;
  move_to_end (plan, step);
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    cpu_plan_alias (
        (CpuPlanValue *) step->s.out[0], (CpuPlanValue *) step->s.in[0]);
    drop_last_step (plan, step);
    return TRUE;
  }
  if (cpu_plan_quantize (plan, step))
    return cpu_plan_step_prepare (plan, step, error);
  last = cpu_plan_absorb_readers (plan, step);
  cpu_plan_absorb_quantize (plan, step, last);
  if (!bring_posts (plan, step, error))
    return FALSE;
  move_to_end (plan, step);
  return cpu_plan_step_prepare (plan, step, error);
}

/* Its shapes are resolved when it runs. */
static gboolean
finish_lazy_step (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    if (value->place == CPU_PLACE_ARENA)
      value->place = CPU_PLACE_OWN;
    value->known = FALSE;
  }
  step->lazy = TRUE;
  make_inputs (plan, step);
  step->seen = g_new0 (InferDesc, step->s.n_in + 1);
  step->seen_values = g_byte_array_new ();
  step->seen_blocks = g_new0 (gsize, step->s.n_in + 1);
  if (!all_plain (plan, step, error))
    return FALSE;
  move_to_end (plan, step);
  return TRUE;
}

/* Another step may have given the variable another shape. */
static gboolean
variable_is_static (const CpuPlan *plan, const InferOperation *op)
{
  const InferModel *model = plan->graph->model;
  int index = infer_model_find_variable (model, infer_op_variable_id (op));
  const InferDesc *desc = &infer_model_variable (model, (guint) index)->desc;

  return desc->type != INFER_TYPE_DYNAMIC
         && infer_shape_is_static (&desc->shape);
}

/* What the step says where it lies, when it runs. */
static void
place_run_values (
    const CpuPlan *plan, const CpuNode *node, const CpuPlanStep *step)
{
  const InferOperation *op = node->op;
  CpuPlanValue *value = plan->ports[op->index][0];

  if (infer_op_is (op, &infer_op_read_value)) {
    value->place = CPU_PLACE_RUN;
    value->keeps = step->s.n_in > 0 ? (CpuPlanValue *) step->s.in[0] : NULL;
    if (!variable_is_static (plan, op))
      value->known = FALSE;
  }
  if (node->grows || node->picks) {
    value->place = CPU_PLACE_RUN;
    value->known = FALSE;
  }
}

static gboolean
plan_operation (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const InferOperation *op = node->op;
  /* What an Assign gives is what it takes, and seldom read. */
  const gboolean unread =
      infer_op_is (op, &infer_op_assign) && node->n_readers == 0;
  const guint n_outputs = unread ? 0 : op->n_outputs;
  CpuPlanStep *step =
      cpu_plan_add_step (plan, node, node->cpu_op, op->n_inputs, n_outputs);
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);

  for (guint i = 0; i < op->n_inputs; i++)
    step->s.in[i] = (CpuValue *) cpu_plan_port (plan, &op->inputs[i]);
  if (!cpu_plan_step_infer (step, FALSE, out, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++) {
    CpuPlanValue *value = cpu_plan_add_value (plan, &out[k]);

    plan->ports[op->index][k] = value;
    step->s.out[k] = &value->v;
  }
  if (cpu_plan_can_fold (step)) {
    if (!all_plain (plan, step, error))
      return FALSE;
    move_to_end (plan, step);
    if (!cpu_plan_fold (plan, step, error))
      return FALSE;
    drop_last_step (plan, step);
    return TRUE;
  }
  place_run_values (plan, node, step);
  if (inputs_known (step) && outputs_known (step))
    return finish_known_step (plan, step, error);
  return finish_lazy_step (plan, step, error);
}

static gboolean
plan_results (CpuPlan *plan, GError **error)
{
  const GPtrArray *results = plan->graph->graph->results;

  for (guint k = 0; k < results->len; k++) {
    const InferOperation *op = results->pdata[k];
    CpuPlanValue *value = cpu_plan_port (plan, &op->inputs[0]);

    cpu_plan_make_floats (plan, value);
    if (!cpu_plan_unpack (plan, value, error))
      return FALSE;
    value = cpu_plan_in_layout (plan, value, CPU_LAYOUT_PLAIN, error);
    if (value == NULL)
      return FALSE;
    if (value->known && value->root->place == CPU_PLACE_ARENA
        && value->root->bytes == value->bytes) {
      value->root->place = CPU_PLACE_RESULT;
      value->root->index = k;
    }
    g_ptr_array_add (plan->results, value);
  }
  return TRUE;
}

static gboolean
plan_operations (CpuPlan *plan, const InferDesc *inputs, GError **error)
{
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];

    plan->ports[i] = g_new0 (CpuPlanValue *, node->op->n_outputs + 1);
  }
  /* All constants first: a file may list them behind what absorbs them. */
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];

    if (node->needed && node->op->value != NULL)
      plan_builtin (plan, node, inputs);
  }
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];
    gboolean parameter = infer_op_is (node->op, &infer_op_parameter);

    if ((!node->needed && !parameter) || node->unpacks)
      continue;
    if (node->unpack != NULL) {
      if (!plan_weights (plan, node, error))
        return prefix_operation (error, node->op);
      continue;
    }
    if (node->op->n_outputs == 1 && plan->ports[i][0] != NULL)
      continue; /* absorbed */
    if (cpu_graph_is_builtin (node->op)) {
      plan_builtin (plan, node, inputs);
      continue;
    }
    if (!plan_operation (plan, node, error))
      return prefix_operation (error, node->op);
  }
  return plan_results (plan, error);
}

CpuPlan *
cpu_plan_new (CpuRunner *runner, const CpuGraph *graph, const InferDesc *inputs,
    GError **error)
{
  CpuPlan *plan = cpu_plan_alloc (graph->scope);

  plan->runner = runner;
  plan->graph = graph;
  plan->n_inputs = graph->graph->parameters->len;
  plan->key = g_memdup2 (inputs, plan->n_inputs * sizeof *inputs);
  g_ptr_array_set_size (plan->inputs, (gint) plan->n_inputs);
  plan->ports = g_new0 (CpuPlanValue **, graph->n_nodes + 1);
  if (!plan_operations (plan, inputs, error)
      || (cpu_plan_take_over (plan), !cpu_plan_keep_halves (plan, error))
      || !cpu_plan_place (plan, error)
      || !cpu_runner_reserve (
          runner, plan->arena_size, plan->scratch_size, error)) {
    cpu_plan_free (plan);
    return NULL;
  }
  return plan;
}
