/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A depthwise convolution whose rows are computed just before a pointwise one
 * reads them. */

#include "cpu/conv/nspc/nspc.h"
#include "cpu/conv/nspc/work.h"
#include "cpu/base/f16-gemm.h"

/* Bytes of depthwise outputs computed at a time: with their inputs and the
 * weights they nearly fit into the first-level cache. */
#define BAND_BYTES 32768
/* Smaller outputs are still in that cache when the next step reads them. */
#define LEAST_BYTES 65536
#define MOST_WEIGHTS 65536

gboolean
cpu_conv_nspc_fuse_depthwise (CpuStep *step, CpuConvNspc *conv,
    CpuStep *earlier, const CpuConvNspc *before)
{
  const CpuConvGeometry *g = &before->g;
  gsize row = g->out[2] * g->groups * sizeof (float);

  if (!conv->flat || conv->plain || conv->fused != NULL || conv->g.groups != 1
      || conv->weights == NULL || !before->depthwise || before->plain
      || before->weights == NULL || g->transposed
      || g->batch * g->out[0] * g->out[1] * row < LEAST_BYTES
      || conv->packed * (conv->uses_f16 ? 1 : sizeof (float)) > MOST_WEIGHTS)
    return FALSE;
  conv->fused = before;
  conv->fused_step = earlier;
  conv->band = CLAMP (BAND_BYTES / row, 1, g->batch * g->out[0] * g->out[1]);
  /* Small enough for fair shares. Not for f16, whose chunks have a scale that
   * must not depend on the number of threads. */
  if (step->threads > 1 && !conv->uses_f16 && g->out[2] > 1)
    conv->band = CLAMP (
        g->batch * g->out[0] * g->out[1] / (4 * step->threads), 1, conv->band);
  conv->band_floats = (conv->band * row / sizeof (float) + 15) & ~(gsize) 15;
  conv->band_at =
      cpu_conv_nspc_reserve (conv, conv->band_floats * step->threads);
  cpu_step_need_scratch (step, conv->scratch);
  step->kernel = cpu_conv_nspc_kernel (conv);
  return TRUE;
}

typedef struct
{
  const CpuConvNspc *conv;
  CpuConvWork before, after;
  gsize band, rows; /* depthwise rows computed at a time; all rows */
  float *bands;     /* one for each thread */
  gsize band_floats;
} Bands;

static void
band_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Bands *bands = data;
  CpuConvWork before = bands->before, after = bands->after;
  const gsize width = before.pixels;

  float unused = 0; /* the bound of the depthwise results is used instead */

  before.out = bands->bands + thread * bands->band_floats;
  before.results.largest = &unused;
  if (before.is_f16)
    before.results.out = (guint16 *) (gpointer) before.out;
  after.results.largest =
      cpu_conv_nspc_largest (after.step, after.conv, thread);
  after.f16 = cpu_conv_work_f16 (after.step, after.conv, thread);
  after.in = before.out;
  for (gsize i = begin; i < end; i++) {
    gsize first = i * bands->band,
          last = MIN (first + bands->band, bands->rows);
    gsize pixels = (last - first) * width;

    before.out_first = first * width;
    for (gsize row = first, rows; row < last; row += rows) {
      rows = cpu_conv_nspc_depthwise_rows (&before, row, last - row);
      cpu_conv_nspc_depthwise (&before, row, rows, 0, before.chunk);
    }
    after.pixels = pixels;
    after.chunks = (pixels + after.chunk - 1) / after.chunk;
    for (gsize chunk = 0, x, n; chunk < after.chunks; chunk++) {
      cpu_conv_work_chunk (&after, chunk, &x, &n);
      cpu_conv_nspc_tiles (
          &after, &(CpuConvUnit){ x, first * width + x, n }, 1);
    }
  }
}

/* The input's scale determines how both store their results. */
static void
set_f16 (CpuStep *step, Bands *bands)
{
  CpuConvWork *before = &bands->before, *after = &bands->after;
  const CpuF16Scale *f16 = before->step->in[0]->form.f16;

  after->is_f16 = f16 != NULL;
  after->is_bf16 = f16 != NULL && f16->bf16;
  after->back = 1;
  float bound =
      cpu_conv_nspc_bound (before->conv, f16 != NULL ? f16->largest : 0);
  if (f16 != NULL && !f16->bf16)
    before->results.scale = cpu_f16_scale (bound, &after->back);
  after->results = cpu_conv_nspc_results (
      step, after->conv, cpu_conv_nspc_bound (after->conv, bound));
}

void
cpu_conv_nspc_run_bands (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvNspc *dw = conv->fused;
  const CpuConvAxis *a = dw->phases[0].axis;
  gsize cost = conv->g.ic * (conv->g.oc + cpu_conv_phase_taps (dw->phases));
  Bands bands = { .conv = conv,
    .before = cpu_conv_work (conv->fused_step, dw),
    .after = cpu_conv_work (step, conv),
    .band = conv->band,
    .rows = dw->g.batch * a[0].count * a[1].count,
    .bands = cpu_conv_scratch (step, conv->band_at),
    .band_floats = conv->band_floats };

  set_f16 (step, &bands);
  bands.after.chunk = cpu_conv_nspc_chunk (conv, conv->phases);
  cost *= bands.band * a[2].count;
  cpu_step_parallel (step, (bands.rows + bands.band - 1) / bands.band,
      1 + 100000 / MAX (cost, 1), band_range, &bands);
  cpu_conv_nspc_end_results (step, conv, &bands.after.results);
}
