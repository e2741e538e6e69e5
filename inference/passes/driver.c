/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/passes/pass.h"

#include "inference/graph/compressed.h"
#include "inference/graph/model-private.h"

/* One pass makes work for another, but soon no more. */
#define MAX_ROUNDS 4

#define PASS(name) extern const InferPass infer_pass_##name;
#include "inference/passes/pass-list.h"
#undef PASS

static const InferPass *const passes[] = {
#define PASS(name) &infer_pass_##name,
#include "inference/passes/pass-list.h"
#undef PASS
};

/* What nobody reads is nobody's work.  Bodies nest only as deep as the reader
 * allows. */
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

static gboolean
run_pass (const InferPass *pass, InferGraph *graph, InferCache *cache,
    gboolean *changed, GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      if (!run_pass (pass, op->bodies[b].graph, cache, changed, error))
        return FALSE;
  }
  if (pass->run (graph, cache)) {
    *changed = TRUE;
    if (!infer_graph_sort (graph, error))
      return FALSE;
    infer_graph_sweep (graph);
  }
  return TRUE;
}

/* The same list, whatever has become unnecessary: states go by its indices. */
static void
copy_variables (InferModel *copy, const InferModel *model)
{
  for (guint i = 0; i < model->variables->len; i++)
    infer_model_add_variable (copy, infer_model_variable (model, i));
}

static InferModel *
run_passes (InferModel *model, InferCache *cache, gboolean keep_compressed,
    GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  gboolean changed = TRUE;

  sweep (copy->graph);
  for (guint round = 0; changed && round < MAX_ROUNDS; round++) {
    changed = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (passes); i++) {
      if (keep_compressed && passes[i] == &infer_pass_constant_folding)
        infer_compressed_keep (copy->graph);
      if (!run_pass (passes[i], copy->graph, cache, &changed, error)) {
        g_prefix_error (error, "%s: pass %s: ", model->path, passes[i]->name);
        return NULL;
      }
    }
  }
  copy_variables (copy, model);
  return g_steal_pointer (&copy);
}

InferModel *
infer_passes_run (InferModel *model, InferCache *cache, GError **error)
{
  return run_passes (model, cache, FALSE, error);
}

InferModel *
infer_passes_run_compressed (
    InferModel *model, InferCache *cache, GError **error)
{
  return run_passes (model, cache, TRUE, error);
}
