/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/compressed.h"

#include <math.h>
#include <string.h>

#include "inference/graph/ops/recurrent.h"

/* Smaller constants are folded. */
#define LEAST_ELEMENTS 4096

/* --- finding --- */

static const InferDesc *
desc_of (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

/* Types that convert to f32 element by element, sub-byte types from byte
 * boundaries. */
static gboolean
is_code (InferType type)
{
  static const InferType types[] = { INFER_TYPE_F16, INFER_TYPE_BF16,
    INFER_TYPE_I8, INFER_TYPE_U8, INFER_TYPE_I4, INFER_TYPE_U4, INFER_TYPE_U2 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (type == types[i])
      return TRUE;
  return FALSE;
}

static gboolean
is_float (InferType type)
{
  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16;
}

/* A constant, or a constant behind Converts and Reshapes, which folding would
 * make one. */
static const InferOperation *
constant_behind (const InferPort *port)
{
  const InferOperation *op = port->op;

  for (guint depth = 0; op != NULL && depth < 4; depth++) {
    if (op->value != NULL)
      return op;
    if (!infer_op_is (op, &infer_op_convert)
        && !infer_op_is (op, &infer_op_reshape))
      return NULL;
    op = op->inputs[0].op;
  }
  return NULL;
}

/* How @operand is broadcast to @shape; FALSE unless its dims other than 1 are
 * contiguous and equal those of @shape. */
static gboolean
find_broadcast (
    const InferShape *shape, const InferShape *operand, InferTerm *term)
{
  int lead = shape->rank - operand->rank, d = shape->rank - 1;

  if (lead < 0)
    return FALSE;
  term->inner = term->count = 1;
  for (; d >= lead && operand->dims[d - lead] == 1; d--)
    term->inner *= (gsize) shape->dims[d];
  for (; d >= lead && operand->dims[d - lead] == shape->dims[d]; d--)
    term->count *= (gsize) shape->dims[d];
  for (; d >= lead; d--)
    if (operand->dims[d - lead] != 1)
      return FALSE;
  if (term->count == 1) /* dims that the operand lacks, too */
    term->inner = infer_shape_count (shape);
  return TRUE;
}

static gboolean
find_term_kind (const InferOperation *op, InferTermKind *kind)
{
  static const InferOpClass *const classes[] = { &infer_op_add,
    &infer_op_subtract, &infer_op_multiply };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (infer_op_is (op, classes[i])) {
      *kind = (InferTermKind) i;
      return TRUE;
    }
  return FALSE;
}

/* The input of @op where the chain continues; -1: @op is not part of one. */
static int
find_link (const InferOperation *op, InferCompressed *found)
{
  const InferShape *shape = &op->outputs[0].desc.shape;
  InferTerm term = { INFER_TERM_ADD, NULL, 1, 1 };

  if (!infer_shape_is_static (shape) || infer_shape_count (shape) != found->n)
    return -1;
  /* Files round products of 8-bit integers, which f16 holds exactly, to f16;
   * the rounding is not intended. */
  if (infer_op_is (op, &infer_op_convert))
    return is_float (op->outputs[0].desc.type)
                   && is_float (desc_of (&op->inputs[0])->type)
               ? 0
               : -1;
  if (op->outputs[0].desc.type != INFER_TYPE_F32)
    return -1;
  if (infer_op_is (op, &infer_op_reshape))
    return 0;
  if (!find_term_kind (op, &term.kind) || found->n_terms == INFER_MAX_TERMS)
    return -1;
  for (int link = 0; link < (term.kind == INFER_TERM_SUBTRACT ? 1 : 2);
       link++) {
    const InferPort *other = &op->inputs[1 - link];
    const InferOperation *constant = constant_behind (other);

    if (constant == NULL || op->inputs[link].op->value != NULL
        || infer_shape_count (&constant->value->shape) > found->n / 8
        || desc_of (other)->type != INFER_TYPE_F32
        || !infer_shape_equal (&desc_of (&op->inputs[link])->shape, shape)
        || !infer_shape_is_static (&desc_of (other)->shape)
        || !find_broadcast (shape, &desc_of (other)->shape, &term))
      continue;
    term.operand = other->op->value;
    found->terms[found->n_terms++] = term;
    return link;
  }
  return -1;
}

/* The stored codes that @op, the first of a chain, converts. */
static gboolean
find_codes (const InferOperation *op, InferCompressed *found)
{
  const InferOperation *constant = op->inputs[0].op;

  if (!infer_op_is (op, &infer_op_convert) || constant == NULL)
    return FALSE;
  if (constant->value == NULL || !constant->value->dense
      || !is_code (constant->value->type)
      || infer_shape_count (&constant->value->shape) != found->n)
    return FALSE;
  found->codes = constant->value;
  return TRUE;
}

static void
reverse_terms (InferCompressed *found)
{
  for (guint i = 0; i < found->n_terms / 2; i++) {
    InferTerm term = found->terms[i];

    found->terms[i] = found->terms[found->n_terms - 1 - i];
    found->terms[found->n_terms - 1 - i] = term;
  }
}

#define MAX_CHAIN 12

typedef struct
{
  InferCompressed found;
  guint n_ops;
  InferOperation *ops[MAX_CHAIN]; /* last one first */
} Chain;

/* Terms whose operands are not folded yet have a NULL tensor. */
static gboolean
find_chain (const InferPort *port, Chain *chain)
{
  InferCompressed *found = &chain->found;
  InferOperation *op = port->op;

  memset (chain, 0, sizeof *chain);
  if (op == NULL || port->index != 0 || op->n_outputs != 1
      || desc_of (port)->type != INFER_TYPE_F32
      || !infer_shape_is_static (&desc_of (port)->shape))
    return FALSE;
  found->shape = desc_of (port)->shape;
  found->n = infer_shape_count (&found->shape);
  while (found->n >= LEAST_ELEMENTS && chain->n_ops < MAX_CHAIN && op != NULL
         && op->value == NULL && op->n_inputs > 0 && op->n_outputs == 1) {
    int link;

    chain->ops[chain->n_ops++] = op;
    if (find_codes (op, found)) {
      reverse_terms (found);
      return TRUE;
    }
    link = find_link (op, found);
    if (link < 0)
      return FALSE;
    op = op->inputs[link].op;
  }
  return FALSE;
}

gboolean
infer_compressed_find (const InferPort *port, InferCompressed *compressed)
{
  Chain chain;

  if (!find_chain (port, &chain))
    return FALSE;
  *compressed = chain.found;
  for (guint i = 0; i < compressed->n_terms; i++)
    if (compressed->terms[i].operand == NULL
        || !compressed->terms[i].operand->dense)
      return FALSE;
  return TRUE;
}

/* --- not folding --- */

static gboolean
is_recurrent (const InferOperation *op)
{
  static const InferOpClass *const recurrent[] = { &infer_op_lstm_cell,
    &infer_op_lstm_sequence, &infer_op_gru_cell, &infer_op_gru_sequence,
    &infer_op_rnn_cell, &infer_op_rnn_sequence, NULL };

  return infer_op_class_in (op->klass, recurrent);
}

gboolean
infer_compressed_is_packed (const InferOperation *op, guint input)
{
  static const InferOpClass *const weighted[] = { &infer_op_matmul,
    &infer_op_convolution, &infer_op_group_convolution,
    &infer_op_convolution_backprop_data,
    &infer_op_group_convolution_backprop_data, NULL };

  if (is_recurrent (op))
    return input == infer_recurrent_w (op->attrs)
           || input == infer_recurrent_w (op->attrs) + 1;
  return input == 1 ? infer_op_class_in (op->klass, weighted)
                    : input == 0 && infer_op_is (op, &infer_op_gather);
}

static gboolean
all_are_packed (const InferOperation *op)
{
  for (guint i = 0; i < op->n_uses; i++)
    if (!infer_compressed_is_packed (op->uses[i].op, op->uses[i].input))
      return FALSE;
  return TRUE;
}

/* Marks the operations unless something else reads one of them. */
static void
mark_chain (const Chain *chain)
{
  if (!all_are_packed (chain->ops[0]))
    return;
  for (guint i = 1; i < chain->n_ops; i++)
    if (chain->ops[i]->n_uses != 1)
      return;
  for (guint i = 0; i < chain->n_ops; i++)
    chain->ops[i]->kept = TRUE;
}

void
infer_compressed_keep (InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++) {
      Chain chain;

      if (infer_compressed_is_packed (op, k)
          && find_chain (&op->inputs[k], &chain))
        mark_chain (&chain);
    }
  }
}

/* --- values --- */

/* Files align nothing. */
static float
operand_at (const InferTerm *term, gsize index)
{
  const char *values = term->operand->data;
  float operand;

  memcpy (&operand, values + index * sizeof operand, sizeof operand);
  return operand;
}

/* The operator of a term, @operand for the next @run values, is the same for
 * all: each has loops of its own, which compilers vectorise.  Divides once, not
 * for each operand. */
#define APPLY(name, operator)                                                  \
  static void apply_##name (                                                   \
      const InferTerm *term, float *values, gsize first, gsize n)              \
  {                                                                            \
    gsize block = first / term->inner % term->count;                           \
    gsize run = MIN (n, term->inner - first % term->inner);                    \
                                                                               \
    while (n > 0) {                                                            \
      const float operand = operand_at (term, block);                          \
                                                                               \
      for (gsize i = 0; i < run; i++)                                          \
        values[i] operator operand;                                            \
      values += run;                                                           \
      n -= run;                                                                \
      run = MIN (n, term->inner);                                              \
      block = block + 1 < term->count ? block + 1 : 0;                         \
    }                                                                          \
  }                                                                            \
  /* With an operand for each value: a row of them at a time. */               \
  static void apply_row_##name (                                               \
      const InferTerm *term, float *values, gsize first, gsize n)              \
  {                                                                            \
    for (gsize at = first % term->count, run; n > 0; n -= run, at = 0) {       \
      run = MIN (n, term->count - at);                                         \
      for (gsize i = 0; i < run; i++)                                          \
        values[i] operator operand_at (term, at + i);                          \
      values += run;                                                           \
    }                                                                          \
  }
APPLY (add, +=)
APPLY (subtract, -=)
APPLY (multiply, *=)
#undef APPLY

static void
apply_term (const InferTerm *term, float *values, gsize first, gsize n)
{
  const gboolean row = term->inner == 1;

  switch (term->kind) {
    case INFER_TERM_ADD:
      (row ? apply_row_add : apply_add) (term, values, first, n);
      break;
    case INFER_TERM_SUBTRACT:
      (row ? apply_row_subtract : apply_subtract) (term, values, first, n);
      break;
    case INFER_TERM_MULTIPLY:
      (row ? apply_row_multiply : apply_multiply) (term, values, first, n);
      break;
  }
}

void
infer_compressed_floats (
    const InferCompressed *compressed, gsize first, gsize n, float *floats)
{
  const guint8 *codes = compressed->codes->data;
  const gsize bits = infer_type_bits (compressed->codes->type);

  g_return_if_fail (first * bits % 8 == 0);
  infer_convert (floats, INFER_TYPE_F32, codes + first * bits / 8,
      compressed->codes->type, n);
  for (guint i = 0; i < compressed->n_terms; i++)
    apply_term (&compressed->terms[i], floats, first, n);
}

InferHash
infer_compressed_hash (const InferCompressed *compressed)
{
  gint64 head[INFER_MAX_RANK + 2] = { compressed->shape.rank,
    compressed->n_terms };

  memcpy (head + 2, compressed->shape.dims,
      (gsize) compressed->shape.rank * sizeof *head);
  InferHash hash = infer_hash (head, sizeof head, NULL);
  for (guint i = 0; i < compressed->n_terms; i++) {
    const InferTerm *term = &compressed->terms[i];
    guint64 numbers[] = { term->kind, term->inner, term->count };

    hash = infer_hash (numbers, sizeof numbers, &hash);
    hash = infer_hash (term->operand->data, term->operand->size, &hash);
  }
  return hash;
}

/* --- integers --- */

/* The value of the term for all these elements, if it is a single one. */
static gboolean
single_operand (
    const InferTerm *term, gsize first, gsize stride, gsize n, float *operand)
{
  const gsize block = first / term->inner;
  const gsize last = first + (n - 1) * stride;

  *operand = operand_at (term, block % term->count);
  return term->count == 1 || last / term->inner == block
         || stride % (term->inner * term->count) == 0;
}

gboolean
infer_compressed_integers (const InferCompressed *compressed, gsize first,
    gsize stride, gsize n, float *scale, int *zero)
{
  const InferType type = compressed->codes->type;
  const InferTerm *terms = compressed->terms;
  const guint last = compressed->n_terms - 1;
  float number;

  *zero = 0;
  if ((type != INFER_TYPE_I8 && type != INFER_TYPE_U8) || n == 0
      || compressed->n_terms == 0 || last > 1
      || terms[last].kind != INFER_TERM_MULTIPLY
      || !single_operand (&terms[last], first, stride, n, scale)
      || !isnormal (*scale) || *scale < 0)
    return FALSE;
  if (last == 0)
    return TRUE;
  if (terms[0].kind == INFER_TERM_MULTIPLY
      || !single_operand (&terms[0], first, stride, n, &number)
      || !(fabsf (number) <= 256) || rintf (number) != number)
    return FALSE;
  *zero = (int) number * (terms[0].kind == INFER_TERM_ADD ? -1 : 1);
  return TRUE;
}
