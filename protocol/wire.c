/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/wire.h"

enum
{
  WIRE_VARINT = 0,
  WIRE_64 = 1,
  WIRE_BYTES = 2,
  WIRE_32 = 5,
};

/* FALSE: it ends too early or is longer than 64 bits. */
static gboolean
read_varint (const guint8 **at, const guint8 *end, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 70 && *at < end; shift += 7) {
    const guint8 byte = *(*at)++;

    if (shift == 63 && byte > 1)
      return FALSE;
    *value |= (guint64) (byte & 0x7f) << shift;
    if (byte < 0x80)
      return TRUE;
  }
  return FALSE;
}

/* Bytes of the value behind @key; @at stands before it, and before the bytes of
 * a value with a length afterwards.  FALSE: not well-formed. */
static gboolean
value_size (guint64 key, const guint8 **at, const guint8 *end, guint64 *size)
{
  const guint8 *from = *at;
  guint64 number;

  switch (key & 7) {
    case WIRE_VARINT:
      if (!read_varint (&from, end, &number))
        return FALSE;
      *size = (guint64) (from - *at);
      return TRUE;
    case WIRE_64:
      *size = 8;
      return TRUE;
    case WIRE_32:
      *size = 4;
      return TRUE;
    case WIRE_BYTES:
      return read_varint (at, end, size);
    default:
      return FALSE;
  }
}

gboolean
protocol_wire_split (const char *what, const guint8 *data, gsize size,
    guint field, GByteArray *rest, GArray *spans, GError **error)
{
  if (size == 0) /* @data may be NULL */
    return TRUE;
  const guint8 *at = data, *end = data + size;
  while (at < end) {
    const guint8 *start = at;
    guint64 key, bytes;

    if (!read_varint (&at, end, &key) || key >> 3 == 0
        || key >> 3 >= (guint64) 1 << 29)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: not a valid message: no field number at byte %td", what,
          start - data);
    if (!value_size (key, &at, end, &bytes) || bytes > (guint64) (end - at))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: not a valid message: field %" G_GUINT64_FORMAT
          " at byte %td is malformed or cut short",
          what, key >> 3, start - data);
    if (key == ((guint64) field << 3 | WIRE_BYTES)) {
      const ProtocolSpan span = { at, (gsize) bytes };
      g_array_append_val (spans, span);
    } else {
      g_byte_array_append (rest, start, (guint) (at - start + (gssize) bytes));
    }
    at += bytes;
  }
  return TRUE;
}

void
protocol_wire_append_header (ProtocolParts *parts, guint field, gsize size)
{
  guint64 numbers[] = { (guint64) field << 3 | WIRE_BYTES, size };
  guint8 bytes[20];
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    for (; numbers[i] >= 0x80; numbers[i] >>= 7)
      bytes[n++] = (guint8) (numbers[i] | 0x80);
    bytes[n++] = (guint8) numbers[i];
  }
  protocol_parts_append (parts, bytes, n);
}
