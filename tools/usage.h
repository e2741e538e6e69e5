/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Processor time and memory that this process has used so far. */

#pragma once

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static inline double
tool_processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
         + 1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Resident memory now; 0: not known. */
static inline double
tool_resident_megabytes (void)
{
  FILE *file = fopen ("/proc/self/statm", "r");
  long pages = 0;

  if (file == NULL)
    return 0;
  if (fscanf (file, "%*s %ld", &pages) != 1)
    pages = 0;
  fclose (file);
  return (double) pages * (double) sysconf (_SC_PAGESIZE) / (1 << 20);
}
