/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/onnx.h"

#include <string.h>

static void
add_varint (GByteArray *to, guint64 value)
{
  do {
    const guint8 byte = (guint8) ((value & 127) | (value > 127 ? 128 : 0));

    g_byte_array_append (to, &byte, 1);
    value >>= 7;
  } while (value > 0);
}

static void
add_key (GByteArray *to, guint64 field, guint wire)
{
  add_varint (to, field << 3 | wire);
}

static void
add_bytes (GByteArray *to, guint64 field, const void *data, gsize size)
{
  add_key (to, field, 2);
  add_varint (to, size);
  g_byte_array_append (to, data, (guint) size);
}

static GByteArray *
read_hexadecimal (const char **at)
{
  GByteArray *bytes = g_byte_array_new ();

  for (; g_ascii_isxdigit ((*at)[0]); *at += 2) {
    const guint8 byte = (guint8) (g_ascii_xdigit_value ((*at)[0]) * 16
                                  + g_ascii_xdigit_value ((*at)[1]));

    g_byte_array_append (bytes, &byte, 1);
  }
  return bytes;
}

static void
add_float (GByteArray *to, guint64 field, const char **at)
{
  char *end;
  const float value = (float) g_ascii_strtod (*at, &end);

  *at = end;
  add_key (to, field, 5);
  g_byte_array_append (to, (const guint8 *) &value, sizeof value);
}

/* Up to the end of the text or a "}". */
static void
add_fields (GByteArray *to, const char **at)
{
  while (**at == ' ')
    (*at)++;
  while (**at != '\0' && **at != '}') {
    char *end;
    const guint64 field = g_ascii_strtoull (*at, &end, 10);
    const char kind = *end;

    g_assert_true (end > *at);
    *at = end + 1;
    if (kind == '=') {
      add_key (to, field, 0);
      add_varint (to, (guint64) g_ascii_strtoll (*at, &end, 10));
      *at = end;
    } else if (kind == '~')
      add_float (to, field, at);
    else if (kind == '#' || kind == '!') {
      g_autoptr (GByteArray) bytes = read_hexadecimal (at);

      if (kind == '#')
        add_bytes (to, field, bytes->data, bytes->len);
      else
        g_byte_array_append (to, bytes->data, bytes->len);
    } else if (kind == '\'') {
      add_bytes (to, field, *at, strcspn (*at, "'"));
      *at += strcspn (*at, "'") + 1;
    } else {
      g_autoptr (GByteArray) part = g_byte_array_new ();

      g_assert_cmpint (kind, ==, '{');
      add_fields (part, at);
      g_assert_cmpint (**at, ==, '}');
      (*at)++;
      add_bytes (to, field, part->data, part->len);
    }
    while (**at == ' ')
      (*at)++;
  }
}

GBytes *
onnx_text_bytes (const char *text)
{
  GByteArray *bytes = g_byte_array_new ();

  add_fields (bytes, &text);
  g_assert_cmpint (*text, ==, '\0');
  return g_byte_array_free_to_bytes (bytes);
}

InferModel *
onnx_text_load (const char *text)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  g_autoptr (GError) error = NULL;
  InferModel *model = infer_model_load_bytes (bytes, NULL, "test.onnx", &error);

  g_assert_no_error (error);
  return model;
}

void
onnx_text_refuse (const char *text, const char *part)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load_bytes (bytes, NULL, "test.onnx", &error);

  g_assert_null (model);
  g_assert_nonnull (error);
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in '%s'", part, error->message);
}
