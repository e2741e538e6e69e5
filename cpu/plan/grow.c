/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/grow.h"

#include "cpu/plan/plan.h"
#include "inference/graph/ops/concat.h"
#include "inference/graph/ops/gather.h"
#include "inference/graph/ops/state.h"

#include <string.h>

/* --- finding them --- */

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

/* A Gather along the first axis that nobody but one reads. */
static gboolean
picks_beams (const CpuGraph *graph, const CpuNode *node)
{
  const InferGather *attrs = node->op->attrs;
  const InferTensor *axis;
  g_autoptr (GArray) value = NULL;

  if (!infer_op_is (node->op, &infer_op_gather) || node->n_readers != 1
      || node->op->n_inputs != 3 || node->op->inputs[2].op == NULL
      || attrs->batch_dims != 0)
    return FALSE;
  axis = node->op->inputs[2].op->value;
  value = axis != NULL ? infer_tensor_to_ints (axis) : NULL;
  return value != NULL && value->len == 1
         && g_array_index (value, gint64, 0) == 0;
}

/* Whether @op reads input @k of it as blocks. */
static gboolean
takes_blocks (const CpuGraph *graph, const CpuNode *reader, guint k)
{
  const InferOperation *op = reader->op;

  if (reader->grows || reader->picks)
    return k == 0;
  if ((op->klass->flags & INFER_OP_SHAPE_ONLY) != 0)
    return TRUE;
  if (infer_op_is (op, &infer_op_assign))
    return reader->n_readers == 0 && node_of (graph, op->inputs) != NULL
           && node_of (graph, op->inputs)->grows
           && node_of (graph, op->inputs)->variable
                  == (guint) variable_of (graph, op);
  return reader->cpu_op != NULL && reader->cpu_op->takes_blocks != NULL
         && reader->cpu_op->takes_blocks (op, k);
}

static gboolean
all_take_blocks (const CpuGraph *graph, const CpuNode *node)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    const CpuNode *reader = &graph->nodes[i];

    for (guint k = 0; reader->needed && k < reader->op->n_inputs; k++)
      if (reader->op->inputs[k].op == node->op
          && !takes_blocks (graph, reader, k))
        return FALSE;
  }
  return TRUE;
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

void
cpu_graph_find_growth (CpuGraph *graph)
{
  for (guint i = 0; i < graph->n_nodes; i++) {
    const CpuNode *assign = &graph->nodes[i];
    CpuNode *concat, *pick, *read;
    gboolean blocks;

    if (!assign->needed || !infer_op_is (assign->op, &infer_op_assign))
      continue;
    concat = find_concat (graph, assign, &pick, &read);
    if (concat == NULL || concat->grows)
      continue;
    concat->grows = TRUE;
    concat->variable = (guint) variable_of (graph, assign->op);
    concat->cpu_op = &cpu_op_grow;
    concat->grown_from = read->op;
    if (pick != NULL) {
      pick->picks = TRUE;
      pick->cpu_op = &cpu_op_pick_beams;
    }
    blocks = axis_makes_blocks (concat->op);
    concat->blocks = blocks && all_take_blocks (graph, concat);
    read->blocks = blocks && all_take_blocks (graph, read);
    if (pick != NULL)
      pick->blocks = read->blocks;
  }
}

/* --- values with gaps --- */

static void
bind_tensor (CpuPlanValue *out, const InferTensor *tensor, gsize block)
{
  InferDesc desc = { tensor->type, tensor->shape };

  if (!infer_shape_equal (&out->v.desc.shape, &tensor->shape)
      || out->v.desc.type != tensor->type || !out->known)
    cpu_value_set_desc (out, &desc);
  out->v.block = block;
  cpu_value_bind (out, tensor->data);
}

gboolean
cpu_value_read (
    CpuStep *step, guint index, const InferTensor *tensor, GError **error)
{
  const CpuNode *node = ((const CpuPlanStep *) step)->node;
  CpuPlanValue *out = (CpuPlanValue *) step->out[index];
  const InferShape *shape = &tensor->shape;

  if (tensor->dense) {
    bind_tensor (out, tensor, 0);
    return TRUE;
  }
  if (node != NULL && node->blocks) {
    bind_tensor (out, tensor,
        (gsize) tensor->strides[shape->rank - 3]
            / infer_type_size (tensor->type));
    return TRUE;
  }
  if (out->tensor == NULL)
    out->tensor = infer_tensor_new (tensor->type, shape, error);
  else if (!infer_tensor_reshape (out->tensor, tensor->type, shape, error))
    return FALSE;
  if (out->tensor == NULL || !infer_tensor_copy (out->tensor, tensor, error))
    return FALSE;
  bind_tensor (out, out->tensor, 0);
  return TRUE;
}

/* [outer][rows][inner bytes]; @step bytes from one outer index to the next. */
typedef struct
{
  guint8 *data;
  gsize outer, bytes, step;
} Rows;

static Rows
rows_of_value (const CpuValue *value, int axis)
{
  const InferShape *shape = &value->desc.shape;
  const gsize size = infer_type_size (value->desc.type);
  Rows rows = { .data = value->data,
    .outer = infer_shape_count_range (shape, 0, axis),
    .bytes = infer_shape_count_range (shape, axis, shape->rank) * size };

  rows.step = value->block > 0 ? value->block * size : rows.bytes;
  return rows;
}

static void
copy_rows (guint8 *to, gsize step, const Rows *from)
{
  for (gsize o = 0; o < from->outer && from->bytes > 0; o++)
    memcpy (to + o * step, from->data + o * from->step, from->bytes);
}

/* --- appending --- */

/* The present value of the variable, and nothing else, is what is read. */
static gboolean
reads_present (const CpuStep *step, const InferTensor *present)
{
  const CpuPlanStep *self = (const CpuPlanStep *) step;
  const CpuPlanValue *read =
      step->plan->ports[self->node->grown_from->index][0];

  return present != NULL && read != NULL && step->in[0]->data == read->v.data
         && infer_shape_equal (cpu_in_shape (step, 0), &present->shape)
         && present->type == step->in[0]->desc.type;
}

static gboolean
grow_run (CpuStep *step, GError **error)
{
  const CpuPlanStep *self = (const CpuPlanStep *) step;
  CpuContext *context = cpu_step_context (step);
  const guint variable = self->node->variable;
  InferState *state = context->states[variable];
  const InferConcat *attrs = step->op->attrs;
  const InferShape *shape = cpu_out_shape (step, 0);
  const InferTensor *present = infer_state_peek (state);
  gint64 axis = attrs->axis;
  InferTensor *next;
  gboolean kept;
  guint8 *to;
  gsize gap;

  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  next = infer_state_grow (state, step->out[0]->desc.type, shape, (int) axis,
      reads_present (step, present), &kept, error);
  if (next == NULL)
    return FALSE;
  to = next->data;
  gap = axis > 0 ? (gsize) next->strides[axis - 1] : next->size;
  for (guint k = 0; k < step->n_in; k++) {
    Rows rows = rows_of_value (step->in[k], (int) axis);

    if (k > 0 || !kept)
      copy_rows (to, gap, &rows);
    to += rows.bytes;
  }
  context->grown[variable] = step->out[0];
  return cpu_value_read (step, 0, next, error);
}

static gboolean
grow_prepare (CpuStep *step, GError **error)
{
  step->kernel = "append";
  return TRUE;
}

const CpuOp cpu_op_grow = {
  .prepare = grow_prepare,
  .run = grow_run,
};

/* --- beams --- */

static gint64
beam_at (const CpuStep *step, gsize i)
{
  gint64 beam = cpu_integer_at (step->in[1], i);

  if (beam < 0 && step->op->version >= 8)
    beam += cpu_in_shape (step, 0)->dims[0];
  return beam;
}

static gboolean
is_identity (const CpuStep *step)
{
  if ((gint64) step->in[1]->n != cpu_in_shape (step, 0)->dims[0]
      || cpu_in_shape (step, 1)->rank != 1)
    return FALSE;
  for (gsize i = 0; i < step->in[1]->n; i++)
    if (beam_at (step, i) != (gint64) i)
      return FALSE;
  return TRUE;
}

/* Beams beyond the first axis are zeros, as in Gather. */
static void
copy_beams (const CpuStep *step, guint8 *to)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  const int axis = shape->rank >= 3 ? shape->rank - 2 : 1;
  Rows rows = rows_of_value (step->in[0], MIN (axis, shape->rank));
  const gsize n = (gsize) shape->dims[0];
  const gsize blocks = rows.outer / MAX (n, 1);

  for (gsize i = 0; i < step->in[1]->n; i++, to += blocks * rows.bytes) {
    gint64 beam = beam_at (step, i);
    Rows from = rows;

    if (beam < 0 || beam >= (gint64) n) {
      memset (to, 0, blocks * rows.bytes);
      continue;
    }
    from.outer = blocks;
    from.data += (gsize) beam * blocks * rows.step;
    copy_rows (to, rows.bytes, &from);
  }
}

static gboolean
pick_run (CpuStep *step, GError **error)
{
  CpuPlanValue *out = (CpuPlanValue *) step->out[0];
  const CpuValue *in = step->in[0];
  const InferShape shape = out->v.desc.shape;

  if (is_identity (step)) {
    out->v.block = in->block;
    cpu_value_bind (out, in->data);
    return TRUE;
  }
  if (out->tensor == NULL)
    out->tensor = infer_tensor_new (in->desc.type, &shape, error);
  else if (!infer_tensor_reshape (out->tensor, in->desc.type, &shape, error))
    return FALSE;
  if (out->tensor == NULL)
    return FALSE;
  out->v.block = 0;
  if (in->n == 0)
    memset (out->tensor->data, 0, out->tensor->size);
  else
    copy_beams (step, out->tensor->data);
  cpu_value_bind (out, out->tensor->data);
  return TRUE;
}

static gboolean
pick_prepare (CpuStep *step, GError **error)
{
  step->kernel = "beams";
  return TRUE;
}

const CpuOp cpu_op_pick_beams = {
  .prepare = pick_prepare,
  .run = pick_run,
};
