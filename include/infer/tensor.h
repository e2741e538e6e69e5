/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* InferTensor: element type, shape, strides and memory.  Ref-counted; views
 * share memory.  References may be taken and dropped on any thread; contents
 * are not guarded: do not touch a tensor while a request that uses it runs. */

#pragma once

#include "infer/api.h"
#include "infer/shape.h"
#include "infer/type.h"

G_BEGIN_DECLS

/* Type and shape of a port's values. */
typedef struct
{
  InferType type;
  InferShape shape;
} InferDesc;

typedef struct _InferTensor InferTensor;

struct _InferTensor
{
  /* Read-only; only the library creates tensors. */
  InferType type;
  InferShape shape;               /* static */
  gint64 strides[INFER_MAX_RANK]; /* bytes; of whole-byte types only */
  gpointer data;                  /* first element; NULL only if n == 0 */
  gsize size;                     /* bytes from the first to past the last */
  gboolean dense;                 /* row-major without gaps */
};

/* Allocates zeroed memory, aligned to 64 bytes.  NULL with @error if the shape
 * is not static, its size overflows or memory is short.  (transfer full) */
INFER_API InferTensor *infer_tensor_new (
    InferType type, const InferShape *shape, GError **error);

/* Wraps dense memory @data [@size bytes] that @owner (nullable) keeps alive;
 * @owner_free (owner) is called by the last unref, and on failure.
 * INFER_ERROR_INVALID_ARGUMENT if @size is too small.  (transfer full) */
INFER_API InferTensor *infer_tensor_new_wrapped (InferType type,
    const InferShape *shape, gpointer data, gsize size, gpointer owner,
    GDestroyNotify owner_free, GError **error);

/* A box of @base: from @begin (inclusive), of @shape; shares memory.  Sub-byte
 * types are refused. */
INFER_API InferTensor *infer_tensor_new_roi (InferTensor *base,
    const gint64 *begin, const InferShape *shape, GError **error);

INFER_API InferTensor *infer_tensor_ref (InferTensor *tensor);
INFER_API void infer_tensor_unref (InferTensor *tensor); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferTensor, infer_tensor_unref)

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
