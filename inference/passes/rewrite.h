/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For passes: one walk over a graph in topological order, in which readers of
 * some ports come to read others. */

#pragma once

#include "inference/graph/graph.h"

G_BEGIN_DECLS

typedef struct
{
  guint n;             /* operations at the beginning; later ones are new */
  InferPort **instead; /* per operation; NULL: none of its ports is replaced */
  gboolean changed;
} InferRewrite;

void infer_rewrite_init (InferRewrite *rewrite, const InferGraph *graph);
void infer_rewrite_clear (InferRewrite *rewrite);

/* For each operation in turn, before it is looked at. */
void infer_rewrite_inputs (InferRewrite *rewrite, InferOperation *op);

/* Whoever comes after @op and reads its output @k reads @to. */
void infer_rewrite_output (InferRewrite *rewrite, const InferOperation *op,
    guint k, const InferPort *to);

G_END_DECLS
