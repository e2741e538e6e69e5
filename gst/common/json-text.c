/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/json-text.h"

#include <math.h>

gboolean
gst_infer_json_reserve (GString *line, gsize n)
{
  if (n < line->allocated_len - line->len)
    return TRUE;
  if (n > G_MAXSIZE / 2 - line->len)
    return FALSE;
  char *larger = g_try_realloc (line->str, line->len + n + 1);
  if (larger == NULL)
    return FALSE;
  line->str = larger;
  line->allocated_len = line->len + n + 1;
  return TRUE;
}

static void
append_escaped (GString *line, const char *from, const char *to)
{
  for (const char *p = from; p < to; p++) {
    guchar c = (guchar) *p;

    if (c == '"' || c == '\\')
      g_string_append_printf (line, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf (line, "\\u%04x", c);
    else
      g_string_append_c (line, *p);
  }
}

void
gst_infer_json_string (GString *line, const char *text)
{
  const char *end;

  if (text == NULL) {
    g_string_append (line, "null");
    return;
  }
  g_string_append_c (line, '"');
  for (; !g_utf8_validate (text, -1, &end); text = end + 1) {
    append_escaped (line, text, end);
    g_string_append (line, "\357\277\275"); /* U+FFFD */
  }
  append_escaped (line, text, end);
  g_string_append_c (line, '"');
}

void
gst_infer_json_real (GString *line, double value, const char *format)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    g_string_append (line, "null");
  else
    g_string_append (line, g_ascii_formatd (text, sizeof text, format, value));
}

void
gst_infer_json_time (GString *line, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    g_string_append_printf (line, "%" G_GUINT64_FORMAT, time);
  else
    g_string_append (line, "null");
}

void
gst_infer_json_key (GString *line, const char *key)
{
  char last = line->len > 0 ? line->str[line->len - 1] : '{';

  if (last != '{' && last != '[' && last != ',')
    g_string_append_c (line, ',');
  gst_infer_json_string (line, key);
  g_string_append_c (line, ':');
}

void
gst_infer_json_add_string (GString *line, const char *key, const char *value)
{
  if (value == NULL)
    return;
  gst_infer_json_key (line, key);
  gst_infer_json_string (line, value);
}

void
gst_infer_json_add_int (GString *line, const char *key, gint64 value)
{
  gst_infer_json_key (line, key);
  g_string_append_printf (line, "%" G_GINT64_FORMAT, value);
}

void
gst_infer_json_add_real (GString *line, const char *key, double value)
{
  gst_infer_json_key (line, key);
  gst_infer_json_real (line, value, GST_INFER_JSON_REAL);
}

void
gst_infer_json_begin (GString *line, const char *key, char bracket)
{
  gst_infer_json_key (line, key);
  g_string_append_c (line, bracket);
}

void
gst_infer_json_begin_item (GString *line, char bracket)
{
  if (line->str[line->len - 1] != '[')
    g_string_append_c (line, ',');
  g_string_append_c (line, bracket);
}
