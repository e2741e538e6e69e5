/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text of a pipeline, as after gst-launch-1.0, with other settings of its
 * inferfilter elements. */

#pragma once

#include <glib.h>

/* 0, NULL: as it stands in the line. */
typedef struct
{
  const char *device;
  guint nireq, batch;
  guint streams, threads; /* both or none */
} ToolSettings;

/* The words of @text, as a shell takes them.  INFER_ERROR_INVALID_ARGUMENT if
 * no word is inferfilter, or none is with `name=@element` (nullable: all
 * count). (transfer full) */
GStrv tool_line_parse (const char *text, const char *element, GError **error);

/* A copy of @words in which the inferfilter elements (called @element, unless
 * NULL) have @settings.  (transfer full) */
GStrv tool_line_with (
    GStrv words, const char *element, const ToolSettings *settings);

/* "gst-launch-1.0 …", quoted for a shell.  (transfer full) */
char *tool_line_to_string (GStrv words);

/* "nireq=2 streams=2 threads=1", "as given".  (transfer full) */
char *tool_settings_to_string (const ToolSettings *settings);
