/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/nspc/work.h"

/* The taps [*first, *last) of output @q read data. */
static void
valid_taps (const CpuConvAxis *a, gsize in, gsize q, gsize *first, gsize *last)
{
  gint64 start = (gint64) q * a->in_step + a->begin;
  gint64 lo = start < 0 ? (-start + a->step - 1) / a->step : 0;
  gint64 hi =
      start >= (gint64) in ? 0 : ((gint64) in - start + a->step - 1) / a->step;

  hi = MIN (hi, (gint64) a->taps);
  *last = (gsize) MAX (hi, 0);
  *first = (gsize) MIN (lo, (gint64) *last);
}

gsize
cpu_conv_nspc_depthwise_rows (const CpuConvWork *work, gsize row, gsize rows)
{
  const CpuConvAxis *y = &work->phase->axis[1];
  const gint64 at = (gint64) (row % y->count);
  /* Outputs, from the first on, that read no rows beyond the last. */
  const gint64 room = (gint64) work->in_dims[1] - 1 - y->begin
                      - (gint64) (y->taps - 1) * y->step;
  const gint64 whole = room < 0 ? 0 : room / y->in_step + 1;

  if (y->taps == 0 || at * y->in_step + y->begin < 0 || at >= whole)
    return 1;
  return MIN (rows, (gsize) (MIN (whole, (gint64) y->count) - at));
}

/* f16 rows, which @it describes as if they were f32; @out: element. */
static void
depthwise_f16 (const CpuConvWork *work, const CpuConvDepthwise *it, gsize out)
{
  const CpuConvNspc *conv = work->conv;
  CpuConvDepthwiseF16 f16 = { .in = (const guint16 *) (gconstpointer) work->in
                                    + (it->in - work->in),
    .weights = conv->f16_weights + (it->weights - work->weights),
    .n = { it->n[0], it->n[1], it->n[2] },
    .in_stride = { it->in_stride[0], it->in_stride[1] },
    .weight_stride = { it->weight_stride[0], it->weight_stride[1] },
    .column = it->column,
    .columns = it->columns,
    .first = it->first,
    .step = it->step,
    .dilation = it->dilation,
    .pixels = it->pixels,
    .channels = it->channels,
    .last = it->last,
    .scale = work->back,
    .scales = conv->f16_scales,
    .out = work->out + (work->results.out ? 0 : out),
    .out_step = it->out_step,
    .epilogue = it->epilogue,
    .f16 = work->results };

  for (gsize row = 0; row < it->rows; row++) {
    f16.f16.out =
        work->results.out ? work->results.out + out + row * it->out_row : NULL;
    work->step->kernels->conv_depthwise_f16 (&f16);
    f16.in += it->in_row;
    f16.out += work->results.out ? 0 : it->out_row;
  }
}

/* bf16 rows, likewise. */
static void
depthwise_bf16 (const CpuConvWork *work, CpuConvDepthwise *it, gsize out)
{
  it->in_bf16 =
      (const guint16 *) (gconstpointer) work->in + (it->in - work->in);
  it->in = NULL;
  if (work->results.out)
    it->out_bf16 = work->results.out + out;
  else
    it->out = work->out + out;
  work->step->kernels->conv_depthwise_bf16 (it);
}

void
cpu_conv_nspc_depthwise (
    const CpuConvWork *work, gsize row, gsize rows, gsize x, gsize pixels)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvAxis *a = work->phase->axis;
  const gsize channels = conv->g.groups, all = channels * conv->repeat;
  CpuConvDepthwise it = { .in = work->in,
    .weights = work->weights + work->phase->weights_at,
    .column = channels,
    .columns = work->in_dims[2],
    .first = (ptrdiff_t) a[2].begin
             + (ptrdiff_t) (x * (gsize) a[2].in_step * conv->repeat),
    .step = (gsize) a[2].in_step * conv->repeat,
    .dilation = (gsize) a[2].step,
    .pixels = pixels,
    .last = all,
    .channels = all,
    .out_step = a[2].out_step * all,
    .rows = rows,
    .in_row = (gsize) a[1].in_step * work->in_dims[2] * channels,
    .out_row = a[1].out_step * conv->g.out[2] * channels,
    .epilogue = conv->epilogue };
  const gsize pairs = 2 * a[2].taps * all;
  gsize in, out, pos[2], rows_before = 0;

  cpu_conv_work_locate (work, row, &in, &out, pos);
  it.in += ((ptrdiff_t) in - (ptrdiff_t) work->in_first) * (ptrdiff_t) channels;
  for (guint d = 0; d < 2; d++) {
    gsize unit = (d == 0 ? work->in_dims[1] : 1) * work->in_dims[2] * channels;
    const gsize w_rows = d == 0 ? a[1].taps : 1;
    const gsize w_unit = w_rows * a[2].taps * all;
    gsize first, last;

    valid_taps (&a[d], work->in_dims[d], pos[d], &first, &last);
    it.n[d] = last - first;
    it.in_stride[d] = (gsize) a[d].step * unit;
    it.weight_stride[d] = w_unit;
    it.weights += first * w_unit;
    it.pair_stride[d] = w_rows * pairs;
    rows_before += first * w_rows;
    if (last > first)
      it.in += (a[d].begin + (gint64) first * a[d].step) * (gint64) unit;
  }
  it.n[2] = a[2].taps;
  if (conv->pairs != NULL)
    it.pairs = conv->pairs + rows_before * pairs;
  if ((x + pixels) * conv->repeat > a[2].count)
    it.last -= ((x + pixels) * conv->repeat - a[2].count) * channels;
  out += x * a[2].out_step * conv->repeat;
  if (work->is_bf16) {
    depthwise_bf16 (work, &it, (out - work->out_first) * channels);
    return;
  }
  if (work->is_f16) {
    depthwise_f16 (work, &it, (out - work->out_first) * channels);
    return;
  }
  it.out = work->out + (out - work->out_first) * channels;
  if (work->residual)
    it.epilogue.residual = work->residual + out * channels;
  work->step->kernels->conv_depthwise_f32 (&it);
}

static void
depthwise_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuConvWork *shared = data;
  CpuConvWork own = *shared, *work = &own;

  own.results.largest = cpu_conv_nspc_largest (own.step, own.conv, thread);
  for (gsize i = begin, rows; i < end; i += rows) {
    gsize x, pixels, row = i / work->chunks;

    cpu_conv_work_chunk (work, i, &x, &pixels);
    rows = work->chunks == 1 ? cpu_conv_nspc_depthwise_rows (work, row, end - i)
                             : 1;
    cpu_conv_nspc_depthwise (work, row, rows, x, pixels);
  }
}

/* Multiplications per thread from which on starting it pays; each input takes
 * part in few of them. */
#define GRAIN 25000

void
cpu_conv_nspc_run_depthwise (CpuStep *step, CpuConvWork *work)
{
  const CpuConvNspc *conv = work->conv;
  gsize cost =
      cpu_conv_phase_taps (work->phase) * conv->g.groups * conv->repeat;

  work->pixels = (work->phase->axis[2].count + conv->repeat - 1) / conv->repeat;
  work->chunk = work->pixels;
  cpu_conv_work_cut (step, work, 8);
  cpu_step_parallel (step, work->rows * work->chunks,
      1 + GRAIN / MAX (cost * work->chunk, 1), depthwise_range, work);
}
