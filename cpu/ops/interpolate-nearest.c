/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/interpolate.h"

#include "cpu/ops/strided-copy.h"

#define NEAREST_ROW(type)                                                      \
  static void nearest_row_##type (                                             \
      type *dst, const guint8 *src, const gint64 *offsets, gint64 n)           \
  {                                                                            \
    for (gint64 i = 0; i < n; i++)                                             \
      dst[i] = offsets[i] < 0                                                  \
                   ? 0                                                         \
                   : *(const type *) (gconstpointer) (src + offsets[i]);       \
  }

NEAREST_ROW (guint8)
NEAREST_ROW (guint16)
NEAREST_ROW (guint32)
NEAREST_ROW (guint64)

static void
nearest_row (gsize size, gpointer dst, const guint8 *src, const gint64 *offsets,
    gint64 n)
{
  switch (size) {
    case 1:
      nearest_row_guint8 (dst, src, offsets, n);
      break;
    case 2:
      nearest_row_guint16 (dst, src, offsets, n);
      break;
    case 4:
      nearest_row_guint32 (dst, src, offsets, n);
      break;
    default:
      nearest_row_guint64 (dst, src, offsets, n);
      break;
  }
}

/* Offset of row @row in the input; -1: in the padding. */
static gint64
row_offset (const CpuNearest *nearest, gsize row)
{
  const InferShape *out = nearest->out;
  gint64 offset = 0;

  for (int d = out->rank - 2; d >= 0; d--) {
    const gint64 here = nearest->offsets[d][row % (gsize) out->dims[d]];

    if (here < 0)
      return -1;
    offset += here;
    row /= (gsize) out->dims[d];
  }
  return offset;
}

void
cpu_nearest_rows (const CpuNearest *nearest, gsize begin, gsize end)
{
  const int last = nearest->out->rank - 1;
  const gint64 n = nearest->out->dims[last];
  const gsize row = (gsize) n * nearest->size;
  const gsize tile = CPU_CHAIN_TILE / (gsize) n + 1;
  guint8 *dst = nearest->dst + begin * nearest->dst_row;
  gint64 before = -1;
  gsize done = begin;

  for (gsize r = begin; r < end; r++, dst += nearest->dst_row) {
    const gint64 offset = row_offset (nearest, r);

    if (offset < 0)
      memset (dst, 0, row);
    else if (nearest->whole_rows)
      cpu_copy_run (dst, nearest->src + offset, row);
    else if (offset == before)
      memcpy (dst, dst - nearest->dst_row, row);
    else
      nearest_row (
          nearest->size, dst, nearest->src + offset, nearest->offsets[last], n);
    before = offset;
    if (nearest->chain != NULL && (r + 1 - done == tile || r + 1 == end)) {
      const gsize at = done * (gsize) n;

      cpu_chain_apply (nearest->chain, (float *) (gpointer) nearest->dst + at,
          at, (r + 1 - done) * (gsize) n);
      done = r + 1;
      before = -1;
    }
  }
}
