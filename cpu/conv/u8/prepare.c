/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/u8/private.h"

#include "cpu/base/posts.h"
#include "cpu/conv/impl.h"
#include "cpu/conv/u8/u8.h"

#include <math.h>
#include <string.h>

/* Input of the pixels computed at once, which is to stay in the first-level
 * cache. */
#define STRIP_BYTES 24576

/* --- what can be done --- */

/* The quantised value of 0; FALSE: 0 is not representable. */
static gboolean
find_zero (const CpuQuant *quant, guint8 *zero)
{
  float level = -quant->out_low / quant->step;
  float whole = rintf (level);

  if (!(whole >= 0 && whole <= quant->top && fabsf (level - whole) < 1e-3f))
    return FALSE;
  *zero = (guint8) whole;
  return TRUE;
}

/* Drops dimensions of size 1 and moves the others to the end: one row of many
 * pixels is faster than many rows of one. */
static void
squeeze (CpuConvGeometry *g)
{
  gint to = 2;

  for (gint d = 2; d >= 0; d--) {
    if (g->in[d] == 1 && g->out[d] == 1 && g->k[d] == 1 && g->pad[d] == 0)
      continue;
    g->in[to] = g->in[d];
    g->out[to] = g->out[d];
    g->k[to] = g->k[d];
    g->stride[to] = g->stride[d];
    g->dilation[to] = g->dilation[d];
    g->pad[to] = g->pad[d];
    to--;
  }
  for (; to >= 0; to--) {
    g->in[to] = g->out[to] = g->k[to] = 1;
    g->stride[to] = g->dilation[to] = 1;
    g->pad[to] = 0;
  }
}

/* Number of products of 8 by 9 bits whose sum cannot overflow 32 bits. */
#define MAX_PRODUCTS 32768

gboolean
cpu_conv_u8_can (CpuStep *step, const CpuQuant *quant)
{
  CpuConvGeometry g;
  guint8 zero;

  if (!cpu_isa_has_int8 (step->isa) || !step->in[1]->constant
      || step->in[1]->desc.type != INFER_TYPE_F32 || step->in[1]->n == 0
      || step->in[0]->n == 0 || step->out[0]->n == 0
      || !find_zero (quant, &zero) || !cpu_conv_geometry (step, FALSE, &g, NULL)
      || g.ic * cpu_volume (g.k) > MAX_PRODUCTS)
    return FALSE;
  squeeze (&g);
  const CpuU8Head *head = cpu_u8_pack (step, &g);
  return head != NULL && head->found;
}

gboolean
cpu_conv_u8_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other)
{
  gsize channels = (gsize) cpu_out_shape (step, 0)->dims[1];

  if (infer_op_is (op, &infer_op_prelu))
    return FALSE;
  if (other != NULL
      && (!other->constant || (other->n != 1 && other->n != channels)
          || infer_op_is (op, &infer_op_swish)
          || (step->n_posts > 0
              && step->posts[step->n_posts - 1].other == NULL)))
    return FALSE;
  return cpu_posts_can_absorb (step, 1, op, from, other);
}

/* --- construction --- */

static gboolean
plan_padding (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize volume = g->batch * g->groups * g->ic;

  for (guint d = 0; d < 3; d++) {
    gint64 hi = ((gint64) g->out[d] - 1) * g->stride[d]
                + ((gint64) g->k[d] - 1) * g->dilation[d] - g->pad[d];

    if (conv->depthwise && !cpu_u8_has_windows (conv) && d == 2
        && !cpu_u8_quads (g).rows) {
      /* the columns at which the last quads begin, and three more */
      hi += ((gint64) cpu_u8_quads (g).across * 4 - (gint64) g->k[2])
            * g->dilation[2];
      conv->columns = TRUE;
    }
    conv->lo[d] = (gsize) MAX (g->pad[d], 0);
    conv->padded[d] = conv->lo[d] + (gsize) MAX (hi + 1, (gint64) g->in[d]);
    conv->pad = conv->pad || conv->padded[d] != g->in[d];
    if (__builtin_mul_overflow (volume, conv->padded[d], &volume)
        || volume > G_MAXSIZE / 64)
      return FALSE;
  }
  return TRUE;
}

static gboolean
plan_segments (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize x_taps = cpu_u8_merges (g) ? 1 : g->k[2], i = 0;
  gsize channels = g->groups * g->ic;

  conv->length = cpu_u8_length (g);
  conv->n_segments = cpu_u8_segments (g);
  conv->segments = g_try_new (gsize, MAX (conv->n_segments, 1));
  if (conv->segments == NULL)
    return FALSE;
  for (gsize z = 0; z < g->k[0]; z++)
    for (gsize y = 0; y < g->k[1]; y++)
      for (gsize x = 0; x < x_taps; x++)
        conv->segments[i++] = ((z * (gsize) g->dilation[0] * conv->padded[1]
                                   + y * (gsize) g->dilation[1])
                                      * conv->padded[2]
                                  + x * (gsize) g->dilation[2])
                              * channels;
  return TRUE;
}

/* A clamping activation can clamp quantised values instead: rounding is
 * monotonic. */
static void
plan_end (CpuConvU8 *conv, const CpuQuant *to)
{
  CpuQuantEnd *end = &conv->end;
  float lo = 0, hi = 0;

  end->start = conv->start;
  end->scale = conv->scale;
  end->bias = conv->bias;
  end->to = to;
  if (to == NULL)
    return;
  if (end->act.kind == CPU_ACT_CLAMP) {
    lo = rintf ((end->act.alpha - to->in_low) * to->in_scale);
    hi = rintf ((end->act.beta - to->in_low) * to->in_scale);
  } else if (end->act.kind == CPU_ACT_RELU) {
    lo = rintf ((0 - to->in_low) * to->in_scale);
    hi = to->top;
  } else if (end->act.kind == CPU_ACT_NONE) {
    hi = to->top;
  } else {
    return;
  }
  if (!(lo <= hi))
    return;
  end->plain = TRUE;
  end->low = CLAMP (lo, 0, to->top);
  end->high = CLAMP (hi, 0, to->top);
}

static void
fill_arrays (CpuConvU8 *conv, const CpuQuant *quant, const CpuQuant *to,
    const CpuEpilogue *epilogue)
{
  const CpuConvGeometry *g = &conv->g;

  for (gsize group = 0; group < g->groups; group++) {
    for (gsize o = 0; o < g->oc; o++) {
      gsize at = group * conv->padded_oc + o, c = group * g->oc + o;
      double scale = (double) conv->weights.scale[at] * quant->step;
      double bias = epilogue->bias ? epilogue->bias[c] : 0;

      scale *= epilogue->scale ? epilogue->scale[c] : 1;
      if (conv->end.plain) {
        scale *= to->in_scale;
        bias = (bias - to->in_low) * to->in_scale;
      }
      conv->start[at] = -conv->zero * conv->weights.sums[at];
      conv->scale[at] = (float) scale;
      conv->bias[at] = (float) bias;
    }
  }
}

/* No result is too large for an integer. */
static gboolean
are_bounded (const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  const double most = 255.0 * 512 * (double) (g->ic * cpu_volume (g->k));

  for (gsize i = 0; i < cpu_u8_channels (g); i++)
    if (!(most * fabs (conv->scale[i]) + fabs (conv->bias[i]) < 2147483647))
      return FALSE;
  return TRUE;
}

/* Makes arrays by padded channel from the epilogue's arrays by channel.  FALSE:
 * memory is short. */
static gboolean
make_arrays (CpuConvU8 *conv, const CpuQuant *quant, const CpuQuant *to,
    const CpuEpilogue *epilogue)
{
  gsize n = cpu_u8_channels (&conv->g);

  conv->start = g_try_new0 (gint32, MAX (n, 1));
  conv->scale = g_try_new0 (float, MAX (n, 1));
  conv->bias = g_try_new0 (float, MAX (n, 1));
  if (conv->start == NULL || conv->scale == NULL || conv->bias == NULL)
    return FALSE;
  conv->end.act = epilogue->act;
  plan_end (conv, to);
  fill_arrays (conv, quant, to, epilogue);
  if (conv->end.plain && !are_bounded (conv)) {
    conv->end.plain = FALSE;
    fill_arrays (conv, quant, to, epilogue);
  }
  return TRUE;
}

/* A pointwise convolution: all pixels are one row. */
static gboolean
is_flat (const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;

  for (guint d = 0; d < 3; d++)
    if (g->k[d] != 1 || g->stride[d] != 1 || g->out[d] != g->in[d])
      return FALSE;
  return !conv->pad;
}

static void
plan_strip (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize pixel = g->groups * g->ic;
  gsize row = (gsize) g->stride[1] * conv->padded[2] * pixel;

  conv->flat = is_flat (conv);
  conv->strip = MAX (STRIP_BYTES / MAX (conv->flat ? pixel : row, 1), 1);
  if (conv->flat)
    conv->strip = MAX (conv->strip, 14);
}

static void
plan_scratch (CpuStep *step, CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize each = 0;

  if (conv->depthwise && !cpu_u8_has_windows (conv))
    each = cpu_u8_quads_room (conv);
  else if (conv->weights.head->offset)
    each = conv->strip * (conv->flat ? 1 : g->out[2]) * sizeof (float);
  conv->padded_at = (step->threads * each + 63) & ~(gsize) 63;
  if (cpu_u8_copies_input (conv))
    /* And the bytes that tiles read behind the last segment. */
    cpu_step_need_scratch (step,
        conv->padded_at
            + g->batch * cpu_volume (conv->padded) * g->groups * g->ic + 64);
  else if (conv->padded_at > 0)
    cpu_step_need_scratch (step, conv->padded_at);
}

static void
u8_free (gpointer self)
{
  CpuConvU8 *conv = self;

  g_free (conv->segments);
  g_free (conv->zeros);
  g_free (conv->start);
  g_free (conv->scale);
  g_free (conv->bias);
  g_free (conv);
}

/* FALSE: memory is short. */
static gboolean
plan_reading (CpuConvU8 *conv)
{
  if (!conv->depthwise)
    return plan_segments (conv);
  return cpu_u8_has_windows (conv) ? cpu_u8_plan_windows (conv)
                                   : cpu_u8_plan_quads (conv);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuConvGeometry *geometry = problem;
  CpuConvU8 *conv = g_new0 (CpuConvU8, 1);
  const CpuQuant *quant = step->in[0]->form.quant;
  const CpuValue *residual;
  CpuEpilogue epilogue;

  conv->g = *geometry;
  squeeze (&conv->g);
  conv->depthwise = cpu_u8_is_depthwise (geometry);
  conv->padded_oc = cpu_u8_padded_oc (geometry);
  const CpuU8Head *head = cpu_u8_pack (step, &conv->g);
  if (head != NULL)
    conv->weights = cpu_u8_weights (head, &conv->g);
  if (head == NULL || !head->found || !plan_padding (conv)) {
    u8_free (conv);
    return NULL;
  }
  find_zero (quant, &conv->zero);
  g_autofree gpointer arrays =
      cpu_posts_epilogue (step, 1, &epilogue, &residual);
  if (arrays == NULL || !plan_reading (conv)
      || !make_arrays (conv, quant, step->out[0]->form.quant, &epilogue)) {
    u8_free (conv);
    return NULL;
  }
  g_assert (residual == NULL); /* never absorbed */
  if (!conv->depthwise)
    plan_strip (conv);
  plan_scratch (step, conv);
  step->kernel = conv->depthwise ? "depthwise_u8" : "direct_u8";
  return conv;
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  return step->in[0]->form.quant != NULL;
}

const CpuImpl cpu_conv_impl_u8 = {
  .name = "u8",
  .can = can,
  .prepare = prepare,
  .run = cpu_u8_run,
  .free = u8_free,
};
