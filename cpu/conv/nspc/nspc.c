/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/nspc/nspc.h"

#include "cpu/base/f16-gemm.h"
#include "cpu/base/posts.h"
#include "cpu/base/scope.h"
#include "cpu/conv/impl.h"
#include "cpu/conv/nspc/work.h"

#include <string.h>

/* --- construction --- */

gsize
cpu_conv_nspc_reserve (CpuConvNspc *conv, gsize floats)
{
  gsize at = conv->scratch;

  conv->scratch += (floats * sizeof (float) + 63) & ~(gsize) 63;
  return at;
}

static void
plan_scratch (CpuConvNspc *conv, guint threads)
{
  const CpuConvGeometry *g = &conv->g;

  if (cpu_conv_nspc_fills (conv))
    conv->fill_at = cpu_conv_nspc_reserve (
        conv, g->batch * cpu_volume (conv->padded) * g->groups * g->ic);
  if (conv->plain) {
    gsize floats = g->batch * cpu_volume (g->out) * g->groups * g->oc;

    conv->out_at = cpu_conv_nspc_reserve (conv, floats);
    if (conv->residual)
      conv->residual_at = cpu_conv_nspc_reserve (conv, floats);
  }
  if (conv->weights == NULL)
    conv->weights_at = cpu_conv_nspc_reserve (conv, conv->packed);
}

static void
plan_f16 (CpuConvNspc *conv, guint threads)
{
  const CpuConvGeometry *g = &conv->g;

  if (conv->flat) {
    conv->f16_elements =
        cpu_conv_nspc_chunk (conv, conv->phases) * g->groups * g->ic;
    conv->f16_at =
        cpu_conv_nspc_reserve (conv, (conv->f16_elements / 2 + 16) * threads);
  } else {
    conv->f16_at = cpu_conv_nspc_reserve (
        conv, g->batch * conv->padded[0] * conv->padded[1]
                  + (conv->plain ? threads * g->in[2] * g->groups * g->ic : 0));
  }
}

/* Whether each input makes outputs of its own along dimension @d: these are
 * adjacent. */
static gboolean
is_foldable (const CpuConvGeometry *g, guint d)
{
  return (gint64) g->k[d] == g->stride[d] && g->dilation[d] == 1
         && g->pad[d] == 0 && g->out[d] == g->in[d] * g->k[d];
}

/* Such outputs of a row are treated as channels of one output. */
static gsize
fold_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (!g->transposed || conv->depthwise || conv->plain || g->groups > 1
      || !is_foldable (g, 2) || g->oc * g->k[2] > 3 * conv->lanes)
    return 1;
  return g->k[2];
}

/* Whether conv_dots_f32 can compute @oc channels from segments of @length. */
static gboolean
can_be_dots (const CpuConvNspc *conv, gsize oc, gsize length)
{
  const gsize dot = conv->lanes / MAX (oc, 1);

  /* A cut vector of few elements gains nothing. */
  return oc <= 4 && dot > 1 && conv->lanes % oc == 0
         && (dot >= 4 || length % dot == 0);
}

/* So are those of two rows, if conv_dots_f32 can take all. */
static gsize
fold_rows_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  return conv->fold > 1 && conv->residual == NULL && is_foldable (g, 1)
                 && g->k[1] == 2
                 && can_be_dots (conv, g->oc * conv->fold * 2, g->ic)
             ? 2
             : 1;
}

static float *
repeat (float **at, const float *from, gsize n, gsize times)
{
  float *to = *at;

  if (from == NULL)
    return NULL;
  for (gsize i = 0; i < times; i++)
    memcpy (to + i * n, from, n * sizeof *to);
  *at += n * times;
  return to;
}

gboolean
cpu_conv_nspc_repeat_epilogue (CpuConvNspc *conv, gsize n, gsize times)
{
  CpuEpilogue *e = &conv->epilogue;
  float *arrays = g_try_new (float, MAX (4 * n * times, 1)), *at = arrays;

  if (arrays == NULL)
    return FALSE;
  e->scale = repeat (&at, e->scale, n, times);
  e->bias = repeat (&at, e->bias, n, times);
  e->act.slopes = repeat (&at, e->act.slopes, n, times);
  e->last_act.slopes = repeat (&at, e->last_act.slopes, n, times);
  g_free (conv->owned);
  conv->owned = arrays;
  return TRUE;
}

static gboolean
fold (CpuConvNspc *conv)
{
  CpuConvGeometry *g = &conv->g;
  const gsize times = conv->fold;

  if (times == 1)
    return TRUE;
  if (conv->fold_rows > 1) {
    g->out[1] = g->in[1];
    g->k[1] = 1;
    g->stride[1] = 1;
  }
  if (!cpu_conv_nspc_repeat_epilogue (conv, g->oc, times))
    return FALSE;
  g->oc *= times;
  g->out[2] = g->in[2];
  g->k[2] = 1;
  g->stride[2] = 1;
  return TRUE;
}

/* Pixels of a depthwise convolution that are computed as one with as many
 * channels, if that fills vectors. */
static gsize
repeat_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  const gsize lanes = conv->lanes, channels = g->groups;

  if (!conv->depthwise || g->transposed || g->stride[2] != 1
      || g->dilation[2] != 1)
    return 1;
  if (channels < lanes && lanes % channels == 0)
    return lanes / channels;
  return channels % lanes != 0 && 2 * channels % lanes == 0 ? 2 : 1;
}

/* How many times a vector holds all output channels, if it can use
 * conv_dots_f32; else 1. */
static gsize
dot_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (conv->depthwise || conv->uses_f16 || g->groups != 1)
    return 1;
  for (guint i = 0; i < conv->n_phases; i++)
    if (!can_be_dots (conv, g->oc, conv->phases[i].length)
        || conv->phases[i].axis[2].out_step != 1)
      return 1;
  return conv->lanes / g->oc;
}

gboolean
cpu_conv_nspc_expensive_act (const CpuAct *act, CpuUnary *unary)
{
  static const struct
  {
    CpuActivation act;
    CpuUnary unary;
  } acts[] = {
    { CPU_ACT_SIGMOID, CPU_UNARY_SIGMOID },
    { CPU_ACT_TANH, CPU_UNARY_TANH },
    { CPU_ACT_SWISH, CPU_UNARY_SWISH },
    { CPU_ACT_ELU, CPU_UNARY_ELU },
    { CPU_ACT_GELU_ERF, CPU_UNARY_GELU_ERF },
    { CPU_ACT_GELU_TANH, CPU_UNARY_GELU_TANH },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (acts); i++)
    if (acts[i].act == act->kind) {
      *unary = acts[i].unary;
      return TRUE;
    }
  return FALSE;
}

/* Where a tile computes a whole vector even for one channel, or has few
 * vectors, expensive activations are applied to the output instead. */
static void
plan_output_act (CpuConvNspc *conv)
{
  CpuUnary unary;

  if (conv->depthwise || conv->residual != NULL || 2 * conv->g.oc > conv->lanes
      || !cpu_conv_nspc_expensive_act (&conv->epilogue.act, &unary))
    return;
  conv->output_act = conv->epilogue.act;
  conv->epilogue.act = (CpuAct){ .kind = CPU_ACT_NONE };
}

const char *
cpu_conv_nspc_kernel (const CpuConvNspc *conv)
{
  /* By the type of products: f32, f16, bf16. */
  static const char *const names[][3] = {
    { "direct_f32", "direct_half", "direct_bf16" },
    { "transposed_f32", "transposed_half", "transposed_bf16" },
    { "pointwise_f32", "pointwise_half", "pointwise_bf16" },
    { "depthwise_pointwise_f32", "depthwise_pointwise_half",
        "depthwise_pointwise_bf16" },
    { "inverted_bottleneck_f32", "inverted_bottleneck_half",
        "inverted_bottleneck_bf16" },
  };
  const guint kind = conv->fused && conv->fused->fused ? 4
                     : conv->fused                     ? 3
                     : conv->flat                      ? 2
                     : conv->g.transposed              ? 1
                                                       : 0;

  if (conv->depthwise)
    return conv->fused ? "pointwise_depthwise_f32" : "depthwise_f32";
  return names[kind][!conv->uses_f16 ? 0 : conv->bf16 ? 2 : 1];
}

static void
nspc_free (gpointer self)
{
  CpuConvNspc *conv = self;

  for (guint i = 0; i < conv->n_phases; i++)
    g_free (conv->phases[i].segments);
  cpu_conv_nspc_parts_free (conv);
  g_free (conv->phases);
  g_free (conv->owned);
  g_free (conv);
}

static gboolean
plan_all (CpuConvNspc *conv, const CpuStep *step)
{
  conv->owned = cpu_posts_epilogue (step, 1, &conv->epilogue, &conv->residual);
  if (conv->owned == NULL)
    return FALSE;
  conv->fold = fold_of (conv);
  conv->fold_rows = fold_rows_of (conv);
  conv->fold *= conv->fold_rows;
  if (!fold (conv))
    return FALSE;
  conv->repeat = repeat_of (conv);
  return (conv->repeat == 1
             || cpu_conv_nspc_repeat_epilogue (
                 conv, conv->g.groups, conv->repeat))
         && cpu_conv_nspc_plan_phases (conv);
}

/* Plans all but weights and scratch; NULL: the padded input is too large, there
 * are too many phases, or memory is short. */
static CpuConvNspc *
plan (const CpuStep *step, const CpuConvGeometry *g)
{
  CpuConvNspc *conv = g_new0 (CpuConvNspc, 1);

  conv->g = *g;
  conv->lanes = step->kernels->conv_lanes ();
  conv->depthwise = g->ic == 1 && g->oc == 1 && g->groups > 1;
  conv->plain = step->layout == CPU_LAYOUT_PLAIN
                && (cpu_volume (g->in) > 1 || cpu_volume (g->out) > 1);
  if (!plan_all (conv, step)) {
    nspc_free (conv);
    return NULL;
  }
  conv->bf16 = cpu_conv_bf16_wants (step, conv);
  conv->uses_f16 = cpu_conv_f16_wants (step, conv);
  if (conv->uses_f16)
    conv->lanes = CPU_F16_LANES;
  conv->dot = dot_of (conv);
  cpu_conv_nspc_plan_parts (conv);
  cpu_conv_nspc_plan_blocks (conv, step->threads);
  return conv;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  CpuConvNspc *conv = plan (step, problem);

  if (conv == NULL)
    return NULL;
  if (conv->dot > 1
      && !cpu_conv_nspc_repeat_epilogue (conv, conv->g.oc, conv->dot)) {
    nspc_free (conv);
    return NULL;
  }
  plan_output_act (conv);
  if (conv->uses_f16 && !conv->flat)
    conv->pad = TRUE;
  conv->residual_channels = conv->g.groups * conv->g.oc;
  if (step->in[1]->constant) {
    conv->scale = conv->epilogue.scale;
    conv->epilogue.scale = NULL;
  }
  if (!(conv->uses_f16 ? cpu_conv_f16_prepare_weights (step, conv)
                       : cpu_conv_nspc_prepare_weights (step, conv))) {
    nspc_free (conv);
    return NULL;
  }
  plan_scratch (conv, step->threads);
  if (conv->uses_f16)
    plan_f16 (conv, step->threads);
  cpu_step_need_scratch (step, conv->scratch);
  if (!conv->plain)
    step->overwrites = (CpuValue *) (gsize) conv->residual;
  step->kernel = cpu_conv_nspc_kernel (conv);
  return conv;
}

gboolean
cpu_conv_nspc_become_f16 (CpuStep *step, CpuConvNspc *conv)
{
  conv->uses_f16 = TRUE;
  conv->lanes = CPU_F16_LANES;
  conv->dot = 1;
  cpu_conv_nspc_plan_blocks (conv, step->threads);
  if (!cpu_conv_f16_prepare_weights (step, conv))
    return FALSE;
  if (!conv->flat && (!conv->pad || conv->parts != NULL)) {
    cpu_conv_nspc_parts_free (conv);
    conv->pad = TRUE;
    conv->fill_at =
        cpu_conv_nspc_reserve (conv, conv->g.batch * cpu_volume (conv->padded)
                                         * conv->g.groups * conv->g.ic);
  }
  plan_f16 (conv, step->threads);
  step->kernel = cpu_conv_nspc_kernel (conv);
  return TRUE;
}

gboolean
cpu_conv_nspc_fuse_pad (CpuStep *step, CpuConvNspc *conv, const CpuStep *pad)
{
  if (conv->plain || conv->residual != pad->out[0] || conv->depthwise
      || conv->dot > 1 || conv->g.transposed)
    return FALSE;
  conv->residual = pad->in[0];
  step->overwrites = NULL;
  conv->residual_channels = (gsize) cpu_in_shape (pad, 0)->dims[1];
  return TRUE;
}

/* --- implementations --- */

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  return cpu_conv_is_f32 (step);
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_CONV_COST_DIRECT;
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  cpu_conv_nspc_run (step, self);
  return TRUE;
}

const CpuImpl cpu_conv_impl_direct = {
  .name = "direct",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = run,
  .free = nspc_free,
};

/* Where no precision is asked for, the fastest way counts, and Winograd's in
 * f32 may be that. */
static gboolean
prefers_winograd (CpuStep *step, const CpuConvNspc *conv)
{
  return conv->bf16 && conv->phases[0].n_segments == 3
         && cpu_scope_precision (step->scope) == INFER_PRECISION_ANY
         && cpu_bf16_speed (step, conv->g.out[2]) < CPU_CONV_WINOGRAD_SPEED
         && cpu_conv_impl_winograd.can (step, &conv->g);
}

static gboolean
can_f16 (CpuStep *step, gconstpointer problem)
{
  if (!cpu_conv_is_f32 (step)
      || cpu_scope_precision (step->scope) == INFER_PRECISION_F32)
    return FALSE;
  CpuConvNspc *conv = plan (step, problem);
  gboolean uses_f16 =
      conv != NULL && conv->uses_f16 && !prefers_winograd (step, conv);
  if (conv != NULL)
    nspc_free (conv);
  return uses_f16;
}

const CpuImpl cpu_conv_impl_direct_f16 = {
  .name = "direct_f16",
  .can = can_f16,
  .prepare = prepare,
  .run = run,
  .free = nspc_free,
};

CpuConvNspc *
cpu_conv_nspc (const CpuImplUse *use)
{
  return use->impl != NULL && use->impl->run == run ? use->self : NULL;
}
