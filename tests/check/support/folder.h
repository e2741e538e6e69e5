/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib/gstdio.h>

/* Removes @path with all that is in it; links are not followed. */
static inline void
test_remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK)
                             ? NULL
                             : g_dir_open (path, 0, NULL);

  for (const char *name;
       dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    test_remove_folder (child);
  }
  g_remove (path);
}
