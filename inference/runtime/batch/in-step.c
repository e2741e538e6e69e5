/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cancel.h"
#include "inference/runtime/batch/way.h"
#include "inference/runtime/runtime-private.h"

/* A worker has nothing of its own. */
static gpointer
worker_new (InferExecutable *inner, GArray *axes, GError **error)
{
  return infer_executable_ref (inner);
}

static void
worker_free (gpointer worker)
{
  infer_executable_unref (worker);
}

static void
compute_one (const InferBackend *backend, InferBatchRow *row)
{
  const gint *before = infer_cancel_enter (row->cancelled);

  backend->start (
      row->context, row->inputs, row->outputs, row->states, &row->error);
  infer_cancel_enter (before);
}

static void
compute (gpointer worker, InferBatchRow *const *rows, guint n)
{
  const InferBackend *backend = ((InferExecutable *) worker)->backend;
  InferJointStep steps[INFER_MOST_JOINT] = { { .context = NULL } };

  if (n == 1) {
    compute_one (backend, rows[0]);
    return;
  }
  for (guint r = 0; r < n; r++)
    steps[r] = (InferJointStep){ .context = rows[r]->context,
      .inputs = rows[r]->inputs,
      .outputs = rows[r]->outputs,
      .states = rows[r]->states,
      .cancelled = rows[r]->cancelled };
  backend->start_joint (steps, n);
  for (guint r = 0; r < n; r++)
    rows[r]->error = steps[r].error;
}

const InferBatchWay infer_batch_joint = {
  .worker_new = worker_new,
  .worker_free = worker_free,
  .compute = compute,
  .own_contexts = TRUE,
  .most = INFER_MOST_JOINT,
};
