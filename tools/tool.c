/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/tool.h"
#include "tools/progress/progress.h"

#include <string.h>

/* Control characters could break the single line. */
static void
print_line (const char *text)
{
  g_autofree char *line = g_utf8_make_valid (text, -1);

  tool_progress_end ();
  for (char *at = line; *at; at++)
    if ((guchar) *at < ' ' || *at == 0x7f)
      *at = ' ';
  g_printerr ("infer-model: %s\n", line);
}

int
tool_fail (const GError *error)
{
  print_line (error->message);
  return TOOL_FAILED;
}

int
tool_usage (const ToolCommand *command, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *text = g_strdup_printf ("%s: %s (infer-model %s %s)",
      command->name, what, command->name, command->arguments);
  print_line (text);
  return TOOL_USAGE;
}

gboolean
tool_parse (const ToolCommand *command, const GOptionEntry *entries, int argc,
    char **argv, guint min, guint max, GStrv *arguments)
{
  gboolean quiet = FALSE;
  const GOptionEntry common[] = {
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &quiet,
        "Show no progress on a terminal", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) args = g_new0 (char *, (gsize) argc + 1);
  for (int i = 0; i < argc; i++)
    args[i] = g_strdup (argv[i]);
  g_autofree char *name = g_strdup_printf ("infer-model %s", command->name);
  g_set_prgname (name);
  g_option_context_set_summary (context, command->summary);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, common, NULL);
  gboolean parsed = g_option_context_parse_strv (context, &args, &error);
  g_set_prgname ("infer-model");
  if (!parsed) {
    tool_usage (command, "%s", error->message);
    return FALSE;
  }
  if (quiet)
    tool_progress_silence ();
  guint first = args[1] != NULL && strcmp (args[1], "--") == 0 ? 2 : 1;
  guint n = g_strv_length (args) - first;
  if (n < min || n > max) {
    tool_usage (
        command, n < min ? "an argument is missing" : "too many arguments");
    return FALSE;
  }
  *arguments = g_strdupv (args + first);
  return TRUE;
}

gboolean
tool_split (const char *text, char **key, const char **value)
{
  const char *equals = strchr (text, '=');
  if (equals == NULL || equals == text)
    return FALSE;
  *key = g_strndup (text, (gsize) (equals - text));
  *value = equals + 1;
  return TRUE;
}

void
tool_json_string (GString *json, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (json, '"');
  for (const char *at = valid; *at; at++) {
    if (*at == '"' || *at == '\\')
      g_string_append_printf (json, "\\%c", *at);
    else if ((guchar) *at < ' ')
      g_string_append_printf (json, "\\u%04x", (guint) *at);
    else
      g_string_append_c (json, *at);
  }
  g_string_append_c (json, '"');
}
