/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/writer.h"

#include <string.h>

#define MAX_DEPTH 32

void
infer_ir_write_text (GString *xml, const char *text)
{
  for (const char *at = text; *at != '\0'; at++)
    switch (*at) {
      case '&':
        g_string_append (xml, "&amp;");
        break;
      case '<':
        g_string_append (xml, "&lt;");
        break;
      case '>':
        g_string_append (xml, "&gt;");
        break;
      case '"':
        g_string_append (xml, "&quot;");
        break;
      case '\n':
      case '\r':
      case '\t':
        g_string_append_printf (xml, "&#%d;", *at);
        break;
      default:
        /* Other control characters are not in XML. */
        g_string_append_c (xml, (guchar) *at < 0x20 ? '?' : *at);
    }
}

static gboolean
is_name (const char *part)
{
  if (!g_ascii_isalpha (*part) && *part != '_')
    return FALSE;
  for (const char *at = part; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_-.", *at) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_key (const char *key)
{
  g_auto (GStrv) parts = g_strsplit (key, "/", -1);
  guint n = 0;

  while (parts[n] != NULL)
    if (!is_name (parts[n++]))
      return FALSE;
  return n > 0 && n <= MAX_DEPTH;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The parts of @key that @before has too. */
static guint
count_common (char *const *before, char *const *key)
{
  guint n = 0;

  while (before != NULL && before[n] != NULL && key[n] != NULL
         && strcmp (before[n], key[n]) == 0)
    n++;
  return n;
}

static void
end_elements (GString *xml, GStrv parts, guint from)
{
  guint n = parts != NULL ? g_strv_length (parts) : 0;

  while (n > from)
    g_string_append_printf (xml, "</%s>", parts[--n]);
}

void
infer_ir_write_info (GString *xml, GHashTable *info)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_auto (GStrv) before = NULL;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, info);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (is_key (key))
      g_ptr_array_add (keys, key);
  g_ptr_array_sort (keys, compare);
  g_string_append (xml, "<rt_info>");
  for (guint i = 0; i < keys->len; i++) {
    g_auto (GStrv) parts = g_strsplit (keys->pdata[i], "/", -1);
    const guint n = g_strv_length (parts);
    const guint common = count_common (before, parts);

    end_elements (xml, before, common);
    for (guint k = common; k + 1 < n; k++)
      g_string_append_printf (xml, "<%s>", parts[k]);
    g_string_append_printf (xml, "<%s value=\"", parts[n - 1]);
    infer_ir_write_text (xml, g_hash_table_lookup (info, keys->pdata[i]));
    g_string_append (xml, "\">");
    g_strfreev (before);
    before = g_steal_pointer (&parts);
  }
  end_elements (xml, before, 0);
  g_string_append (xml, "</rt_info>");
}
