/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors in memory of devices and files, and as lists of numbers. */

#pragma once

#include <string.h>

#include "infer/tensor.h"

typedef struct _InferTensorMemory InferTensorMemory;

/* Every InferTensor is one of these.  Private to tensor.c, but for `mapped`,
 * which readers of files set. */
typedef struct
{
  InferTensor base;
  gboolean mapped; /* pages of a file, which can be had again */
  gint fetched;    /* atomic: `infer_tensor_fetch`, and not forgotten since */
  guint sample;    /* atomic: `infer_tensor_hash_sample`; 0: not known */
  gsize capacity;
  gpointer owner;
  GDestroyNotify owner_free;
  const InferTensorMemory *memory; /* NULL: the process's */
} InferTensorPrivate;

/* For backends: memory that a device sees as well. */
struct _InferTensorMemory
{
  /* Zeroed memory of the kind of @owner's, of its own owner (transfer full),
   * for @bytes at *@data; NULL where it is short. */
  gpointer (*grow) (gpointer owner, gsize bytes, gpointer *data);
  GDestroyNotify free;
};
/* Like infer_tensor_new, in memory of @capacity bytes that @owner (transfer
 * full, on failure too) has.  It grows by @memory, which lives for ever. */
InferTensor *infer_tensor_new_in (const InferTensorMemory *memory,
    gpointer owner, gpointer data, gsize capacity, InferType type,
    const InferShape *shape, GError **error);

/* The owner of the memory, if it is @memory that holds the whole tensor; else
 * NULL. */
gpointer infer_tensor_peek_owner (
    const InferTensor *tensor, const InferTensorMemory *memory);

/* Ordinary memory instead, where the device's is lost; contents are undefined.
 */
gboolean infer_tensor_leave_memory (InferTensor *tensor, GError **error);

/* Nobody will read it soon: pages of a file are given back, until somebody
 * reads them after all.  Nothing where it is other memory.  Any thread. */
void infer_tensor_forget (const InferTensor *tensor);
/* All of it will be read soon: pages of a file are mapped at once, which takes
 * less than a fault for each few.  Any thread. */
void infer_tensor_fetch (const InferTensor *tensor);

/* A hash of the first bytes: the pages of a file are not read for it. */
guint infer_tensor_hash_sample (const InferTensor *tensor);

/* Whether each element lies at a multiple of its size.  Values of a file or a
 * user's may not. */
gboolean infer_tensor_is_aligned (const InferTensor *tensor);

/* @tensor itself where it is aligned, else a dense copy.  (transfer full) */
InferTensor *infer_tensor_align (const InferTensor *tensor, GError **error);

/* Elements of an integer (or boolean, or float) tensor as gint64, for
 * attributes that arrive as tensors; NULL where the type has no values here, or
 * there is no memory for many.  They cannot grow.
 * (transfer full) (element-type gint64) */
GArray *infer_tensor_to_ints (const InferTensor *tensor);

GArray *infer_tensor_to_doubles (const InferTensor *tensor);

/* @n zeros of at most 8 bytes each, for lists whose length comes from a file.
 * It cannot grow.  (transfer full) (nullable): no memory. */
GArray *infer_numbers_new (guint n);

/* Memory that is zero, for what is allocated often while a model is loaded.
 * calloc of glibc before 2.41, and with it g_new0, does not use the thread's
 * cache of free blocks, and so takes several times as long as malloc. */

/* Larger blocks may come zeroed from the system. */
#define INFER_MOST_CLEARED 1024

static inline gpointer
infer_zeroed (gsize n, gsize size)
{
  gpointer memory;

  if (n > INFER_MOST_CLEARED || n * size > INFER_MOST_CLEARED)
    return g_malloc0_n (n, size);
  memory = g_malloc (n * size);
  return memory != NULL ? memset (memory, 0, n * size) : NULL;
}

/* As g_new0; freed by g_free. */
#define infer_new0(type, n) ((type *) infer_zeroed (n, sizeof (type)))

/* As g_atomic_rc_box_alloc0. */
static inline gpointer
infer_rc_box_zeroed (gsize size)
{
  return memset (g_atomic_rc_box_alloc (size), 0, size);
}
