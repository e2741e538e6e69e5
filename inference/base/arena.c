/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/arena.h"

#include "infer/error.h"

static int
by_size (gconstpointer pa, gconstpointer pb)
{
  const InferArenaSpan *a = *(const InferArenaSpan *const *) pa;
  const InferArenaSpan *b = *(const InferArenaSpan *const *) pb;

  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  return a->first < b->first ? -1 : a->first > b->first;
}

/* The lowest gap among the spans that are live at the same time; @placed is
 * sorted by offset. */
static gsize
lowest_gap (const InferArenaSpan *span, const GPtrArray *placed, gsize align)
{
  gsize offset = 0;

  for (guint i = 0; i < placed->len; i++) {
    const InferArenaSpan *other = placed->pdata[i];

    if (span->first > other->last || other->first > span->last)
      continue;
    if (offset + span->bytes <= other->offset)
      break;
    offset =
        MAX (offset, (other->offset + other->bytes + align - 1) & ~(align - 1));
  }
  return offset;
}

/* Keeps @placed sorted by offset. */
static void
insert_by_offset (GPtrArray *placed, InferArenaSpan *span)
{
  guint at = placed->len;

  while (at > 0
         && ((InferArenaSpan *) placed->pdata[at - 1])->offset > span->offset)
    at--;
  g_ptr_array_insert (placed, (gint) at, span);
}

gboolean
infer_arena_place (
    InferArenaSpan *spans, guint n, gsize align, gsize *size, GError **error)
{
  g_autoptr (GPtrArray) order = g_ptr_array_sized_new (n);
  g_autoptr (GPtrArray) placed = g_ptr_array_sized_new (n);

  *size = 0;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (order, &spans[i]);
  g_ptr_array_sort (order, by_size);
  for (guint i = 0; i < n; i++) {
    InferArenaSpan *span = order->pdata[i];

    span->offset = lowest_gap (span, placed, align);
    if (span->offset > G_MAXSIZE / 4
        || span->bytes > G_MAXSIZE / 4 - span->offset)
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "the activations are too large");
    *size = MAX (*size, span->offset + span->bytes);
    insert_by_offset (placed, span);
  }
  return TRUE;
}
