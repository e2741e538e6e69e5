/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of tensors in JSON. */

#include <math.h>
#include <string.h>

#include "protocol/datatype.h"
#include "protocol/json-text.h"
#include "protocol/rest-private.h"

/* --- reading --- */

/* Values on their way into a tensor. */
typedef struct
{
  ProtocolTensor *tensor;
  gsize n;
  guint8 *data; /* of all types but BYTES */
  gsize element;
  GByteArray *strings;
} Values;

static gboolean
add_integer (Values *values, InferJsonValue item, GError **error)
{
  static const struct
  {
    InferType type;
    gint64 least, most;
  } ranges[] = {
    { INFER_TYPE_I8, G_MININT8, G_MAXINT8 },
    { INFER_TYPE_I16, G_MININT16, G_MAXINT16 },
    { INFER_TYPE_I32, G_MININT32, G_MAXINT32 },
    { INFER_TYPE_U8, 0, G_MAXUINT8 },
    { INFER_TYPE_U16, 0, G_MAXUINT16 },
    { INFER_TYPE_U32, 0, G_MAXUINT32 },
    { INFER_TYPE_U64, 0, G_MAXINT64 },
  };
  const InferType type = values->tensor->type;
  gint64 value;

  if (!infer_json_to_int (item, &value, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].type == type
        && (value < ranges[i].least || value > ranges[i].most))
      return infer_json_fail (item, error,
          "%" G_GINT64_FORMAT " is not a value of %s%s", value,
          protocol_datatype_name (type),
          type == INFER_TYPE_U64 ? " below 2^63, as JSON can carry it" : "");
  memcpy (values->data + values->n * values->element, &value, values->element);
  return TRUE;
}

static gboolean
add_real (Values *values, InferJsonValue item, GError **error)
{
  double number;

  if (!infer_json_to_number (item, &number, error))
    return FALSE;
  infer_convert (values->data + values->n * values->element,
      values->tensor->type, &number, INFER_TYPE_F64, 1);
  return TRUE;
}

static gboolean
add_string (Values *values, InferJsonValue item, GError **error)
{
  const char *string;
  gsize length;

  if (!infer_json_to_string (item, &string, &length, error))
    return FALSE;
  const guint32 size = (guint32) length;
  g_byte_array_append (values->strings, (const guint8 *) &size, sizeof size);
  g_byte_array_append (values->strings, (const guint8 *) string, size);
  return TRUE;
}

static gboolean
add_bool (Values *values, InferJsonValue item, GError **error)
{
  gint64 number;
  gboolean flag;

  if (infer_json_type (item) == INFER_JSON_NUMBER) {
    if (!infer_json_to_int (item, &number, error))
      return FALSE;
    if (number != 0 && number != 1)
      return infer_json_fail (item, error, "a bool was expected");
    flag = number == 1;
  } else if (!infer_json_to_bool (item, &flag, error)) {
    return FALSE;
  }
  values->data[values->n] = (guint8) flag;
  return TRUE;
}

static gboolean
add (Values *values, InferJsonValue item, GError **error)
{
  const InferType type = values->tensor->type;
  gboolean done;

  if (infer_json_type (item) == INFER_JSON_ARRAY) {
    for (guint i = 0; i < infer_json_length (item); i++)
      if (!add (values, infer_json_at (item, i), error))
        return FALSE;
    return TRUE;
  }
  if (type == INFER_TYPE_STRING)
    done = add_string (values, item, error);
  else if (type == INFER_TYPE_BOOLEAN)
    done = add_bool (values, item, error);
  else if (infer_type_is_real (type))
    done = add_real (values, item, error);
  else
    done = add_integer (values, item, error);
  values->n++;
  return done;
}

/* Values in nested arrays. */
static gsize
count (InferJsonValue item)
{
  gsize n = 0;

  if (infer_json_type (item) != INFER_JSON_ARRAY)
    return 1;
  for (guint i = 0; i < infer_json_length (item); i++)
    n += count (infer_json_at (item, i));
  return n;
}

gboolean
protocol_rest_read_data (
    ProtocolTensor *tensor, InferJsonValue data, GError **error)
{
  const gsize expected = infer_shape_count (&tensor->shape);

  if (infer_json_type (data) != INFER_JSON_ARRAY)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s' has neither 'data' nor binary data", tensor->name);
  if (count (data) != expected)
    return infer_json_fail (data, error,
        "tensor '%s' has %zu values; its shape has %zu", tensor->name,
        count (data), expected);
  g_autoptr (GByteArray) strings = g_byte_array_new ();
  Values values = { .tensor = tensor,
    .element = infer_type_size (tensor->type),
    .strings = strings };
  const gsize size = expected * values.element;
  g_autofree guint8 *memory = g_try_malloc0 (MAX (size, 1));

  if (memory == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "tensor '%s': no memory for %zu bytes", tensor->name, size);
  values.data = memory;
  if (!add (&values, data, error))
    return FALSE;
  if (tensor->type == INFER_TYPE_STRING) {
    const gsize length = strings->len;
    protocol_tensor_take_data (
        tensor, g_byte_array_free (g_steal_pointer (&strings), FALSE), length);
  } else {
    protocol_tensor_take_data (tensor, g_steal_pointer (&memory), size);
  }
  return TRUE;
}

/* --- writing --- */

static gboolean
write_real (const ProtocolTensor *tensor, gconstpointer element, gsize i,
    GString *json, GError **error)
{
  double value;

  infer_convert (&value, INFER_TYPE_F64, element, tensor->type, 1);
  if (!isfinite (value))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "tensor '%s': value %zu is %s, which JSON cannot carry: ask for binary "
        "data",
        tensor->name, i, isnan (value) ? "not a number" : "infinite");
  protocol_json_number (json, value, tensor->type != INFER_TYPE_F64);
  return TRUE;
}

static void
write_integer (
    const ProtocolTensor *tensor, gconstpointer element, GString *json)
{
  guint64 unsigned_value;
  gint64 value;

  if (tensor->type == INFER_TYPE_U64) {
    memcpy (&unsigned_value, element, sizeof unsigned_value);
    g_string_append_printf (json, "%" G_GUINT64_FORMAT, unsigned_value);
    return;
  }
  infer_convert (&value, INFER_TYPE_I64, element, tensor->type, 1);
  g_string_append_printf (json, "%" G_GINT64_FORMAT, value);
}

static gboolean
write_strings (const ProtocolTensor *tensor, GString *json, GError **error)
{
  const char *at = tensor->data, *end = at + tensor->size;

  for (gsize i = 0; at < end; i++) {
    guint32 length;

    memcpy (&length, at, sizeof length);
    at += sizeof length;
    if (!g_utf8_validate_len (at, length, NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor '%s': element %zu is not UTF-8: ask for binary data",
          tensor->name, i);
    g_autofree char *text = g_strndup (at, length);
    protocol_json_next (json);
    protocol_json_string (json, text);
    at += length;
  }
  return TRUE;
}

gboolean
protocol_rest_write_data (
    const ProtocolTensor *tensor, GString *json, GError **error)
{
  const gsize element = infer_type_size (tensor->type);
  const guint8 *data = tensor->data;

  if (tensor->type == INFER_TYPE_STRING)
    return write_strings (tensor, json, error);
  for (gsize i = 0; i < tensor->size / element; i++) {
    guint64 aligned = 0;

    memcpy (&aligned, data + i * element, element);
    protocol_json_next (json);
    if (tensor->type == INFER_TYPE_BOOLEAN)
      g_string_append (json, data[i] != 0 ? "true" : "false");
    else if (!infer_type_is_real (tensor->type))
      write_integer (tensor, &aligned, json);
    else if (!write_real (tensor, &aligned, i, json, error))
      return FALSE;
  }
  return TRUE;
}
