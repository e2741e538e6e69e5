/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/graph.h"

#include "cpu/ops/op-table.h"
#include "inference/graph/ops/interpolate.h"
#include "inference/graph/ops/state.h"

#include <string.h>

gboolean
cpu_graph_is_builtin_class (const InferOpClass *klass)
{
  return klass == &infer_op_parameter || klass == &infer_op_result
         || klass == &infer_op_const;
}

gboolean
cpu_graph_is_builtin (const InferOperation *op)
{
  return cpu_graph_is_builtin_class (op->klass);
}

/* Kernels load whole elements.  Large weights are not copied: packing them
 * needs no whole copy (unpack.h). */
static InferTensor *
align_constant (InferTensor *value, GError **error)
{
  return cpu_unpack_aligns (value) ? infer_tensor_ref (value)
                                   : infer_tensor_align (value, error);
}

static gboolean
init_node (
    CpuGraph *graph, CpuNode *node, const InferOperation *op, GError **error)
{
  node->op = op;
  if (!cpu_graph_is_builtin (op))
    node->cpu_op = cpu_op_find (op->klass);
  if (op->value != NULL) {
    node->value = align_constant (op->value, error);
    if (node->value == NULL)
      return FALSE;
  }
  if (op->n_bodies == 0)
    return TRUE;
  node->bodies = g_new0 (CpuGraph *, op->n_bodies);
  for (guint i = 0; i < op->n_bodies; i++) {
    node->bodies[i] =
        cpu_graph_new (graph->scope, graph->model, op->bodies[i].graph, error);
    if (node->bodies[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

/* --- who needs what ---
 *
 * Going backwards from results and assigns.  The initialiser of a variable is
 * only needed while the variable is reset, and so is what only serves it. */

typedef struct
{
  CpuGraph *graph;
  gboolean *always;
} Needs;

static guint64 *
guard_of (CpuGraph *graph, CpuNode *node)
{
  if (node->guard == NULL)
    node->guard = g_new0 (guint64, graph->n_guard_words);
  return node->guard;
}

static void
need_input (Needs *needs, const CpuNode *reader, guint input)
{
  CpuGraph *graph = needs->graph;
  const InferOperation *producer = reader->op->inputs[input].op;

  if (producer == NULL)
    return;
  CpuNode *node = &graph->nodes[producer->index];
  node->needed = TRUE;
  if (infer_op_is (reader->op, &infer_op_read_value)) {
    int var = infer_model_find_variable (
        graph->model, infer_op_variable_id (reader->op));

    if (var >= 0) {
      guard_of (graph, node)[var / 64] |= G_GUINT64_CONSTANT (1) << (var % 64);
      return;
    }
  }
  if (needs->always[reader->op->index] || reader->guard == NULL) {
    needs->always[producer->index] = TRUE;
    return;
  }
  for (guint w = 0; w < graph->n_guard_words; w++)
    guard_of (graph, node)[w] |= reader->guard[w];
}

/* Needed for its side effect, even if its output is not read. */
static gboolean
has_effect (const CpuNode *node)
{
  for (guint b = 0; b < node->op->n_bodies; b++)
    if (node->bodies[b]->assigns)
      return TRUE;
  return infer_op_is (node->op, &infer_op_assign);
}

static void
find_needs (CpuGraph *graph)
{
  g_autofree gboolean *always = g_new0 (gboolean, graph->n_nodes);
  Needs needs = { graph, always };

  for (guint i = graph->n_nodes; i-- > 0;) {
    CpuNode *node = &graph->nodes[i];

    if (infer_op_is (node->op, &infer_op_result) || has_effect (node))
      node->needed = always[i] = TRUE;
    if (!node->needed)
      continue;
    for (guint k = 0; k < node->op->n_inputs; k++)
      need_input (&needs, node, k);
  }
  for (guint i = 0; i < graph->n_nodes; i++)
    if (always[i])
      g_clear_pointer (&graph->nodes[i].guard, g_free);
}

/* Compressed weights that are read by operations that pack them. */
static void
find_unpacking (CpuGraph *graph)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    const InferOperation *op = graph->nodes[i].op;

    for (guint k = 0; k < op->n_inputs; k++) {
      const InferOperation *from = op->inputs[k].op;

      if (from != NULL && cpu_unpack_is_for (op, k)
          && graph->nodes[from->index].unpack == NULL)
        graph->nodes[from->index].unpack = cpu_unpack_new (&op->inputs[k]);
    }
  }
}

/* Operations that only serve to unpack such weights become no steps. */
static void
skip_unpacking (CpuGraph *graph)
{
  g_autofree gboolean *wanted = g_new0 (gboolean, graph->n_nodes + 1);

  for (guint i = graph->n_nodes; i-- > 0;) {
    CpuNode *node = &graph->nodes[i];

    node->unpacks = node->op->kept && node->unpack == NULL && !wanted[i];
    if (node->unpacks || node->unpack != NULL)
      continue;
    for (guint k = 0; k < node->op->n_inputs; k++)
      if (node->op->inputs[k].op != NULL)
        wanted[node->op->inputs[k].op->index] = TRUE;
  }
}

static void
find_readers (CpuGraph *graph)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    const CpuNode *node = &graph->nodes[i];

    for (guint k = 0; node->needed && k < node->op->n_inputs; k++) {
      const InferPort *port = &node->op->inputs[k];

      if (port->op == NULL)
        continue;
      CpuNode *producer = &graph->nodes[port->op->index];
      producer->n_readers++;
      if (k == 0
          && (infer_op_is (node->op, &infer_op_convolution)
              || infer_op_is (node->op, &infer_op_group_convolution))
          && (node->op->inputs[1].op->value != NULL
              || graph->nodes[node->op->inputs[1].op->index].unpack != NULL))
        producer->feeds_convolution = TRUE;
    }
  }
}

static gboolean
is_nearest (const InferOperation *op)
{
  const InferInterpolate *attrs = op->attrs;

  for (guint d = 0; d < INFER_MAX_RANK; d++)
    if (attrs->pads_begin[d] != 0 || attrs->pads_end[d] != 0)
      return FALSE;
  return attrs->mode == INFER_INTERPOLATE_NEAREST;
}

guint
cpu_graph_moves_bytes (const InferOperation *op)
{
  if (infer_op_is (op, &infer_op_concat))
    return op->n_inputs;
  return infer_op_is (op, &infer_op_interpolate) && is_nearest (op);
}

/* Producers come before their readers. */
static void
find_feeders (CpuGraph *graph)
{
  for (guint i = graph->n_nodes; i-- > 0;) {
    const CpuNode *node = &graph->nodes[i];
    const guint n =
        node->feeds_convolution ? cpu_graph_moves_bytes (node->op) : 0;

    for (guint k = 0; k < n; k++)
      graph->nodes[node->op->inputs[k].op->index].feeds_convolution = TRUE;
  }
}

/* Smaller constants are rarely packed. */
#define LEAST_PACKED 4096

/* If all constants are packed as floats. */
static gsize
packed_bytes (const InferGraph *graph)
{
  gsize sum = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op->value != NULL && op->value->size >= LEAST_PACKED)
      sum += infer_shape_count (&op->value->shape) * sizeof (float);
  }
  return sum;
}

CpuGraph *
cpu_graph_new (CpuScope *scope, const InferModel *model,
    const InferGraph *source, GError **error)
{
  CpuGraph *graph = g_new0 (CpuGraph, 1);

  graph->model = model;
  graph->graph = source;
  graph->scope = scope;
  graph->nodes = g_try_new0 (CpuNode, source->operations->len + 1);
  if (graph->nodes == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory to compile %u operations", source->operations->len);
    cpu_graph_free (graph);
    return NULL;
  }
  graph->n_nodes = source->operations->len;
  graph->packed_bytes = packed_bytes (source);
  graph->n_guard_words = infer_model_n_variables (model) / 64 + 1;
  for (guint i = 0; i < graph->n_nodes; i++) {
    const InferOperation *op = source->operations->pdata[i];

    if (!init_node (graph, &graph->nodes[i], op, error)) {
      cpu_graph_free (graph);
      return NULL;
    }
    graph->assigns = graph->assigns || has_effect (&graph->nodes[i]);
  }
  find_needs (graph);
  find_unpacking (graph);
  skip_unpacking (graph);
  find_readers (graph);
  find_feeders (graph);
  cpu_graph_find_growth (graph);
  return graph;
}

void
cpu_graph_free (CpuGraph *graph)
{
  if (graph == NULL)
    return;
  for (guint i = 0; i < graph->n_nodes; i++) {
    CpuNode *node = &graph->nodes[i];

    for (guint k = 0; node->bodies != NULL && k < node->op->n_bodies; k++)
      cpu_graph_free (node->bodies[k]);
    g_free (node->bodies);
    g_free (node->guard);
    g_free (node->growth);
    infer_tensor_unref (node->value);
    cpu_unpack_free (node->unpack);
  }
  g_free (graph->nodes);
  g_free (graph);
}
