/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For builds with a sanitizer, which watches over the memory of malloc only. */

#include "inference/base/memory/region.h"

#include <stdlib.h>
#include <string.h>

gpointer
infer_region_new (gsize bytes, gsize align)
{
  gpointer memory;

  if (posix_memalign (&memory, align, bytes) != 0)
    return NULL;
  memset (memory, 0, bytes);
  return memory;
}

void
infer_region_free (gpointer memory, gsize bytes)
{
  free (memory);
}
