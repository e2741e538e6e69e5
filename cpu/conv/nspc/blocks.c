/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which output channels are computed together. */

#include "cpu/conv/nspc/work.h"
#include "cpu/base/caches.h"

#define MOST_VECTORS 4

/* Hundredths of a cycle that a tile of one to four vectors of 256 bits takes
 * for an element, by its pixels less one: half of its sums, and more if they
 * are fewer than twelve, since products wait for each other.  More vectors read
 * the input less often. */
static const guint16 tile_costs[MOST_VECTORS][8] = {
  { 400, 400, 400, 420, 440, 460, 490, 560 },
  { 400, 400, 424, 444, 535, 606 },
  { 400, 425, 477, 600 },
  { 400, 485, 600 },
};
/* What it takes besides, for all elements. */
#define TILE_COST 3000

/* The same of rows of few pixels, whose weights no other pixels read: from the
 * first-level cache or near it, and from further away.  There more vectors, two
 * cache lines, gain nothing with one pixel. */
static const guint16 few_costs[2][MOST_VECTORS][CPU_CONV_FEW] = {
  {
      { 125, 200, 200 },
      { 205, 353, 338 },
      { 264, 461, 543 },
      { 328, 640, 667 },
  },
  {
      { 125, 200, 200 },
      { 205, 353, 338 },
      { 315, 461, 543 },
      { 420, 664, 747 },
  },
};

/* So many hundredths more for a block of more than two vectors that does not
 * stay in the first-level cache, and for one of few elements, whose results
 * take most of the time. */
#define FAR_COST 1
#define THIN_COST 5
#define MOST_THIN 16

static double
tiles_cost (gsize vectors, gsize pixels, gsize elements)
{
  const guint16 *costs = tile_costs[vectors - 1];
  const gsize most = cpu_conv_nspc_tile (vectors);
  const gsize n = (pixels + most - 1) / most;
  const gsize each = pixels / n, larger = pixels % n;
  const gsize cost =
      (n - larger) * costs[each - 1] + (larger > 0 ? larger * costs[each] : 0);

  return (double) cost + (double) (n * TILE_COST) / (double) MAX (elements, 1);
}

/* Of a block of @vectors, with @pixels in a row. */
static double
block_cost (const CpuConvNspc *conv, gsize vectors, gsize pixels)
{
  const gsize column = conv->phases[0].elements * conv->lanes * sizeof (float);
  const gsize all = column * (conv->g.oc / conv->lanes);

  if (pixels <= CPU_CONV_FEW) {
    const guint far = all > cpu_caches ()->second / 4 ? 1 : 0;

    return few_costs[far][vectors - 1][pixels - 1];
  }
  const gsize elements = conv->phases[0].elements;
  const gboolean far = column * vectors > cpu_caches ()->first;
  const gboolean thin =
      conv->phases[0].n_segments == 1 && elements <= MOST_THIN;
  const guint more =
      vectors <= 2 ? 0 : (far ? FAR_COST : 0) + (thin ? THIN_COST : 0);
  return tiles_cost (vectors, pixels, elements) * (1 + more / 100.0);
}

/* The least cost of a row of @pixels with all channels; *@fours, *@threes: the
 * numbers of blocks. */
static double
find_best (
    const CpuConvNspc *conv, gsize pixels, gsize *n_fours, gsize *n_threes)
{
  const gsize vectors = cpu_conv_nspc_padded_oc (conv) / conv->lanes;
  double costs[MOST_VECTORS], best = G_MAXDOUBLE;

  for (gsize i = 0; i < MOST_VECTORS; i++)
    costs[i] = block_cost (conv, i + 1, pixels);
  for (gsize fours = 0; fours <= vectors / 4; fours++)
    for (gsize threes = 0; threes <= (vectors - 4 * fours) / 3; threes++) {
      const gsize rest = vectors - 4 * fours - 3 * threes;
      const double cost = (double) fours * costs[3] + (double) threes * costs[2]
                          + (double) (rest / 2) * costs[1]
                          + (double) (rest % 2) * costs[0];

      if (cost < best) {
        best = cost;
        *n_fours = fours;
        *n_threes = threes;
      }
    }
  return best;
}

/* Whether the costs are known. */
static gboolean
has_costs (const CpuConvNspc *conv)
{
  return conv->lanes == 8 && !conv->depthwise && !conv->uses_f16
         && conv->n_phases > 0;
}

double
cpu_conv_nspc_row_cost (const CpuConvNspc *conv, gsize pixels)
{
  gsize fours, threes;

  return has_costs (conv) && pixels > 0
             ? find_best (conv, pixels, &fours, &threes)
             : 0;
}

/* Pixels up to which blocks of three vectors of 512 bits are faster than of
 * two: products wait for each other less. */
#define MOST_NARROW 5
/* Blocks for each thread that share them fairly. */
#define FAIR 4

/* As many blocks of three vectors as leave no vector alone. */
static gsize
narrow_threes (gsize vectors, guint threads)
{
  const gsize n = vectors % 3 == 1 ? (vectors - 1) / 3 - 1 : vectors / 3;

  return threads == 1 || n >= FAIR * threads ? n : 0;
}

void
cpu_conv_nspc_plan_blocks (CpuConvNspc *conv, guint threads)
{
  const gsize pixels = cpu_conv_nspc_row (conv);
  const gsize vectors = cpu_conv_nspc_padded_oc (conv) / conv->lanes;

  conv->fours = 0;
  conv->threes = vectors % 2 == 1 && vectors > 1 ? 1 : 0;
  if (conv->depthwise || conv->uses_f16 || pixels == 0)
    return;
  if (has_costs (conv))
    find_best (conv, pixels, &conv->fours, &conv->threes);
  else if (conv->lanes == 16 && pixels <= MOST_NARROW && vectors > 2)
    conv->threes = MAX (conv->threes, narrow_threes (vectors, threads));
}
