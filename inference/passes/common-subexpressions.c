/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Merges operations of equal class, attributes and inputs. */

#include "inference/passes/pass.h"

#include "inference/base/hash.h"

#include <string.h>

#define MAX_COMPARED_BYTES 4096

static guint
mix (guint hash, gsize value)
{
  return (hash ^ (guint) (value ^ (value >> 32))) * 16777619u;
}

static guint
hash_value (guint hash, const InferTensor *value)
{
  hash = mix (hash, value->size);
  if (value->size > MAX_COMPARED_BYTES)
    return mix (hash, (gsize) value->data);
  InferHash content = infer_hash (value->data, value->size, NULL);
  return mix (hash, (gsize) content.words[0]);
}

static guint
hash_operation (gconstpointer key)
{
  const InferOperation *op = key;
  guint hash = mix (2166136261u, (gsize) op->klass);

  if (op->value != NULL)
    return hash_value (hash, op->value);
  for (guint i = 0; i < op->n_inputs; i++)
    hash = mix (mix (hash, (gsize) op->inputs[i].op), op->inputs[i].index);
  return hash;
}

static gboolean
equal_values (const InferTensor *a, const InferTensor *b)
{
  return a->type == b->type && a->size == b->size
         && infer_shape_equal (&a->shape, &b->shape)
         && (a->data == b->data || a->size == 0
             || (a->size <= MAX_COMPARED_BYTES
                 && memcmp (a->data, b->data, a->size) == 0));
}

/* Attributes with pointers are only known to be equal if shared. */
static gboolean
equal_attrs (const InferOperation *a, const InferOperation *b)
{
  return a->attrs == b->attrs
         || (a->klass->clear == NULL
             && memcmp (a->attrs, b->attrs, a->klass->attrs_size) == 0);
}

static gboolean
equal_operations (gconstpointer x, gconstpointer y)
{
  const InferOperation *a = x, *b = y;

  if (a->klass != b->klass || a->version != b->version
      || a->n_inputs != b->n_inputs || a->n_outputs != b->n_outputs)
    return FALSE;
  if (a->value != NULL || b->value != NULL)
    return a->value != NULL && b->value != NULL
           && equal_values (a->value, b->value);
  for (guint i = 0; i < a->n_inputs; i++)
    if (!infer_port_equal (&a->inputs[i], &b->inputs[i]))
      return FALSE;
  return equal_attrs (a, b);
}

static gboolean
may_merge (const InferOperation *op)
{
  return (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) == 0
         && op->n_bodies == 0 && op->n_outputs > 0
         && !infer_op_is (op, &infer_op_result);
}

/* In topological order, so that inputs are merged before their readers. */
static gboolean
run (InferGraph *graph, InferCache *cache)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new (hash_operation, equal_operations);
  const guint n = graph->operations->len;
  gboolean changed = FALSE;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = graph->operations->pdata[i], *first;

    if (!may_merge (op))
      continue;
    first = g_hash_table_lookup (seen, op);
    if (first == NULL)
      g_hash_table_add (seen, op);
    for (guint k = 0; first != NULL && k < op->n_outputs; k++)
      changed |=
          infer_port_replace ((InferPort){ op, k }, (InferPort){ first, k });
  }
  return changed;
}

const InferPass infer_pass_common_subexpressions = { "common-subexpressions",
  .run = run };
