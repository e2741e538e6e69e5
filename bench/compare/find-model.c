/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/measure.h"

char *
measure_find_model (const MeasureSettings *settings, const Engine *engine,
    const Entry *entry, const char **weights)
{
  *weights = NULL;
  if (g_str_has_suffix (entry->xml, engine->suffix)) {
    *weights = entry->weights;
    return g_strdup (entry->xml);
  }
  /* The ONNX and TFLite files have no variant with weights in f16. */
  if (entry->f32 != NULL)
    return NULL;
  g_autofree char *file = g_strconcat (entry->folder, engine->suffix, NULL);
  g_autofree char *path = g_build_filename (settings->sources, file, NULL);
  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path)
                                                : NULL;
}
