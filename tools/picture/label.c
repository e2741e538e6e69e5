/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The texts in the picture of a model. */

#include "tools/picture/picture.h"

/* Constants of so many elements are written out. */
#define MOST_ELEMENTS 6
#define REPLACEMENT 0xfffd
#define ELLIPSIS 0x2026

/* Graphviz resolves escapes (\N is the node's name) and entities (&amp;). */
static void
append_character (GString *label, gunichar c)
{
  if (c == '"' || c == '\\')
    g_string_append_printf (label, "\\%c", (char) c);
  else if (c == '&')
    g_string_append (label, "&amp;");
  else if (c == '<')
    g_string_append (label, "&lt;");
  else if (c == '>')
    g_string_append (label, "&gt;");
  else
    g_string_append_unichar (label, g_unichar_isprint (c) ? c : REPLACEMENT);
}

void
tool_label_append (GString *label, const char *text, guint most)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  glong length = g_utf8_strlen (valid, -1);
  glong head = length, tail = length;

  if (most > 0 && length > (glong) most) {
    head = (glong) most / 2;
    tail = length - ((glong) most - head - 1);
  }
  glong i = 0;
  for (char *at = valid; *at != '\0'; at = g_utf8_next_char (at), i++) {
    if (i < head || i >= tail)
      append_character (label, g_utf8_get_char (at));
    else if (i == head)
      append_character (label, ELLIPSIS);
  }
}

void
tool_label_append_desc (GString *label, const InferDesc *desc)
{
  g_autofree char *shape = infer_shape_to_string (&desc->shape);

  tool_label_append (label, infer_type_name (desc->type), 0);
  tool_label_append (label, shape, 40);
}

/* The largest one stands for "to the end". */
static void
append_integer (GString *label, gint64 value)
{
  if (value == G_MAXINT64)
    g_string_append (label, "max");
  else
    g_string_append_printf (label, "%" G_GINT64_FORMAT, value);
}

/* FALSE: they are not numbers. */
static gboolean
append_elements (GString *label, const InferTensor *value, guint64 n)
{
  gboolean whole = value->type == INFER_TYPE_I64;
  g_autoptr (GArray) numbers =
      whole ? infer_tensor_to_ints (value) : infer_tensor_to_doubles (value);

  if (numbers == NULL)
    return FALSE;
  if (n != 1)
    g_string_append_c (label, '[');
  for (guint i = 0; i < numbers->len; i++) {
    g_string_append (label, i > 0 ? ", " : "");
    if (whole)
      append_integer (label, g_array_index (numbers, gint64, i));
    else
      g_string_append_printf (
          label, "%.6g", g_array_index (numbers, double, i));
  }
  if (n != 1)
    g_string_append_c (label, ']');
  return TRUE;
}

void
tool_label_append_constant (GString *label, const InferTensor *value)
{
  const InferDesc desc = { value->type, value->shape };
  guint64 n = 1;

  for (int i = 0; i < value->shape.rank && n <= MOST_ELEMENTS; i++)
    n *= (guint64) value->shape.dims[i];
  if ((value->shape.rank > 1 && n != 1) || n == 0 || n > MOST_ELEMENTS
      || !append_elements (label, value, n))
    tool_label_append_desc (label, &desc);
}
