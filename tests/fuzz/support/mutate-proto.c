/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes that libFuzzer makes to ONNX files (fuzz-onnx.c): one field, however
 * deep, is changed, doubled, dropped or replaced by one of another file, and
 * the lengths around it follow. */

#include "tests/fuzz/support/container.h"
#include "tests/fuzz/support/mutate.h"

#include <string.h>

#define MAX_FIELDS 4000

/* Of the wire format of protocol buffers. */
typedef struct
{
  gsize at, size;       /* with tag and length */
  gsize inside, length; /* of a length-delimited one: its contents */
  guint64 tag, value;
} Field;

static gboolean
read_varint (const guint8 *data, gsize size, gsize *at, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && *at < size; shift += 7) {
    const guint8 byte = data[(*at)++];

    *value |= (guint64) (byte & 0x7f) << shift;
    if (byte < 0x80)
      return TRUE;
  }
  return FALSE;
}

static void
put_varint (GByteArray *to, guint64 value)
{
  guint8 byte;

  do {
    byte = (guint8) (value & 0x7f);
    value >>= 7;
    byte |= value > 0 ? 0x80 : 0;
    g_byte_array_append (to, &byte, 1);
  } while (value > 0);
}

static gboolean
read_field (const guint8 *data, gsize size, gsize *at, Field *field)
{
  gsize skip = 0;

  *field = (Field){ .at = *at };
  if (!read_varint (data, size, at, &field->tag) || field->tag >> 3 == 0)
    return FALSE;
  switch (field->tag & 7) {
    case 0:
      if (!read_varint (data, size, at, &field->value))
        return FALSE;
      break;
    case 1:
      skip = 8;
      break;
    case 2:
      if (!read_varint (data, size, at, &field->value)
          || field->value > size - *at)
        return FALSE;
      field->inside = *at;
      skip = field->length = (gsize) field->value;
      break;
    case 5:
      skip = 4;
      break;
    default:
      return FALSE;
  }
  if (skip > size - *at)
    return FALSE;
  *at += skip;
  field->size = *at - field->at;
  return TRUE;
}

/* NULL: these bytes are no message.  (element-type Field) */
static GArray *
read_message (const guint8 *data, gsize size)
{
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (Field));
  Field field;

  for (gsize at = 0; at < size;) {
    if (fields->len == MAX_FIELDS || !read_field (data, size, &at, &field))
      return NULL;
    g_array_append_val (fields, field);
  }
  return fields->len > 0 ? g_steal_pointer (&fields) : NULL;
}

static void
put_delimited (GByteArray *to, guint64 tag, const guint8 *data, gsize size)
{
  put_varint (to, tag);
  put_varint (to, size);
  g_byte_array_append (to, data, (guint) size);
}

/* --- one field --- */

static guint64
any_number (guint64 old)
{
  static const guint64 numbers[] = { 0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 64, 255,
    G_MAXINT32, G_MAXUINT32, G_MAXINT64, G_MAXUINT64, (guint64) -2,
    (guint64) 1 << 62, (guint64) 1 << 31 };

  return fuzz_mutate_below (3) == 0
             ? old + fuzz_mutate_below (5) - 2
             : numbers[fuzz_mutate_below (G_N_ELEMENTS (numbers))];
}

static void
change_bytes (GByteArray *to, const Field *field, const guint8 *data)
{
  const gsize max = field->length + 16;
  g_autofree guint8 *copy = g_malloc0 (max);
  gsize size = field->length;

  memcpy (copy, data + field->inside, size);
  if (size >= 4 && fuzz_mutate_below (3) == 0) {
    const guint64 number = any_number (copy[0]);

    memcpy (copy + fuzz_mutate_below ((guint) size / 4) * 4, &number, 4);
  } else {
    size = LLVMFuzzerMutate (copy, size, max);
  }
  put_delimited (to, field->tag, copy, size);
}

static void
change_field (GByteArray *to, const Field *field, const guint8 *data)
{
  const guint8 *whole = data + field->at;

  switch (fuzz_mutate_below (8)) {
    case 0:
      return;
    case 1:
      g_byte_array_append (to, whole, (guint) field->size);
      g_byte_array_append (to, whole, (guint) field->size);
      return;
    default:
      break;
  }
  switch (field->tag & 7) {
    case 0:
      put_varint (to, field->tag);
      put_varint (to, any_number (field->value));
      break;
    case 2:
      change_bytes (to, field, data);
      break;
    default:
      g_byte_array_append (to, whole, (guint) field->size);
      to->data[to->len - 1 - fuzz_mutate_below (4)] =
          (guint8) fuzz_mutate_below (256);
      break;
  }
}

/* --- messages --- */

/* @other (nullable): fields to take from. */
static void
change_message (GByteArray *to, const guint8 *data, const GArray *fields,
    const guint8 *other_data, const GArray *other)
{
  const guint chosen = fuzz_mutate_below (fields->len);

  for (guint i = 0; i < fields->len; i++) {
    const Field *field = &g_array_index (fields, Field, i);
    g_autoptr (GArray) inner = NULL;

    if (i != chosen) {
      g_byte_array_append (to, data + field->at, (guint) field->size);
      continue;
    }
    if ((field->tag & 7) == 2 && fuzz_mutate_below (12) != 0)
      inner = read_message (data + field->inside, field->length);
    if (inner != NULL) {
      g_autoptr (GByteArray) changed = g_byte_array_new ();

      change_message (changed, data + field->inside, inner, other_data, other);
      put_delimited (to, field->tag, changed->data, changed->len);
    } else if (other != NULL) {
      const Field *from =
          &g_array_index (other, Field, fuzz_mutate_below (other->len));

      g_byte_array_append (to, other_data + from->at, (guint) from->size);
    } else {
      change_field (to, field, data);
    }
  }
}

/* The fields of a message within @data, at any depth; *@start: its bytes. */
static GArray *
any_message (const guint8 *data, gsize size, const guint8 **start)
{
  GArray *fields = read_message (data, size);

  *start = data;
  while (fields != NULL && fuzz_mutate_below (4) != 0) {
    const Field *field =
        &g_array_index (fields, Field, fuzz_mutate_below (fields->len));
    const guint8 *inside = *start + field->inside;
    GArray *inner =
        (field->tag & 7) == 2 ? read_message (inside, field->length) : NULL;

    if (inner == NULL)
      break;
    g_array_unref (fields);
    fields = inner;
    *start = inside;
  }
  return fields;
}

/* --- libFuzzer's entries --- */

static gsize
change_file (guint8 *data, gsize size, gsize max, const guint8 *from,
    const GArray *other)
{
  if (size <= FUZZ_CONTROL)
    return LLVMFuzzerMutate (data, size, max);
  g_autoptr (GArray) fields =
      read_message (data + FUZZ_CONTROL, size - FUZZ_CONTROL);
  if (fields == NULL)
    return LLVMFuzzerMutate (data, size, max);
  g_autoptr (GByteArray) to = g_byte_array_new ();
  g_byte_array_append (to, data, FUZZ_CONTROL);
  if (fuzz_mutate_below (10) == 0)
    to->data[fuzz_mutate_below (FUZZ_CONTROL)] =
        (guint8) fuzz_mutate_below (256);
  change_message (to, data + FUZZ_CONTROL, fields, from, other);
  if (to->len > max)
    return size;
  memcpy (data, to->data, to->len);
  return to->len;
}

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  guint n;

  fuzz_mutate_seed (seed);
  n = 1 + fuzz_mutate_below (3);
  while (n-- > 0)
    size = change_file (data, size, max_size, NULL, NULL);
  return size;
}

size_t
LLVMFuzzerCustomCrossOver (const uint8_t *data1, size_t size1,
    const uint8_t *data2, size_t size2, uint8_t *out, size_t max_out,
    unsigned int seed)
{
  const guint8 *start = NULL;

  fuzz_mutate_seed (seed);
  if (size1 > max_out || size2 <= FUZZ_CONTROL)
    return 0;
  memcpy (out, data1, size1);
  g_autoptr (GArray) other =
      any_message (data2 + FUZZ_CONTROL, size2 - FUZZ_CONTROL, &start);
  return other != NULL ? change_file (out, size1, max_out, start, other) : 0;
}
