/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Typed contents: values that a client has put into the message as numbers. */

#include <string.h>

#include "protocol/datatype.h"
#include "protocol/grpc-private.h"

static gboolean
check_count (const ProtocolTensor *tensor, gsize n, GError **error)
{
  const gsize expected = infer_shape_count (&tensor->shape);

  if (n == expected)
    return TRUE;
  g_autofree char *shape = infer_shape_to_string (&tensor->shape);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "tensor '%s' of %s %s has %zu values of this type; %zu were expected",
      tensor->name, protocol_datatype_name (tensor->type), shape, n, expected);
}

/* @n values that are in memory as the tensor has them. */
static gboolean
take (ProtocolTensor *tensor, gconstpointer values, gsize n, GError **error)
{
  const gsize size = n * infer_type_size (tensor->type);

  if (!check_count (tensor, n, error))
    return FALSE;
  protocol_tensor_take_data (tensor, g_memdup2 (values, size), size);
  return TRUE;
}

/* @n integers of 32 bits, or bools, to a type of fewer bits. */
static gboolean
narrow (ProtocolTensor *tensor, const gint32 *values, gsize n, gint64 least,
    gint64 most, GError **error)
{
  const gsize bytes = infer_type_size (tensor->type);

  if (!check_count (tensor, n, error))
    return FALSE;
  g_autofree guint8 *data = g_malloc (MAX (n * bytes, 1));
  for (gsize i = 0; i < n; i++) {
    const gint64 value =
        tensor->type == INFER_TYPE_U8 || tensor->type == INFER_TYPE_U16
            ? (gint64) (guint32) values[i]
            : values[i];

    if (value < least || value > most)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor '%s': value %" G_GINT64_FORMAT " at %zu is not one of %s",
          tensor->name, value, i, protocol_datatype_name (tensor->type));
    memcpy (data + i * bytes, &value, bytes);
  }
  protocol_tensor_take_data (tensor, g_steal_pointer (&data), n * bytes);
  return TRUE;
}

static gboolean
take_strings (ProtocolTensor *tensor, const ProtobufCBinaryData *values,
    gsize n, GError **error)
{
  if (!check_count (tensor, n, error))
    return FALSE;
  g_autoptr (GByteArray) data = g_byte_array_new ();
  for (gsize i = 0; i < n; i++) {
    const guint32 length = (guint32) values[i].len;

    g_byte_array_append (data, (const guint8 *) &length, sizeof length);
    if (length > 0)
      g_byte_array_append (data, values[i].data, length);
  }
  const gsize size = data->len;
  protocol_tensor_take_data (
      tensor, g_byte_array_free (g_steal_pointer (&data), FALSE), size);
  return TRUE;
}

gboolean
protocol_contents_read (const Inference__InferTensorContents *c,
    ProtocolTensor *tensor, GError **error)
{
  switch (tensor->type) {
    case INFER_TYPE_BOOLEAN:
      return narrow (tensor, (const gint32 *) c->bool_contents,
          c->n_bool_contents, 0, 1, error);
    case INFER_TYPE_I8:
      return narrow (tensor, c->int_contents, c->n_int_contents, G_MININT8,
          G_MAXINT8, error);
    case INFER_TYPE_I16:
      return narrow (tensor, c->int_contents, c->n_int_contents, G_MININT16,
          G_MAXINT16, error);
    case INFER_TYPE_I32:
      return take (tensor, c->int_contents, c->n_int_contents, error);
    case INFER_TYPE_I64:
      return take (tensor, c->int64_contents, c->n_int64_contents, error);
    case INFER_TYPE_U8:
      return narrow (tensor, (const gint32 *) c->uint_contents,
          c->n_uint_contents, 0, G_MAXUINT8, error);
    case INFER_TYPE_U16:
      return narrow (tensor, (const gint32 *) c->uint_contents,
          c->n_uint_contents, 0, G_MAXUINT16, error);
    case INFER_TYPE_U32:
      return take (tensor, c->uint_contents, c->n_uint_contents, error);
    case INFER_TYPE_U64:
      return take (tensor, c->uint64_contents, c->n_uint64_contents, error);
    case INFER_TYPE_F32:
      return take (tensor, c->fp32_contents, c->n_fp32_contents, error);
    case INFER_TYPE_F64:
      return take (tensor, c->fp64_contents, c->n_fp64_contents, error);
    case INFER_TYPE_STRING:
      return take_strings (
          tensor, c->bytes_contents, c->n_bytes_contents, error);
    default:
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor '%s' of %s has typed contents; the protocol carries this "
          "datatype as raw contents only",
          tensor->name, protocol_datatype_name (tensor->type));
  }
}
