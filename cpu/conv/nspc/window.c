/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/caches.h"
#include "cpu/conv/nspc/work.h"

#include <string.h>

static gsize
row_floats (const CpuConvNspc *depthwise)
{
  return depthwise->g.in[2] * depthwise->g.groups;
}

/* The rows may take half of the second-level cache: inputs, weights and results
 * need the rest. */
#define SHARE 2
/* Room for at least twice the rows that are read at a time: the more there is,
 * the fewer are moved to its front when it is used up. */
#define TIMES 2

gsize
cpu_conv_window_rows (const CpuConvNspc *depthwise, gsize *band)
{
  const CpuConvAxis *y = &depthwise->phases[0].axis[1];
  const gsize row = row_floats (depthwise) * sizeof (float);
  const gsize rows = cpu_caches ()->second / SHARE / row;
  const gsize tall = (y->taps - 1) * (gsize) y->step + 1;

  if (rows < TIMES * tall)
    return 0;
  *band = MIN (*band, (rows / TIMES - tall) / (gsize) y->in_step + 1);
  return MIN (rows, depthwise->g.in[1]);
}

void
cpu_conv_window_range (const CpuConvNspc *depthwise, gsize first, gsize last,
    gsize *begin, gsize *end)
{
  const CpuConvAxis *y = &depthwise->phases[0].axis[1];
  const gint64 in = (gint64) depthwise->g.in[1];
  const gint64 from = (gint64) first * y->in_step + y->begin;
  const gint64 to = (gint64) (last - 1) * y->in_step + y->begin
                    + (gint64) (y->taps - 1) * y->step + 1;

  *begin = (gsize) CLAMP (from, 0, in);
  *end = (gsize) CLAMP (to, (gint64) *begin, in);
}

static void
compute (CpuConvWindow *window, gsize begin, gsize end)
{
  CpuConvWork work = window->work;
  const CpuConvGeometry *g = &work.conv->g;
  const gsize in = (window->image * g->in[1] + begin) * g->in[2];

  work.out = window->data;
  cpu_conv_nspc_pixels (
      &work, &(CpuConvUnit){ in, (begin - window->begin) * g->in[2],
                 (end - begin) * g->in[2] });
}

void
cpu_conv_window_fill (
    CpuConvWindow *window, gsize image, gsize begin, gsize end)
{
  const CpuConvGeometry *g = &window->work.conv->g;
  const gsize row = g->in[2] * g->oc;

  if (image != window->image || begin < window->begin || begin > window->end) {
    window->image = image;
    window->begin = window->end = begin;
  }
  if (end <= window->end)
    return;
  if (end - window->begin > window->rows) {
    memmove (window->data, window->data + (begin - window->begin) * row,
        (window->end - begin) * row * sizeof (float));
    window->begin = begin;
  }
  compute (window, window->end, end);
  window->end = end;
}
