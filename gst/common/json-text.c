/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/json-text.h"

#include <math.h>

void
gst_infer_json_string (GString *line, const char *text)
{
  if (text == NULL) {
    g_string_append (line, "null");
    return;
  }
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (line, '"');
  for (const char *p = valid; *p != '\0'; p++) {
    guchar c = (guchar) *p;

    if (c == '"' || c == '\\')
      g_string_append_printf (line, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf (line, "\\u%04x", c);
    else
      g_string_append_c (line, *p);
  }
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
