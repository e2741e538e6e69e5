/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of one to three spatial dimensions, treated as three: missing
 * ones have size 1. */

#pragma once

#include "cpu/base/step.h"

/* Of Convolution, GroupConvolution and their BackpropData.  Filters are
 * [groups, oc, ic, k…] forward and [groups, ic, oc, k…] backward. */
typedef struct
{
  gboolean transposed;
  gsize batch, groups;
  gsize ic, oc; /* channels of one group */
  gsize in[3], k[3], out[3];
  gint64 stride[3], dilation[3], pad[3]; /* padding before the first element */
} CpuConvGeometry;

/* From a step with static shapes.  @transposed: a BackpropData. */
gboolean cpu_conv_geometry (const CpuStep *step, gboolean transposed,
    CpuConvGeometry *geometry, GError **error);

static inline gsize
cpu_volume (const gsize *dims)
{
  return dims[0] * dims[1] * dims[2];
}

/* Row @i of a @padded input, which has @before elements in front of the data:
 * *@pixel of the unpadded input is its first; FALSE: the row is padding. */
static inline gboolean
cpu_conv_row_at (const CpuConvGeometry *g, const gsize *padded,
    const gsize *before, gsize i, gsize *pixel)
{
  gsize n = i / padded[1] / padded[0];
  gsize z = i / padded[1] % padded[0] - before[0];
  gsize y = i % padded[1] - before[1];

  *pixel = ((n * g->in[0] + z) * g->in[1] + y) * g->in[2];
  return z < g->in[0] && y < g->in[1];
}

/* The plain C convolutions (ref.c), which specify all others; dense arrays in
 * the order of the file. */
void cpu_conv_ref_f32 (const CpuStep *step, const CpuConvGeometry *g,
    const float *data, const float *filters, float *out);
void cpu_conv_ref_f64 (const CpuStep *step, const CpuConvGeometry *g,
    const double *data, const double *filters, double *out);
void cpu_conv_ref_i64 (const CpuStep *step, const CpuConvGeometry *g,
    const guint64 *data, const guint64 *filters, guint64 *out);
