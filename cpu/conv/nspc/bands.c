/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions in bands of rows, which are computed just before a
 * pointwise one reads them, and just after another one has made what they read.
 */

#include "cpu/conv/nspc/nspc.h"
#include "cpu/conv/nspc/work.h"
#include "cpu/base/caches.h"
#include "cpu/base/f16-gemm.h"
#include "cpu/base/scope.h"

/* Bytes of depthwise outputs computed at a time: with their inputs and the
 * weights they nearly fit into the first-level cache. */
#define BAND_BYTES 32768
/* Smaller outputs are still in that cache when the next step reads them. */
#define LEAST_BYTES 65536
#define MOST_WEIGHTS 65536

/* --- fusing --- */

static gsize
weight_bytes (const CpuConvNspc *conv)
{
  return conv->packed * (conv->uses_f16 ? 1 : sizeof (float));
}

static gboolean
is_pointwise (const CpuConvNspc *conv)
{
  return conv->flat && !conv->plain && conv->fused == NULL
         && conv->g.groups == 1 && conv->weights != NULL
         && weight_bytes (conv) <= MOST_WEIGHTS;
}

static gboolean
is_depthwise (const CpuConvNspc *conv)
{
  return conv->depthwise && !conv->plain && conv->weights != NULL
         && !conv->g.transposed;
}

static gsize
row_bytes (const CpuConvNspc *depthwise)
{
  return depthwise->g.out[2] * depthwise->g.groups * sizeof (float);
}

static gsize
all_rows (const CpuConvNspc *depthwise)
{
  const CpuConvGeometry *g = &depthwise->g;

  return g->batch * g->out[0] * g->out[1];
}

/* Pairs of rows, which are computed together; small enough for fair shares.
 * Chunks of f16 have a scale that must not depend on the number of threads. */
static gsize
band_of (const CpuStep *step, const CpuConvNspc *depthwise, gboolean has_scales)
{
  const gsize rows = all_rows (depthwise);
  const gsize some = BAND_BYTES / row_bytes (depthwise);
  gsize band = (MAX (some, 1) + 1) / 2 * 2;

  if (has_scales)
    band = MAX (some, 1);
  else if (step->threads > 1 && depthwise->g.out[2] > CPU_CONV_FEW)
    band = CLAMP (rows / (4 * step->threads), 1, band);
  return MIN (band, rows);
}

static gsize
reserve (CpuConvNspc *conv, gsize floats, guint threads, gsize *each)
{
  *each = (floats + 15) & ~(gsize) 15;
  return cpu_conv_nspc_reserve (conv, *each * threads);
}

/* @conv runs @before, which @earlier was to run; one of both is depthwise. */
static void
fuse (CpuStep *step, CpuConvNspc *conv, CpuStep *earlier,
    const CpuConvNspc *before)
{
  const CpuConvNspc *dw = conv->depthwise ? conv : before;
  const gsize in_row = dw->g.in[2] * dw->g.groups;

  conv->fused = before;
  conv->fused_step = earlier;
  conv->band = band_of (step, dw, conv != dw && conv->uses_f16 && !conv->bf16);
  if (dw->fused != NULL) {
    conv->window = cpu_conv_window_rows (dw, &conv->band);
    conv->window_at = reserve (
        conv, conv->window * in_row, step->threads, &conv->window_floats);
  }
  if (conv != dw)
    conv->band_at = reserve (conv, conv->band * row_bytes (dw) / sizeof (float),
        step->threads, &conv->band_floats);
  cpu_step_need_scratch (step, conv->scratch);
  step->kernel = cpu_conv_nspc_kernel (conv);
}

gboolean
cpu_conv_nspc_fuse_depthwise (CpuStep *step, CpuConvNspc *conv,
    CpuStep *earlier, const CpuConvNspc *before)
{
  if (!is_pointwise (conv) || !is_depthwise (before)
      || all_rows (before) * row_bytes (before) < LEAST_BYTES)
    return FALSE;
  fuse (step, conv, earlier, before);
  return TRUE;
}

/* Whether what @depthwise reads does not stay in the second-level cache as a
 * whole, but enough rows of it do.  Values between steps that could be stored
 * as f16 or bf16 are not made in bands of f32. */
static gboolean
expansion_pays (const CpuStep *step, const CpuConvNspc *depthwise)
{
  const CpuConvGeometry *g = &depthwise->g;
  gsize band = 1;

  return !cpu_bf16_is_stored (step->scope)
         && !(cpu_scope_isa (step->scope) & CPU_ISA_FP16
              && cpu_scope_precision (step->scope) != INFER_PRECISION_F32)
         && g->batch * g->in[1] * g->in[2] * g->groups * sizeof (float)
                >= cpu_caches ()->second
         && cpu_conv_window_rows (depthwise, &band) > 0;
}

gboolean
cpu_conv_nspc_fuse_expansion (CpuStep *step, CpuConvNspc *conv,
    CpuStep *earlier, const CpuConvNspc *first)
{
  const CpuConvGeometry *g = &conv->g;

  /* The sums of few pixels are made in another order. */
  if (!is_depthwise (conv) || !is_pointwise (first) || conv->fused != NULL
      || first->uses_f16 || first->residual != NULL
      || first->output_act.kind != CPU_ACT_NONE || g->in[0] != 1
      || g->out[0] != 1 || g->k[0] != 1 || g->k[1] == 0
      || g->in[2] <= CPU_CONV_FEW || all_rows (conv) * row_bytes (conv) == 0
      || !expansion_pays (step, conv))
    return FALSE;
  fuse (step, conv, earlier, first);
  return TRUE;
}

/* --- running --- */

typedef struct
{
  /* `after` is that of the step, maybe the depthwise one. */
  CpuConvWork before, after;
  CpuConvWindow window;
  const CpuConvNspc *conv, *depthwise;
  gsize band, rows; /* depthwise rows computed at a time; all rows */
  float *bands;     /* one for each thread; NULL: `before` is the last */
  float *windows;   /* nullable, likewise */
} Bands;

/* Rows from @row on that lie in one image, at most @rows, with what they read;
 * returns how many. */
static gsize
read_rows (const Bands *bands, CpuConvWindow *window, CpuConvWork *work,
    gsize row, gsize rows)
{
  const CpuConvGeometry *g = &bands->depthwise->g;
  const gsize image = row / g->out[1], y = row % g->out[1];
  gsize begin, end;

  if (window->data == NULL)
    return rows;
  rows = MIN (rows, g->out[1] - y);
  cpu_conv_window_range (bands->depthwise, y, y + rows, &begin, &end);
  cpu_conv_window_fill (window, image, begin, end);
  work->in = window->data;
  work->in_first = (image * g->in[1] + window->begin) * g->in[2];
  return rows;
}

static void
depthwise_rows (const Bands *bands, CpuConvWindow *window, CpuConvWork *work,
    gsize first, gsize last)
{
  for (gsize row = first, end; row < last; row = end) {
    end = row + read_rows (bands, window, work, row, last - row);
    for (gsize rows; row < end; row += rows) {
      rows = cpu_conv_nspc_depthwise_rows (work, row, end - row);
      cpu_conv_nspc_depthwise (work, row, rows, 0, work->chunk);
    }
  }
}

/* Lets the tiles of @after prefetch what depthwise rows from @first on, at most
 * a band, read beyond the rows before them. */
static void
set_ahead (const Bands *bands, CpuConvWork *after, gsize first)
{
  const CpuConvGeometry *g = &bands->depthwise->g;
  const gsize y = first % g->out[1], row = g->in[2] * g->groups;
  const gsize last = MIN (y + bands->band, g->out[1]);
  gsize begin, end, unused;

  after->ahead = NULL;
  if (bands->windows || bands->before.is_f16 || g->in[0] > 1 || g->out[0] > 1
      || y == 0)
    return;
  cpu_conv_window_range (bands->depthwise, y - 1, y, &unused, &begin);
  cpu_conv_window_range (bands->depthwise, y, last, &unused, &end);
  after->ahead =
      bands->before.in + (first / g->out[1] * g->in[1] + begin) * row;
  after->n_ahead = (end - MIN (begin, end)) * row;
}

static void
band_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Bands *bands = data;
  const CpuConvNspc *conv = bands->conv;
  CpuConvWork before = bands->before, after = bands->after;
  CpuConvWindow window = bands->window;
  const gsize width = before.phase->axis[2].count;
  float unused = 0; /* the bound of the depthwise results is used instead */

  if (bands->windows)
    window.data = bands->windows + thread * conv->window_floats;
  if (bands->bands) {
    before.out = bands->bands + thread * conv->band_floats;
    before.results.largest = &unused;
    if (before.is_f16)
      before.results.out = (guint16 *) (gpointer) before.out;
    after.results.largest = cpu_conv_nspc_largest (after.step, conv, thread);
    after.f16 = cpu_conv_work_f16 (after.step, conv, thread);
    after.in = before.out;
  }
  for (gsize i = begin; i < end; i++) {
    gsize first = i * bands->band,
          last = MIN (first + bands->band, bands->rows);

    if (bands->bands)
      before.out_first = first * width;
    depthwise_rows (bands, &window, &before, first, last);
    if (bands->bands) {
      set_ahead (bands, &after, last);
      cpu_conv_nspc_pixels (
          &after, &(CpuConvUnit){ 0, first * width, (last - first) * width });
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

/* Multiplications for a depthwise row. */
static gsize
cost_of_row (const CpuConvNspc *conv, const CpuConvNspc *dw)
{
  const CpuConvAxis *a = dw->phases[0].axis;
  gsize cost = cpu_conv_phase_taps (dw->phases) * dw->g.groups;

  if (conv != dw)
    cost += conv->g.ic * conv->g.oc;
  if (dw->fused != NULL)
    cost += (gsize) (a[1].in_step * a[2].in_step) * dw->fused->g.ic
            * dw->fused->g.oc;
  return cost * a[2].count;
}

void
cpu_conv_nspc_run_bands (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvNspc *dw = conv->depthwise ? conv : conv->fused;
  const CpuStep *dw_step = conv->depthwise ? step : conv->fused_step;
  Bands bands = { .conv = conv,
    .depthwise = dw,
    .before = cpu_conv_work (dw_step, dw),
    .band = conv->band,
    .rows = all_rows (dw) };

  if (conv != dw) {
    bands.after = cpu_conv_work (step, conv);
    bands.after.chunk = cpu_conv_nspc_chunk (conv, conv->phases);
    bands.bands = cpu_conv_scratch (step, conv->band_at);
    set_f16 (step, &bands);
    /* Rows that are read as they are stay in the first-level cache as a whole.
     */
    if (bands.after.is_bf16 && conv->bf16)
      bands.after.chunk = conv->band * dw->g.out[2];
  }
  if (dw->fused != NULL) {
    bands.windows = cpu_conv_scratch (step, conv->window_at);
    bands.window.work = cpu_conv_work (dw->fused_step, dw->fused);
    bands.window.work.chunk =
        cpu_conv_nspc_chunk (dw->fused, dw->fused->phases);
    bands.window.rows = conv->window;
    bands.window.image = G_MAXSIZE;
  }
  cpu_step_parallel (step, (bands.rows + bands.band - 1) / bands.band,
      1 + 100000 / MAX (cost_of_row (conv, dw) * bands.band, 1), band_range,
      &bands);
  if (conv != dw)
    cpu_conv_nspc_end_results (step, conv, &bands.after.results);
}
