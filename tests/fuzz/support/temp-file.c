/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/temp-file.h"

#include <glib/gstdio.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char *folder;

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

const char *
fuzz_folder (void)
{
  if (folder == NULL) {
    folder = g_dir_make_tmp ("fuzz-XXXXXX", NULL);
    g_assert_nonnull (folder);
    atexit (remove_folder);
  }
  return folder;
}

/* Written in place, then cut: some file systems synchronise new files and
 * those that were cut first. */
char *
fuzz_file (const char *name, gconstpointer data, gsize size)
{
  char *path = g_build_filename (fuzz_folder (), name, NULL);
  const int file = g_open (path, O_WRONLY | O_CREAT, 0600);

  g_assert_cmpint (file, >=, 0);
  g_assert_true (size == 0 || write (file, data, size) == (gssize) size);
  g_assert_cmpint (ftruncate (file, (off_t) size), ==, 0);
  close (file);
  return path;
}
