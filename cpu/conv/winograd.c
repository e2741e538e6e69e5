/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of 3 × 3 in a quarter of the multiplications
 * (cpu/kernels/winograd.h); channels last. */

#include "cpu/conv/impl.h"

#include "cpu/base/caches.h"
#include "cpu/base/posts.h"

#define OUT CPU_WINOGRAD_OUT
#define PRODUCTS CPU_WINOGRAD_PRODUCTS

/* With fewer channels the transforms cost more than they save. */
#define LEAST_CHANNELS 16

/* Transformed weights are four times those of the file; larger ones do not stay
 * in the second-level cache, nor do larger blocks of inputs and products. */
static gsize
most_weights (void)
{
  return CLAMP (cpu_caches ()->second, 1 << 19, 1 << 20);
}

static gsize
block_bytes (void)
{
  return MIN (cpu_caches ()->second, 1 << 20) / 8 * 3;
}

typedef struct
{
  CpuConvGeometry g;
  gsize lanes, padded_oc;
  gsize tiles[2];      /* of an image: rows, columns */
  gsize blocks, block; /* number of blocks; tiles of a block at most */
  gsize parts;         /* parts of the output channels, one for each thread */
  gsize in_step, out_step, floats; /* floats of one product; of a block */
  const float *weights;
  const float
      *scale; /* by output channel, multiplied into the weights; nullable */
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
} Winograd;

/* --- weights --- */

/* Output channels from @begin on that are computed together: two vectors, or
 * three if pairs would leave one. */
static gsize
width_at (const Winograd *conv, gsize begin)
{
  gsize vectors = (conv->padded_oc - begin) / conv->lanes;

  return conv->lanes * (vectors % 2 == 1 ? MIN (vectors, 3) : 2);
}

/* Output channels whose filters are transformed together: divides the lanes. */
#define TOGETHER 8

typedef double Weights[TOGETHER];

/* The points of the transforms and their squares. */
#define A ((double) CPU_WINOGRAD_A)
#define B ((double) CPU_WINOGRAD_B)
#define A2 (A * A)
#define B2 (B * B)

/* Six numbers of each channel, @to_step apart: G times three of them, @step
 * apart.  Rows of G:
 *
 *   (1 0 0) / A²B² | (1 ±A A²) / 2A²(A² - B²) | (1 ±B B²) / 2B²(B² - A²) |
 *   0 0 1 */
static void
transform (Weights *to, gsize to_step, Weights *g, gsize step)
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

/* G g G' of one filter of each channel, times @scale. */
static void
transform_weights (Weights g[9], const Weights scale, float *to, gsize to_step)
{
  Weights half[6 * 3], all[6];

  for (guint x = 0; x < 3; x++)
    transform (half + x, 3, g + x, 3);
  for (guint i = 0; i < 6; i++) {
    transform (all, 1, half + i * 3, 1);
    for (guint j = 0; j < 6; j++)
      for (guint o = 0; o < TOGETHER; o++)
        to[(i * 6 + j) * to_step + o] = (float) (scale[o] * all[j][o]);
  }
}

/* Channels from @o on, of one input channel; those that are not there are 0. */
static void
pack_channels (const Winograd *conv, const CpuLooseFloat *filters, gsize o,
    gsize i, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  Weights taps[9] = { { 0 } }, scale = { 0 };

  for (gsize c = 0; c < TOGETHER && o + c < g->oc; c++) {
    const CpuLooseFloat *filter = filters + ((o + c) * g->ic + i) * 9;

    for (guint t = 0; t < 9; t++)
      taps[t][c] = (double) filter[t];
    scale[c] = conv->scale ? (double) conv->scale[o + c] : 1;
  }
  transform_weights (taps, scale, to, g->ic * conv->padded_oc);
}

/* [product][block of output channels][ic][width] */
static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const Winograd *conv = data;
  const gsize ic = conv->g.ic;
  float *packed;

  *bytes = PRODUCTS * ic * conv->padded_oc * sizeof *packed;
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

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;
  const gsize h = g->out[1], w = g->out[2];

  if (!cpu_conv_is_f32 (step) || g->transposed || g->groups != 1
      || g->in[0] != 1 || g->k[0] != 1 || g->out[0] != 1
      || step->layout != CPU_LAYOUT_NSPC || !step->in[1]->constant
      || step->in[1]->desc.type != INFER_TYPE_F32
      || (step->isa & CPU_ISA_AVX2) == 0)
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
count_widths (const Winograd *conv)
{
  gsize n = 0;

  for (gsize o = 0; o < conv->g.oc; o += width_at (conv, o))
    n++;
  return n;
}

static void
winograd_free (gpointer self)
{
  Winograd *conv = self;

  g_free (conv->owned);
  g_free (conv);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuConvGeometry *g = problem;
  gint64 params[3];
  gsize all, each;

  Winograd *conv = g_new0 (Winograd, 1);
  conv->g = *g;
  conv->lanes = step->kernels->conv_lanes ();
  /* a multiple of the kernel's */
  const gsize tile = conv->lanes >= 16 ? 14 : 12;
  conv->padded_oc = (g->oc + conv->lanes - 1) / conv->lanes * conv->lanes;
  conv->owned = cpu_posts_epilogue (step, 1, &conv->epilogue, &conv->residual);
  if (conv->owned == NULL) {
    winograd_free (conv);
    return NULL;
  }
  conv->scale = conv->epilogue.scale;
  conv->epilogue.scale = NULL;
  for (guint d = 0; d < 2; d++)
    conv->tiles[d] = (g->out[d + 1] + OUT - 1) / OUT;
  all = g->batch * conv->tiles[0] * conv->tiles[1];
  each = PRODUCTS * (g->ic + g->oc) * sizeof (float);
  conv->block = CLAMP (
      block_bytes () / each / tile * tile, tile, all > tile ? all : tile);
  conv->blocks = count_blocks (conv->block, all, step->threads);
  conv->block = (all + conv->blocks - 1) / conv->blocks;
  conv->parts = CLAMP (step->threads / conv->blocks, 1, count_widths (conv));
  /* Spreads the products over the sets of the cache. */
  conv->in_step = conv->block * g->ic + 16;
  conv->out_step = conv->block * g->oc + 16;
  conv->floats = PRODUCTS * (conv->in_step + conv->out_step);
  params[0] = (gint64) conv->lanes;
  params[1] = conv->scale ? cpu_posts_hash (conv->scale, g->oc) : 0;
  conv->weights = cpu_step_pack_loose (
      step, 1, "conv-winograd-2", 2, params, make_packed, conv);
  if (conv->weights == NULL) {
    winograd_free (conv);
    return NULL;
  }
  cpu_step_need_scratch (step, step->threads * conv->floats * sizeof (float));
  step->overwrites = (CpuValue *) (gsize) conv->residual;
  step->kernel = "winograd_f32";
  return conv;
}

/* --- running --- */

typedef struct
{
  const CpuStep *step;
  const Winograd *conv;
  gsize all;
  gsize first, last; /* output channels to compute */
} Work;

/* Tile @tile: its image, and its first output. */
static void
locate (const Winograd *conv, gsize tile, gsize *n, gsize at[2])
{
  at[1] = tile % conv->tiles[1] * OUT;
  at[0] = tile / conv->tiles[1] % conv->tiles[0] * OUT;
  *n = tile / conv->tiles[1] / conv->tiles[0];
}

static void
read_tile (const Work *work, gsize tile, float *to)
{
  const Winograd *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  CpuWinogradInput it = { .row = g->in[2] * g->ic,
    .column = g->ic,
    .out = to,
    .step = conv->in_step,
    .channels = g->ic };
  gsize n, at[2];
  gint64 begin[2];

  locate (conv, tile, &n, at);
  for (guint d = 0; d < 2; d++) {
    gint64 size = (gint64) g->in[d + 1];

    begin[d] = (gint64) at[d] - g->pad[d + 1];
    it.first[d] = (gsize) CLAMP (-begin[d], 0, CPU_WINOGRAD_IN);
    it.last[d] = (gsize) CLAMP (size - begin[d], 0, CPU_WINOGRAD_IN);
  }
  /* May point before the data, where nothing is read. */
  it.in = (const float *) work->step->in[0]->data
          + (gint64) (n * g->in[1] * it.row) + begin[0] * (gint64) it.row
          + begin[1] * (gint64) it.column;
  work->step->kernels->winograd_input_f32 (&it);
}

static void
write_tile (const Work *work, gsize tile, const float *from)
{
  const Winograd *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  CpuWinogradOutput it = { .in = from,
    .step = conv->out_step,
    .row = g->out[2] * g->oc,
    .column = g->oc,
    .channels = work->last - work->first,
    .epilogue = conv->epilogue };
  gsize n, at[2], offset;

  locate (conv, tile, &n, at);
  it.rows = MIN (g->out[1] - at[0], OUT);
  it.columns = MIN (g->out[2] - at[1], OUT);
  offset = ((n * g->out[1] + at[0]) * g->out[2] + at[1]) * g->oc + work->first;
  cpu_posts_skip_channels (&it.epilogue, work->first);
  it.out = (float *) work->step->out[0]->data + offset;
  if (conv->residual)
    it.epilogue.residual = (const float *) conv->residual->data + offset;
  work->step->kernels->winograd_output_f32 (&it);
}

static void
multiply (const Work *work, gsize tiles, const float *in, float *out)
{
  const Winograd *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize segment = 0;
  CpuConvTile it = { .in_step = g->ic,
    .segments = &segment,
    .n_segments = 1,
    .length = g->ic,
    .weights = conv->weights,
    .pixels = tiles,
    .out_step = g->oc };

  for (guint p = 0; p < PRODUCTS; p++) {
    it.in = in + p * conv->in_step;
    for (gsize o = 0, width; o < g->oc; o += width) {
      width = width_at (conv, o);
      it.vectors = width / conv->lanes;
      it.channels = MIN (width, g->oc - o);
      it.out = out + p * conv->out_step + o;
      if (o >= work->first && o < work->last)
        work->step->kernels->conv_tile_f32 (&it);
      it.weights += g->ic * width;
    }
  }
}

/* Part @i of the output channels: whole widths, nearly equal parts. */
static void
find_part (Work *work, gsize i)
{
  const Winograd *conv = work->conv;
  const gsize n = count_widths (conv);
  gsize begin = n * i / conv->parts, end = n * (i + 1) / conv->parts, o = 0;

  for (gsize k = 0; k < end; k++) {
    if (k == begin)
      work->first = o;
    o += width_at (conv, o);
  }
  work->last = MIN (o, conv->g.oc);
}

static void
block_range (gpointer data, gsize begin, gsize end, guint thread)
{
  Work own = *(const Work *) data, *work = &own;
  const Winograd *conv = work->conv;
  float *in = (float *) work->step->scratch + thread * conv->floats;
  float *out = in + PRODUCTS * conv->in_step;

  for (gsize i = begin; i < end; i++) {
    const gsize block = i / conv->parts;
    gsize first = work->all * block / conv->blocks;
    gsize tiles = work->all * (block + 1) / conv->blocks - first;

    find_part (work, i % conv->parts);
    for (gsize t = 0; t < tiles; t++)
      read_tile (work, first + t, in + t * conv->g.ic);
    multiply (work, tiles, in, out);
    for (gsize t = 0; t < tiles; t++)
      write_tile (work, first + t, out + t * conv->g.oc + work->first);
  }
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Winograd *conv = self;
  const CpuConvGeometry *g = &conv->g;
  Work work = { .step = step,
    .conv = conv,
    .all = g->batch * conv->tiles[0] * conv->tiles[1] };
  gsize work_of_part = conv->block * PRODUCTS * g->ic * g->oc / conv->parts;

  cpu_step_parallel (step, conv->blocks * conv->parts,
      1 + 100000 / MAX (work_of_part, 1), block_range, &work);
  return TRUE;
}

const CpuImpl cpu_conv_impl_winograd = {
  .name = "winograd",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = run,
  .free = winograd_free,
};
