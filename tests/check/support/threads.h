/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts all threads of the process. */

#pragma once

#include <glib.h>

/* A thread that was joined may still be listed for a moment.  0: no /proc. */
static inline guint
test_count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (tasks != NULL && g_dir_read_name (tasks) != NULL)
    n++;
  return n;
}
