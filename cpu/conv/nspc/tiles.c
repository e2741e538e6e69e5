/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All but depthwise convolutions, by blocks of output channels and pixels. */

#include "cpu/conv/nspc/work.h"
#include "cpu/base/caches.h"
#include "cpu/base/posts.h"

static void
run_f16 (const CpuConvWork *work, gsize in, gsize out, gsize pixels)
{
  const CpuConvNspc *conv = work->conv;
  const gsize ic = conv->g.groups * conv->g.ic;
  CpuConvF16 part = { .kernels = work->step->kernels,
    .conv = conv,
    .phase = work->phase,
    .in = conv->flat && !work->is_f16
              ? work->in + in * ic
              : (gconstpointer) ((const guint16 *) (gconstpointer) work->in
                                 + in * ic),
    .back = work->back,
    .f16 = work->is_f16 && conv->bf16 == work->is_bf16 ? NULL : work->f16,
    .is_f16 = work->is_f16,
    .pixels = pixels,
    .first = work->first,
    .last = work->last,
    .out = work->out + out * conv->g.groups * conv->g.oc,
    .residual =
        work->residual ? work->residual + out * conv->residual_channels : NULL,
    .residual_bf16 = work->residual_bf16
                         ? work->residual_bf16 + out * conv->residual_channels
                         : NULL,
    .results = work->results };

  if (part.results.out)
    part.results.out += out * conv->g.groups * conv->g.oc;
  cpu_conv_f16_tiles (&part);
}

#define MOST_UNITS 64

/* Where the outputs of @unit begin. */
static float *
output_of (const CpuConvWork *work, const CpuConvUnit *unit)
{
  const CpuConvNspc *conv = work->conv;
  const gsize oc = conv->g.groups * conv->g.oc;

  if (conv->fold_rows == 1)
    return work->out + unit->out * oc;
  const gsize x = unit->out % conv->g.out[2];
  return work->out + (unit->out - x) * oc + x * oc / conv->fold_rows;
}

/* Computes @units for one block of output channels. */
static void
run_units (const CpuConvWork *work, CpuConvTile *tile, const float *in, gsize c,
    const CpuConvUnit *units, guint n)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize ic = g->groups * g->ic;
  const gsize rc = conv->residual_channels, from = MIN (c, rc);
  const gsize share = (tile->n_ahead / n + 15) & ~(gsize) 15;
  const float *ahead = tile->ahead, *end = ahead + tile->n_ahead;

  tile->residual_channels = MIN (rc - from, tile->channels);
  for (guint i = 0; i < n; i++) {
    tile->in = in + units[i].in * ic;
    tile->out = output_of (work, &units[i]) + c;
    tile->pixels = units[i].pixels;
    if (work->residual)
      tile->epilogue.residual = work->residual + units[i].out * rc + from;
    tile->ahead = ahead + i * share;
    tile->n_ahead = MIN (share, (gsize) MAX (end - tile->ahead, 0));
    if (conv->dot > 1)
      work->step->kernels->conv_dots_f32 (tile);
    else
      work->step->kernels->conv_tile_f32 (tile);
  }
}

/* Sets what @tile prefetches while it computes @width output channels from @o
 * on.  @floats: how many weights these have; @end: where all weights end. */
static void
set_ahead (const CpuConvWork *work, CpuConvTile *tile, gsize o, gsize width,
    gsize floats, const float *end)
{
  const gsize all = cpu_conv_nspc_padded_oc (work->conv);

  if (work->ahead != NULL) {
    tile->ahead = work->ahead + work->n_ahead * o / all;
    tile->n_ahead = work->n_ahead * width / all;
  } else {
    tile->ahead = tile->weights + floats;
    tile->n_ahead = MIN (floats, (gsize) (end - tile->ahead));
  }
}

void
cpu_conv_nspc_tiles (const CpuConvWork *work, const CpuConvUnit *units, guint n)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvPhase *phase = work->phase;
  const CpuConvAxis *ax = &phase->axis[2];
  const gsize length = phase->elements;
  const float *weights = work->weights + phase->weights_at;
  const float *end =
      weights + length * g->groups * cpu_conv_nspc_padded_oc (conv);
  CpuConvTile tile = { .in_step = (gsize) ax->in_step * g->groups * g->ic,
    .segments = phase->segments,
    .n_segments = phase->n_segments,
    .length = phase->length,
    .weights_step = phase->element_step,
    .out_step = ax->out_step * g->groups * g->oc,
    .residual_step = ax->out_step * conv->residual_channels,
    .dot = conv->dot,
    .rows = conv->fold_rows,
    .out_row = g->out[2] * g->oc / conv->fold_rows };

  if (conv->uses_f16) {
    for (guint i = 0; i < n; i++)
      run_f16 (work, units[i].in, units[i].out, units[i].pixels);
    return;
  }
  for (gsize group = 0; group < g->groups; group++) {
    for (gsize o = 0, width; o < work->last;
         o += width, weights += length * width) {
      gsize c = group * g->oc + o;

      width = cpu_conv_nspc_block (conv, o);
      if (o < work->first)
        continue;
      tile.weights = weights + phase->first * width;
      tile.vectors = width / conv->lanes;
      tile.channels = MIN (width, g->oc - o);
      set_ahead (work, &tile, o, width, length * width, end);
      tile.epilogue = conv->epilogue;
      cpu_posts_skip_channels (&tile.epilogue, c);
      run_units (work, &tile, work->in + group * g->ic, c, units, n);
    }
  }
}

static void
tile_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuConvWork *shared = data;
  CpuConvWork own = *shared, *work = &own;
  const CpuConvAxis *ax = &work->phase->axis[2];
  CpuConvUnit units[MOST_UNITS];
  guint n = 0;

  own.f16 = cpu_conv_work_f16 (own.step, own.conv, thread);
  own.results.largest = cpu_conv_nspc_largest (own.step, own.conv, thread);
  for (gsize i = begin; i < end; i++) {
    gsize in = 0, out = 0, pos[2], x, pixels;

    cpu_conv_work_chunk (work, i, &x, &pixels);
    if (!work->conv->flat)
      cpu_conv_work_locate (work, i / work->chunks, &in, &out, pos);
    units[n++] = (CpuConvUnit){ in + x * (gsize) ax->in_step,
      out + x * ax->out_step, pixels };
    if (n == work->units || i + 1 == end) {
      cpu_conv_nspc_tiles (work, units, n);
      n = 0;
    }
  }
}

gsize
cpu_conv_nspc_chunk (const CpuConvNspc *conv, const CpuConvPhase *phase)
{
  const gboolean bf16 = conv->uses_f16 && conv->bf16;
  const gsize tile = bf16 ? 32 : conv->lanes >= 16 ? 14 : conv->flat ? 12 : 24;
  const gsize limit = bf16 ? 128 : conv->uses_f16 ? 112 : 448;
  gsize row = (gsize) phase->axis[2].in_step * conv->g.groups * conv->g.ic
              * sizeof (float) * MAX (phase->axis[1].taps, 1);
  const gsize most = MIN (cpu_caches ()->first, 32 << 10) / 4 * 3;
  gsize pixels = most / MAX (row, 1) / tile * tile;

  return CLAMP (pixels, tile, limit / tile * tile);
}

/* Chunks computed for a block of output channels before the next block, so that
 * large weights are not read again for each chunk. */
static guint
units_at_a_time (const CpuConvWork *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvPhase *phase = work->phase;
  gsize weights = phase->n_segments * phase->length * g->groups
                  * cpu_conv_nspc_padded_oc (conv) * sizeof (float);
  gsize chunk = work->chunk * (gsize) phase->axis[2].in_step
                * (gsize) phase->axis[1].in_step * g->groups * g->ic
                * sizeof (float);

  /* There is no next block. */
  if (g->groups == 1
      && cpu_conv_nspc_padded_oc (conv) <= cpu_conv_nspc_block (conv, 0))
    return MOST_UNITS;
  /* They stay in the first-level cache beside the inputs of some short rows. */
  if (weights <= cpu_caches ()->first / 8 * 5)
    return (guint) CLAMP (
        cpu_caches ()->first / 8 / MAX (chunk, 1), 1, MOST_UNITS);
  /* Inputs stay in the second-level cache while weights are streamed. */
  return (guint) CLAMP (
      cpu_caches ()->second / 4 / MAX (chunk, 1), 1, MOST_UNITS);
}

/* Multiplications per thread from which on starting it pays. */
#define GRAIN 100000
/* Reading a weight takes as long as this many multiplications. */
#define READING 4

/* Whether threads take different channels of all pixels: pixels are few, and
 * the weights are larger than the inputs. */
static gboolean
splits_channels (const CpuStep *step, const CpuConvWork *work)
{
  const CpuConvGeometry *g = &work->conv->g;
  const gsize pixels = work->rows * work->pixels;

  return step->threads > 1 && g->groups == 1
         && g->oc > cpu_conv_nspc_block (work->conv, 0)
         && cpu_conv_phase_taps (work->phase) * g->ic * g->oc
                > 4 * pixels * (g->ic + g->oc);
}

static void
channels_range (gpointer data, gsize begin, gsize end, guint thread)
{
  CpuConvWork work = *(const CpuConvWork *) data;
  const CpuConvNspc *conv = work.conv;
  gsize o = 0;

  for (gsize i = 0; i < end; i++) {
    if (i == begin)
      work.first = o;
    o += cpu_conv_nspc_block (conv, o);
  }
  work.last = MIN (o, conv->g.oc);
  tile_range (&work, 0, work.rows * work.chunks, thread);
}

static void
run_channels (CpuStep *step, CpuConvWork *work)
{
  const CpuConvGeometry *g = &work->conv->g;
  gsize cost = cpu_conv_phase_taps (work->phase) * g->ic * work->conv->lanes * 2
               * (work->rows * work->pixels + READING);
  gsize n = 0;

  for (gsize o = 0; o < g->oc; o += cpu_conv_nspc_block (work->conv, o))
    n++;
  cpu_step_parallel (step, n, 1 + GRAIN / MAX (cost, 1), channels_range, work);
}

void
cpu_conv_nspc_pixels (CpuConvWork *work, const CpuConvUnit *all)
{
  const float *ahead = work->ahead;

  work->pixels = all->pixels;
  cpu_conv_work_set_chunks (work);
  work->n_ahead /= work->chunks;
  for (gsize i = 0, x, n; i < work->chunks; i++) {
    cpu_conv_work_chunk (work, i, &x, &n);
    if (ahead != NULL)
      work->ahead = ahead + i * work->n_ahead;
    cpu_conv_nspc_tiles (
        work, &(CpuConvUnit){ all->in + x, all->out + x, n }, 1);
  }
}

void
cpu_conv_nspc_run_tiles (CpuStep *step, CpuConvWork *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize cost =
      cpu_conv_phase_taps (work->phase) * g->groups * g->ic * g->oc;

  work->pixels = work->phase->axis[2].count;
  if (conv->flat) {
    work->pixels *= work->rows;
    work->rows = 1;
  }
  work->chunk = MIN (cpu_conv_nspc_chunk (conv, work->phase), work->pixels);
  cpu_conv_work_set_chunks (work);
  work->units = units_at_a_time (work);
  if (splits_channels (step, work)) {
    run_channels (step, work);
    return;
  }
  /* The scale of a chunk is the same for any number of threads. */
  if (!conv->uses_f16 || !conv->flat)
    cpu_conv_work_cut (step, work, 7);
  cpu_step_parallel (step, work->rows * work->chunks,
      1 + GRAIN / MAX (cost * work->chunk, 1), tile_range, work);
}
