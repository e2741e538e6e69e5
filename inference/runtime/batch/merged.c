/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/batch/private.h"
#include "inference/runtime/batch/way.h"
#include "inference/runtime/runtime-private.h"
#include "inference/runtime/state-private.h"

typedef struct
{
  InferExecutable *inner;
  GArray *axes; /* (element-type int) batch dimension of each variable */
  InferRequest *request;
  guint n_inputs, n_outputs;
} Worker;

static gpointer
worker_new (InferExecutable *inner, GArray *axes, GError **error)
{
  InferRequest *request = infer_request_new (inner, error);

  if (request == NULL)
    return NULL;
  Worker *worker = g_new0 (Worker, 1);
  worker->inner = infer_executable_ref (inner);
  worker->axes = g_array_ref (axes);
  worker->request = request;
  worker->n_inputs = infer_model_n_inputs (infer_executable_get_model (inner));
  worker->n_outputs =
      infer_model_n_outputs (infer_executable_get_model (inner));
  return worker;
}

static void
worker_free (gpointer data)
{
  Worker *worker = data;

  infer_request_free (worker->request);
  infer_executable_unref (worker->inner);
  g_array_unref (worker->axes);
  g_free (worker);
}

static gboolean
same_descs (InferTensor *const *a, InferTensor *const *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (a[i]->type != b[i]->type
        || !infer_shape_equal (&a[i]->shape, &b[i]->shape))
      return FALSE;
  return TRUE;
}

static gboolean
fit (gpointer data, const InferBatchRow *a, const InferBatchRow *b)
{
  const Worker *worker = data;

  return same_descs (a->inputs, b->inputs, worker->n_inputs)
         && (worker->axes->len == 0
             || infer_batch_states_fit (a->states, b->states, worker->axes));
}

static gboolean
join_inputs (
    Worker *worker, InferBatchRow *const *rows, guint n, GError **error)
{
  g_autofree InferTensor **parts = g_new (InferTensor *, n);

  for (guint i = 0; i < worker->n_inputs; i++) {
    for (guint r = 0; r < n; r++)
      parts[r] = rows[r]->inputs[i];
    if (!infer_request_set_input_batch (worker->request, i, parts, n, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
split_output (Worker *worker, guint index, InferBatchRow *const *rows, guint n,
    GError **error)
{
  const InferTensor *joined =
      infer_request_get_output (worker->request, index, error);

  if (joined == NULL)
    return FALSE;
  InferShape shape = joined->shape;
  if (shape.rank < 1 || shape.dims[0] != n) {
    g_autofree char *text = infer_shape_to_string (&shape);

    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "output '%s' of a batch of %u is %s",
        infer_model_output_name (
            infer_executable_get_model (worker->inner), index),
        n, text);
  }
  shape.dims[0] = 1;
  for (guint r = 0; r < n; r++) {
    InferTensor *to = rows[r]->outputs[index];

    if ((to->type != joined->type || !infer_shape_equal (&to->shape, &shape))
        && !infer_tensor_reshape (to, joined->type, &shape, error))
      return FALSE;
    infer_batch_get_row (joined, 0, r, n, to);
  }
  return TRUE;
}

static gboolean
compute_together (
    Worker *worker, InferBatchRow *const *rows, guint n, GError **error)
{
  InferStateSet *set = infer_request_get_states (worker->request);
  InferState *const *states = set != NULL ? infer_state_set_list (set) : NULL;
  g_autofree InferState *const **parts = g_new (InferState *const *, n);

  for (guint r = 0; r < n; r++)
    parts[r] = rows[r]->states;
  if (!join_inputs (worker, rows, n, error)
      || (states != NULL
          && !infer_batch_gather (states, parts, n, worker->axes, error))
      || !infer_request_infer (worker->request, error))
    return FALSE;
  for (guint i = 0; i < worker->n_outputs; i++)
    if (!split_output (worker, i, rows, n, error))
      return FALSE;
  return states == NULL
         || infer_batch_scatter (states, parts, n, worker->axes, error);
}

/* After a failure one by one: an error in one row must not fail the others. */
static void
compute (gpointer data, InferBatchRow *const *rows, guint n)
{
  g_autoptr (GError) error = NULL;

  if (compute_together (data, rows, n, &error))
    return;
  if (n == 1)
    rows[0]->error = g_steal_pointer (&error);
  else
    for (guint r = 0; r < n; r++)
      compute_together (data, rows + r, 1, &rows[r]->error);
}

const InferBatchWay infer_batch_merged = {
  .worker_new = worker_new,
  .worker_free = worker_free,
  .fit = fit,
  .compute = compute,
};
