/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* InferTensor: element type, shape, strides and memory.  Ref-counted; views
 * share memory.  The counting is safe from any thread, the contents are not
 * guarded: whoever started a request with a tensor leaves it alone until the
 * request is done. */

#pragma once

#include "infer/api.h"
#include "infer/shape.h"
#include "infer/type.h"

G_BEGIN_DECLS

/* What a port carries. */
typedef struct
{
  InferType type;
  InferShape shape;
} InferDesc;

typedef struct _InferTensor InferTensor;
typedef struct _InferTensorMemory InferTensorMemory;

struct _InferTensor
{
  /* Read-only for users. */
  InferType type;
  InferShape shape;               /* static */
  gint64 strides[INFER_MAX_RANK]; /* bytes; of whole-byte types only */
  gpointer data;                  /* first element; NULL only if n == 0 */
  gsize size;                     /* bytes from the first to past the last */
  gboolean dense;                 /* row-major without gaps */

  /*< private >*/
  gboolean mapped; /* pages of a file, which can be had again */
  gsize capacity;
  gpointer owner;
  GDestroyNotify owner_free;
  const InferTensorMemory *memory; /* NULL: the process's */
};

/* 64-byte aligned, zeroed memory of its own.  NULL with @error where the shape
 * is not static, its size overflows or memory is short. */
INFER_API InferTensor *infer_tensor_new (
    InferType type, const InferShape *shape, GError **error);

/* Wraps dense memory that @owner (nullable) keeps alive; @owner_free runs on
 * failure too.  INFER_ERROR_INVALID_ARGUMENT where @size is less than the
 * shape needs. */
INFER_API InferTensor *infer_tensor_new_wrapped (InferType type,
    const InferShape *shape, gpointer data, gsize size, gpointer owner,
    GDestroyNotify owner_free, GError **error);

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
INFER_API InferTensor *infer_tensor_new_in (const InferTensorMemory *memory,
    gpointer owner, gpointer data, gsize capacity, InferType type,
    const InferShape *shape, GError **error);
/* What the tensor lies in, if all of it is such memory; else NULL. */
INFER_API gpointer infer_tensor_peek_owner (
    const InferTensor *tensor, const InferTensorMemory *memory);
/* Ordinary memory instead, where the device's is lost; contents are undefined.
 */
INFER_API gboolean infer_tensor_leave_memory (
    InferTensor *tensor, GError **error);

/* A box of @base: from @begin (inclusive), of @shape; shares memory.  Sub-byte
 * types are refused. */
INFER_API InferTensor *infer_tensor_new_roi (InferTensor *base,
    const gint64 *begin, const InferShape *shape, GError **error);

INFER_API InferTensor *infer_tensor_ref (InferTensor *tensor);
INFER_API void infer_tensor_unref (InferTensor *tensor); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferTensor, infer_tensor_unref)

/* Nobody will read it soon: pages of a file are given back, until somebody
 * reads them after all.  Nothing where it is other memory.  Any thread. */
INFER_API void infer_tensor_forget (const InferTensor *tensor);

/* Gives an owned tensor another shape and type; memory is only allocated when
 * it grows beyond what the tensor ever had.  Contents are undefined after it.
 */
INFER_API gboolean infer_tensor_reshape (InferTensor *tensor, InferType type,
    const InferShape *shape, GError **error);

/* Copies element by element between equal shapes, converting the type as the
 * operation Convert does; either side may be strided. */
INFER_API gboolean infer_tensor_copy (
    InferTensor *dst, const InferTensor *src, GError **error);

/* Bytes of a dense tensor, FALSE on overflow. */
INFER_API gboolean infer_tensor_bytes (
    InferType type, const InferShape *shape, gsize *bytes);

/* Elements of an integer (or boolean, or float) tensor as gint64, for
 * attributes that arrive as tensors; NULL where the type has no values here.
 * (transfer full) (element-type gint64) */
INFER_API GArray *infer_tensor_to_ints (const InferTensor *tensor);
INFER_API GArray *infer_tensor_to_doubles (const InferTensor *tensor);

/* Scalar conversions: round to nearest even, infinities and NaN kept. */
INFER_API float infer_f16_to_f32 (guint16 half);
INFER_API guint16 infer_f32_to_f16 (float value);
INFER_API float infer_bf16_to_f32 (guint16 bits);
INFER_API guint16 infer_f32_to_bf16 (float value);

/* @n elements from one dense array to another, with Convert's rules (float to
 * integer truncates toward zero and saturates, but wraps below a byte; anything
 * to boolean is != 0). FALSE: no such pair.  Sub-byte sources count from
 * element 0 of @src. */
INFER_API gboolean infer_convert (gpointer dst, InferType dst_type,
    gconstpointer src, InferType src_type, gsize n);

G_END_DECLS
