/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/body.h"

#include "cpu/base/context.h"

#include <string.h>

static InferTensor **
new_results (const InferGraph *graph, GError **error)
{
  InferTensor **results = g_new0 (InferTensor *, graph->results->len + 1);
  const gint64 none[1] = { 0 };
  InferShape empty = infer_shape_new (1, none);

  for (guint k = 0; k < graph->results->len; k++) {
    results[k] = infer_tensor_new (INFER_TYPE_U8, &empty, error);
    if (results[k] == NULL)
      break;
  }
  return results;
}

static void
free_results (InferTensor **results, guint n)
{
  for (guint k = 0; results != NULL && k < n; k++)
    infer_tensor_unref (results[k]);
  g_free (results);
}

gboolean
cpu_body_init (CpuBody *body, CpuStep *step, guint index, GError **error)
{
  GError *failure = NULL;

  if (cpu_step_context (step) == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "control flow cannot be evaluated outside a request");
  body->body = &step->op->bodies[index];
  body->runner = cpu_step_runner_new (step, index);
  body->n_params = body->body->graph->parameters->len;
  body->n_results = body->body->graph->results->len;
  body->params = g_new0 (CpuInput, body->n_params + 1);
  body->results = new_results (body->body->graph, &failure);
  if (failure == NULL)
    body->spare = new_results (body->body->graph, &failure);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

void
cpu_body_clear (CpuBody *body)
{
  cpu_runner_free (body->runner);
  free_results (body->results, body->n_results);
  free_results (body->spare, body->n_results);
  g_free (body->params);
}

gboolean
cpu_body_run (CpuBody *body, GError **error)
{
  InferTensor **results = body->spare;

  body->spare = body->results;
  body->results = results;
  return cpu_runner_run (body->runner, body->params, body->results, error);
}

gboolean
cpu_body_shape_output (
    CpuStep *step, guint index, const InferDesc *desc, GError **error)
{
  CpuValue *out = step->out[index];

  if (desc->type != out->desc.type)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the body gave output %u of %s, not %s", index,
        infer_type_name (desc->type), infer_type_name (out->desc.type));
  if (!out->known || step->lazy)
    return cpu_step_alloc_output (step, index, &desc->shape, error);
  if (infer_shape_equal (&out->desc.shape, &desc->shape))
    return TRUE;
  g_autofree char *got = infer_shape_to_string (&desc->shape);
  g_autofree char *want = infer_shape_to_string (&out->desc.shape);
  return infer_fail (error, INFER_ERROR_INVALID_DATA,
      "the body gave output %u the shape %s, not %s", index, got, want);
}

gboolean
cpu_body_give (CpuStep *step, guint index, const InferDesc *desc,
    gconstpointer data, GError **error)
{
  CpuValue *out = step->out[index];

  if (!cpu_body_shape_output (step, index, desc, error))
    return FALSE;
  if (out->bytes > 0)
    memcpy (out->data, data, out->bytes);
  return TRUE;
}
