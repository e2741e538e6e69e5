/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders that tests make, recordings that they read. */

#pragma once

#include <glib/gstdio.h>
#include <string.h>

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

#define TEST_WAV_HEADER 44 /* bytes */

/* The samples of a file of 16-bit mono samples behind the shortest header,
 * from -1 to 1.  (transfer full) */
static inline float *
test_read_wav (const char *path, gsize *n)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, >, TEST_WAV_HEADER);
  *n = (size - TEST_WAV_HEADER) / 2;
  float *samples = g_new (float, *n);
  for (gsize i = 0; i < *n; i++) {
    gint16 value;

    memcpy (&value, data + TEST_WAV_HEADER + 2 * i, 2);
    samples[i] = (float) value / 32768;
  }
  return samples;
}
