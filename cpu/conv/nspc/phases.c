/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Phases of a convolution, and what each of their outputs reads. */

#include "cpu/conv/nspc/conv.h"

/* Floats of a padded input that can be addressed with room to spare. */
#define MAX_PADDED (G_MAXSIZE / 64)

/* Largest product of the strides of a transposed convolution.  Larger tables
 * would take hundreds of megabytes, and seconds to fill. */
#define MAX_PHASES ((gsize) 1 << 20)

static gint64
gcd (gint64 a, gint64 b)
{
  while (b != 0) {
    gint64 t = a % b;

    a = b;
    b = t;
  }
  return a;
}

static CpuConvAxis
forward_axis (const CpuConvGeometry *g, guint d)
{
  return (CpuConvAxis){ .taps = g->k[d],
    .count = g->out[d],
    .k_step = 1,
    .begin = -g->pad[d],
    .step = g->dilation[d],
    .in_step = g->stride[d],
    .out_step = 1 };
}

/* Outputs @r, r + stride, …: the taps that meet an input, the last first, so
 * that inputs come in ascending order. */
static CpuConvAxis
transposed_axis (const CpuConvGeometry *g, guint d, gint64 r)
{
  gint64 stride = g->stride[d], dilation = g->dilation[d];
  gint64 each = stride / gcd (stride, dilation);
  gint64 first = 0, last;
  CpuConvAxis axis = {
    .count = ((gsize) (g->out[d] - (gsize) r) - 1) / (gsize) stride + 1,
    .k_step = -each,
    .step = dilation * each / stride,
    .in_step = 1,
    .out_begin = (gsize) r,
    .out_step = (gsize) stride
  };

  const gint64 end = MIN (each, (gint64) g->k[d]);
  while (first < end && (r + g->pad[d] - first * dilation) % stride != 0)
    first++;
  if (first >= end)
    return axis;
  axis.taps = (gsize) (((gint64) g->k[d] - 1 - first) / each + 1);
  last = first + (gint64) (axis.taps - 1) * each;
  axis.first_k = last;
  axis.begin = (r + g->pad[d] - last * dilation) / stride;
  return axis;
}

static gboolean
plan_phases (CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize n[3], i = 0;

  for (guint d = 0; d < 3; d++) {
    n[d] = g->transposed ? MIN ((gsize) g->stride[d], g->out[d]) : 1;
    if (n[d] > MAX_PHASES)
      return FALSE;
  }
  if (cpu_volume (n) > MAX_PHASES)
    return FALSE;
  conv->phases = g_try_new0 (CpuConvPhase, cpu_volume (n));
  if (conv->phases == NULL)
    return FALSE;
  conv->n_phases = (guint) cpu_volume (n);
  for (gsize z = 0; z < n[0]; z++) {
    for (gsize y = 0; y < n[1]; y++) {
      for (gsize x = 0; x < n[2]; x++, i++) {
        gsize r[3] = { z, y, x };

        for (guint d = 0; d < 3; d++)
          conv->phases[i].axis[d] = g->transposed
                                        ? transposed_axis (g, d, (gint64) r[d])
                                        : forward_axis (g, d);
      }
    }
  }
  return TRUE;
}

/* The padding that the phases read; depthwise convolutions skip such taps. */
static gboolean
plan_padding (CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize volume = g->batch * g->groups * g->ic;

  for (guint d = 0; d < 3; d++) {
    gint64 lo = 0, hi = (gint64) g->in[d] - 1;

    for (guint i = 0; i < conv->n_phases && !conv->depthwise; i++) {
      const CpuConvAxis *axis = &conv->phases[i].axis[d];

      if (axis->taps == 0)
        continue;
      lo = MIN (lo, axis->begin);
      hi = MAX (hi, (gint64) (axis->count - 1) * axis->in_step + axis->begin
                        + (gint64) (axis->taps - 1) * axis->step);
    }
    conv->lo[d] = (gsize) -lo;
    conv->padded[d] = (gsize) (hi - lo) + 1;
    if (conv->padded[d] != g->in[d])
      conv->pad = TRUE;
    if (__builtin_mul_overflow (volume, conv->padded[d], &volume)
        || volume > MAX_PADDED)
      return FALSE;
  }
  return TRUE;
}

static gboolean
plan_segments (const CpuConvNspc *conv, CpuConvPhase *phase)
{
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *a = phase->axis;
  gsize channels = g->groups * g->ic;
  gboolean merge = g->groups == 1 && a[2].step == 1;
  gsize x_taps = merge && a[2].taps > 0 ? 1 : a[2].taps;
  gsize i = 0;

  phase->length = merge ? g->ic * a[2].taps : g->ic;
  phase->n_segments = a[0].taps * a[1].taps * x_taps;
  phase->elements = phase->n_segments * phase->length;
  phase->element_step = phase->length;
  phase->segments = g_try_new (gsize, phase->n_segments + 1);
  if (phase->segments == NULL)
    return FALSE;
  for (gsize z = 0; z < a[0].taps; z++) {
    for (gsize y = 0; y < a[1].taps; y++) {
      for (gsize x = 0; x < x_taps; x++) {
        gsize at[3] = { z, y, x }, offset = 0;

        for (guint d = 0; d < 3; d++)
          offset = offset * conv->padded[d]
                   + (gsize) (a[d].begin + (gint64) conv->lo[d]
                              + (gint64) at[d] * a[d].step);
        phase->segments[i++] = offset * channels;
      }
    }
  }
  return TRUE;
}

static gboolean
is_flat (const CpuConvNspc *conv)
{
  for (guint d = 0; d < 3; d++) {
    if (conv->g.k[d] != 1 || conv->g.stride[d] != 1
        || conv->g.out[d] != conv->g.in[d])
      return FALSE;
  }
  return !conv->pad;
}

gboolean
cpu_conv_nspc_plan_phases (CpuConvNspc *conv)
{
  if (!plan_phases (conv) || !plan_padding (conv))
    return FALSE;
  conv->flat = !conv->depthwise && conv->fold_rows == 1 && is_flat (conv);
  for (guint i = 0; i < conv->n_phases && !conv->depthwise; i++)
    if (!plan_segments (conv, &conv->phases[i]))
      return FALSE;
  return TRUE;
}
