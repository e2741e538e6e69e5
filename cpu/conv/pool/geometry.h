/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pooling over one to three spatial dimensions, treated as three. */

#pragma once

#include "cpu/base/step.h"
#include "inference/graph/ops/window.h"

typedef struct
{
  gboolean max, exclude_pad;
  gsize batch, channels;
  gsize in[3], k[3], out[3];
  gint64 stride[3], dilation[3], pad[3];
  gsize index_modulus; /* of MaxPool's indices */
} CpuPoolGeometry;

gboolean cpu_pool_geometry (const CpuStep *step, const InferWindow *window,
    CpuPoolGeometry *geometry, GError **error);

/* The taps [first, last) of window @o in dimension @d that read elements; *@at:
 * the element that the first of them reads. */
static inline void
cpu_pool_taps (const CpuPoolGeometry *g, guint d, gsize o, gsize *first,
    gsize *last, gsize *at)
{
  gint64 start = (gint64) o * g->stride[d] - g->pad[d];
  gint64 step = g->dilation[d];
  gint64 begin = start < 0 ? (-start + step - 1) / step : 0;
  gint64 end = (gint64) g->in[d] <= start
                   ? 0
                   : ((gint64) g->in[d] - start + step - 1) / step;

  end = MIN (end, (gint64) g->k[d]);
  begin = MIN (begin, end);
  *first = (gsize) begin;
  *last = (gsize) end;
  *at = begin < end ? (gsize) (start + begin * step) : 0;
}

/* The divisor of the sum over window @o: its size, or the number of elements
 * that it covers if padding is excluded. */
gsize cpu_pool_divisor (const CpuPoolGeometry *g, const gsize *o);
