/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/config-file.h"

#include <glib/gstdio.h>

static gboolean
look (GstInferConfigFile *file)
{
  GStatBuf found;

  if (g_stat (file->path, &found) != 0)
    return FALSE;
  const gint64 modified =
      (gint64) found.st_mtim.tv_sec * 1000000000 + found.st_mtim.tv_nsec;
  const gboolean same = file->size == found.st_size
                        && file->modified == modified
                        && file->number == (gint64) found.st_ino;
  file->size = found.st_size;
  file->modified = modified;
  file->number = (gint64) found.st_ino;
  return !same;
}

void
gst_infer_config_file_set (GstInferConfigFile *file, const char *path)
{
  if (path != NULL && *path == '\0')
    path = NULL;
  if (g_strcmp0 (file->path, path) == 0)
    return;
  g_free (file->path);
  *file = (GstInferConfigFile){ .path = g_strdup (path) };
  if (path != NULL)
    look (file);
}

gboolean
gst_infer_config_file_has_changed (GstInferConfigFile *file, gint64 now)
{
  if (file->path == NULL || now - file->looked < G_USEC_PER_SEC)
    return FALSE;
  file->looked = now;
  return look (file);
}
