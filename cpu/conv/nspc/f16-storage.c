/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values stored as f16 or bf16 between convolutions; bf16 has the range of f32
 * and needs no scale.  f16: Before a step runs, an upper
 * bound of its results, from the largest input and the weights, gives the power
 * of two by which they are scaled, so that no f16 overflows. The largest
 * actual result is recorded while computing. A loose bound costs exponent
 * range only. */

#include "cpu/conv/nspc/nspc.h"
#include "cpu/conv/nspc/work.h"
#include "cpu/base/f16-gemm.h"
#include "inference/base/small-float.h"

#include <math.h>
#include <string.h>

/* Floats between the results of threads: no shared cache line. */
#define APART 16

/* Whether bounded arguments give bounded results. */
static gboolean
is_bounded (const CpuAct *act)
{
  switch (act->kind) {
    case CPU_ACT_NONE:
    case CPU_ACT_RELU:
    case CPU_ACT_CLAMP:
    case CPU_ACT_HSWISH:
    case CPU_ACT_SIGMOID:
    case CPU_ACT_TANH:
    case CPU_ACT_SWISH:
      return TRUE;
    case CPU_ACT_LEAKY_RELU:
      return fabsf (act->alpha) <= 1;
    default:
      return FALSE;
  }
}

static float
act_bound (const CpuAct *act, float bound)
{
  switch (act->kind) {
    case CPU_ACT_CLAMP:
      return MIN (bound, MAX (fabsf (act->alpha), fabsf (act->beta)))
             + (act->alpha > 0   ? act->alpha
                 : act->beta < 0 ? -act->beta
                                 : 0);
    case CPU_ACT_SIGMOID:
    case CPU_ACT_TANH:
      return 1;
    default:
      return bound;
  }
}

/* Allows for the rounding of sums. */
#define SLACK 1.01f

float
cpu_conv_nspc_bound (const CpuConvNspc *conv, float largest)
{
  return act_bound (
      &conv->epilogue.act, (conv->gain * largest + conv->shift) * SLACK);
}

static gboolean
can_be_depthwise_f16 (const CpuStep *step, const CpuConvNspc *conv)
{
  return conv->depthwise && !conv->g.transposed && !conv->plain
         && conv->weights != NULL && step->in[1]->constant
         && conv->residual == NULL && conv->epilogue.scale == NULL
         && conv->epilogue.residual == NULL
         && cpu_conv_phase_taps (conv->phases) <= CPU_F16_BLOCK
         && is_bounded (&conv->epilogue.act);
}

/* Sums are f32, and weights stay what they are. */
static gboolean
can_be_depthwise_bf16 (const CpuConvNspc *conv)
{
  return conv->depthwise && !conv->g.transposed && !conv->plain
         && conv->weights != NULL && conv->residual == NULL;
}

static gboolean
can_use_f16 (const CpuStep *step, const CpuConvNspc *conv)
{
  return conv->uses_f16 || cpu_conv_f16_could (step, conv);
}

static gboolean
reads_bf16 (const CpuStep *step, const CpuConvNspc *conv, const CpuValue *value)
{
  const CpuConvNspc *first = conv->fused ? conv->fused : conv;
  const CpuValue *in = (conv->fused ? conv->fused_step : step)->in[0];

  if (conv->plain || (value != in && value != conv->residual))
    return FALSE;
  if (value == in && first->depthwise && !can_be_depthwise_bf16 (first))
    return FALSE;
  return conv->depthwise || (conv->bf16 && can_use_f16 (step, conv));
}

gboolean
cpu_conv_nspc_reads_f16 (
    const CpuStep *step, const CpuConvNspc *conv, const CpuValue *value)
{
  if (cpu_bf16_is_stored (step->scope))
    return reads_bf16 (step, conv, value);
  if (conv->fused != NULL)
    return can_use_f16 (step, conv) && conv->fused_step->in[0] == value
           && can_be_depthwise_f16 (conv->fused_step, conv->fused);
  if (step->in[0] != value || conv->plain)
    return FALSE;
  return conv->depthwise ? can_be_depthwise_f16 (step, conv)
                         : can_use_f16 (step, conv);
}

static gboolean
gives_bf16 (const CpuStep *step, const CpuConvNspc *conv)
{
  if (conv->plain || conv->output_act.kind != CPU_ACT_NONE)
    return FALSE;
  if (conv->depthwise)
    return can_be_depthwise_bf16 (conv) && step->in[0]->form.f16 != NULL;
  return conv->bf16 && can_use_f16 (step, conv);
}

gboolean
cpu_conv_nspc_gives_f16 (const CpuStep *step, const CpuConvNspc *conv)
{
  const CpuStep *first = conv->fused ? conv->fused_step : step;

  if (cpu_bf16_is_stored (step->scope))
    return gives_bf16 (step, conv);
  if (conv->plain || conv->residual != NULL
      || conv->output_act.kind != CPU_ACT_NONE
      || !is_bounded (&conv->epilogue.act))
    return FALSE;
  if (!conv->depthwise && !can_use_f16 (step, conv))
    return FALSE;
  return first->in[0]->form.f16 != NULL
         || (!conv->depthwise && conv->fused == NULL && !conv->flat);
}

/* --- packing --- */

/* Packed depthwise weights: the gain, the scales, then the filters,
 * [taps][channels]. */
#define LANES (2 * CPU_F16_LANES)

static gsize
padded_channels (const CpuConvNspc *conv)
{
  return (conv->g.groups * conv->repeat + LANES - 1) / LANES * LANES;
}

static gpointer
make_depthwise (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvNspc *conv = data;
  const gsize all = conv->g.groups * conv->repeat;
  const gsize taps = cpu_conv_phase_taps (conv->phases);
  const gsize head = (1 + padded_channels (conv)) * sizeof (float);
  float *packed = cpu_alloc (taps * all * sizeof *packed), *numbers;
  guint16 *to;

  *bytes = head + (taps * all + LANES) * sizeof *to;
  numbers = cpu_alloc (*bytes);
  if (packed == NULL || numbers == NULL) {
    cpu_free (packed);
    cpu_free (numbers);
    return NULL;
  }
  memset (numbers, 0, *bytes);
  cpu_conv_nspc_pack (step->kernels, conv, step->in[input]->data, packed);
  for (gsize c = 0; c < all; c++) {
    const float scale =
        cpu_f16_column_scale (packed + c, taps, all, &numbers[1 + c]);
    float sum = 0;

    for (gsize i = 0; i < taps; i++) {
      sum += fabsf (packed[i * all + c]);
      packed[i * all + c] *= scale;
    }
    numbers[0] = MAX (numbers[0], sum);
  }
  to = (guint16 *) (gpointer) ((char *) numbers + head);
  step->kernels->f32_to_f16 (to, packed, taps * all);
  cpu_free (packed);
  return numbers;
}

/* Pairs of bf16 weights: cpu/kernels/conv.h. */
static gpointer
make_pairs (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvNspc *conv = data;
  const gsize all = conv->g.groups * conv->repeat;
  const CpuConvAxis *a = conv->phases[0].axis;
  const gsize row = a[2].taps, n = cpu_conv_phase_taps (conv->phases);
  float *packed = cpu_borrow (n * all * sizeof *packed);
  guint16 *to;

  *bytes = n * all * 2 * sizeof *to;
  to = cpu_alloc_pack (*bytes);
  if (packed != NULL && to != NULL) {
    memset (to, 0, *bytes);
    cpu_conv_nspc_pack (step->kernels, conv, step->in[input]->data, packed);
    for (gsize i = 0; i < n; i++)
      for (gsize c = 0; c < all; c++) {
        guint16 *pair = to + (i * all + c) * 2;

        pair[0] = infer_f32_to_bf16 (packed[i * all + c]);
        if (i / row % a[1].taps + 1 < a[1].taps)
          pair[1] = infer_f32_to_bf16 (packed[(i + row) * all + c]);
      }
  } else {
    g_clear_pointer (&to, cpu_free);
  }
  cpu_return (packed);
  return to;
}

/* For rows of one tap or adjacent ones that the kernel adds in pairs. */
static gboolean
use_pairs (CpuStep *step, CpuConvNspc *conv)
{
  const CpuConvAxis *x = &conv->phases[0].axis[2];
  gint64 params[16];

  if (conv->pairs != NULL || !step->in[1]->constant || x->step != 1
      || (x->taps != 1 && x->taps != 3 && x->taps != 5)
      || cpu_conv_phase_taps (conv->phases) == 0)
    return TRUE;
  guint n = cpu_conv_nspc_pack_params (conv, params);
  conv->pairs = cpu_step_pack (
      step, 1, "conv-depthwise-row-pairs", n, params, make_pairs, conv);
  return conv->pairs != NULL;
}

/* Pixels computed as one, to fill vectors of f16. */
static gsize
f16_repeat (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  return g->stride[2] == 1 && g->dilation[2] == 1 && g->groups < LANES
                 && LANES % g->groups == 0
             ? LANES / g->groups
             : 1;
}

static gboolean
use_depthwise (CpuStep *step, CpuConvNspc *conv)
{
  const gsize repeat = f16_repeat (conv);
  gint64 params[16];

  conv->repeat = repeat;
  guint n = cpu_conv_nspc_pack_params (conv, params);
  const float *numbers = cpu_step_pack (
      step, 1, "conv-depthwise-half", n, params, make_depthwise, conv);
  if (numbers == NULL)
    return FALSE;
  conv->gain = numbers[0];
  conv->f16_scales = numbers + 1;
  conv->f16_weights =
      (const guint16 *) (gconstpointer) (numbers + 1 + padded_channels (conv));
  conv->scale = NULL;
  return cpu_conv_nspc_repeat_epilogue (conv, conv->g.groups, repeat);
}

static float
largest_bias (const CpuConvNspc *conv)
{
  const gsize n = conv->g.groups * conv->g.oc;
  float most = 0;

  for (gsize c = 0; c < n && conv->epilogue.bias != NULL; c++)
    most = MAX (most, fabsf (conv->epilogue.bias[c]));
  return most;
}

/* The input may need no copy; the output must not overwrite a residual of
 * another size. */
static gboolean
use_bf16 (CpuStep *step, CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (!conv->uses_f16 && !conv->depthwise
      && !cpu_conv_nspc_become_f16 (step, conv))
    return FALSE;
  if (conv->depthwise && !use_pairs (step, conv))
    return FALSE;
  if (conv->fused != NULL && conv->fused_step->in[0]->form.f16 != NULL
      && !use_pairs (conv->fused_step, (CpuConvNspc *) (gsize) conv->fused))
    return FALSE;
  conv->stores_f16 = step->out[0]->form.f16 != NULL;
  if (conv->residual != NULL
      && (conv->residual->form.f16 != NULL) != conv->stores_f16)
    step->overwrites = NULL;
  if (conv->depthwise)
    step->kernel = "depthwise_bf16";
  else if (step->in[0]->form.f16 != NULL && !conv->flat)
    conv->pad = conv->padded[0] != g->in[0] || conv->padded[1] != g->in[1]
                || conv->padded[2] != g->in[2];
  cpu_step_need_scratch (step, conv->scratch);
  return TRUE;
}

gboolean
cpu_conv_nspc_use_f16 (CpuStep *step, CpuConvNspc *conv)
{
  if (cpu_bf16_is_stored (step->scope))
    return use_bf16 (step, conv);
  CpuConvNspc *before = (CpuConvNspc *) (gsize) conv->fused;
  const CpuConvGeometry *g = &conv->g;

  if (!conv->uses_f16 && !conv->depthwise
      && !cpu_conv_nspc_become_f16 (step, conv))
    return FALSE;
  conv->shift = largest_bias (conv);
  conv->stores_f16 = step->out[0]->form.f16 != NULL;
  if (before != NULL) {
    before->shift = largest_bias (before);
    if (conv->fused_step->in[0]->form.f16 != NULL
        && !use_depthwise (conv->fused_step, before))
      return FALSE;
  } else if (conv->depthwise) {
    if (!use_depthwise (step, conv))
      return FALSE;
    step->kernel = "depthwise_half";
  } else if (step->in[0]->form.f16 != NULL && !conv->flat) {
    conv->pad = conv->padded[0] != g->in[0] || conv->padded[1] != g->in[1]
                || conv->padded[2] != g->in[2];
  }
  conv->largest_at = cpu_conv_nspc_reserve (conv, APART * step->threads);
  conv->has_largest = TRUE;
  cpu_step_need_scratch (step, conv->scratch);
  return TRUE;
}

/* --- running --- */

float *
cpu_conv_nspc_largest (
    const CpuStep *step, const CpuConvNspc *conv, guint thread)
{
  return conv->stores_f16 && conv->has_largest
             ? cpu_conv_scratch (step, conv->largest_at) + thread * APART
             : NULL;
}

CpuF16Results
cpu_conv_nspc_results (CpuStep *step, const CpuConvNspc *conv, float bound)
{
  CpuF16Results results = { .out = NULL, .scale = 1 };

  if (!conv->stores_f16)
    return results;
  if (step->out[0]->form.f16->bf16) {
    results.out = step->out[0]->data;
    results.bf16 = true;
    return results;
  }
  for (guint i = 0; i < step->threads; i++)
    *cpu_conv_nspc_largest (step, conv, i) = 0;
  results.out = step->out[0]->data;
  results.scale = cpu_f16_scale (bound, &step->out[0]->form.f16->back);
  return results;
}

void
cpu_conv_nspc_end_results (
    CpuStep *step, const CpuConvNspc *conv, const CpuF16Results *results)
{
  float largest = 0;

  if (results->out == NULL || results->bf16)
    return;
  for (guint i = 0; i < step->threads; i++)
    largest = MAX (largest, *cpu_conv_nspc_largest (step, conv, i));
  step->out[0]->form.f16->largest = largest;
}
