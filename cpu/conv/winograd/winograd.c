/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/winograd/winograd.h"

#include "cpu/base/caches.h"
#include "cpu/base/posts.h"

#define TOGETHER CPU_WINOGRAD_TOGETHER

/* Inputs and products of a block stay in the second-level cache. */
static gsize
block_bytes (void)
{
  return MIN (cpu_caches ()->second, 1 << 20) / 8 * 3;
}

/* --- weights --- */

/* The points of the transforms and their squares. */
#define A ((double) CPU_WINOGRAD_A)
#define B ((double) CPU_WINOGRAD_B)
#define A2 (A * A)
#define B2 (B * B)

void
cpu_winograd_transform (
    CpuWinogradWeights *to, gsize to_step, CpuWinogradWeights *g, gsize step)
{
  const double first = 1 / (A2 * B2);
  const double near = 1 / (2 * A2 * (A2 - B2)), far = 1 / (2 * B2 * (B2 - A2));

  for (guint o = 0; o < TOGETHER; o++) {
    const double a = g[0][o], b = g[step][o], c = g[2 * step][o];
    const double even = (a + A2 * c) * near, odd = b * (A * near);
    const double even_2 = (a + B2 * c) * far, odd_2 = b * (B * far);

    to[0][o] = a * first;
    to[to_step][o] = even + odd;
    to[2 * to_step][o] = even - odd;
    to[3 * to_step][o] = even_2 + odd_2;
    to[4 * to_step][o] = even_2 - odd_2;
    to[5 * to_step][o] = c;
  }
}

void
cpu_winograd_store (CpuWinogradWeights *all, const CpuWinogradWeights scale,
    float *to, gsize to_step)
{
  for (guint i = 0; i < 6; i++)
    for (guint o = 0; o < TOGETHER; o++)
      to[i * to_step + o] = (float) (scale[o] * all[i][o]);
}

/* Output channels from @begin on that are computed together: two vectors, or
 * three if pairs would leave one. */
static gsize
width_at (const CpuWinograd *conv, gsize begin)
{
  gsize vectors = (conv->padded_oc - begin) / conv->lanes;

  return conv->lanes * (vectors % 2 == 1 ? MIN (vectors, 3) : 2);
}

/* Channels from @o on, of one input channel; those that are not there are 0. */
static void
pack_channels (const CpuWinograd *conv, const CpuLooseFloat *filters, gsize o,
    gsize i, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  const guint n = conv->form->taps;
  CpuWinogradWeights taps[9] = { { 0 } }, scale = { 0 };

  for (gsize c = 0; c < TOGETHER && o + c < g->oc; c++) {
    const CpuLooseFloat *filter = filters + ((o + c) * g->ic + i) * n;

    for (guint t = 0; t < n; t++)
      taps[t][c] = (double) filter[t];
    scale[c] = conv->scale ? (double) conv->scale[o + c] : 1;
  }
  conv->form->transform (taps, scale, to, g->ic * conv->padded_oc);
}

/* [matrix][block of output channels][ic][width] */
static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuWinograd *conv = data;
  const gsize ic = conv->g.ic;
  float *packed;

  *bytes = conv->form->matrices * ic * conv->padded_oc * sizeof *packed;
  packed = cpu_alloc_pack (*bytes);
  for (gsize begin = 0, width; packed != NULL && begin < conv->padded_oc;
       begin += width) {
    width = width_at (conv, begin);
    for (gsize i = 0; i < ic; i++)
      for (gsize o = 0; o < width; o += TOGETHER)
        pack_channels (conv, step->in[input]->data, begin + o, i,
            packed + begin * ic + i * width + o);
  }
  return packed;
}

/* --- construction --- */

gboolean
cpu_winograd_can (CpuStep *step, const CpuConvGeometry *g)
{
  return cpu_conv_is_f32 (step) && !g->transposed && g->groups == 1
         && g->in[0] == 1 && g->k[0] == 1 && g->out[0] == 1
         && step->layout == CPU_LAYOUT_NSPC && step->in[1]->constant
         && step->in[1]->desc.type == INFER_TYPE_F32
         && (step->isa & CPU_ISA_AVX2) != 0;
}

/* Fewer tiles take as long as this many. */
#define LEAST_TILES 6

/* Number of blocks of about @block for @all tiles, a multiple of @threads. The
 * blocks are nearly equal: a single tile would be summed in another order. */
static gsize
count_blocks (gsize block, gsize all, guint threads)
{
  gsize blocks = (all + block - 1) / block;

  if (threads > 1)
    blocks = (blocks + threads - 1) / threads * threads;
  return CLAMP (blocks, 1, MAX (all / LEAST_TILES, 1));
}

static gsize
count_widths (const CpuWinograd *conv)
{
  gsize n = 0;

  for (gsize o = 0; o < conv->g.oc; o += width_at (conv, o))
    n++;
  return n;
}

/* Part @i of the output channels: whole widths, nearly equal parts. */
static void
find_part (const CpuWinograd *conv, gsize i, gsize *first, gsize *last)
{
  const gsize n = count_widths (conv);
  gsize begin = n * i / conv->parts, end = n * (i + 1) / conv->parts, o = 0;

  for (gsize k = 0; k < end; k++) {
    if (k == begin)
      *first = o;
    o += width_at (conv, o);
  }
  *last = MIN (o, conv->g.oc);
}

/* Channels of the largest part. */
static gsize
part_channels (const CpuWinograd *conv)
{
  gsize most = 0, first, last;

  for (gsize i = 0; i < conv->parts; i++) {
    find_part (conv, i, &first, &last);
    most = MAX (most, last - first);
  }
  return most;
}

/* Blocks of tiles, and parts of the output channels. */
static void
divide (CpuWinograd *conv, guint threads)
{
  const CpuConvGeometry *g = &conv->g;
  const gsize widths = count_widths (conv);
  const gsize all = g->batch * conv->tiles[0] * conv->tiles[1];
  /* The kernel cuts these into equal parts: 7 rows, or 6 or 4. */
  const gsize tile = conv->lanes >= 16 ? 14 : 12;
  gsize channels;

  conv->parts = CLAMP (
      (g->oc + conv->form->most_channels - 1) / conv->form->most_channels, 1,
      widths);
  channels = part_channels (conv);
  conv->block =
      CLAMP (block_bytes ()
                 / (conv->form->products * (g->ic + channels) * sizeof (float))
                 / tile * tile,
          tile, MAX (all, tile));
  conv->blocks = count_blocks (conv->block, all, threads);
  conv->block = (all + conv->blocks - 1) / conv->blocks;
  conv->shares = CLAMP (threads / conv->blocks, 1, widths);
  conv->parts = MAX (conv->parts, conv->shares);
  /* Spreads the products over the sets of the cache. */
  conv->in_step = conv->block * g->ic + 16;
  conv->out_step = conv->block * part_channels (conv) + 16;
  conv->floats = conv->form->products * (conv->in_step + conv->out_step);
}

void
cpu_winograd_free (gpointer self)
{
  CpuWinograd *conv = self;

  g_free (conv->owned);
  g_free (conv);
}

CpuWinograd *
cpu_winograd_prepare (
    CpuStep *step, const CpuConvGeometry *g, const CpuWinogradForm *form)
{
  gint64 params[3];

  CpuWinograd *conv = g_new0 (CpuWinograd, 1);
  conv->form = form;
  conv->g = *g;
  conv->lanes = step->kernels->conv_lanes ();
  conv->padded_oc = (g->oc + conv->lanes - 1) / conv->lanes * conv->lanes;
  conv->owned = cpu_posts_epilogue (step, 1, &conv->epilogue, &conv->residual);
  if (conv->owned == NULL) {
    cpu_winograd_free (conv);
    return NULL;
  }
  conv->scale = conv->epilogue.scale;
  conv->epilogue.scale = NULL;
  for (guint d = 0; d < 2; d++)
    conv->tiles[d] = (g->out[d + 1] + form->tile[d] - 1) / form->tile[d];
  divide (conv, step->threads);
  params[0] = (gint64) conv->lanes;
  params[1] = conv->scale ? cpu_posts_hash (conv->scale, g->oc) : 0;
  conv->weights =
      cpu_step_pack_loose (step, 1, form->pack, 2, params, make_packed, conv);
  if (conv->weights == NULL) {
    cpu_winograd_free (conv);
    return NULL;
  }
  cpu_step_need_scratch (step, step->threads * conv->floats * sizeof (float));
  step->overwrites = (CpuValue *) (gsize) conv->residual;
  step->kernel = form->kernel;
  return conv;
}

/* --- running --- */

/* Output channels [@first, @last) of all products, dense. */
static void
multiply (const CpuStep *step, const CpuWinograd *conv, gsize tiles,
    const float *in, float *out, gsize first, gsize last)
{
  const gsize ic = conv->g.ic, segment = 0;
  CpuConvTile it = { .in_step = ic,
    .segments = &segment,
    .n_segments = 1,
    .length = ic,
    .pixels = tiles,
    .out_step = last - first };

  for (guint p = 0; p < conv->form->products; p++) {
    const gsize matrix = MIN (p, conv->form->matrices - 1);

    it.in = in + p * conv->in_step;
    for (gsize o = first, width; o < last; o += width) {
      width = width_at (conv, o);
      it.vectors = width / conv->lanes;
      it.channels = MIN (width, last - o);
      it.weights = conv->weights + (matrix * conv->padded_oc + o) * ic;
      it.out = out + p * conv->out_step + o - first;
      step->kernels->conv_tile_f32 (&it);
    }
  }
}

typedef struct
{
  const CpuStep *step;
  const CpuWinograd *conv;
  gsize all; /* tiles */
} Work;

/* Parts of the output channels for the tiles of a block. */
static void
run_block (const Work *work, gsize block, gsize share, float *in)
{
  const CpuStep *step = work->step;
  const CpuWinograd *conv = work->conv;
  const CpuWinogradForm *form = conv->form;
  const gsize begin = work->all * block / conv->blocks;
  const gsize tiles = work->all * (block + 1) / conv->blocks - begin;
  float *out = in + form->products * conv->in_step;
  gsize first, last;

  for (gsize t = 0; t < tiles; t++)
    form->read_tile (step, conv, begin + t, in + t * conv->g.ic);
  for (gsize i = conv->parts * share / conv->shares;
       i < conv->parts * (share + 1) / conv->shares; i++) {
    find_part (conv, i, &first, &last);
    multiply (step, conv, tiles, in, out, first, last);
    for (gsize t = 0; t < tiles; t++)
      form->write_tile (
          step, conv, begin + t, out + t * (last - first), first, last - first);
  }
}

static void
block_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuWinograd *conv = work->conv;
  float *scratch = (float *) work->step->scratch + thread * conv->floats;

  for (gsize i = begin; i < end; i++)
    run_block (work, i / conv->shares, i % conv->shares, scratch);
}

gboolean
cpu_winograd_run (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuWinograd *conv = self;
  const CpuConvGeometry *g = &conv->g;
  Work work = { .step = step,
    .conv = conv,
    .all = g->batch * conv->tiles[0] * conv->tiles[1] };
  gsize work_of_share =
      conv->block * conv->form->products * g->ic * g->oc / conv->shares;

  cpu_step_parallel (step, conv->blocks * conv->shares,
      1 + 100000 / MAX (work_of_share, 1), block_range, &work);
  return TRUE;
}
