/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What compiling makes of a graph, whatever the shapes: which operations are
 * needed and when, who reads what, constants ready for kernels.  Immutable,
 * shared by all contexts of an executable. */

#pragma once

#include "cpu/base/scope.h"
#include "cpu/base/unpack.h"
#include "cpu/ops/grow.h"

G_BEGIN_DECLS

typedef struct _CpuGraph CpuGraph;

typedef struct
{
  const InferOperation *op;
  const CpuOp *cpu_op; /* NULL for Parameter, Result and Const */
  gboolean needed;
  /* Variables whose reset makes this operation necessary, as a bit set; NULL:
   * it is always necessary. */
  guint64 *guard;
  InferTensor *value; /* Const: aligned for its type */
  CpuUnpack *unpack;  /* nullable: unpacks weights; no step is made of it */
  gboolean unpacks;   /* a part of what does */
  CpuGraph **bodies;  /* op->n_bodies entries */
  guint n_readers;    /* inputs of needed operations that read any output */
  /* As the data of one, whose weights are known; maybe moved before. */
  gboolean feeds_convolution;
  CpuGrowth *growth; /* nullable: part of a cache that grows */
} CpuNode;

struct _CpuGraph
{
  const InferModel *model;
  const InferGraph *graph;
  CpuScope *scope;
  guint n_nodes;
  CpuNode *nodes; /* by InferOperation.index */
  guint n_guard_words;
  gboolean assigns; /* variables, in bodies too */
};

/* NULL only with INFER_ERROR_NO_MEMORY; @model and @scope must outlive it. */
CpuGraph *cpu_graph_new (CpuScope *scope, const InferModel *model,
    const InferGraph *graph, GError **error);
void cpu_graph_free (CpuGraph *graph);

/* How many inputs of @op it moves about whatever their type; 0: something else
 * is done. */
guint cpu_graph_moves_bytes (const InferOperation *op);

/* The operations that the plan itself knows: no step is made of them. */
gboolean cpu_graph_is_builtin (const InferOperation *op);
gboolean cpu_graph_is_builtin_class (const InferOpClass *klass);

/* growth.c: marks the caches of @graph, whose readers are known. */
void cpu_graph_find_growth (CpuGraph *graph);

G_END_DECLS
