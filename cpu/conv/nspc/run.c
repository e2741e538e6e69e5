/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/nspc/work.h"

/* [batch][rows][cols] → [batch][cols][rows] */
static void
swap (const CpuStep *step, float *to, const float *from, gsize batch,
    gsize rows, gsize cols)
{
  for (gsize n = 0; n < batch; n++)
    step->kernels->transpose_u32 ((guint32 *) (gpointer) (to + n * rows * cols),
        rows, (const guint32 *) (gconstpointer) (from + n * rows * cols), cols,
        rows, cols);
}

typedef struct
{
  const CpuKernels *kernels;
  CpuUnary unary;
  const CpuAct *act;
  float *data;
} Late;

static void
late_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Late *late = data;
  float *at = late->data + begin;

  late->kernels->unary_f32 (
      late->unary, at, at, end - begin, late->act->alpha, late->act->beta);
}

static void
run_output_act (CpuStep *step, const CpuConvNspc *conv, float *data)
{
  Late late = {
    .kernels = step->kernels, .act = &conv->output_act, .data = data
  };

  if (cpu_conv_nspc_expensive_act (&conv->output_act, &late.unary))
    cpu_step_parallel (step, step->out[0]->n, 16384, late_range, &late);
}

static void
run_phase (CpuStep *step, CpuConvWork *work)
{
  const CpuConvAxis *a = work->phase->axis;

  if (a[0].count == 0 || a[1].count == 0 || a[2].count == 0)
    return;
  work->rows = work->conv->g.batch * a[0].count * a[1].count;
  if (work->conv->parts != NULL)
    cpu_conv_nspc_run_parts (step, work);
  else if (work->conv->depthwise)
    cpu_conv_nspc_run_depthwise (step, work);
  else
    cpu_conv_nspc_run_tiles (step, work);
}

void
cpu_conv_nspc_run (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->oc, volume = cpu_volume (g->out);
  float largest = 0;

  if (conv->fused != NULL) {
    cpu_conv_nspc_run_bands (step, conv);
    run_output_act (step, conv, step->out[0]->data);
    return;
  }
  CpuConvWork work = cpu_conv_work (step, conv);
  if (work.weights == NULL) {
    float *packed = cpu_conv_scratch (step, conv->weights_at);

    cpu_conv_nspc_pack (step->kernels, conv, step->in[1]->data, packed);
    work.weights = packed;
  }
  if (cpu_conv_nspc_fills (conv)) {
    work.back = cpu_conv_nspc_fill (step, conv, &largest);
    work.in = cpu_conv_scratch (step, conv->fill_at);
  }
  if (conv->plain) {
    work.out = cpu_conv_scratch (step, conv->out_at);
    if (work.residual) {
      float *residual = cpu_conv_scratch (step, conv->residual_at);

      swap (step, residual, work.residual, g->batch, channels, volume);
      work.residual = residual;
    }
  }
  if (step->in[0]->form.f16 != NULL)
    largest = step->in[0]->form.f16->largest;
  work.results =
      cpu_conv_nspc_results (step, conv, cpu_conv_nspc_bound (conv, largest));
  for (guint i = 0; i < conv->n_phases; i++) {
    work.phase = &conv->phases[i];
    run_phase (step, &work);
  }
  cpu_conv_nspc_end_results (step, conv, &work.results);
  run_output_act (step, conv, work.out);
  if (conv->plain)
    swap (step, step->out[0]->data, work.out, g->batch, volume, channels);
}
