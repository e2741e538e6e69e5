/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/tensor.h"

#include <string.h>

#include "protocol/datatype.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "tensors in messages are little-endian: this machine would have to swap"
#endif

void
protocol_tensor_clear (ProtocolTensor *tensor)
{
  g_free (tensor->name);
  g_free (tensor->owned);
  *tensor = (ProtocolTensor){ 0 };
}

gboolean
protocol_tensor_set_desc (ProtocolTensor *tensor, const char *name,
    const char *datatype, const gint64 *dims, gsize rank, GError **error)
{
  gsize n;

  if (name[0] == '\0' || !g_utf8_validate (name, -1, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a tensor of the message has no name, or one that is not UTF-8");
  if (!protocol_datatype_parse (datatype, &tensor->type))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s': unknown datatype '%s'", name, datatype);
  if (rank > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s' has %zu dimensions; at most %d are possible", name, rank,
        INFER_MAX_RANK);
  for (gsize i = 0; i < rank; i++)
    if (dims[i] < 0)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor '%s': dimension %zu is %" G_GINT64_FORMAT
          "; a tensor needs sizes of 0 or more",
          name, i, dims[i]);
  tensor->shape = infer_shape_new ((int) rank, dims);
  if (!infer_shape_elements (&tensor->shape, &n) || n > G_MAXSSIZE / 8)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s': its shape is too large", name);
  g_free (tensor->name);
  tensor->name = g_strdup (name);
  return TRUE;
}

/* Whether @data are @n elements, each behind its length. */
static gboolean
check_strings (const guint8 *data, gsize size, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    guint32 length;

    if (size < sizeof length)
      return FALSE;
    memcpy (&length, data, sizeof length);
    data += sizeof length;
    size -= sizeof length;
    if (length > size)
      return FALSE;
    data += length;
    size -= length;
  }
  return size == 0;
}

gboolean
protocol_tensor_set_data (
    ProtocolTensor *tensor, gconstpointer data, gsize size, GError **error)
{
  const gsize n = infer_shape_count (&tensor->shape);

  if (tensor->type == INFER_TYPE_STRING) {
    if (!check_strings (data, size, n))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor '%s': its %zu bytes are not %zu elements of BYTES",
          tensor->name, size, n);
  } else if (size != n * infer_type_size (tensor->type)) {
    g_autofree char *shape = infer_shape_to_string (&tensor->shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s' of %s %s has %zu bytes; %zu were expected", tensor->name,
        protocol_datatype_name (tensor->type), shape, size,
        n * infer_type_size (tensor->type));
  }
  g_clear_pointer (&tensor->owned, g_free);
  tensor->data = data;
  tensor->size = size;
  return TRUE;
}

void
protocol_tensor_take_data (ProtocolTensor *tensor, gpointer owned, gsize size)
{
  g_free (tensor->owned);
  tensor->data = tensor->owned = owned;
  tensor->size = size;
}

gboolean
protocol_tensor_from_infer (ProtocolTensor *tensor, const char *name,
    const InferTensor *value, GError **error)
{
  if (protocol_datatype_name (value->type) == NULL
      || value->type == INFER_TYPE_STRING)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "tensor '%s' is %s, for which the protocol has no datatype", name,
        infer_type_name (value->type));
  protocol_tensor_clear (tensor);
  tensor->name = g_strdup (name);
  tensor->type = value->type;
  tensor->shape = value->shape;
  tensor->size =
      infer_shape_count (&value->shape) * infer_type_size (value->type);
  tensor->data = value->data;
  if (value->dense || tensor->size == 0)
    return TRUE;
  g_autoptr (InferTensor) dense =
      infer_tensor_new (value->type, &value->shape, error);
  if (dense == NULL || !infer_tensor_copy (dense, value, error))
    return FALSE;
  tensor->data = tensor->owned = g_memdup2 (dense->data, tensor->size);
  return TRUE;
}

gboolean
protocol_tensor_copy (
    const ProtocolTensor *tensor, InferTensor *value, GError **error)
{
  if (tensor->type != value->type
      || !infer_shape_equal (&tensor->shape, &value->shape) || !value->dense)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s': type or shape is not that of its destination",
        tensor->name);
  if (tensor->size > 0)
    memcpy (value->data, tensor->data, tensor->size);
  if (tensor->type == INFER_TYPE_BOOLEAN)
    for (gsize i = 0; i < tensor->size; i++)
      ((guint8 *) value->data)[i] = ((const guint8 *) value->data)[i] != 0;
  return TRUE;
}
