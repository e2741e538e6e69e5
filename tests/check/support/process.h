/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory, files and threads of the process, from /proc. */

#pragma once

#include <glib.h>

#include <stdlib.h>
#include <string.h>

/* 0: no /proc. */
static inline guint
test_count_entries (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* A thread that was joined may still be listed for a moment. */
static inline guint
test_count_threads (void)
{
  return test_count_entries ("/proc/self/task");
}

/* Open files, one more than there are. */
static inline guint
test_count_files (void)
{
  return test_count_entries ("/proc/self/fd");
}

/* With a sanitizer everything takes many times as long, and memory that was
 * freed stays resident. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SANITIZED TRUE
#else
#define TEST_IS_SANITIZED FALSE
#endif

static inline gsize
test_resident_kb (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  const char *line = strstr (text, "VmRSS:");
  return line != NULL ? strtoul (line + 6, NULL, 10) : 0;
}
