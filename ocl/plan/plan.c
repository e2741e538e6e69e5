/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/plan.h"

/* --- values --- */

OclValue *
ocl_plan_add_value (OclPlan *plan, const InferDesc *desc)
{
  OclValue *value = g_new0 (OclValue, 1);

  value->desc = *desc;
  value->n = infer_shape_count (&desc->shape);
  infer_tensor_bytes (desc->type, &desc->shape, &value->bytes);
  value->readers = g_ptr_array_new ();
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
  g_ptr_array_unref (value->readers);
  g_free (value);
}

/* --- steps --- */

OclStep *
ocl_plan_add_step (OclPlan *plan, const InferOperation *op, const OclOp *ocl_op,
    OclValue *const *in, const InferDesc *out)
{
  OclStep *step = g_new0 (OclStep, 1);

  step->ocl_op = ocl_op;
  step->op = op;
  step->index = plan->steps->len;
  step->n_in = op->n_inputs;
  step->n_out = op->n_outputs;
  step->in = g_new0 (OclValue *, step->n_in + 1);
  step->out = g_new0 (OclValue *, step->n_out + 1);
  for (guint i = 0; i < step->n_in; i++) {
    step->in[i] = in[i];
    if (in[i] != NULL)
      g_ptr_array_add (in[i]->readers, step);
  }
  for (guint k = 0; k < step->n_out; k++) {
    step->out[k] = ocl_plan_add_value (plan, &out[k]);
    step->out[k]->producer = step;
  }
  step->type = out[0].type;
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
  if (step == NULL)
    return;
  g_ptr_array_unref (step->launches);
  g_free (step->in);
  g_free (step->out);
  g_free (step->posts);
  g_free (step);
}

void
ocl_plan_fuse (
    OclPlan *plan, OclStep *step, OclStep *reader, const OclPost *post)
{
  step->posts = g_renew (OclPost, step->posts, step->n_posts + 1);
  step->posts[step->n_posts++] = *post;
  for (guint i = 0; i < reader->n_in; i++)
    g_ptr_array_remove (reader->in[i]->readers, reader);
  for (guint k = 0; k < post->n_others; k++)
    g_ptr_array_add (post->others[k]->readers, step);
  step->out[0] = reader->out[0];
  step->out[0]->producer = step;
  g_assert (plan->steps->pdata[reader->index] == reader);
  plan->steps->pdata[reader->index] = NULL;
  step_free (reader);
}

void
ocl_plan_close_gaps (OclPlan *plan)
{
  guint n = 0;

  for (guint i = 0; i < plan->steps->len; i++)
    if (plan->steps->pdata[i] != NULL)
      plan->steps->pdata[n++] = plan->steps->pdata[i];
  for (guint i = n; i < plan->steps->len; i++)
    plan->steps->pdata[i] = NULL;
  g_ptr_array_set_size (plan->steps, (gint) n);
}

/* --- the plan --- */

OclPlan *
ocl_plan_new (OclScope *scope, const InferModel *model, const OclKey *key,
    guint *texts_left)
{
  OclPlan *plan = g_new0 (OclPlan, 1);

  plan->scope = scope;
  plan->model = model;
  plan->texts_left = texts_left;
  plan->graph = infer_model_get_graph (model);
  plan->key.n = key->n;
  plan->key.descs = g_memdup2 (key->descs, key->n * sizeof *key->descs);
  plan->values = g_ptr_array_new ();
  plan->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) step_free);
  plan->inputs = g_ptr_array_new ();
  plan->results = g_ptr_array_new ();
  plan->next = g_new0 (OclValue *, infer_model_n_variables (model) + 1);
  return plan;
}

void
ocl_plan_free (OclPlan *plan)
{
  if (plan == NULL)
    return;
  g_ptr_array_unref (plan->steps);
  for (guint i = 0; i < plan->values->len; i++)
    value_free (plan, plan->values->pdata[i]);
  g_ptr_array_unref (plan->values);
  g_ptr_array_unref (plan->inputs);
  g_ptr_array_unref (plan->results);
  g_free (plan->next);
  g_free (plan->key.descs);
  g_clear_error (&plan->error);
  g_free (plan);
}
