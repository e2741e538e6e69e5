/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/memory/region.h"

#include <sys/mman.h>

#define PAGE ((gsize) 4096)

static gsize
round_up (gsize bytes, gsize to)
{
  return (bytes + to - 1) & ~(to - 1);
}

gpointer
infer_region_new (gsize bytes, gsize align)
{
  const gsize size = round_up (bytes, PAGE);
  const gsize spare = align > PAGE ? align - PAGE : 0;
  char *memory = mmap (NULL, size + spare, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (memory == MAP_FAILED)
    return NULL;
  if (spare == 0)
    return memory;
  char *begin = (char *) round_up ((gsize) memory, align);
  const gsize before = (gsize) (begin - memory);
  if (before > 0)
    munmap (memory, before);
  if (before < spare)
    munmap (begin + size, spare - before);
  return begin;
}

void
infer_region_free (gpointer memory, gsize bytes)
{
  munmap (memory, round_up (bytes, PAGE));
}
