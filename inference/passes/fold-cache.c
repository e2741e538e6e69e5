/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/passes/fold-cache.h"

#include <string.h>

#include "inference/graph/evaluate.h"

#define KIND "fold"
/* Smaller constants are computed faster than a file is opened. */
#define LEAST_BYTES ((gsize) 64 << 10)
#define MOST_BYTES ((gsize) 1 << 30)

typedef struct
{
  gboolean foldable;
  gboolean moves;  /* foldable, and only copies elements of constants */
  gboolean end;    /* an operation that is not foldable reads it */
  gboolean used;   /* an operation that will be computed reads it */
  gboolean wanted; /* its key is needed */
  gboolean keyed;
  InferHash key;
  InferTensor *ready;
} Node;

struct _InferFoldCache
{
  InferCache *cache;
  guint n;
  Node *nodes;
};

/* --- keys --- */

static void
add (InferHash *hash, gconstpointer data, gsize size)
{
  *hash = infer_hash (data, size, hash);
}

static void
add_desc (InferHash *hash, const InferDesc *desc)
{
  gint64 words[2] = { (gint64) desc->type, desc->shape.rank };

  add (hash, words, sizeof words);
  add (hash, desc->shape.dims,
      (gsize) MAX (desc->shape.rank, 0) * sizeof desc->shape.dims[0]);
}

static void
find_constant_key (Node *node, const InferOperation *op)
{
  if (node->keyed || op->value == NULL)
    return;
  node->keyed = TRUE;
  node->key = infer_hash ("constant", 8, NULL);
  add_desc (&node->key, &op->outputs[0].desc);
  add (&node->key, op->value->data, op->value->size);
}

/* Attributes are identified by the hash of their texts, if any. */
static gboolean
has_known_attributes (const InferOperation *op)
{
  return op->klass->attrs_size == 0 || op->attrs_hash.words[0] != 0
         || infer_op_is (op, &infer_op_convert);
}

static void
find_key (InferFoldCache *self, const InferOperation *op)
{
  Node *node = &self->nodes[op->index];
  guint32 version = op->version;

  if (!has_known_attributes (op))
    return;
  node->key = infer_hash (op->klass->type, strlen (op->klass->type), NULL);
  add (&node->key, &version, sizeof version);
  add (&node->key, &op->attrs_hash, sizeof op->attrs_hash);
  add_desc (&node->key, &op->outputs[0].desc);
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *port = &op->inputs[i];
    Node *input = &self->nodes[port->op->index];
    guint32 index = port->index;

    find_constant_key (input, port->op);
    if (!input->keyed)
      return;
    add (&node->key, &index, sizeof index);
    add (&node->key, &input->key, sizeof input->key);
  }
  node->keyed = TRUE;
}

/* The key in the cache; (transfer full). */
static char *
key_text (const Node *node)
{
  char digits[33];

  infer_hash_to_string (&node->key, digits);
  return g_strdup_printf ("%s %s", digits, infer_evaluate_flavour ());
}

/* --- foldable operations --- */

static gboolean
is_foldable (const InferFoldCache *self, const InferOperation *op)
{
  if (op->value != NULL || op->n_inputs == 0 || op->n_outputs != 1
      || infer_op_is (op, &infer_op_result))
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferOperation *producer = op->inputs[i].op;

    if (producer == NULL
        || (producer->value == NULL && !self->nodes[producer->index].foldable))
      return FALSE;
  }
  return infer_can_evaluate (op, &op->outputs[0].desc, MOST_BYTES);
}

static gsize
output_bytes (const InferOperation *op)
{
  gsize bytes = 0;

  infer_tensor_bytes (
      op->outputs[0].desc.type, &op->outputs[0].desc.shape, &bytes);
  return bytes;
}

/* Operations that only copy constants are computed again and not cached: the
 * key of a cache entry is a hash of the same bytes, which takes longer than the
 * copy.  Models put the gates of recurrent cells into another order like
 * this. */
static gboolean
only_moves (const InferFoldCache *self, const InferOperation *op)
{
  static const InferOpClass *const classes[] = { &infer_op_concat,
    &infer_op_reshape, &infer_op_slice, &infer_op_squeeze, &infer_op_unsqueeze,
    NULL };

  if (!infer_op_class_in (op->klass, classes))
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferOperation *producer = op->inputs[i].op;

    if (producer->value == NULL && !self->nodes[producer->index].moves)
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_candidate (const Node *node, const InferOperation *op)
{
  return node->foldable && node->end && output_bytes (op) >= LEAST_BYTES
         && !node->moves;
}

static gboolean
is_worth (const Node *node, const InferOperation *op)
{
  return node->keyed && is_candidate (node, op);
}

static void
mark (InferFoldCache *self, const InferGraph *graph)
{
  for (guint i = 0; i < self->n; i++) {
    const InferOperation *op = graph->operations->pdata[i];
    Node *node = &self->nodes[i];

    node->foldable = !op->kept && is_foldable (self, op);
    node->moves = node->foldable && only_moves (self, op);
    for (guint k = 0; k < op->n_inputs && !node->foldable; k++)
      if (op->inputs[k].op != NULL)
        self->nodes[op->inputs[k].op->index].end = TRUE;
  }
}

/* Hashes the contents of constants only if a candidate depends on them. */
static void
find_keys (InferFoldCache *self, const InferGraph *graph)
{
  for (guint i = self->n; i-- > 0;) {
    const InferOperation *op = graph->operations->pdata[i];
    Node *node = &self->nodes[i];

    node->wanted |= is_candidate (node, op);
    for (guint k = 0; node->wanted && k < op->n_inputs; k++)
      self->nodes[op->inputs[k].op->index].wanted = TRUE;
  }
  for (guint i = 0; i < self->n; i++)
    if (self->nodes[i].wanted && self->nodes[i].foldable)
      find_key (self, graph->operations->pdata[i]);
}

static InferTensor *
look_up (InferFoldCache *self, const Node *node, const InferOperation *op)
{
  g_autofree char *key = key_text (node);
  GBytes *bytes = infer_cache_get (self->cache, KIND, key);
  gsize size;

  if (bytes == NULL)
    return NULL;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  if (size == output_bytes (op))
    return infer_tensor_new_wrapped (op->outputs[0].desc.type,
        &op->outputs[0].desc.shape, (gpointer) (gsize) data, size, bytes,
        (GDestroyNotify) g_bytes_unref, NULL);
  g_bytes_unref (bytes);
  return NULL;
}

/* From the ends of chains backwards: inputs of a cached result are not
 * needed. */
static void
find_ready (InferFoldCache *self, const InferGraph *graph)
{
  for (guint i = self->n; i-- > 0;) {
    const InferOperation *op = graph->operations->pdata[i];
    Node *node = &self->nodes[i];

    if (!node->foldable || !(node->end || node->used))
      continue;
    if (is_worth (node, op))
      node->ready = look_up (self, node, op);
    for (guint k = 0; k < op->n_inputs && node->ready == NULL; k++)
      self->nodes[op->inputs[k].op->index].used = TRUE;
  }
}

InferFoldCache *
infer_fold_cache_new (const InferGraph *graph, InferCache *cache)
{
  if (cache == NULL)
    return NULL;
  InferFoldCache *self = g_new0 (InferFoldCache, 1);
  self->cache = infer_cache_ref (cache);
  self->n = graph->operations->len;
  self->nodes = g_new0 (Node, self->n);
  mark (self, graph);
  find_keys (self, graph);
  find_ready (self, graph);
  return self;
}

void
infer_fold_cache_free (InferFoldCache *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    infer_tensor_unref (self->nodes[i].ready);
  infer_cache_unref (self->cache);
  g_free (self->nodes);
  g_free (self);
}

InferFold
infer_fold_cache_look (
    InferFoldCache *self, const InferOperation *op, InferTensor **outputs)
{
  const Node *node = self != NULL ? &self->nodes[op->index] : NULL;

  if (node == NULL || !node->foldable)
    return INFER_FOLD_COMPUTE;
  if (node->ready != NULL) {
    outputs[0] = infer_tensor_ref (node->ready);
    return INFER_FOLD_READY;
  }
  return node->end || node->used ? INFER_FOLD_COMPUTE : INFER_FOLD_SKIP;
}

void
infer_fold_cache_keep (
    InferFoldCache *self, const InferOperation *op, InferTensor *const *outputs)
{
  const Node *node = self != NULL ? &self->nodes[op->index] : NULL;

  if (node == NULL || node->ready != NULL || !is_worth (node, op)
      || !outputs[0]->dense || outputs[0]->size != output_bytes (op))
    return;
  g_autofree char *key = key_text (node);
  g_autoptr (GBytes) bytes =
      g_bytes_new_static (outputs[0]->data, outputs[0]->size);
  infer_cache_put (self->cache, KIND, key, bytes);
}
