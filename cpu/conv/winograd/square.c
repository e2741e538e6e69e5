/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of 3 × 3 in a quarter of the multiplications. */

#include "cpu/conv/winograd/winograd.h"

#include "cpu/base/caches.h"
#include "cpu/base/posts.h"

#define OUT CPU_WINOGRAD_OUT
#define PRODUCTS CPU_WINOGRAD_PRODUCTS

/* With fewer channels the transforms cost more than they save. */
#define LEAST_CHANNELS 16

/* Transformed weights are four times those of the file; larger ones do not stay
 * in the second-level cache. */
static gsize
most_weights (void)
{
  return CLAMP (cpu_caches ()->second, 1 << 19, 1 << 20);
}

/* G g G' of one filter of each channel, times @scale. */
static void
transform_weights (CpuWinogradWeights *taps, const CpuWinogradWeights scale,
    float *to, gsize to_step)
{
  CpuWinogradWeights half[6 * 3], all[6];

  for (guint x = 0; x < 3; x++)
    cpu_winograd_transform (half + x, 3, taps + x, 3);
  for (guint i = 0; i < 6; i++) {
    cpu_winograd_transform (all, 1, half + i * 3, 1);
    cpu_winograd_store (all, scale, to + i * 6 * to_step, to_step);
  }
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;
  const gsize h = g->out[1], w = g->out[2];

  if (!cpu_winograd_can (step, g))
    return FALSE;
  for (guint d = 1; d < 3; d++)
    if (g->k[d] != 3 || g->stride[d] != 1 || g->dilation[d] != 1)
      return FALSE;
  return g->ic >= LEAST_CHANNELS && g->oc >= LEAST_CHANNELS
         && PRODUCTS * g->ic * g->oc * sizeof (float) <= most_weights ()
         /* Tiles that reach beyond the image waste work. */
         && h >= OUT && w >= OUT
         && (h + OUT - 1) / OUT * ((w + OUT - 1) / OUT) * OUT * OUT * 4
                <= h * w * 5;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_CONV_COST_WINOGRAD;
}

static void
read_tile (const CpuStep *step, const CpuWinograd *conv, gsize tile, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  CpuWinogradInput it = { .row = g->in[2] * g->ic,
    .column = g->ic,
    .out = to,
    .step = conv->in_step,
    .channels = g->ic };
  gsize n, at[2];
  gint64 begin[2];

  cpu_winograd_locate (conv, tile, &n, at);
  for (guint d = 0; d < 2; d++) {
    gint64 size = (gint64) g->in[d + 1];

    begin[d] = (gint64) at[d] - g->pad[d + 1];
    it.first[d] = (gsize) CLAMP (-begin[d], 0, CPU_WINOGRAD_IN);
    it.last[d] = (gsize) CLAMP (size - begin[d], 0, CPU_WINOGRAD_IN);
  }
  /* May point before the data, where nothing is read. */
  it.in = (const float *) step->in[0]->data + (gint64) (n * g->in[1] * it.row)
          + begin[0] * (gint64) it.row + begin[1] * (gint64) it.column;
  step->kernels->winograd_input_f32 (&it);
}

static void
write_tile (const CpuStep *step, const CpuWinograd *conv, gsize tile,
    const float *from, gsize first, gsize channels)
{
  const CpuConvGeometry *g = &conv->g;
  CpuWinogradOutput it = { .in = from,
    .step = conv->out_step,
    .row = g->out[2] * g->oc,
    .column = g->oc,
    .channels = channels,
    .epilogue = conv->epilogue };
  gsize n, at[2], offset;

  cpu_winograd_locate (conv, tile, &n, at);
  it.rows = MIN (g->out[1] - at[0], OUT);
  it.columns = MIN (g->out[2] - at[1], OUT);
  offset = ((n * g->out[1] + at[0]) * g->out[2] + at[1]) * g->oc + first;
  cpu_posts_skip_channels (&it.epilogue, first);
  it.out = (float *) step->out[0]->data + offset;
  if (conv->residual)
    it.epilogue.residual = (const float *) conv->residual->data + offset;
  step->kernels->winograd_output_f32 (&it);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  static const CpuWinogradForm form = { .pack = "conv-winograd-2",
    .kernel = "winograd_f32",
    .taps = 9,
    .tile = { OUT, OUT },
    .products = PRODUCTS,
    .matrices = PRODUCTS,
    .most_channels = G_MAXSIZE / 2,
    .transform = transform_weights,
    .read_tile = read_tile,
    .write_tile = write_tile };

  return cpu_winograd_prepare (step, problem, &form);
}

const CpuImpl cpu_conv_impl_winograd = {
  .name = "winograd",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_winograd_run,
  .free = cpu_winograd_free,
};
