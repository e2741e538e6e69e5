/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions with f16 or bf16 products. Their packed weights begin with the
 * scales of the output channels. */

#include "cpu/conv/nspc/conv.h"
#include "cpu/base/f16-gemm.h"
#include "cpu/base/posts.h"

#include <math.h>
#include <string.h>

/* Products per output, and output channels (flat: each input is read only
 * once), from which on f16 saves more time than converting the inputs takes. */
#define LEAST_PRODUCTS 32
#define LEAST_CHANNELS 9
#define LEAST_FLAT 17
/* bf16 needs no search for the largest input first. */
#define LEAST_BF16_PRODUCTS 16
#define LEAST_BF16_FLAT 16
/* The same if neighbours store f16. */
#define LEAST_KEPT_PRODUCTS 8
#define LEAST_KEPT_CHANNELS 4

/* Where there is a choice, f16 is faster than tiles of bf16 if their inputs
 * come from short segments, or if there are so few products that conversions
 * count: in convolutions, and in pointwise ones whose f16 sums never become
 * floats. */
#define LEAST_SEGMENT 16
#define LEAST_WEIGHTS 2304
#define FEW_CHANNELS 32

static gboolean
prefers_f16 (const CpuConvNspc *conv)
{
  const CpuConvPhase *phase = &conv->phases[0];
  const gsize products = phase->n_segments * phase->length;
  const CpuActivation act = conv->epilogue.act.kind;

  if (phase->length < LEAST_SEGMENT)
    return TRUE;
  if (!conv->flat)
    return products * conv->g.oc < LEAST_WEIGHTS;
  return products <= FEW_CHANNELS && conv->g.oc <= FEW_CHANNELS
         && (act == CPU_ACT_NONE || act == CPU_ACT_RELU
             || act == CPU_ACT_CLAMP);
}

gboolean
cpu_conv_bf16_wants (const CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (conv->depthwise || (cpu_f16_wanted (step, 1) && prefers_f16 (conv)))
    return FALSE;
  return cpu_bf16_wanted (
      step, 1, conv->flat ? g->batch * cpu_volume (g->out) : g->out[2]);
}

static gboolean
is_wanted (const CpuStep *step, const CpuConvNspc *conv)
{
  return conv->bf16 || cpu_f16_wanted (step, 1);
}

gboolean
cpu_conv_f16_wants (const CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvPhase *phase = &conv->phases[0];
  const gsize flat = conv->bf16 ? LEAST_BF16_FLAT : LEAST_FLAT;

  return !conv->depthwise && conv->g.oc >= (conv->flat ? flat : LEAST_CHANNELS)
         && phase->n_segments * phase->length
                >= (conv->bf16 ? LEAST_BF16_PRODUCTS : LEAST_PRODUCTS)
         && is_wanted (step, conv);
}

gboolean
cpu_conv_f16_could (const CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvPhase *phase = &conv->phases[0];

  return !conv->depthwise && !conv->plain && conv->fold_rows == 1
         && conv->g.oc >= LEAST_KEPT_CHANNELS
         && phase->n_segments * phase->length >= LEAST_KEPT_PRODUCTS
         && is_wanted (step, conv);
}

/* At the end of packed weights: the gain, from pack_weights. */
#define GAIN_BYTES 64

static gsize
scales_size (const CpuConvNspc *conv)
{
  return conv->g.groups * cpu_conv_nspc_padded_oc (conv) * sizeof (float);
}

/* Elements of a channel of a phase. */
static gsize
channel_elements (const CpuConvNspc *conv, const CpuConvPhase *phase)
{
  if (conv->bf16)
    return cpu_bf16_padded (phase->n_segments, phase->length);
  return phase->n_segments * cpu_f16_padded (phase->length);
}

/* The largest sum of magnitudes of a column. */
static float
largest_column (const float *from, gsize rows, gsize width)
{
  float most = 0;

  for (gsize c = 0; c < width; c++) {
    float sum = 0;

    for (gsize i = 0; i < rows; i++)
      sum += fabsf (from[i * width + c]);
    most = MAX (most, sum);
  }
  return most;
}

/* Packs from f32 as pack.c packs them; returns the upper bound of results for
 * inputs up to 1. */
static float
pack_f16 (const CpuConvNspc *conv, const float *from, char *to)
{
  float most = 0;

  const gsize padded = cpu_conv_nspc_padded_oc (conv);

  for (guint i = 0; i < conv->n_phases; i++) {
    const CpuConvPhase *phase = &conv->phases[i];
    const gsize rows = phase->n_segments * phase->length;
    guint16 *at = (guint16 *) (gpointer) (to + phase->weights_at);
    /* Each phase has its own scales. */
    float *scales = (float *) (gpointer) to + i * conv->g.groups * padded;

    for (gsize group = 0; group < conv->g.groups; group++)
      for (gsize o = 0, width; o < padded; o += width) {
        width = cpu_conv_nspc_block (conv, o);
        at = (conv->bf16 ? cpu_bf16_pack : cpu_f16_pack) (
            at, scales, from, rows, phase->length, width);
        most = MAX (most, largest_column (from, rows, width));
        scales += width;
        from += rows * width;
      }
  }
  return most;
}

static gpointer
make_f16 (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvNspc *conv = data;
  gsize floats = 0;
  float *packed;

  for (guint i = 0; i < conv->n_phases; i++)
    floats += cpu_conv_phase_taps (&conv->phases[i]) * conv->g.groups
              * conv->g.ic * cpu_conv_nspc_padded_oc (conv);
  *bytes = conv->packed;
  packed = cpu_borrow (floats * sizeof *packed);
  char *to = cpu_alloc_pack (*bytes);
  if (packed != NULL && to != NULL) {
    memset (to, 0, *bytes);
    cpu_conv_nspc_pack (step->kernels, conv, step->in[input]->data, packed);
    *(float *) (gpointer) (to + conv->packed - GAIN_BYTES) =
        pack_f16 (conv, packed, to);
  } else {
    g_clear_pointer (&to, cpu_free);
  }
  cpu_return (packed);
  return to;
}

gboolean
cpu_conv_f16_prepare_weights (CpuStep *step, CpuConvNspc *conv)
{
  gint64 params[16];

  conv->packed = conv->n_phases * scales_size (conv);
  for (guint i = 0; i < conv->n_phases; i++) {
    CpuConvPhase *phase = &conv->phases[i];

    phase->weights_at = conv->packed;
    conv->packed += conv->g.groups * cpu_conv_nspc_padded_oc (conv)
                    * channel_elements (conv, phase) * sizeof (guint16);
  }
  conv->packed += GAIN_BYTES;
  guint n = cpu_conv_nspc_pack_params (conv, params);
  conv->weights = cpu_step_pack (step, 1,
      conv->bf16 ? "conv-bf16" : "conv-half-3", n, params, make_f16, conv);
  if (conv->weights != NULL)
    conv->gain = *(const float *) (gconstpointer) ((const char *) conv->weights
                                                   + conv->packed - GAIN_BYTES);
  return conv->weights != NULL;
}

/* Inputs as the kernel wants them; *@scale is to be applied to the products. */
static const guint16 *
inputs_of (const CpuConvF16 *part, gsize n, float *scale)
{
  const CpuKernels *kernels = part->kernels;

  *scale = part->back;
  if (part->f16 == NULL)
    return part->in;
  if (!part->conv->bf16) {
    *scale = cpu_f16_fill (kernels, part->f16, part->in, n);
  } else if (part->is_f16) {
    kernels->f16_to_bf16 (part->f16, part->in, n);
  } else {
    kernels->f32_to_bf16 (part->f16, part->in, n);
    *scale = 1;
  }
  return part->f16;
}

void
cpu_conv_f16_tiles (const CpuConvF16 *part)
{
  const CpuConvNspc *conv = part->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvPhase *phase = part->phase;
  const gsize padded = cpu_conv_nspc_padded_oc (conv);
  const gsize oc = g->groups * g->oc, ic = g->groups * g->ic;
  const gsize rc = conv->residual_channels;
  const gsize elements = channel_elements (conv, phase);
  const gsize out_step = phase->axis[2].out_step;
  const char *weights = conv->weights;
  CpuConvTileF16 tile = { .in_step = (gsize) phase->axis[2].in_step * ic,
    .segments = phase->segments,
    .n_segments = phase->n_segments,
    .length = phase->length,
    .weights = (gconstpointer) (weights + phase->weights_at),
    .pixels = part->pixels,
    .out_step = out_step * oc,
    .residual_step = out_step * rc };
  const guint16 *in = inputs_of (part, part->pixels * ic, &tile.scale);
  cpu_conv_tile_f16_fn *kernel =
      conv->bf16 ? part->kernels->conv_tile_bf16 : part->kernels->conv_tile_f16;

  for (gsize group = 0; group < g->groups; group++) {
    tile.in = in + group * g->ic;
    tile.scales =
        (const float *) (gconstpointer) weights
        + ((gsize) (phase - conv->phases) * g->groups + group) * padded;
    for (gsize o = 0, width; o < part->last; o += width) {
      const gsize c = group * g->oc + o;

      width = cpu_conv_nspc_block (conv, o);
      if (o < part->first) {
        tile.weights += elements * width;
        tile.scales += width;
        continue;
      }
      tile.vectors = width / CPU_F16_LANES;
      tile.channels = MIN (width, g->oc - o);
      tile.out = part->out + c;
      tile.f16 = part->results;
      if (tile.f16.out)
        tile.f16.out += c;
      tile.epilogue = conv->epilogue;
      cpu_posts_skip_channels (&tile.epilogue, c);
      if (part->residual)
        tile.epilogue.residual = part->residual + MIN (c, rc);
      if (part->residual_bf16)
        tile.residual_bf16 = part->residual_bf16 + MIN (c, rc);
      tile.residual_channels = MIN (rc - MIN (c, rc), tile.channels);
      kernel (&tile);
      tile.weights += elements * width;
      tile.scales += width;
    }
  }
}
