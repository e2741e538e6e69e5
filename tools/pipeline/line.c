/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/pipeline/line.h"

#include <string.h>

#include "infer/error.h"

static gboolean
is_property (const char *word)
{
  const char *at = word;

  if (!g_ascii_isalpha (*at))
    return FALSE;
  while (g_ascii_isalnum (*at) || strchr ("-_:", *at) != NULL) {
    if (*at == '\0')
      return FALSE;
    at++;
  }
  return *at == '=';
}

static gboolean
is_called (char *const *words, const char *name)
{
  g_autofree char *wanted = g_strconcat ("name=", name, NULL);

  for (; *words != NULL && is_property (*words); words++)
    if (g_str_equal (*words, wanted))
      return TRUE;
  return FALSE;
}

/* Whether word @i is an inferfilter that settings are for. */
static gboolean
is_wanted (GStrv words, guint i, const char *element)
{
  return g_str_equal (words[i], "inferfilter")
         && (element == NULL || is_called (words + i + 1, element));
}

GStrv
tool_line_parse (const char *text, const char *element, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) failure = NULL;

  if (!g_shell_parse_argv (text, NULL, &words, &failure)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "--pipeline: %s",
        failure->message);
    return NULL;
  }
  guint first =
      words[0] != NULL && g_str_has_suffix (words[0], "gst-launch-1.0");
  for (guint i = first; words[i] != NULL; i++)
    if (is_wanted (words, i, element))
      return g_strdupv (words + first);
  if (element != NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--pipeline: no inferfilter has name=%s", element);
  else
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--pipeline: no inferfilter in it");
  return NULL;
}

/* --- settings --- */

/* Whether @pair sets one of @keys, ended by NULL. */
static gboolean
sets_one (const char *pair, const char *const *keys)
{
  for (; *keys != NULL; keys++)
    if (g_str_has_prefix (pair, *keys) && pair[strlen (*keys)] == '=')
      return TRUE;
  return FALSE;
}

/* Appends the pairs of @config that streams and threads do not replace; a comma
 * behind a backslash is part of a value. */
static void
copy_pairs (GString *out, const char *config)
{
  static const char *const replaced[] = { "NUM_STREAMS",
    "INFERENCE_NUM_THREADS", "PERFORMANCE_HINT", NULL };

  while (*config != '\0') {
    const char *end = config;

    while (*end != '\0' && *end != ',')
      end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    g_autofree char *pair = g_strndup (config, (gsize) (end - config));
    if (*pair != '\0' && !sets_one (pair, replaced))
      g_string_append_printf (out, "%s%s", out->len > 0 ? "," : "", pair);
    config = *end == ',' ? end + 1 : end;
  }
}

static gboolean
is_replaced (const char *word, const ToolSettings *s)
{
  return (s->device != NULL && g_str_has_prefix (word, "device="))
         || (s->nireq > 0 && g_str_has_prefix (word, "nireq="))
         || (s->batch > 0 && g_str_has_prefix (word, "batch-size="))
         || (s->streams > 0 && g_str_has_prefix (word, "config="));
}

static void
add_settings (GPtrArray *out, const ToolSettings *s, const char *config)
{
  g_autoptr (GString) pairs = g_string_new (NULL);

  if (s->device != NULL)
    g_ptr_array_add (out, g_strconcat ("device=", s->device, NULL));
  if (s->nireq > 0)
    g_ptr_array_add (out, g_strdup_printf ("nireq=%u", s->nireq));
  if (s->batch > 0)
    g_ptr_array_add (out, g_strdup_printf ("batch-size=%u", s->batch));
  if (s->streams == 0)
    return;
  copy_pairs (pairs, config);
  g_string_append_printf (pairs, "%sNUM_STREAMS=%u,INFERENCE_NUM_THREADS=%u",
      pairs->len > 0 ? "," : "", s->streams, s->threads);
  g_ptr_array_add (out, g_strconcat ("config=", pairs->str, NULL));
}

GStrv
tool_line_with (GStrv words, const char *element, const ToolSettings *settings)
{
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; words[i] != NULL; i++) {
    g_ptr_array_add (out, g_strdup (words[i]));
    if (!is_wanted (words, i, element))
      continue;
    const char *config = "";
    while (words[i + 1] != NULL && is_property (words[i + 1])) {
      const char *word = words[++i];

      if (g_str_has_prefix (word, "config="))
        config = word + strlen ("config=");
      if (!is_replaced (word, settings))
        g_ptr_array_add (out, g_strdup (word));
    }
    add_settings (out, settings, config);
  }
  g_ptr_array_add (out, NULL);
  return (GStrv) g_ptr_array_free (out, FALSE);
}

/* --- as text --- */

char *
tool_line_to_string (GStrv words)
{
  static const char plain[] = "-_=:,./@%+";
  GString *line = g_string_new ("gst-launch-1.0");

  for (guint i = 0; words[i] != NULL; i++) {
    const char *at = words[i];
    gboolean is_plain = *at != '\0';

    for (; *at != '\0'; at++)
      is_plain &= g_ascii_isalnum (*at) || strchr (plain, *at) != NULL;
    /* History expansion leaves a '!' between spaces alone. */
    is_plain |= g_str_equal (words[i], "!");
    g_autofree char *quoted =
        is_plain ? g_strdup (words[i]) : g_shell_quote (words[i]);
    g_string_append_printf (line, " %s", quoted);
  }
  return g_string_free (line, FALSE);
}

char *
tool_settings_to_string (const ToolSettings *s)
{
  GString *text = g_string_new (NULL);

  if (s->device != NULL)
    g_string_append_printf (text, "device=%s ", s->device);
  if (s->nireq > 0)
    g_string_append_printf (text, "nireq=%u ", s->nireq);
  if (s->streams > 0)
    g_string_append_printf (
        text, "streams=%u threads=%u ", s->streams, s->threads);
  if (s->batch > 0)
    g_string_append_printf (text, "batch=%u ", s->batch);
  if (text->len == 0)
    g_string_append (text, "as given ");
  g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}
