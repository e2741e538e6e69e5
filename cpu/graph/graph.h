/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph of the model with all that does not depend on shapes: which
 * operations are needed and when, caches that grow, aligned constants.
 * Immutable, shared by all contexts of an executable. */

#pragma once

#include "cpu/base/scope.h"
#include "cpu/base/unpack.h"
#include "cpu/ops/grow.h"

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
  gboolean unpacks;   /* part of a subgraph that unpacks: no step */
  CpuGraph **bodies;  /* op->n_bodies entries */
  guint n_readers;    /* inputs of needed operations that read any output */
  /* Output 0 is the data of a convolution with constant weights, perhaps moved
   * (cpu_graph_moves_bytes) before. */
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
  gboolean assigns;   /* variables, in bodies too */
  gsize packed_bytes; /* of large constants, if all are packed as floats */
};

/* NULL only with INFER_ERROR_NO_MEMORY; @model and @scope must outlive it. */
CpuGraph *cpu_graph_new (CpuScope *scope, const InferModel *model,
    const InferGraph *graph, GError **error);
void cpu_graph_free (CpuGraph *graph);

/* How many inputs of @op it only moves, whatever their type; 0: it computes. */
guint cpu_graph_moves_bytes (const InferOperation *op);

/* Parameter, Result and Const, which become values, not steps. */
gboolean cpu_graph_is_builtin (const InferOperation *op);
gboolean cpu_graph_is_builtin_class (const InferOpClass *klass);

/* growth.c: marks the caches of @graph, whose readers are known. */
void cpu_graph_find_growth (CpuGraph *graph);
