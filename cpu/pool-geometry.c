/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/pool-geometry.h"

gboolean
cpu_pool_geometry (const CpuStep *step, const InferWindow *window,
    CpuPoolGeometry *g, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  guint n = (guint) data->rank - 2;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  if (!infer_window_resolve_all (
          window, n, data->dims + 2, window->kernel, dims, error))
    return FALSE;
  g->batch = (gsize) data->dims[0];
  g->channels = (gsize) data->dims[1];
  for (guint d = 0; d < 3; d++) {
    g->in[d] = g->k[d] = g->out[d] = 1;
    g->stride[d] = g->dilation[d] = g->padded[d] = 1;
    g->pad[d] = 0;
  }
  for (guint i = 0; i < n; i++) {
    guint d = 3 - n + i;

    g->in[d] = (gsize) data->dims[2 + i];
    g->k[d] = (gsize) window->kernel[i];
    g->out[d] = (gsize) dims[i].out;
    g->stride[d] = window->strides[i];
    g->dilation[d] = window->dilations[i];
    g->pad[d] = dims[i].pad_begin;
    g->padded[d] = data->dims[2 + i] + dims[i].pad_end;
  }
  return TRUE;
}

/* Taps of a window that lie before @end. */
static gsize
taps_before (const CpuPoolGeometry *g, guint d, gsize o, gint64 end)
{
  gint64 start = (gint64) o * g->stride[d] - g->pad[d];
  gint64 taps =
      end <= start ? 0 : (end - start + g->dilation[d] - 1) / g->dilation[d];

  return (gsize) MIN (taps, (gint64) g->k[d]);
}

gsize
cpu_pool_divisor (const CpuPoolGeometry *g, const gsize *o)
{
  gsize n = 1;

  for (guint d = 0; d < 3; d++) {
    gsize first, last, at;

    cpu_pool_taps (g, d, o[d], &first, &last, &at);
    /* A window that ceil lets beyond the padding counts none of the rest. */
    n *= g->exclude_pad ? last - first : taps_before (g, d, o[d], g->padded[d]);
  }
  return n;
}
