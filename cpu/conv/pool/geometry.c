/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/pool/geometry.h"

gboolean
cpu_pool_geometry (const CpuStep *step, const InferWindow *window,
    CpuPoolGeometry *g, GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  guint n = (guint) data->rank - 2;
  InferWindowDim dims[INFER_MAX_SPATIAL];
  gboolean padded = FALSE;

  if (!infer_window_resolve_all (
          window, n, data->dims + 2, window->kernel, dims, error))
    return FALSE;
  g->batch = (gsize) data->dims[0];
  g->channels = (gsize) data->dims[1];
  for (guint d = 0; d < 3; d++) {
    g->in[d] = g->k[d] = g->out[d] = 1;
    g->stride[d] = g->dilation[d] = 1;
    g->pad[d] = 0;
  }
  /* Without padding a window that reaches beyond the end, by rounding up,
   * counts the elements that it covers. */
  for (guint i = 0; i < n; i++)
    padded |= dims[i].pad_begin != 0 || dims[i].pad_end != 0;
  g->exclude_pad |= !padded;
  for (guint i = 0; i < n; i++) {
    guint d = 3 - n + i;

    g->in[d] = (gsize) data->dims[2 + i];
    g->k[d] = (gsize) window->kernel[i];
    g->out[d] = (gsize) dims[i].out;
    g->stride[d] = window->strides[i];
    g->dilation[d] = window->dilations[i];
    g->pad[d] = dims[i].pad_begin;
  }
  return TRUE;
}

gsize
cpu_pool_divisor (const CpuPoolGeometry *g, const gsize *o)
{
  gsize n = 1;

  for (guint d = 0; d < 3; d++) {
    gsize first, last, at;

    cpu_pool_taps (g, d, o[d], &first, &last, &at);
    n *= g->exclude_pad ? last - first : g->k[d];
  }
  return n;
}
