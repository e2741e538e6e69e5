/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

/* --- shapes --- */

static gboolean
make_shape (InferShape *shape, const gint64 *dims, guint n_dims, GError **error)
{
  if (n_dims > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a shape has at most %d dims, not %u", INFER_MAX_RANK, n_dims);
  for (guint i = 0; i < n_dims; i++) {
    if (dims[i] < INFER_DYNAMIC)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "dim %u of a shape is %" G_GINT64_FORMAT
          "; it must be 0 or more, or -1 if it is not known",
          i, dims[i]);
  }
  *shape = infer_shape_new ((int) n_dims, dims);
  return TRUE;
}

InferShape *
infer_shape_new_dims (const gint64 *dims, guint n_dims, GError **error)
{
  InferShape shape;

  return make_shape (&shape, dims, n_dims, error)
             ? g_memdup2 (&shape, sizeof shape)
             : NULL;
}

const gint64 *
infer_shape_get_dims (const InferShape *shape, guint *n_dims)
{
  *n_dims = (guint) MAX (shape->rank, 0);
  return shape->dims;
}

InferType
infer_desc_get_element_type (const InferDesc *desc)
{
  return desc->type;
}

InferShape *
infer_desc_get_shape (const InferDesc *desc)
{
  return g_memdup2 (&desc->shape, sizeof desc->shape);
}

/* --- tensors --- */

InferTensor *
infer_tensor_new_from_bytes (InferType type, const gint64 *dims, guint n_dims,
    GBytes *bytes, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  InferShape shape;

  if (!make_shape (&shape, dims, n_dims, error))
    return NULL;
  return infer_tensor_new_wrapped (type, &shape, (gpointer) (gsize) data, size,
      g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref, error);
}

GBytes *
infer_tensor_get_bytes (InferTensor *tensor, GError **error)
{
  g_autoptr (InferTensor) dense = NULL;

  if (tensor->dense) {
    dense = infer_tensor_ref (tensor);
  } else {
    dense = infer_tensor_new (tensor->type, &tensor->shape, error);
    if (dense == NULL || !infer_tensor_copy (dense, tensor, error))
      return NULL;
  }
  gconstpointer data = dense->data;
  gsize size = dense->size;
  return g_bytes_new_with_free_func (data, size,
      (GDestroyNotify) infer_tensor_unref, g_steal_pointer (&dense));
}

guint64
infer_tensor_get_address (const InferTensor *tensor)
{
  return (guint64) (gsize) tensor->data;
}

InferType
infer_tensor_get_element_type (const InferTensor *tensor)
{
  return tensor->type;
}

const gint64 *
infer_tensor_get_dims (const InferTensor *tensor, guint *n_dims)
{
  return infer_shape_get_dims (&tensor->shape, n_dims);
}

const gint64 *
infer_tensor_get_strides (const InferTensor *tensor, guint *n_dims)
{
  *n_dims = (guint) tensor->shape.rank;
  return tensor->strides;
}
