/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/wire.h"

#include <string.h>

#include "infer/error.h"
#include "inference/base/tensor.h"

static gboolean
read_varint (OnnxSpan *from, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && from->at < from->end; shift += 7) {
    guint8 byte = *from->at++;

    if (shift == 63 && byte > 1)
      return FALSE;
    *value |= (guint64) (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Little endian. */
static gboolean
read_fixed (OnnxSpan *from, guint n, guint64 *value)
{
  *value = 0;
  if (onnx_length (*from) < n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    *value |= (guint64) *from->at++ << 8 * i;
  return TRUE;
}

static gboolean
read_bytes (OnnxSpan *from, OnnxSpan *bytes)
{
  guint64 length;

  if (!read_varint (from, &length) || length > onnx_length (*from))
    return FALSE;
  *bytes = (OnnxSpan){ from->at, from->at + length };
  from->at += length;
  return TRUE;
}

static const char *
read_field (OnnxSpan *from, OnnxField *field)
{
  guint64 key;

  if (!read_varint (from, &key))
    return "it ends within a field's number";
  if (key >> 3 == 0 || key >> 3 > G_MAXINT32)
    return "a field has a number that does not exist";
  *field = (OnnxField){ .number = (guint) (key >> 3), .wire = key & 7 };
  switch (field->wire) {
    case ONNX_WIRE_VARINT:
      return read_varint (from, &field->value) ? NULL : "a number is too long";
    case ONNX_WIRE_64:
      return read_fixed (from, 8, &field->value) ? NULL : "it ends in a number";
    case ONNX_WIRE_32:
      return read_fixed (from, 4, &field->value) ? NULL : "it ends in a number";
    case ONNX_WIRE_BYTES:
      return read_bytes (from, &field->bytes)
                 ? NULL
                 : "a field is longer than what is left";
  }
  return "a field is of a wire type that does not exist";
}

gboolean
onnx_next (OnnxReader *reader, OnnxField *field)
{
  if (reader->problem != NULL || reader->rest.at >= reader->rest.end)
    return FALSE;
  reader->problem = read_field (&reader->rest, field);
  return reader->problem == NULL;
}

gboolean
onnx_done (const OnnxReader *reader, const char *what, GError **error)
{
  return reader->problem == NULL
         || infer_fail (
             error, INFER_ERROR_INVALID_MODEL, "%s: %s", what, reader->problem);
}

float
onnx_float_of (guint64 bits)
{
  guint32 low = (guint32) bits;
  float value;

  memcpy (&value, &low, sizeof value);
  return value;
}

gboolean
onnx_next_number (OnnxNumbers *numbers, guint64 *value)
{
  OnnxReader *message = &numbers->message;
  OnnxSpan *packed = &numbers->packed;
  OnnxField f;

  while (packed->at >= packed->end) {
    if (!onnx_next (message, &f))
      return FALSE;
    if (f.number >= 32 || (numbers->fields >> f.number & 1) == 0)
      continue;
    if (f.wire == numbers->wire) {
      *value = f.value;
      return TRUE;
    }
    if (f.wire != ONNX_WIRE_BYTES) {
      message->problem = "a list is of another wire type than its numbers";
      return FALSE;
    }
    *packed = f.bytes;
  }
  if (!(numbers->wire == ONNX_WIRE_32 ? read_fixed (packed, 4, value)
                                      : read_varint (packed, value)))
    message->problem = "a list ends within a number";
  return message->problem == NULL;
}

gboolean
onnx_read_list (
    OnnxSpan message, guint field, OnnxWire wire, GArray **list, GError **error)
{
  OnnxNumbers count = onnx_numbers (message, 1u << field, wire);
  OnnxNumbers numbers = count;
  guint64 n = 0, value;

  while (onnx_next_number (&count, &value))
    n++;
  if (!onnx_done (&count.message, "a list of numbers", error))
    return FALSE;
  g_clear_pointer (list, g_array_unref);
  *list =
      n <= G_MAXUINT / sizeof (gint64) ? infer_numbers_new ((guint) n) : NULL;
  if (*list == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a list of %" G_GUINT64_FORMAT " numbers", n);
  for (gsize i = 0; onnx_next_number (&numbers, &value); i++)
    if (wire == ONNX_WIRE_32)
      ((float *) (gpointer) (*list)->data)[i] = onnx_float_of (value);
    else
      ((gint64 *) (gpointer) (*list)->data)[i] = (gint64) value;
  return TRUE;
}

float
onnx_field_float (const OnnxField *field)
{
  return onnx_float_of (field->value);
}

char *
onnx_string (OnnxSpan bytes)
{
  const char *text = (const char *) bytes.at;

  return g_utf8_validate_len (text, onnx_length (bytes), NULL)
             ? g_strndup (text, onnx_length (bytes))
             : NULL;
}

gboolean
onnx_is (OnnxSpan bytes, const char *text)
{
  return strlen (text) == onnx_length (bytes)
         && memcmp (bytes.at, text, onnx_length (bytes)) == 0;
}
