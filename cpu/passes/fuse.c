/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/fuse.h"

#include "inference/graph/model-private.h"

static guint
n_readers (const CpuFusion *fusion, const InferOperation *op)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (fusion->readers, op));
}

InferOperation *
cpu_fusion_reader (const CpuFusion *fusion, const InferOperation *op)
{
  const GPtrArray *operations = fusion->graph->operations;

  if (n_readers (fusion, op) != 1)
    return NULL;
  for (guint i = 0; i < operations->len; i++) {
    InferOperation *reader = operations->pdata[i];

    for (guint k = 0; k < reader->n_inputs; k++)
      if (reader->inputs[k].op == op)
        return reader;
  }
  return NULL;
}

void
cpu_fusion_replace (CpuFusion *fusion, InferOperation *old, InferOperation *op)
{
  const InferPort from = { old, 0 }, to = { op, 0 };

  op->outputs[0].desc = old->outputs[0].desc;
  g_hash_table_insert (
      fusion->readers, op, GUINT_TO_POINTER (n_readers (fusion, old)));
  infer_graph_add (fusion->graph, op);
  infer_graph_replace (fusion->graph, &from, &to);
  fusion->changed = TRUE;
}

static void
count_readers (CpuFusion *fusion)
{
  const GPtrArray *operations = fusion->graph->operations;

  for (guint i = 0; i < operations->len; i++) {
    const InferOperation *op = operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        g_hash_table_insert (fusion->readers, op->inputs[k].op,
            GUINT_TO_POINTER (n_readers (fusion, op->inputs[k].op) + 1));
  }
}

/* Bodies nest only as deep as the reader allows. */
static gboolean
fuse_graph (InferGraph *graph, gboolean *changed, GError **error)
{
  CpuFusion fusion = { .graph = graph };

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      if (!fuse_graph (op->bodies[b].graph, changed, error))
        return FALSE;
  }
  fusion.readers = g_hash_table_new (NULL, NULL);
  count_readers (&fusion);
  cpu_fuse_attention (&fusion);
  g_hash_table_unref (fusion.readers);
  if (!fusion.changed)
    return TRUE;
  *changed = TRUE;
  if (!infer_graph_sort (graph, error))
    return FALSE;
  infer_graph_sweep (graph);
  return TRUE;
}

InferModel *
cpu_fuse (const InferModel *model, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  gboolean changed = FALSE;

  if (!fuse_graph (copy->graph, &changed, error))
    return NULL;
  if (!changed)
    return infer_model_ref ((InferModel *) (gsize) model);
  for (guint i = 0; i < model->variables->len; i++)
    infer_model_add_variable (copy, infer_model_variable (model, i));
  return g_steal_pointer (&copy);
}
