/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/passes/pass.h"

#include "inference/base/cancel.h"
#include "inference/graph/model-private.h"

/* A pass may make work for an earlier one; the limit bounds the time. */
#define MAX_ROUNDS 4

#define PASS(name) extern const InferPass infer_pass_##name;
#include "inference/passes/pass-list.h"
#undef PASS

static const InferPass *const passes[] = {
#define PASS(name) &infer_pass_##name,
#include "inference/passes/pass-list.h"
#undef PASS
};

/* Bodies nest only as deep as the reader allows. */
static void
sweep (InferGraph *graph)
{
  infer_graph_sweep (graph);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      sweep (op->bodies[b].graph);
  }
}

static guint
count_operations (const InferGraph *graph)
{
  guint n = graph->operations->len;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      n += count_operations (op->bodies[b].graph);
  }
  return n;
}

/* Operations that @pass adds are not rewritten in the same run. */
static gboolean
rewrite_each (const InferPass *pass, InferGraph *graph)
{
  const guint n = graph->operations->len;
  gboolean changed = FALSE;

  for (guint i = 0; i < n; i++)
    changed |= pass->rewrite (graph, graph->operations->pdata[i]);
  return changed;
}

static gboolean
run_on_graph (const InferPass *pass, InferGraph *graph, InferCache *cache,
    gboolean *changed, GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      if (!run_on_graph (pass, op->bodies[b].graph, cache, changed, error))
        return FALSE;
  }
  if (pass->run != NULL ? pass->run (graph, cache)
                        : rewrite_each (pass, graph)) {
    *changed = TRUE;
    if (!infer_graph_sort (graph, error))
      return FALSE;
    infer_graph_sweep (graph);
  }
  return TRUE;
}

static gboolean
run_pass (const InferPass *pass, InferGraph *graph,
    const InferPassOptions *options, gboolean *changed, GError **error)
{
  const gboolean observed = options->observe != NULL;
  const guint before = observed ? count_operations (graph) : 0;
  gboolean changed_here = FALSE;

  if (!run_on_graph (pass, graph, options->cache, &changed_here, error))
    return FALSE;
  if (observed)
    options->observe (pass, before, count_operations (graph), changed_here,
        options->observer_data);
  *changed |= changed_here;
  return TRUE;
}

/* All of them, used or not: states refer to variables by index. */
static void
copy_variables (InferModel *copy, const InferModel *model)
{
  for (guint i = 0; i < model->variables->len; i++)
    infer_model_add_variable (copy, infer_model_variable (model, i));
}

InferModel *
infer_passes_run (
    const InferModel *model, const InferPassOptions *options, GError **error)
{
  static const InferPassOptions defaults = { .cache = NULL };
  g_autoptr (InferModel) copy = infer_model_copy (model);
  gboolean changed = TRUE;

  if (options == NULL)
    options = &defaults;
  sweep (copy->graph);
  for (guint round = 0; changed && round < MAX_ROUNDS; round++) {
    changed = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (passes); i++) {
      if (passes[i]->as_stored && !options->as_stored)
        continue;
      if (!infer_cancel_check_current (error)
          || !run_pass (passes[i], copy->graph, options, &changed, error)) {
        g_prefix_error (error, "%s: pass %s: ", model->path, passes[i]->name);
        return NULL;
      }
    }
  }
  copy_variables (copy, model);
  return g_steal_pointer (&copy);
}
