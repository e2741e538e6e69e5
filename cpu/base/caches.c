/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/caches.h"

#include <pthread.h>

#define FOLDER "/sys/devices/system/cpu/cpu0/cache/index%u/%s"
#define MOST_INDICES 8

gsize
cpu_caches_parse (const char *text)
{
  char *end = NULL;
  const guint64 number = g_ascii_strtoull (text, &end, 10);

  if (end == text || number > G_MAXUINT16 * 16)
    return 0;
  return (gsize) number * (*end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1);
}

/* File @name of cache @index; NULL: there is none. */
static char *
read_file (guint index, const char *name)
{
  g_autofree char *path = g_strdup_printf (FOLDER, index, name);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

static CpuCaches caches = { 32 << 10, 1 << 20 };

/* The sizes come in the order of levels.  `cpuid` would tell them too, but
 * takes longer on virtual machines. */
static void
read_caches (void)
{
  for (guint i = 0; i < MOST_INDICES; i++) {
    g_autofree char *level = read_file (i, "level");
    g_autofree char *type = level != NULL ? read_file (i, "type") : NULL;
    g_autofree char *size = type != NULL ? read_file (i, "size") : NULL;
    const gsize bytes = size != NULL ? cpu_caches_parse (size) : 0;

    if (bytes == 0 || *level > '2')
      break;
    if (*level == '1' && g_str_has_prefix (type, "Data"))
      caches.first = CLAMP (bytes, 16 << 10, 128 << 10);
    else if (*level == '2')
      caches.second = CLAMP (bytes, 128 << 10, 2 << 20);
  }
}

const CpuCaches *
cpu_caches (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT; /* for ThreadSanitizer */

  pthread_once (&once, read_caches);
  return &caches;
}
