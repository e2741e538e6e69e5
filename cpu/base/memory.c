/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packs share their pages with the constants of models. */

#include "cpu/base/memory.h"

#include "inference/base/memory/pages.h"

gpointer
cpu_alloc (gsize bytes)
{
  return infer_pages_alloc (bytes);
}

gpointer
cpu_alloc_pack (gsize bytes)
{
  return infer_pages_alloc_part (bytes);
}

void
cpu_alloc_expect (gsize bytes)
{
  infer_pages_expect (bytes);
}

void
cpu_free (gpointer memory)
{
  infer_pages_free (memory);
}

void
cpu_discard (gpointer memory, gsize bytes)
{
  infer_pages_discard (memory, bytes);
}
