/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/passes/rewrite.h"

void
infer_rewrite_init (InferRewrite *rewrite, const InferGraph *graph)
{
  rewrite->n = graph->operations->len;
  rewrite->instead = g_new0 (InferPort *, rewrite->n + 1);
  rewrite->changed = FALSE;
}

void
infer_rewrite_clear (InferRewrite *rewrite)
{
  for (guint i = 0; i < rewrite->n; i++)
    g_free (rewrite->instead[i]);
  g_free (rewrite->instead);
}

void
infer_rewrite_inputs (InferRewrite *rewrite, InferOperation *op)
{
  for (guint i = 0; i < op->n_inputs; i++) {
    InferPort *port = &op->inputs[i];
    const InferPort *instead;

    if (port->op == NULL || port->op->index >= rewrite->n
        || rewrite->instead[port->op->index] == NULL)
      continue;
    instead = &rewrite->instead[port->op->index][port->index];
    if (instead->op == NULL)
      continue;
    *port = *instead;
    rewrite->changed = TRUE;
  }
}

void
infer_rewrite_output (InferRewrite *rewrite, const InferOperation *op, guint k,
    const InferPort *to)
{
  if (rewrite->instead[op->index] == NULL)
    rewrite->instead[op->index] = g_new0 (InferPort, op->n_outputs);
  rewrite->instead[op->index][k] = *to;
}
