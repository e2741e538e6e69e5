/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/formats/source.h"

#include <string.h>

/* The list in the root meson.build. */
extern const InferModelSource INFER_SOURCES;

static const InferModelSource *const sources[] = { INFER_SOURCE_POINTERS };

gboolean
infer_source_is_url (const char *path)
{
  g_autofree char *scheme = g_uri_parse_scheme (path);

  /* One letter is a drive. */
  return scheme != NULL && scheme[1] != '\0'
         && g_str_has_prefix (path + strlen (scheme), "://");
}

InferModel *
infer_source_load (const char *url, GError **error)
{
  g_autofree char *scheme = g_uri_parse_scheme (url);
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    for (const char *const *s = sources[i]->schemes; *s != NULL; s++) {
      if (g_str_equal (*s, scheme))
        return sources[i]->load (url, error);
      g_string_append_printf (known, "%s%s://", known->len > 0 ? ", " : "", *s);
    }
  infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%.300s: no model can be loaded from a URL of this kind; there are: %s",
      url, known->str);
  return NULL;
}
