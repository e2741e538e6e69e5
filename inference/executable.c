/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime-private.h"

#include "inference/passes/pass.h"

/* Everything that cannot be run, in one message. */
static gboolean
check_supported (InferExecutable *executable, GError **error)
{
  guint n;
  g_autoptr (GPtrArray) lines = infer_graph_unsupported (
      infer_model_get_graph (executable->compiled), executable->backend, &n);

  if (n == 0)
    return TRUE;
  g_ptr_array_add (lines, NULL);
  g_autofree char *all = g_strjoinv (", ", (GStrv) lines->pdata);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: %u operation%s cannot run on %s: %s",
      infer_model_get_path (executable->model), n, n == 1 ? "" : "s",
      executable->runtime->name, all);
}

static gboolean
compile (InferExecutable *executable, GError **error)
{
  InferRuntime *runtime = executable->runtime;

  executable->code = executable->backend->compile (
      runtime->scope, executable->compiled, error);
  if (!executable->code)
    g_prefix_error (error, "%s: ", infer_model_get_path (executable->model));
  return executable->code != NULL;
}

InferExecutable *
infer_executable_new (InferModel *model, InferRuntime *runtime, GError **error)
{
  g_return_val_if_fail (model != NULL && runtime != NULL, NULL);

  g_autoptr (InferExecutable) executable = g_new0 (InferExecutable, 1);
  executable->refs = 1;
  pthread_mutex_init (&executable->lock, NULL);
  executable->runtime = infer_runtime_ref (runtime);
  executable->backend = runtime->backend;
  executable->model = infer_model_ref (model);
  executable->compiled = infer_passes_run (model, error);
  if (executable->compiled == NULL)
    return NULL;
  g_autofree char *label =
      g_strdup_printf ("%s_%s", runtime->name, infer_model_get_name (model));
  executable->label = g_intern_string (label);
  if (!check_supported (executable, error) || !compile (executable, error))
    return NULL;
  return g_steal_pointer (&executable);
}

InferExecutable *
infer_executable_for_runtime (
    InferExecutable *executable, InferRuntime *runtime, GError **error)
{
  if (executable->runtime == runtime)
    return infer_executable_ref (executable);
  return infer_executable_new (executable->model, runtime, error);
}

InferExecutable *
infer_executable_ref (InferExecutable *executable)
{
  g_return_val_if_fail (executable != NULL, NULL);
  g_atomic_int_inc (&executable->refs);
  return executable;
}

void
infer_executable_unref (InferExecutable *executable)
{
  g_return_if_fail (executable != NULL);
  if (!g_atomic_int_dec_and_test (&executable->refs))
    return;
  g_clear_pointer (&executable->task_executor, infer_executor_unref);
  if (executable->code)
    executable->backend->executable_free (executable->code);
  g_clear_pointer (&executable->compiled, infer_model_unref);
  g_clear_pointer (&executable->model, infer_model_unref);
  infer_runtime_unref (executable->runtime);
  pthread_mutex_destroy (&executable->lock);
  g_free (executable);
}

InferExecutor *
infer_executable_get_task_executor (InferExecutable *executable)
{
  const InferRuntime *runtime = executable->runtime;

  pthread_mutex_lock (&executable->lock);
  if (!executable->task_executor) {
    g_autofree char *name = g_strdup_printf ("infer-%s", runtime->name);
    executable->task_executor =
        infer_executor_new_pool (name, runtime->config.streams);
  }
  pthread_mutex_unlock (&executable->lock);
  return executable->task_executor;
}

InferModel *
infer_executable_get_model (InferExecutable *executable)
{
  return executable->model;
}

InferRuntime *
infer_executable_get_runtime (InferExecutable *executable)
{
  return executable->runtime;
}

guint
infer_executable_n_requests (InferExecutable *executable)
{
  return (guint) g_atomic_int_get (&executable->n_requests);
}

guint
infer_executable_optimal_requests (InferExecutable *executable)
{
  guint streams = executable->runtime->config.streams;

  /* One more is prepared while a stream computes; a device that runs by itself
   * is fed and drained meanwhile. */
  return executable->backend->wait ? MAX (streams + 1, 3) : streams + 1;
}
