/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/json-text.h"

#include <math.h>

void
protocol_json_string (GString *json, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (json, '"');
  for (const char *at = valid; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_printf (json, "\\%c", *at);
    else if ((guchar) *at < ' ')
      g_string_append_printf (json, "\\u%04x", (guint) *at);
    else
      g_string_append_c (json, *at);
  }
  g_string_append_c (json, '"');
}

void
protocol_json_next (GString *json)
{
  const char last = json->len > 0 ? json->str[json->len - 1] : '[';

  if (last != '{' && last != '[' && last != ':')
    g_string_append_c (json, ',');
}

void
protocol_json_key (GString *json, const char *key)
{
  protocol_json_next (json);
  protocol_json_string (json, key);
  g_string_append_c (json, ':');
}

void
protocol_json_number (GString *json, double value, gboolean single)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (value == 0 && signbit (value)) { /* -0 would be read as an integer */
    g_string_append (json, "-0.0");
    return;
  }
  g_string_append (json,
      g_ascii_formatd (text, sizeof text, single ? "%.9g" : "%.17g", value));
}

void
protocol_json_add_string (GString *json, const char *key, const char *value)
{
  protocol_json_key (json, key);
  protocol_json_string (json, value);
}
