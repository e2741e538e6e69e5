/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/fuse/fuse.h"

#include "inference/graph/model-private.h"

void
cpu_fusion_replace (CpuFusion *fusion, InferOperation *old, InferOperation *op)
{
  op->outputs[0].desc = old->outputs[0].desc;
  infer_graph_add (fusion->graph, op);
  infer_port_replace ((InferPort){ old, 0 }, (InferPort){ op, 0 });
  fusion->changed = TRUE;
}

/* Bodies nest only as deep as the reader allows. */
static gboolean
fuse_graph (InferGraph *graph, CpuIsa isa, gboolean *changed, GError **error)
{
  CpuFusion fusion = { .graph = graph, .isa = isa };

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      if (!fuse_graph (op->bodies[b].graph, isa, changed, error))
        return FALSE;
  }
  cpu_fuse_attention (&fusion);
  cpu_fuse_dynamic (&fusion);
  cpu_fuse_quantised (&fusion);
  cpu_fuse_recurrent (&fusion);
  if (!fusion.changed)
    return TRUE;
  *changed = TRUE;
  if (!infer_graph_sort (graph, error))
    return FALSE;
  infer_graph_sweep (graph);
  return TRUE;
}

/* Each pattern has one of these. */
static gboolean
may_fuse (const InferGraph *graph)
{
  static const InferOpClass *const classes[] = { &infer_op_softmax,
    &infer_op_scaled_dot_product_attention, &infer_op_round,
    &infer_op_fake_quantize, &infer_op_gru_sequence, NULL };

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (infer_op_class_in (op->klass, classes))
      return TRUE;
    for (guint b = 0; b < op->n_bodies; b++)
      if (may_fuse (op->bodies[b].graph))
        return TRUE;
  }
  return FALSE;
}

InferModel *
cpu_fuse (const InferModel *model, CpuIsa isa, GError **error)
{
  gboolean changed = FALSE;

  if (!may_fuse (model->graph))
    return infer_model_ref ((InferModel *) (gsize) model);
  g_autoptr (InferModel) copy = infer_model_copy (model);
  if (!fuse_graph (copy->graph, isa, &changed, error))
    return NULL;
  if (!changed)
    return infer_model_ref ((InferModel *) (gsize) model);
  for (guint i = 0; i < model->variables->len; i++)
    infer_model_add_variable (copy, infer_model_variable (model, i));
  return g_steal_pointer (&copy);
}
