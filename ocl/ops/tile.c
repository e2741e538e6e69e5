/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/tile.h"

#include "ocl/plan/post.h"

#include <math.h>

/* Multiply-adds of a compute unit in a clock, and the clocks that it waits for
 * memory: those of recent GPUs of NVIDIA; of others, the ratios are alike. */
#define UNIT_PRODUCTS 128.0
#define MEMORY_CLOCKS 600.0
/* The launch that adds parts, in clocks, and the bytes of memory that a unit
 * writes or reads in one. */
#define JOIN_CLOCKS 4000.0
#define UNIT_BYTES 16.0
#define MOST_PARTS 8
/* Elements of k that a part has, at least. */
#define LEAST_PART 128
/* Work-items of a compute unit that have registers and local memory. */
#define RESIDENT_ITEMS 512

/* Rates: the share of multiply-adds among the instructions of the inner loop,
 * as NVIDIA's assembler (CUDA 13.0, sm_90) makes it. */
static const OclTile tiles[] = {
  { 128, 128, 8, 8, 8, 0.80 },
  { 128, 64, 16, 8, 4, 0.74 },
  { 64, 128, 16, 8, 4, 0.74 },
  { 64, 64, 16, 8, 4, 0.72 },
  { 32, 128, 16, 4, 8, 0.70 },
  { 128, 32, 16, 8, 4, 0.70 },
  { 32, 64, 16, 4, 4, 0.63 },
  { 64, 32, 16, 4, 4, 0.61 },
  { 16, 128, 16, 4, 4, 0.58 },
  { 32, 32, 16, 4, 2, 0.50 },
  { 16, 64, 16, 2, 4, 0.47 },
  { 8, 128, 16, 4, 2, 0.44 },
};

const OclTile *
ocl_tiles (guint *n)
{
  *n = G_N_ELEMENTS (tiles);
  return tiles;
}

static guint
items_of (const OclTile *tile)
{
  return tile->rows / tile->item_rows * (tile->columns / tile->item_columns);
}

/* Two blocks of both operands, with padding. */
static gsize
local_bytes (const OclTile *tile)
{
  return sizeof (float) * 2 * tile->depth * (tile->rows + tile->columns + 8);
}

static gint64
count (gint64 n, gint64 of)
{
  return (n + of - 1) / of;
}

static gint64
groups_of (const OclTile *tile, const OclTileSize *size)
{
  return count (size->m, tile->rows) * count (size->n, tile->columns)
         * size->batch;
}

/* Clocks for writing and adding parts. */
static double
join_cost (const OclTileSize *size, guint parts, guint units)
{
  const double bytes = (double) (size->m * size->n * size->batch)
                       * (2 * parts + 1) * sizeof (float);

  return parts > 1 ? JOIN_CLOCKS + bytes / (UNIT_BYTES * units) : 0;
}

/* Clocks: groups that share a unit hide each other's waits; one alone waits for
 * its own results and for memory.  Of tiles that take as long, the one that
 * computes less. */
static double
cost (const OclDevice *device, const OclTile *tile, const OclTileSize *size,
    guint parts)
{
  const guint items = items_of (tile), units = MAX (device->units, 1);
  const gint64 groups = groups_of (tile, size) * parts;
  const gint64 each = count (groups, units);
  const gint64 at_once = MIN (each, MAX (RESIDENT_ITEMS / items, 1));
  const double block = (double) tile->rows * tile->columns * tile->depth
                       / (UNIT_PRODUCTS * tile->rate);
  const double alone = block * (items >= 256 ? 4.0 / 3 : 2);
  const double blocks = (double) count (count (size->k, tile->depth), parts);
  const double clocks =
      (double) count (each, at_once) * blocks
      * MAX (MAX ((double) at_once * block, alone), MEMORY_CLOCKS);

  return clocks + join_cost (size, parts, units)
         + 0.05 * blocks * block * (double) groups / units;
}

gboolean
ocl_tiling_choose (
    const OclDevice *device, const OclTileSize *size, OclTiling *tiling)
{
  double least = G_MAXDOUBLE;

  for (guint t = 0; t < G_N_ELEMENTS (tiles); t++) {
    const OclTile *tile = &tiles[t];

    if (items_of (tile) > device->max_group
        || local_bytes (tile) > device->local_memory)
      continue;
    for (guint parts = 1; parts <= MOST_PARTS; parts *= 2) {
      if (parts > 1 && size->k / parts < LEAST_PART)
        break;
      const double clocks = cost (device, tile, size, parts);
      if (clocks < least) {
        least = clocks;
        *tiling = (OclTiling){ tile, parts };
      }
    }
  }
  return least < G_MAXDOUBLE;
}

/* --- launches --- */

GString *
ocl_tiling_options (const OclTiling *tiling, const char *kernel)
{
  const OclTile *tile = tiling->tile;
  GString *options = g_string_new (NULL);

  g_string_printf (options,
      "-D%s -DBM=%u -DBN=%u -DBK=%u -DTM=%u -DTN=%u -DSPLIT=%u", kernel,
      tile->rows, tile->columns, tile->depth, tile->item_rows,
      tile->item_columns, tiling->parts);
  return options;
}

OclValue *
ocl_tiling_out (OclStep *step, const OclTiling *tiling, const OclTileSize *size,
    OclValue *out)
{
  return tiling->parts == 1
             ? out
             : ocl_step_scratch (step, INFER_TYPE_F32,
                 (gsize) (size->batch * size->m * size->n) * tiling->parts);
}

void
ocl_tiling_launch (
    OclLaunch *launch, const OclTiling *tiling, const OclTileSize *size)
{
  const OclTile *tile = tiling->tile;

  ocl_launch_work (launch, size->batch * size->m * size->n * size->k);
  ocl_launch_blocks (launch, (gsize) count (size->n, tile->columns),
      (gsize) count (size->m, tile->rows), (gsize) size->batch * tiling->parts,
      items_of (tile));
}

void
ocl_tiling_join (OclStep *step, const OclTiling *tiling,
    const OclTileSize *size, const OclTileJoin *join)
{
  g_autoptr (GString) options = g_string_new ("-DJOIN");

  if (tiling->parts == 1)
    return;
  ocl_option_type (options, "OUT_TYPE", join->out->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "tile", "join", options->str, join->post);
  ocl_launch_value (launch, join->out);
  ocl_launch_value (launch, join->parts);
  ocl_launch_int (launch, size->m * size->n);
  ocl_launch_int (launch, size->n);
  ocl_launch_int (launch, tiling->parts);
  ocl_launch_int (launch, join->groups);
  ocl_launch_float (launch, join->scale);
  if (join->posts)
    ocl_post_arguments (step, launch);
  ocl_launch_rows (launch, (gsize) (size->m * size->n), (gsize) size->batch, 1);
}
