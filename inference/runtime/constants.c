/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/constants.h"

#include <string.h>

#include "inference/graph/model-private.h"

/* Smaller constants are not shared. */
#define LEAST_BYTES 1024

typedef struct
{
  InferTensor *value;
  guint hash; /* of what it was: a file may be cut short */
  guint users;
} Entry;

struct _InferConstants
{
  GMutex lock;
  GHashTable *entries; /* set of Entry, by content */
  gsize bytes;
};

static guint
entry_hash (gconstpointer key)
{
  return ((const Entry *) key)->hash;
}

/* Hashes are of a sample. */
static gboolean
entries_equal (gconstpointer pa, gconstpointer pb)
{
  const InferTensor *a = ((const Entry *) pa)->value;
  const InferTensor *b = ((const Entry *) pb)->value;

  return a == b
         || (a->type == b->type && a->size == b->size
             && infer_shape_equal (&a->shape, &b->shape)
             && (a->data == b->data
                 || memcmp (a->data, b->data, a->size) == 0));
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  infer_tensor_unref (entry->value);
  g_free (entry);
}

InferConstants *
infer_constants_new (void)
{
  InferConstants *constants = g_new0 (InferConstants, 1);

  g_mutex_init (&constants->lock);
  constants->entries =
      g_hash_table_new_full (entry_hash, entries_equal, entry_free, NULL);
  return constants;
}

void
infer_constants_free (InferConstants *constants)
{
  if (constants == NULL)
    return;
  g_assert (g_hash_table_size (constants->entries) == 0);
  g_hash_table_unref (constants->entries);
  g_mutex_clear (&constants->lock);
  g_free (constants);
}

/* Locked. */
static Entry *
share_value (InferConstants *constants, InferTensor *value)
{
  const Entry key = { .value = value,
    .hash = infer_tensor_hash_sample (value) };
  Entry *entry = g_hash_table_lookup (constants->entries, &key);

  if (entry == NULL) {
    entry = g_new (Entry, 1);
    *entry = key;
    infer_tensor_ref (value);
    g_hash_table_add (constants->entries, entry);
    constants->bytes += value->size;
  }
  entry->users++;
  return entry;
}

/* The reader limits the depth of bodies. */
static void
share_graph (InferConstants *constants, InferGraph *graph, GPtrArray *shared)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = g_ptr_array_index (graph->operations, i);

    for (guint b = 0; b < op->n_bodies; b++)
      share_graph (constants, op->bodies[b].graph, shared);
    if (op->value == NULL || op->value->size < LEAST_BYTES || !op->value->dense)
      continue;
    Entry *entry = share_value (constants, op->value);
    g_ptr_array_add (shared, entry);
    InferTensor *value = infer_tensor_ref (entry->value);
    if (value != op->value)
      infer_tensor_forget (op->value);
    infer_tensor_unref (op->value);
    op->value = value;
  }
}

GPtrArray *
infer_constants_share (InferConstants *constants, InferModel *model)
{
  GPtrArray *shared = g_ptr_array_new ();

  g_mutex_lock (&constants->lock);
  share_graph (constants, model->graph, shared);
  g_mutex_unlock (&constants->lock);
  return shared;
}

void
infer_constants_release (InferConstants *constants, GPtrArray *shared)
{
  g_mutex_lock (&constants->lock);
  for (guint i = 0; i < shared->len; i++) {
    Entry *entry = shared->pdata[i];

    if (--entry->users > 0)
      continue;
    constants->bytes -= entry->value->size;
    g_hash_table_remove (constants->entries, entry);
  }
  g_mutex_unlock (&constants->lock);
  g_ptr_array_unref (shared);
}

gsize
infer_constants_bytes (InferConstants *constants)
{
  g_mutex_lock (&constants->lock);
  gsize bytes = constants->bytes;
  g_mutex_unlock (&constants->lock);
  return bytes;
}
