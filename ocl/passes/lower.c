/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that results and variables need become steps, in the order of the
 * graph.  Shapes may depend on values, so shape inference, folding and lowering
 * are one walk. */

#include "inference/graph/ops/state.h"
#include "ocl/ops/op-table.h"
#include "ocl/passes/fold.h"
#include "ocl/passes/pass.h"

typedef struct
{
  OclPlan *plan;
  gboolean *needed;    /* by operation */
  OclValue ***outputs; /* by operation and output; NULL: not lowered */
} Lowering;

static OclValue *
value_of (const Lowering *self, const InferPort *port)
{
  return port->op != NULL ? self->outputs[port->op->index][port->index] : NULL;
}

/* --- variables --- */

static guint
variable_of (const OclPlan *plan, const InferOperation *op)
{
  return (guint) infer_model_find_variable (
      plan->model, infer_op_variable_id (op));
}

static const InferDesc *
state_desc (const OclPlan *plan, guint variable)
{
  return &plan->key.descs[infer_model_n_inputs (plan->model) + variable];
}

static gboolean
is_reset (const OclPlan *plan, guint variable)
{
  return state_desc (plan, variable)->type == INFER_TYPE_DYNAMIC;
}

/* The value of a variable that is reset and has no initialiser. */
static OclValue *
add_zeros (
    OclPlan *plan, const InferOperation *op, guint variable, GError **error)
{
  InferDesc desc = infer_model_variable (plan->model, variable)->desc;

  if (desc.shape.rank < 0 || desc.type == INFER_TYPE_DYNAMIC) {
    infer_fail (error, INFER_ERROR_INVALID_DATA,
        "variable '%s' has no value: no initialiser, no shape",
        infer_op_variable_id (op));
    return NULL;
  }
  for (int i = 0; i < desc.shape.rank; i++)
    desc.shape.dims[i] = MAX (desc.shape.dims[i], 0);
  InferTensor *zeros = infer_tensor_new (desc.type, &desc.shape, error);
  return zeros != NULL ? ocl_plan_add_constant (plan, zeros) : NULL;
}

static OclValue *
read_variable (const Lowering *self, const InferOperation *op, GError **error)
{
  OclPlan *plan = self->plan;
  const guint variable = variable_of (plan, op);
  OclValue *value;

  if (!is_reset (plan, variable)) {
    if (!ocl_check_desc (state_desc (plan, variable), error))
      return NULL;
    value = ocl_plan_add_value (plan, state_desc (plan, variable));
    value->place = OCL_PLACE_STATE;
    value->index = variable;
    return value;
  }
  if (op->n_inputs == 0)
    return add_zeros (plan, op, variable, error);
  value = value_of (self, &op->inputs[0]);
  /* An initial value that is computed becomes the variable's value, assigned or
   * not: the initialiser runs once after a reset. */
  if (value->host == NULL && plan->next[variable] == NULL)
    plan->next[variable] = value;
  return value;
}

/* --- operations --- */

static gboolean
lower_step (Lowering *self, const InferOperation *op, GError **error)
{
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);
  g_autofree OclValue **in = g_new0 (OclValue *, op->n_inputs + 1);
  const OclOp *ocl_op = ocl_op_find (op->klass);

  for (guint i = 0; i < op->n_inputs; i++)
    in[i] = value_of (self, &op->inputs[i]);
  if (!ocl_infer_shapes (op, in, out, error))
    return FALSE;
  if (ocl_fold (self->plan, op, in, out, self->outputs[op->index]))
    return TRUE;
  if (ocl_op == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no OpenCL kernel");
  OclStep *step = ocl_plan_add_step (self->plan, op, ocl_op, in, out);
  for (guint k = 0; k < op->n_outputs; k++)
    self->outputs[op->index][k] = step->out[k];
  return TRUE;
}

static gboolean
lower_operation (Lowering *self, const InferOperation *op, GError **error)
{
  OclValue **outputs = self->outputs[op->index];

  if (infer_op_is (op, &infer_op_parameter)
      || infer_op_is (op, &infer_op_result))
    return TRUE;
  if (op->value != NULL) {
    outputs[0] =
        ocl_plan_add_constant (self->plan, infer_tensor_ref (op->value));
    return TRUE;
  }
  if (infer_op_is (op, &infer_op_read_value)) {
    outputs[0] = read_variable (self, op, error);
    return outputs[0] != NULL;
  }
  if (infer_op_is (op, &infer_op_assign)) {
    OclValue *value = value_of (self, &op->inputs[0]);

    self->plan->next[variable_of (self->plan, op)] = value;
    if (op->n_outputs > 0)
      outputs[0] = value;
    return TRUE;
  }
  return lower_step (self, op, error);
}

/* --- the graph --- */

/* An initialiser is needed only while its variable is reset. */
static void
find_needed (Lowering *self)
{
  const GPtrArray *ops = self->plan->graph->operations;

  for (guint i = ops->len; i-- > 0;) {
    const InferOperation *op = ops->pdata[i];

    if (infer_op_is (op, &infer_op_result)
        || infer_op_is (op, &infer_op_assign))
      self->needed[i] = TRUE;
    if (!self->needed[i]
        || (infer_op_is (op, &infer_op_read_value)
            && !is_reset (self->plan, variable_of (self->plan, op))))
      continue;
    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        self->needed[op->inputs[k].op->index] = TRUE;
  }
}

static void
add_inputs (Lowering *self)
{
  OclPlan *plan = self->plan;

  for (guint i = 0; i < plan->graph->parameters->len; i++) {
    const InferOperation *op = plan->graph->parameters->pdata[i];
    OclValue *value = ocl_plan_add_value (plan, &plan->key.descs[i]);

    value->place = OCL_PLACE_INPUT;
    value->index = i;
    self->outputs[op->index][0] = value;
    g_ptr_array_add (plan->inputs, value);
  }
}

static void
add_results (const Lowering *self)
{
  OclPlan *plan = self->plan;

  for (guint k = 0; k < plan->graph->results->len; k++) {
    const InferOperation *op = plan->graph->results->pdata[k];
    OclValue *value = value_of (self, &op->inputs[0]);

    value->leaves = TRUE;
    g_ptr_array_add (plan->results, value);
  }
  for (guint v = 0; v < infer_model_n_variables (plan->model); v++)
    if (plan->next[v] != NULL)
      plan->next[v]->leaves = TRUE;
}

static gboolean
lower_graph (Lowering *self, GError **error)
{
  const GPtrArray *ops = self->plan->graph->operations;

  find_needed (self);
  add_inputs (self);
  for (guint i = 0; i < ops->len; i++) {
    const InferOperation *op = ops->pdata[i];

    if (!self->needed[i] || lower_operation (self, op, error))
      continue;
    g_autofree char *name = infer_operation_describe (op);
    g_prefix_error (error, "operation %s: ", name);
    return FALSE;
  }
  add_results (self);
  return TRUE;
}

gboolean
ocl_pass_lower (OclPlan *plan, GError **error)
{
  const GPtrArray *ops = plan->graph->operations;
  g_autofree gboolean *needed = g_new0 (gboolean, ops->len + 1);
  Lowering self = { plan, needed, g_new0 (OclValue **, ops->len + 1) };

  for (guint i = 0; i < ops->len; i++)
    self.outputs[i] =
        g_new0 (OclValue *, ((InferOperation *) ops->pdata[i])->n_outputs + 1);
  gboolean ok = lower_graph (&self, error);
  for (guint i = 0; i < ops->len; i++)
    g_free (self.outputs[i]);
  g_free (self.outputs);
  return ok;
}
