/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file that may change while it is in use: another process writes it, or a
 * new one takes its place.  Streaming thread. */

#pragma once

#include <glib.h>

typedef struct
{
  char *path;    /* NULL: none */
  gint64 looked; /* monotonic time, µs */
  gint64 size, modified, number;
} GstInferConfigFile;

/* @path: NULL or "" for none; remembers what is there now. */
void gst_infer_config_file_set (GstInferConfigFile *file, const char *path);
/* Looks at most once a second.  FALSE where the file is missing: it may come
 * back. */
gboolean gst_infer_config_file_has_changed (
    GstInferConfigFile *file, gint64 now);
