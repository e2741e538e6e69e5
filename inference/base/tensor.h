/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors in memory of devices and files, and as lists of numbers. */

#pragma once

#include "infer/tensor.h"

typedef struct _InferTensorMemory InferTensorMemory;

/* Every InferTensor is one of these.  Private to tensor.c, but for `mapped`,
 * which readers of files set. */
typedef struct
{
  InferTensor base;
  gboolean mapped; /* pages of a file, which can be had again */
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

/* A hash of some of the bytes, in few pages of a large tensor: those of a file
 * are not read for it. */
guint infer_tensor_hash_sample (const InferTensor *tensor);

/* @tensor itself where it is aligned for its type, as a file's values may not
 * be; else a copy.  (transfer full) */
InferTensor *infer_tensor_align (const InferTensor *tensor, GError **error);

/* Elements of an integer (or boolean, or float) tensor as gint64, for
 * attributes that arrive as tensors; NULL where the type has no values here.
 * (transfer full) (element-type gint64) */
GArray *infer_tensor_to_ints (const InferTensor *tensor);

GArray *infer_tensor_to_doubles (const InferTensor *tensor);
