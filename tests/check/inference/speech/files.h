/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Model files of the tests of speech. */

#pragma once

#include <glib.h>
#include <string.h>

/* Replaces all bytes @a by @b, which are as many. */
static inline void
change_bytes (
    const char *folder, const char *name, const char *a, const char *b)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  const gsize length = strlen (a);
  gsize size, n = 0;

  g_assert_cmpuint (strlen (b), ==, length);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize i = 0; i + length <= size; i++)
    if (memcmp (data + i, a, length) == 0) {
      memcpy (data + i, b, length);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}
