/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime-private.h"

#include "inference/config.h"
#include "inference/op.h"
#include "inference/passes/pass.h"
#include "inference/trace.h"

InferRuntime *
infer_runtime_new_for_backend (const InferBackend *backend, guint device,
    const char *config, GError **error)
{
  infer_trace_init ();
  g_autoptr (InferRuntime) runtime = g_new0 (InferRuntime, 1);

  runtime->refs = 1;
  runtime->backend = backend;
  runtime->device = device;
  runtime->name = backend->n_devices () > 1
                      ? g_strdup_printf ("%s.%u", backend->name, device)
                      : g_strdup (backend->name);
  if (!infer_config_parse (config, &runtime->config, error))
    return NULL;
  GError *cause = NULL;
  runtime->scope = backend->scope_new (device, &runtime->config, &cause);
  if (cause) {
    g_propagate_prefixed_error (error, cause, "device %s: ", runtime->name);
    return NULL;
  }
  if (backend->wait) {
    g_autofree char *name = g_strdup_printf ("wait-%s", runtime->name);
    runtime->wait_executor = infer_executor_new_pool (name, 1);
  }
  return g_steal_pointer (&runtime);
}

InferRuntime *
infer_runtime_new (const char *device, const char *config, GError **error)
{
  guint index;
  const InferBackend *backend =
      infer_backend_find (device ? device : "CPU", &index, error);

  return backend ? infer_runtime_new_for_backend (backend, index, config, error)
                 : NULL;
}

InferRuntime *
infer_runtime_ref (InferRuntime *runtime)
{
  g_return_val_if_fail (runtime != NULL, NULL);
  g_atomic_int_inc (&runtime->refs);
  return runtime;
}

void
infer_runtime_unref (InferRuntime *runtime)
{
  g_return_if_fail (runtime != NULL);
  if (!g_atomic_int_dec_and_test (&runtime->refs))
    return;
  g_clear_pointer (&runtime->wait_executor, infer_executor_unref);
  if (runtime->scope)
    runtime->backend->scope_free (runtime->scope);
  infer_config_clear (&runtime->config);
  g_free (runtime->name);
  g_free (runtime);
}

const char *
infer_runtime_get_device (const InferRuntime *runtime)
{
  return runtime->name;
}

/* --- query -----------------------------------------------------------------
 */

typedef struct
{
  const InferBackend *backend;
  GPtrArray *lines;
  guint n;
} Query;

static void
add_unsupported (Query *query, const InferOperation *op, const char *reason)
{
  g_autofree char *line =
      g_strdup_printf ("%s %s (%s)", op->klass->type, op->opset, reason);

  query->n++;
  if (!g_ptr_array_find_with_equal_func (query->lines, line, g_str_equal, NULL))
    g_ptr_array_add (query->lines, g_steal_pointer (&line));
}

/* As deep as the bodies are nested, which the reader of models limits. */
static void
query_graph (Query *query, const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = g_ptr_array_index (graph->operations, i);
    g_autoptr (GError) why = NULL;

    if (!query->backend->supports (op, &why))
      add_unsupported (query, op, why ? why->message : "not implemented");
    for (guint k = 0; k < op->n_bodies; k++)
      query_graph (query, op->bodies[k].graph);
  }
}

GPtrArray *
infer_graph_unsupported (
    const InferGraph *graph, const InferBackend *backend, guint *n)
{
  Query query = { .backend = backend,
    .lines = g_ptr_array_new_with_free_func (g_free) };

  query_graph (&query, graph);
  if (n)
    *n = query.n;
  return query.lines;
}

GStrv
infer_runtime_query (const char *device, InferModel *model, GError **error)
{
  guint index;
  const InferBackend *backend =
      infer_backend_find (device ? device : "CPU", &index, error);

  if (!backend)
    return NULL;
  g_autoptr (InferModel) reduced = infer_passes_run (model, error);
  if (!reduced)
    return NULL;
  g_autoptr (GPtrArray) lines =
      infer_graph_unsupported (infer_model_get_graph (reduced), backend, NULL);
  GStrv copy = g_new0 (char *, lines->len + 1);
  for (guint i = 0; i < lines->len; i++)
    copy[i] = g_strdup (g_ptr_array_index (lines, i));
  return copy;
}
