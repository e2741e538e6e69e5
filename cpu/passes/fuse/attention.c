/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/fuse/fuse.h"

#include "cpu/ops/attention.h"
#include "inference/graph/ops/attention.h"
#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/matmul.h"

#include <math.h>
#include <string.h>

/* The pattern, matched from its end. */
typedef struct
{
  InferPort q, k, v, mask, drop, scale; /* op NULL: not there */
  CpuAttentionAttrs attrs;
} Found;

enum
{
  Q,
  K,
  V,
  OUT
};

static const InferDesc *
desc_of (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

static gboolean
is_f32 (const InferPort *port)
{
  return port->op != NULL && desc_of (port)->type == INFER_TYPE_F32;
}

static gboolean
is_one_number (const InferPort *port)
{
  const InferShape *shape = &desc_of (port)->shape;

  return infer_shape_is_static (shape) && infer_shape_count (shape) == 1;
}

/* --- scores --- */

/* Whether @a, of known dims, is not larger than @b. */
static gboolean
is_within (const InferPort *a, const InferPort *b)
{
  const InferShape *small = &desc_of (a)->shape, *large = &desc_of (b)->shape;

  if (small->rank < 0 || small->rank > large->rank)
    return FALSE;
  for (int i = 1; i <= small->rank; i++) {
    gint64 dim = small->dims[small->rank - i];

    if (dim != 1
        && (dim == INFER_DYNAMIC || dim != large->dims[large->rank - i]))
      return FALSE;
  }
  return TRUE;
}

/* The number that fills a tensor no larger than @like. */
static gboolean
filled_with (const InferPort *port, const InferPort *like, float *number)
{
  const InferTensor *value = port->op->value;
  double one;

  if (infer_port_stored_number (port, &one)) {
    *number = (float) one;
    return TRUE;
  }
  if (infer_op_is (port->op, &infer_op_broadcast)) {
    const InferOperation *shape = port->op->inputs[1].op;

    if ((!is_within (port, like)
            && (!infer_op_is (shape, &infer_op_shape_of)
                || shape->inputs[0].op != like->op))
        || !infer_port_stored_number (&port->op->inputs[0], &one))
      return FALSE;
    *number = (float) one;
    return TRUE;
  }
  if (value == NULL || value->type != INFER_TYPE_F32 || !is_within (port, like))
    return FALSE;
  const float *data = value->data;
  gsize n = infer_shape_count (&value->shape);
  if (n == 0)
    return FALSE;
  for (gsize i = 1; i < n; i++)
    if (memcmp (&data[i], &data[0], sizeof *data) != 0)
      return FALSE;
  *number = data[0];
  return TRUE;
}

/* A mask's last two dims are one or those of the scores as far as is known, and
 * it has no more dimensions. */
static gboolean
is_mask (const InferPort *mask, const InferPort *scores)
{
  const InferShape *a = &desc_of (mask)->shape, *b = &desc_of (scores)->shape;

  if (a->rank < 0 || b->rank < 0 || a->rank > b->rank)
    return FALSE;
  for (int i = 1; i <= 2 && i <= a->rank; i++) {
    gint64 have = a->dims[a->rank - i], want = b->dims[b->rank - i];

    if (have != 1 && have != want)
      return FALSE;
    if (have == INFER_DYNAMIC && want == INFER_DYNAMIC && i == 2)
      return FALSE; /* may be longer than one row of scores */
  }
  return TRUE;
}

/* Read by one operation, not counting ShapeOf. */
static gboolean
is_private (const InferPort *port)
{
  guint readers = 0;

  for (guint i = 0; i < port->op->n_uses; i++)
    readers += infer_op_is (port->op->uses[i].op, &infer_op_shape_of) ? 0 : 1;
  return readers == 1;
}

static gboolean
take_select (InferPort *at, Found *found)
{
  const InferOperation *op = at->op;
  const InferBinary *attrs = op->attrs;

  if (!infer_op_is (op, &infer_op_select))
    return TRUE;
  for (guint other = 1; other <= 2; other++) {
    const InferPort *scores = &op->inputs[3 - other];

    if (attrs->rule == INFER_BROADCAST_PDPD || !is_f32 (scores)
        || !filled_with (&op->inputs[other], scores, &found->attrs.fill))
      continue;
    if (!is_mask (&op->inputs[0], scores))
      return FALSE;
    found->drop = op->inputs[0];
    found->attrs.drop_where = other == 1;
    *at = *scores;
    return TRUE;
  }
  return FALSE;
}

/* The scores are the side that is a product. */
static gboolean
take_add (InferPort *at, Found *found)
{
  const InferOperation *op = at->op;
  const InferBinary *attrs = op->attrs;

  if (!infer_op_is (op, &infer_op_add))
    return TRUE;
  for (guint side = 0; side < 2 && attrs->rule != INFER_BROADCAST_PDPD;
       side++) {
    const InferPort *scores = &op->inputs[side], *mask = &op->inputs[1 - side];

    if (!infer_op_is (scores->op, &infer_op_matmul)
        && !infer_op_is (scores->op, &infer_op_multiply)
        && !infer_op_is (scores->op, &infer_op_divide))
      continue;
    if (!is_f32 (mask) || !is_mask (mask, scores))
      continue;
    found->mask = *mask;
    *at = *scores;
    return TRUE;
  }
  return FALSE;
}

static gboolean
take_scale (InferPort *at, Found *found)
{
  const InferOperation *op = at->op;
  double number;

  if (infer_op_is (op, &infer_op_divide)
      && infer_port_stored_number (&op->inputs[1], &number)) {
    found->attrs.scale /= number;
    *at = op->inputs[0];
    return TRUE;
  }
  for (guint side = 0; side < 2 && infer_op_is (op, &infer_op_multiply);
       side++) {
    const InferPort *by = &op->inputs[1 - side];

    if (!infer_op_is (op->inputs[side].op, &infer_op_matmul) || !is_f32 (by)
        || !is_one_number (by)
        || desc_of (by)->shape.rank > desc_of (&op->inputs[side])->shape.rank)
      continue;
    if (infer_port_stored_number (by, &number))
      found->attrs.scale *= number;
    else
      found->scale = *by;
    *at = op->inputs[side];
    return TRUE;
  }
  return infer_op_is (op, &infer_op_matmul);
}

/* From what the SoftMax reads up to the product of q and k. */
static gboolean
take_scores (InferPort at, Found *found)
{
  found->attrs.scale = 1;
  if (!is_f32 (&at) || !is_private (&at) || !take_select (&at, found)
      || !is_f32 (&at) || !is_private (&at) || !take_add (&at, found)
      || !is_f32 (&at) || !is_private (&at) || !take_scale (&at, found)
      || !is_f32 (&at) || !is_private (&at)
      || !infer_op_is (at.op, &infer_op_matmul) || found->attrs.scale == 0
      || !isfinite (found->attrs.scale))
    return FALSE;
  const InferMatMul *attrs = at.op->attrs;
  found->q = at.op->inputs[0];
  found->k = at.op->inputs[1];
  if (attrs->transpose_a)
    return FALSE;
  found->attrs.rank = desc_of (&found->k)->shape.rank;
  if (found->attrs.rank >= 2 && !attrs->transpose_b) {
    int rank = found->attrs.rank;

    found->attrs.order[K][rank - 1] = (guint8) (rank - 2);
    found->attrs.order[K][rank - 2] = (guint8) (rank - 1);
  }
  return TRUE;
}

/* --- operands --- */

/* The order of a Transpose of rank @rank: output dim i is input dim order[i].
 */
static gboolean
read_order (const InferOperation *op, int rank, gint64 *order)
{
  if (!infer_op_is (op, &infer_op_transpose) || op->inputs[1].op == NULL)
    return FALSE;
  const InferTensor *value = op->inputs[1].op->value;
  if (value == NULL || infer_shape_count (&value->shape) != (gsize) rank
      || desc_of (&op->inputs[0])->shape.rank != rank)
    return FALSE;
  g_autoptr (GArray) ints = infer_tensor_to_ints (value);
  for (int i = 0; i < rank; i++) {
    order[i] = g_array_index (ints, gint64, i);
    if (order[i] < 0 || order[i] >= rank)
      return FALSE;
  }
  return TRUE;
}

/* Skips a Transpose in front of @port; FALSE: there is none. */
static gboolean
skip_transpose (Found *found, InferPort *port, int which)
{
  guint8 *order = found->attrs.order[which];
  gint64 by[INFER_MAX_RANK];

  if (!read_order (port->op, found->attrs.rank, by))
    return FALSE;
  for (int i = 0; i < found->attrs.rank; i++)
    order[i] = (guint8) by[order[i]];
  *port = port->op->inputs[0];
  return TRUE;
}

/* Includes a Transpose that is the only reader and keeps the last axis. */
static InferOperation *
take_transpose (InferOperation *last, Found *found)
{
  InferOperation *reader = last->n_uses == 1 ? last->uses[0].op : NULL;
  const int rank = found->attrs.rank;
  gint64 by[INFER_MAX_RANK] = { 0 };

  if (reader == NULL || !read_order (reader, rank, by)
      || by[rank - 1] != rank - 1)
    return last;
  for (int i = 0; i < rank; i++)
    found->attrs.order[OUT][by[i]] = (guint8) i;
  return reader;
}

static gboolean
operands_fit (const Found *found)
{
  const InferPort *ports[] = { &found->q, &found->k, &found->v };

  for (gsize i = 0; i < G_N_ELEMENTS (ports); i++)
    if (!is_f32 (ports[i])
        || desc_of (ports[i])->shape.rank != found->attrs.rank)
      return FALSE;
  return found->attrs.rank >= 2;
}

static void
connect (InferOperation *op, const InferPort *port, int *input)
{
  *input = -1;
  if (port->op == NULL)
    return;
  *input = (int) op->n_inputs++;
  infer_operation_connect (op, (guint) *input, *port);
}

/* @root gives the name. */
static void
make (CpuFusion *fusion, Found *found, const InferOperation *root,
    InferOperation *last)
{
  InferOperation *op = infer_operation_new (
      &cpu_attention_class, 13, "opset13", root->name, 6, 1);

  infer_operation_connect (op, Q, found->q);
  infer_operation_connect (op, K, found->k);
  infer_operation_connect (op, V, found->v);
  op->n_inputs = 3;
  connect (op, &found->mask, &found->attrs.mask_input);
  connect (op, &found->drop, &found->attrs.drop_input);
  connect (op, &found->scale, &found->attrs.scale_input);
  memcpy (op->attrs, &found->attrs, sizeof found->attrs);
  cpu_fusion_replace (fusion, last, op);
}

/* --- the two forms --- */

static void
found_init (Found *found)
{
  *found = (Found){ .q = { NULL, 0 } };
  for (guint i = 0; i < G_N_ELEMENTS (found->attrs.order); i++)
    for (guint8 d = 0; d < INFER_MAX_RANK; d++)
      found->attrs.order[i][d] = d;
}

static void
fuse_product (CpuFusion *fusion, InferOperation *op)
{
  const InferMatMul *attrs = op->attrs;
  const InferOperation *softmax = op->inputs[0].op;
  Found found;

  found_init (&found);
  if (!infer_op_is (softmax, &infer_op_softmax) || attrs->transpose_a
      || !is_private (&op->inputs[0]) || !is_f32 (&op->inputs[0])
      || !take_scores (softmax->inputs[0], &found))
    return;
  const InferReduce *axis = softmax->attrs;
  int rank = found.attrs.rank;
  found.v = op->inputs[1];
  if (!operands_fit (&found) || (axis->axis != -1 && axis->axis != rank - 1))
    return;
  if (attrs->transpose_b) {
    found.attrs.order[V][rank - 1] = (guint8) (rank - 2);
    found.attrs.order[V][rank - 2] = (guint8) (rank - 1);
  }
  while (skip_transpose (&found, &found.q, Q))
    ;
  while (skip_transpose (&found, &found.k, K))
    ;
  while (skip_transpose (&found, &found.v, V))
    ;
  make (fusion, &found, op, take_transpose (op, &found));
}

/* Replaced only where operands are transposed: else there is no gain. */
static void
fuse_transposed (CpuFusion *fusion, InferOperation *op)
{
  const InferAttention *attrs = op->attrs;
  gboolean any = FALSE;
  Found found;

  found_init (&found);
  found.q = op->inputs[0];
  found.k = op->inputs[1];
  found.v = op->inputs[2];
  found.attrs.rank = desc_of (&found.q)->shape.rank;
  found.attrs.causal = attrs->causal;
  found.attrs.fill = -INFINITY;
  if (!operands_fit (&found))
    return;
  if (op->n_inputs > 4 && op->inputs[4].op != NULL) {
    found.scale = op->inputs[4];
    found.attrs.scale = 1;
    if (!is_one_number (&found.scale))
      return;
  }
  if (!attrs->causal && op->n_inputs > 3 && op->inputs[3].op != NULL) {
    const InferDesc *mask = desc_of (&op->inputs[3]);

    if (mask->shape.rank < 0 || mask->shape.rank > found.attrs.rank)
      return;
    if (mask->type == INFER_TYPE_BOOLEAN)
      found.drop = op->inputs[3];
    else if (mask->type == INFER_TYPE_F32)
      found.mask = op->inputs[3];
    else
      return;
  }
  while (skip_transpose (&found, &found.q, Q))
    any = TRUE;
  while (skip_transpose (&found, &found.k, K))
    any = TRUE;
  while (skip_transpose (&found, &found.v, V))
    any = TRUE;
  InferOperation *last = take_transpose (op, &found);
  if (any || last != op)
    make (fusion, &found, op, last);
}

void
cpu_fuse_attention (CpuFusion *fusion)
{
  const guint n = fusion->graph->operations->len;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = fusion->graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_matmul))
      fuse_product (fusion, op);
    else if (infer_op_is (op, &infer_op_scaled_dot_product_attention))
      fuse_transposed (fusion, op);
  }
}
