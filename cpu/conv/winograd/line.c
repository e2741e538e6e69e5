/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of 3 taps along one dimension, in half of the multiplications;
 * every second position alone (stride 2): in three quarters. */

#include "cpu/conv/winograd/winograd.h"

#include "cpu/base/caches.h"
#include "cpu/base/posts.h"

#define OUT CPU_WINOGRAD_OUT

/* With fewer channels the transforms cost more than they save. */
#define LEAST_CHANNELS 24
#define LEAST_CHANNELS_2 48 /* stride 2 */

/* Transformed weights are twice those of the file.  Products of fewer tiles
 * than LEAST_TILES wait for them even if the second-level cache holds them, of
 * fewer than MANY_TILES if it does not. */
#define LEAST_TILES 6
#define MANY_TILES 14
#define MOST_WEIGHTS (4 << 20)

static gboolean
weights_pay (const CpuConvGeometry *g, gsize tiles)
{
  const gsize bytes = 6 * g->ic * g->oc * sizeof (float);

  return tiles >= LEAST_TILES && bytes <= MOST_WEIGHTS
         && (tiles >= MANY_TILES || bytes <= cpu_caches ()->second);
}

/* The dimension with taps. */
static guint
axis (const CpuConvGeometry *g)
{
  return g->k[1] == 3 ? 1 : 2;
}

/* --- weights --- */

static void
transform (CpuWinogradWeights *taps, const CpuWinogradWeights scale, float *to,
    gsize to_step)
{
  CpuWinogradWeights all[6];

  cpu_winograd_transform (all, 1, taps, 1);
  cpu_winograd_store (all, scale, to, to_step);
}

#define C ((double) CPU_WINOGRAD_C)
#define D ((double) CPU_WINOGRAD_D)

/* F(4, 2) of the outer taps, and the one between.  Rows of G:
 *
 *   (1 0) / C²D | (1 ±C) / 2C²(±C - D) | (1 D) / D(D² - C²) | 0 1 */
static void
transform_pairs (CpuWinogradWeights *taps, const CpuWinogradWeights scale,
    float *to, gsize to_step)
{
  CpuWinogradWeights all[6];

  for (guint o = 0; o < CPU_WINOGRAD_TOGETHER; o++) {
    const double a = taps[0][o], c = taps[2][o];

    all[0][o] = a / (C * C * D);
    all[1][o] = (a + C * c) / (2 * C * C * (C - D));
    all[2][o] = (a - C * c) / (2 * C * C * (-C - D));
    all[3][o] = (a + D * c) / (D * (D * D - C * C));
    all[4][o] = c;
    all[5][o] = taps[1][o];
  }
  cpu_winograd_store (all, scale, to, to_step);
}

/* --- tiles --- */

static void
read_tile (const CpuStep *step, const CpuWinograd *conv, gsize tile, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  const guint along = axis (g);
  const gint64 stride = g->stride[along], inputs = 3 + 3 * stride;
  const gint64 column = (gint64) (along == 1 ? g->in[2] * g->ic : g->ic);
  CpuWinogradLineInput it = { .column = (gsize) column,
    .stride = (gsize) stride,
    .out = to,
    .step = conv->in_step,
    .channels = g->ic };
  gsize n, at[2];

  cpu_winograd_locate (conv, tile, &n, at);
  const gint64 begin = (gint64) at[along - 1] * stride - g->pad[along];
  const gsize across = at[2 - along];

  it.first = (gsize) CLAMP (-begin, 0, inputs);
  it.last = (gsize) CLAMP ((gint64) g->in[along] - begin, 0, inputs);
  /* May point before the data, where nothing is read. */
  it.in = (const float *) step->in[0]->data + n * g->in[1] * g->in[2] * g->ic
          + across * (along == 1 ? 1 : g->in[2]) * g->ic + begin * column;
  step->kernels->winograd_line_input_f32 (&it);
}

static void
write_tile (const CpuStep *step, const CpuWinograd *conv, gsize tile,
    const float *from, gsize first, gsize channels)
{
  const CpuConvGeometry *g = &conv->g;
  const guint along = axis (g);
  CpuWinogradLineOutput it = { .in = from,
    .step = conv->out_step,
    .stride = (gsize) g->stride[along],
    .column = along == 1 ? g->out[2] * g->oc : g->oc,
    .channels = channels,
    .epilogue = conv->epilogue };
  gsize n, at[2], offset;

  cpu_winograd_locate (conv, tile, &n, at);
  it.columns = MIN (g->out[along] - at[along - 1], OUT);
  offset = ((n * g->out[1] + at[0]) * g->out[2] + at[1]) * g->oc + first;
  cpu_posts_skip_channels (&it.epilogue, first);
  it.out = (float *) step->out[0]->data + offset;
  if (conv->residual)
    it.epilogue.residual = (const float *) conv->residual->data + offset;
  step->kernels->winograd_line_output_f32 (&it);
}

/* --- the implementation --- */

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;
  const guint along = axis (g), across = 3 - along;
  const gsize least = g->stride[along] == 1 ? LEAST_CHANNELS : LEAST_CHANNELS_2;
  const gsize tiles = (g->out[along] + OUT - 1) / OUT;

  return cpu_winograd_can (step, g) && g->k[along] == 3 && g->k[across] == 1
         && (g->stride[along] == 1 || g->stride[along] == 2)
         && g->dilation[along] == 1 && g->stride[across] == 1
         && g->pad[across] == 0 && g->out[across] == g->in[across]
         && g->ic >= least && g->oc >= least
         && weights_pay (g, g->batch * tiles * g->out[across])
         /* Tiles that reach beyond the end waste work. */
         && tiles * OUT * 8 <= g->out[along] * 9;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_CONV_COST_WINOGRAD;
}

#define FORM(name, stride, down, right)                                        \
  {                                                                            \
    .pack = "conv-" name, .kernel = name "_f32", .taps = 3,                    \
    .tile = { down, right }, .matrices = 6, .most_channels = 128,              \
    .products = stride == 1 ? CPU_WINOGRAD_LINE_PRODUCTS                       \
                            : CPU_WINOGRAD_LINE_PRODUCTS_2,                    \
    .transform = stride == 1 ? transform : transform_pairs,                    \
    .read_tile = read_tile, .write_tile = write_tile                           \
  }

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  static const CpuWinogradForm forms[2][2] = {
    { FORM ("winograd_line", 1, OUT, 1), FORM ("winograd_line", 1, 1, OUT) },
    { FORM ("winograd_line_2", 2, OUT, 1), FORM ("winograd_line_2", 2, 1, OUT) }
  };
  const CpuConvGeometry *g = problem;
  const guint along = axis (g);

  return cpu_winograd_prepare (
      step, g, &forms[g->stride[along] - 1][along - 1]);
}

const CpuImpl cpu_conv_impl_winograd_line = {
  .name = "winograd_line",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_winograd_run,
  .free = cpu_winograd_free,
};
