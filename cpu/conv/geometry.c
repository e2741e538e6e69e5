/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/geometry.h"

#include "inference/graph/ops/convolution.h"

static void
fill (CpuConvGeometry *g, const InferWindow *window, guint n, const gint64 *in,
    const gint64 *kernel, const InferWindowDim *dims)
{
  for (guint d = 0; d < 3; d++) {
    g->in[d] = g->k[d] = g->out[d] = 1;
    g->stride[d] = g->dilation[d] = 1;
    g->pad[d] = 0;
  }
  for (guint i = 0; i < n; i++) {
    guint d = 3 - n + i;

    g->in[d] = (gsize) in[i];
    g->k[d] = (gsize) kernel[i];
    g->out[d] = (gsize) dims[i].out;
    g->stride[d] = window->strides[i];
    g->dilation[d] = window->dilations[i];
    g->pad[d] = dims[i].pad_begin;
  }
}

/* Kernels compute pixels of a row together: where rows have one pixel, and the
 * window is as narrow, columns become rows; they lie in memory alike. */
static void
turn_columns (CpuConvGeometry *g)
{
  while (g->in[2] == 1 && g->k[2] == 1 && g->out[2] == 1 && g->pad[2] == 0
         && (cpu_volume (g->in) > 1 || cpu_volume (g->out) > 1)) {
    for (guint d = 2; d > 0; d--) {
      g->in[d] = g->in[d - 1];
      g->k[d] = g->k[d - 1];
      g->out[d] = g->out[d - 1];
      g->stride[d] = g->stride[d - 1];
      g->dilation[d] = g->dilation[d - 1];
      g->pad[d] = g->pad[d - 1];
    }
    g->in[0] = g->k[0] = g->out[0] = 1;
    g->stride[0] = g->dilation[0] = 1;
    g->pad[0] = 0;
  }
}

gboolean
cpu_conv_geometry (const CpuStep *step, gboolean transposed, CpuConvGeometry *g,
    GError **error)
{
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *filters = cpu_in_shape (step, 1);
  const gint64 *f = filters->dims;
  guint n = (guint) data->rank - 2;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  g->transposed = transposed;
  g->batch = (gsize) data->dims[0];
  g->groups = 1;
  if (filters->rank > data->rank)
    g->groups = (gsize) *f++;
  g->oc = (gsize) f[transposed ? 1 : 0];
  g->ic = (gsize) f[transposed ? 0 : 1];
  if (transposed) {
    const InferConvolutionBackprop *attrs = step->op->attrs;

    /* An output_shape input has already determined the output's shape. */
    if (!infer_backprop_resolve (attrs, n, data->dims + 2, f + 2,
            cpu_has_in (step, 2) ? cpu_out_shape (step, 0)->dims + 2 : NULL,
            dims, error))
      return FALSE;
    fill (g, &attrs->window, n, data->dims + 2, f + 2, dims);
  } else {
    const InferConvolution *attrs = step->op->attrs;

    if (!infer_window_resolve_all (
            &attrs->window, n, data->dims + 2, f + 2, dims, error))
      return FALSE;
    fill (g, &attrs->window, n, data->dims + 2, f + 2, dims);
  }
  turn_columns (g);
  return TRUE;
}
