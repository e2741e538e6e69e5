/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/graph.h"

#include "inference/graph/ops/concat.h"
#include "inference/graph/ops/gather.h"
#include "inference/graph/ops/state.h"

static int
variable_of (const CpuGraph *graph, const InferOperation *op)
{
  return infer_model_find_variable (graph->model, infer_op_variable_id (op));
}

static gboolean
grows (const CpuGraph *graph, int variable)
{
  return variable >= 0
         && !infer_shape_is_static (
             &infer_model_variable (graph->model, (guint) variable)
                  ->desc.shape);
}

static const CpuNode *
node_of (const CpuGraph *graph, const InferPort *port)
{
  return port->op != NULL && port->index == 0 ? &graph->nodes[port->op->index]
                                              : NULL;
}

/* Whether input @k of @reader is read in some way. */
typedef gboolean (*ReadsFunc) (
    const CpuGraph *graph, const CpuNode *reader, guint k);

/* Inputs that are @node's result and are not read so. */
static guint
count_others (const CpuGraph *graph, const CpuNode *node, ReadsFunc reads)
{
  guint n = 0;

  for (guint i = 0; i < graph->n_nodes; i++) {
    const CpuNode *reader = &graph->nodes[i];

    for (guint k = 0; reader->needed && k < reader->op->n_inputs; k++)
      n += reader->op->inputs[k].op == node->op && !reads (graph, reader, k);
  }
  return n;
}

static gboolean
needs_shape_alone (const CpuGraph *graph, const CpuNode *reader, guint k)
{
  return (reader->op->klass->flags & INFER_OP_SHAPE_ONLY) != 0;
}

/* A Gather along the first axis whose data has a single reader. */
static gboolean
picks_beams (const CpuGraph *graph, const CpuNode *node)
{
  const InferGather *attrs = node->op->attrs;

  if (!infer_op_is (node->op, &infer_op_gather) || node->op->n_inputs != 3
      || node->op->inputs[2].op == NULL || attrs->batch_dims != 0
      || count_others (graph, node, needs_shape_alone) != 1)
    return FALSE;
  const InferTensor *axis = node->op->inputs[2].op->value;
  g_autoptr (GArray) value = axis != NULL ? infer_tensor_to_ints (axis) : NULL;
  return value != NULL && value->len == 1
         && g_array_index (value, gint64, 0) == 0;
}

/* Whether @port is the Concat of a cache that grows. */
static gboolean
appends_to (const CpuGraph *graph, const InferPort *port)
{
  const CpuNode *node = node_of (graph, port);

  return node != NULL && node->cpu_op == &cpu_op_grow;
}

/* Whether @reader reads its input @k as blocks. */
static gboolean
takes_blocks (const CpuGraph *graph, const CpuNode *reader, guint k)
{
  const InferOperation *op = reader->op;

  if (reader->growth != NULL && !infer_op_is (op, &infer_op_read_value))
    return k == 0;
  if (needs_shape_alone (graph, reader, k))
    return TRUE;
  if (infer_op_is (op, &infer_op_assign))
    return reader->n_readers == 0 && appends_to (graph, op->inputs)
           && node_of (graph, op->inputs)->growth->variable
                  == (guint) variable_of (graph, op);
  return reader->cpu_op != NULL && reader->cpu_op->takes_blocks != NULL
         && reader->cpu_op->takes_blocks (op, k);
}

/* Blocks are the two last dims, and the axis is the first of them. */
static gboolean
axis_makes_blocks (const InferOperation *concat)
{
  const InferConcat *attrs = concat->attrs;
  const InferShape *shape = &concat->outputs[0].desc.shape;

  return shape->rank >= 3
         && (attrs->axis == -2 || attrs->axis == shape->rank - 2);
}

/* ReadValue, perhaps Gather, and Concat in front of @assign; NULL: it does not
 * grow. */
static CpuNode *
find_concat (
    CpuGraph *graph, const CpuNode *assign, CpuNode **pick, CpuNode **read)
{
  int variable = variable_of (graph, assign->op);
  CpuNode *concat = (CpuNode *) (gsize) node_of (graph, assign->op->inputs);

  if (!grows (graph, variable) || concat == NULL || concat->guard != NULL
      || !infer_op_is (concat->op, &infer_op_concat)
      || concat->op->n_inputs < 2)
    return NULL;
  *pick = NULL;
  *read = (CpuNode *) (gsize) node_of (graph, concat->op->inputs);
  if (*read != NULL && picks_beams (graph, *read)) {
    *pick = *read;
    *read = (CpuNode *) (gsize) node_of (graph, (*pick)->op->inputs);
  }
  if (*read == NULL || !infer_op_is ((*read)->op, &infer_op_read_value)
      || variable_of (graph, (*read)->op) != variable)
    return NULL;
  for (guint k = 1; k < concat->op->n_inputs; k++)
    if (concat->op->inputs[k].op == NULL)
      return NULL;
  return concat;
}

static CpuGrowth *
add_growth (CpuNode *node, guint variable, const InferOperation *read)
{
  node->growth = g_new0 (CpuGrowth, 1);
  node->growth->variable = variable;
  node->growth->read = read;
  return node->growth;
}

void
cpu_graph_find_growth (CpuGraph *graph)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    const CpuNode *assign = &graph->nodes[i];
    CpuNode *concat, *pick, *read;

    if (!assign->needed || !infer_op_is (assign->op, &infer_op_assign))
      continue;
    concat = find_concat (graph, assign, &pick, &read);
    if (concat == NULL || concat->growth != NULL)
      continue;
    guint variable = (guint) variable_of (graph, assign->op);
    add_growth (concat, variable, read->op);
    concat->cpu_op = &cpu_op_grow;
    if (pick != NULL) {
      add_growth (pick, variable, read->op);
      pick->cpu_op = &cpu_op_pick_beams;
    }
    gboolean blocks = axis_makes_blocks (concat->op);
    concat->growth->blocks =
        blocks && count_others (graph, concat, takes_blocks) == 0;
    blocks = blocks && count_others (graph, read, takes_blocks) == 0;
    if (pick != NULL)
      pick->growth->blocks = blocks;
    if (read->growth == NULL)
      add_growth (read, variable, read->op);
    read->growth->blocks = blocks;
  }
}
