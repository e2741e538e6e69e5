/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/chain.h"

#include "cpu/ops/broadcast.h"
#include "cpu/ops/elementwise.h"
#include "inference/graph/ops/elementwise.h"

#include <string.h>

#define MAX_LINKS 16

typedef struct
{
  gboolean is_unary;
  CpuUnary unary;
  float a, b;
  CpuBinary binary;
  guint from; /* index of the chain's operand in a binary operation */
  const CpuValue *other;  /* the other operand */
  CpuBroadcast broadcast; /* steps of the chain's operand and of `other` */
} Link;

struct _CpuChain
{
  const CpuKernels *kernels;
  guint n;
  Link links[];
};

gboolean
cpu_chain_can_absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  const CpuValue *in[2] = { NULL, other };
  const InferBinary *attrs = op->attrs;
  CpuUnary unary;
  CpuBinary binary;
  float a, b;

  if (step->in[0]->desc.type != INFER_TYPE_F32
      || step->out[0]->desc.type != INFER_TYPE_F32
      || !infer_shape_is_static (cpu_out_shape (step, 0))
      || step->n_posts == MAX_LINKS)
    return FALSE;
  if (from == 0 && cpu_unary_of (op, in, &unary, &a, &b))
    return TRUE;
  return cpu_binary_of (op, &binary) && binary != CPU_BINARY_PRELU
         && attrs->rule != INFER_BROADCAST_PDPD && other != NULL
         && other->desc.type == INFER_TYPE_F32;
}

gboolean
cpu_chain_suits_nspc (const CpuStep *step)
{
  const InferShape *out = cpu_out_shape (step, 0);

  for (guint i = 0; i < step->n_posts; i++) {
    const CpuValue *other = step->posts[i].other;

    if (other != NULL && !infer_shape_equal (&other->desc.shape, out)
        && !cpu_broadcast_suits_nspc (&other->desc.shape, out))
      return FALSE;
  }
  return TRUE;
}

static void
make_link (Link *link, const CpuStep *step, const CpuPost *post)
{
  const InferShape *out = cpu_out_shape (step, 0);
  const CpuValue *in[2] = { NULL, post->other };
  InferShape shapes[2];

  link->from = post->from;
  link->other = post->other;
  link->is_unary =
      cpu_unary_of (post->op, in, &link->unary, &link->a, &link->b);
  if (link->is_unary)
    return;
  cpu_binary_of (post->op, &link->binary);
  shapes[0] = *out;
  shapes[1] = cpu_broadcast_align (
      out, &post->other->desc.shape, INFER_BROADCAST_NUMPY, -1);
  cpu_broadcast_init (
      &link->broadcast, out, 2, shapes, step->layout == CPU_LAYOUT_NSPC);
}

CpuChain *
cpu_chain_new (const CpuStep *step)
{
  CpuChain *chain;

  if (step->n_posts == 0)
    return NULL;
  chain = g_malloc0 (sizeof *chain + step->n_posts * sizeof (Link));
  chain->kernels = step->kernels;
  chain->n = step->n_posts;
  for (guint i = 0; i < chain->n; i++)
    make_link (&chain->links[i], step, &step->posts[i]);
  return chain;
}

/* Applies the chain to @rows whole rows of @n elements, or a part of one row.
 */
static void
apply_rows (const CpuChain *chain, const Link *link, float *data,
    const float *other, gsize rows, gsize n)
{
  const CpuBroadcast *b = &link->broadcast;
  const gsize stride = b->rank > 0 ? b->strides[1][b->rank - 1] : 0;
  CpuBinaryRows part = { .dst = data, .rows = rows, .n = n };

  if (link->from == 0) {
    part.a = data;
    part.a_row = n;
    part.a_step = 1;
    part.b = other;
    part.b_row = stride;
    part.b_step = b->step[1];
  } else {
    part.a = other;
    part.a_row = stride;
    part.a_step = b->step[1];
    part.b = data;
    part.b_row = n;
    part.b_step = 1;
  }
  chain->kernels->binary_rows_f32 (link->binary, &part);
}

static void
apply_binary (
    const CpuChain *chain, const Link *link, float *data, gsize at, gsize n)
{
  const CpuBroadcast *b = &link->broadcast;
  const float *other = link->other->data;

  while (n > 0) {
    const gsize skip = at % b->row;
    gsize rows = 1, part = MIN (n, b->row - skip);
    CpuBroadcastRow row;

    cpu_broadcast_seek (b, &row, at / b->row);
    if (part == b->row && b->rank > 0)
      rows = cpu_broadcast_rows_from (b, &row, n / b->row);
    apply_rows (
        chain, link, data, other + row.at[1] + skip * b->step[1], rows, part);
    part *= rows;
    data += part;
    at += part;
    n -= part;
  }
}

void
cpu_chain_apply (const CpuChain *chain, float *data, gsize at, gsize n)
{
  if (chain == NULL)
    return;
  for (guint i = 0; i < chain->n; i++) {
    const Link *link = &chain->links[i];

    if (link->is_unary)
      chain->kernels->unary_f32 (link->unary, data, data, n, link->a, link->b);
    else
      apply_binary (chain, link, data, at, n);
  }
}
