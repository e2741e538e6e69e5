/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/chain.h"

#include "inference/graph/ops/state.h"

#include <string.h>

/* --- values and steps --- */

OclValue *
ocl_plan_add_value (OclPlan *plan, const InferDesc *desc)
{
  OclValue *value = g_new0 (OclValue, 1);

  value->desc = *desc;
  value->n = infer_shape_count (&desc->shape);
  infer_tensor_bytes (desc->type, &desc->shape, &value->bytes);
  g_ptr_array_add (plan->values, value);
  return value;
}

OclValue *
ocl_plan_add_constant (OclPlan *plan, InferTensor *tensor)
{
  InferDesc desc = { tensor->type, tensor->shape };
  OclValue *value = ocl_plan_add_value (plan, &desc);

  value->host = tensor;
  return value;
}

static void
value_free (OclPlan *plan, OclValue *value)
{
  if (value->constant != NULL)
    ocl_constant_unref (plan->scope, value->constant);
  infer_tensor_unref (value->host);
  g_free (value);
}

static OclStep *
add_step (OclPlan *plan, const InferOperation *op)
{
  OclStep *step = g_new0 (OclStep, 1);

  step->ocl_op = ocl_op_find (op->klass->type);
  step->op = op;
  step->n_in = op->n_inputs;
  step->n_out = op->n_outputs;
  step->in = g_new0 (OclValue *, step->n_in + 1);
  step->out = g_new0 (OclValue *, step->n_out + 1);
  step->kernel = "optimized out";
  step->scope = plan->scope;
  step->plan = plan;
  step->launches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) ocl_launch_free);
  g_ptr_array_add (plan->steps, step);
  return step;
}

static void
step_free (OclStep *step)
{
  g_ptr_array_unref (step->launches);
  g_free (step->in);
  g_free (step->out);
  g_free (step->posts);
  g_free (step);
}

static OclValue *
port_value (const OclPlan *plan, const InferPort *port)
{
  return port->op != NULL ? plan->ports[port->op->index][port->index] : NULL;
}

static gboolean
is_type (const InferOperation *op, const char *type)
{
  return strcmp (op->klass->type, type) == 0;
}

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

/* --- who is needed ---
 *
 * What results and assigns need; an initialiser only while its variable is
 * reset. */

typedef struct
{
  gboolean *needed;
  guint *n_readers; /* of output 0 */
  const InferOperation **reader;
  guint *reader_input;
} Needs;

static void
find_needs (const OclPlan *plan, Needs *needs)
{
  const GPtrArray *ops = plan->graph->operations;

  for (guint i = ops->len; i-- > 0;) {
    const InferOperation *op = ops->pdata[i];

    if (is_type (op, "Result") || is_type (op, "Assign"))
      needs->needed[i] = TRUE;
    if (!needs->needed[i]
        || (is_type (op, "ReadValue")
            && !is_reset (plan, variable_of (plan, op))))
      continue;
    for (guint k = 0; k < op->n_inputs; k++) {
      const InferOperation *source = op->inputs[k].op;

      if (source == NULL)
        continue;
      needs->needed[source->index] = TRUE;
      needs->n_readers[source->index]++;
      needs->reader[source->index] = op;
      needs->reader_input[source->index] = k;
    }
  }
}

/* --- absorbing --- */

/* Fills @post with @op reading @result as input @from; FALSE: an operand is not
 * there yet. */
static gboolean
make_post (
    const OclPlan *plan, const InferOperation *op, guint from, OclPost *post)
{
  *post = (OclPost){ .op = op, .from = from };
  if (op->n_inputs > OCL_MAX_OTHERS + 1 || op->n_outputs != 1)
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    OclValue *other = port_value (plan, &op->inputs[i]);

    if (i == from)
      continue;
    if (other == NULL)
      return FALSE;
    post->others[post->n_others++] = other;
  }
  return TRUE;
}

static gboolean
keeps_shape (const OclStep *step, const OclPost *post, InferDesc *out)
{
  OclValue *in[OCL_MAX_OTHERS + 1];
  guint n = 0;

  for (guint i = 0; i < post->op->n_inputs; i++)
    in[i] = i == post->from ? step->out[0] : post->others[n++];
  return ocl_plan_infer (post->op, in, out, NULL)
         && infer_shape_equal (&out->shape, ocl_out_shape (step, 0));
}

static void
absorb_readers (OclPlan *plan, OclStep *step, Needs *needs)
{
  const InferOperation *last = step->op;

  while (step->ocl_op->absorb != NULL && last->n_outputs == 1
         && needs->n_readers[last->index] == 1) {
    const InferOperation *reader = needs->reader[last->index];
    OclPost post;
    InferDesc out;

    if (!make_post (plan, reader, needs->reader_input[last->index], &post)
        || !keeps_shape (step, &post, &out)
        || !step->ocl_op->absorb (step, &post))
      return;
    step->posts = g_renew (OclPost, step->posts, step->n_posts + 1);
    step->posts[step->n_posts++] = post;
    plan->ports[last->index][0] = NULL;
    needs->needed[reader->index] = FALSE;
    step->out[0]->desc.type = out.type;
    infer_tensor_bytes (out.type, &out.shape, &step->out[0]->bytes);
    plan->ports[reader->index][0] = step->out[0];
    last = reader;
  }
}

/* --- from operations to steps --- */

static gboolean
plan_step (
    OclPlan *plan, const InferOperation *op, Needs *needs, GError **error)
{
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);
  g_autofree OclValue **in = g_new0 (OclValue *, op->n_inputs + 1);
  OclStep *step;

  for (guint i = 0; i < op->n_inputs; i++)
    in[i] = port_value (plan, &op->inputs[i]);
  if (!ocl_plan_infer (op, in, out, error))
    return FALSE;
  if (ocl_plan_fold (plan, op, in, out))
    return TRUE;
  step = add_step (plan, op);
  if (step->ocl_op == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no OpenCL kernel");
  memcpy (step->in, in, op->n_inputs * sizeof *in);
  for (guint k = 0; k < op->n_outputs; k++)
    step->out[k] = plan->ports[op->index][k] =
        ocl_plan_add_value (plan, &out[k]);
  absorb_readers (plan, step, needs);
  if (!step->ocl_op->prepare (step, error))
    return FALSE;
  if (plan->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&plan->error));
    return FALSE;
  }
  return TRUE;
}

static gboolean
plan_parameter (OclPlan *plan, const InferOperation *op)
{
  for (guint i = 0; i < plan->graph->parameters->len; i++)
    if (plan->graph->parameters->pdata[i] == op) {
      OclValue *value = ocl_plan_add_value (plan, &plan->key.descs[i]);

      value->place = OCL_PLACE_INPUT;
      value->index = i;
      plan->ports[op->index][0] = value;
    }
  return TRUE;
}

static gboolean
plan_zeros (
    OclPlan *plan, const InferOperation *op, guint variable, GError **error)
{
  InferDesc desc = infer_model_variable (plan->model, variable)->desc;
  InferTensor *zeros;

  if (desc.shape.rank < 0 || desc.type == INFER_TYPE_DYNAMIC)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "variable '%s' has no value: no initialiser, no shape",
        infer_op_variable_id (op));
  for (int i = 0; i < desc.shape.rank; i++)
    desc.shape.dims[i] = MAX (desc.shape.dims[i], 0);
  zeros = infer_tensor_new (desc.type, &desc.shape, error);
  if (zeros == NULL)
    return FALSE;
  plan->ports[op->index][0] = ocl_plan_add_constant (plan, zeros);
  return TRUE;
}

static gboolean
plan_read (OclPlan *plan, const InferOperation *op, GError **error)
{
  guint variable = variable_of (plan, op);
  OclValue *value;

  if (!is_reset (plan, variable)) {
    if (!ocl_plan_check (state_desc (plan, variable), error))
      return FALSE;
    value = ocl_plan_add_value (plan, state_desc (plan, variable));
    value->place = OCL_PLACE_STATE;
    value->index = variable;
    plan->ports[op->index][0] = value;
    return TRUE;
  }
  if (op->n_inputs == 0)
    return plan_zeros (plan, op, variable, error);
  value = port_value (plan, &op->inputs[0]);
  plan->ports[op->index][0] = value;
  /* An initial value that was computed is the value from now on, assigned or
   * not: its initialiser runs once after a reset. */
  if (value->host == NULL && plan->assigned[variable] == NULL)
    plan->assigned[variable] = value;
  return TRUE;
}

static gboolean
plan_operation (
    OclPlan *plan, const InferOperation *op, Needs *needs, GError **error)
{
  if (is_type (op, "Parameter"))
    return plan_parameter (plan, op);
  if (op->value != NULL) {
    plan->ports[op->index][0] =
        ocl_plan_add_constant (plan, infer_tensor_ref (op->value));
    return TRUE;
  }
  if (is_type (op, "ReadValue"))
    return plan_read (plan, op, error);
  if (is_type (op, "Assign")) {
    OclValue *value = port_value (plan, &op->inputs[0]);

    plan->assigned[variable_of (plan, op)] = value;
    if (op->n_outputs > 0)
      plan->ports[op->index][0] = value;
    return TRUE;
  }
  if (is_type (op, "Result"))
    return TRUE;
  return plan_step (plan, op, needs, error);
}

/* Where what leaves the plan is made in its place at once. */
static void
place_at_end (OclValue *value, OclPlace place, guint index)
{
  gsize offset;
  OclValue *root = ocl_value_root (value, &offset);

  if (root->place != OCL_PLACE_ARENA || root->host != NULL
      || root->bytes != value->bytes)
    return;
  root->place = place;
  root->index = index;
}

static void
plan_ends (OclPlan *plan)
{
  guint n_variables = infer_model_n_variables (plan->model);

  for (guint k = 0; k < plan->graph->results->len; k++) {
    const InferOperation *op = plan->graph->results->pdata[k];
    OclValue *value = port_value (plan, &op->inputs[0]);

    g_ptr_array_add (plan->results, value);
    place_at_end (value, OCL_PLACE_RESULT, k);
  }
  for (guint v = 0; v < n_variables; v++)
    if (plan->assigned[v] != NULL)
      place_at_end (plan->assigned[v], OCL_PLACE_NEXT, v);
}

static gboolean
plan_operations (OclPlan *plan, GError **error)
{
  const GPtrArray *ops = plan->graph->operations;
  g_autofree gboolean *needed = g_new0 (gboolean, ops->len);
  g_autofree guint *n_readers = g_new0 (guint, ops->len);
  g_autofree const InferOperation **reader =
      g_new0 (const InferOperation *, ops->len);
  g_autofree guint *reader_input = g_new0 (guint, ops->len);
  Needs needs = { needed, n_readers, reader, reader_input };

  find_needs (plan, &needs);
  for (guint i = 0; i < ops->len; i++) {
    const InferOperation *op = ops->pdata[i];

    plan->ports[i] = g_new0 (OclValue *, op->n_outputs + 1);
    /* A file may list constants behind what absorbs their readers. */
    if (op->value != NULL && needed[i])
      plan_operation (plan, op, &needs, NULL);
  }
  for (guint i = 0; i < ops->len; i++) {
    const InferOperation *op = ops->pdata[i];

    if ((!needed[i] && !is_type (op, "Parameter")) || op->value != NULL
        || (op->n_outputs == 1 && plan->ports[i][0] != NULL))
      continue;
    if (!plan_operation (plan, op, &needs, error)) {
      g_autofree char *name = infer_operation_describe (op);

      g_prefix_error (error, "operation %s: ", name);
      return FALSE;
    }
  }
  plan_ends (plan);
  return TRUE;
}

/* --- the plan --- */

OclPlan *
ocl_plan_new (OclScope *scope, const InferModel *model, const OclKey *key,
    guint *texts_left, GError **error)
{
  OclPlan *plan = g_new0 (OclPlan, 1);

  plan->scope = scope;
  plan->model = model;
  plan->texts_left = texts_left;
  plan->graph = infer_model_get_graph (model);
  plan->key.n = key->n;
  plan->key.descs = g_memdup2 (key->descs, key->n * sizeof *key->descs);
  plan->values = g_ptr_array_new ();
  plan->steps = g_ptr_array_new ();
  plan->results = g_ptr_array_new ();
  plan->ports = g_new0 (OclValue **, plan->graph->operations->len + 1);
  plan->assigned = g_new0 (OclValue *, infer_model_n_variables (model) + 1);
  if (plan_operations (plan, error) && ocl_plan_place (plan, error)) {
    ocl_plan_chain (plan);
    if (plan->error == NULL && ocl_plan_build (plan, error))
      return plan;
    if (plan->error != NULL)
      g_propagate_error (error, g_steal_pointer (&plan->error));
  }
  ocl_plan_free (plan);
  return NULL;
}

void
ocl_plan_free (OclPlan *plan)
{
  if (plan == NULL)
    return;
  for (guint i = 0; i < plan->steps->len; i++)
    step_free (plan->steps->pdata[i]);
  for (guint i = 0; i < plan->values->len; i++)
    value_free (plan, plan->values->pdata[i]);
  for (guint i = 0; i < plan->graph->operations->len; i++)
    g_free (plan->ports[i]);
  g_free (plan->ports);
  g_free (plan->assigned);
  g_free (plan->key.descs);
  g_ptr_array_unref (plan->steps);
  g_ptr_array_unref (plan->values);
  g_ptr_array_unref (plan->results);
  g_clear_error (&plan->error);
  g_free (plan);
}
