/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv-nspc.h"
#include "cpu/half.h"

#include <string.h>

/* [rows][cols] → [cols][rows], @pitch floats between source rows and @step
 * between target rows. */
static void
transpose (const CpuStep *step, float *dst, gsize dst_step, const float *src,
    gsize pitch, gsize rows, gsize cols)
{
  step->kernels->transpose_u32 ((guint32 *) (gpointer) dst, dst_step,
      (const guint32 *) (gconstpointer) src, pitch, rows, cols);
}

typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const float *data;
  char *to;
  gsize unit; /* bytes of an element: 2 are half floats, */
  float scale;
  float *largest; /* … of each row, without the scale */
  float *turned;  /* … where a thread makes a row of plain data first */
} Fill;

/* What is data of row @i: from pixel @at of image @n on. */
static void
fill_data (const Fill *f, char *to, gsize i, gsize n, gsize at, guint thread)
{
  const CpuConvNspc *conv = f->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->ic, volume = cpu_volume (g->in);
  gsize row = g->in[2] * channels;
  const float *from = f->data + (n * volume + at) * channels;

  if (conv->plain) {
    float *turned = f->unit == sizeof (float) ? (float *) (gpointer) to
                                              : f->turned + thread * row;

    transpose (f->step, turned, channels, f->data + n * channels * volume + at,
        volume, channels, g->in[2]);
    from = turned;
  } else if (f->unit == sizeof (float)) {
    memcpy (to, from, row * sizeof *from);
  }
  if (f->unit != sizeof (float))
    f->largest[i] = f->step->kernels->scale_f16 (
        (guint16 *) (gpointer) to, from, row, f->scale);
}

static void
fill_rows (gpointer user_data, gsize begin, gsize end, guint thread)
{
  const Fill *fill = user_data;
  const CpuConvNspc *conv = fill->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize pixel = g->groups * g->ic * fill->unit;
  gsize row = g->in[2] * pixel, pitch = conv->padded[2] * pixel;
  gsize before = conv->lo[2] * pixel, after = pitch - before - row;

  for (gsize i = begin; i < end; i++) {
    char *to = fill->to + i * pitch;
    gsize n = i / conv->padded[1] / conv->padded[0];
    gsize iz = i / conv->padded[1] % conv->padded[0] - conv->lo[0];
    gsize iy = i % conv->padded[1] - conv->lo[1];

    if (iz >= g->in[0] || iy >= g->in[1]) {
      memset (to, 0, pitch);
      if (fill->largest)
        fill->largest[i] = 0;
      continue;
    }
    memset (to, 0, before);
    fill_data (
        fill, to + before, i, n, (iz * g->in[1] + iy) * g->in[2], thread);
    memset (to + before + row, 0, after);
  }
}

/* Floats whose way from memory to memory is worth a thread. */
#define MOVE_GRAIN 16384

/* The padded input with channels last. */
static void
fill (CpuStep *step, const CpuConvNspc *conv, Fill *f)
{
  const CpuConvGeometry *g = &conv->g;
  gsize pitch = conv->padded[2] * g->groups * g->ic;

  cpu_step_parallel (step, g->batch * conv->padded[0] * conv->padded[1],
      1 + MOVE_GRAIN / MAX (pitch, 1), fill_rows, f);
}

static float *
scratch_at (const CpuStep *step, gsize at)
{
  return (float *) (gpointer) ((char *) step->scratch + at);
}

/* The same as half floats in one scale; returns what undoes it. */
static float
fill_halves (CpuStep *step, const CpuConvNspc *conv, Fill *f)
{
  const gsize rows = conv->g.batch * conv->padded[0] * conv->padded[1];
  float largest = 0, back;

  f->unit = sizeof (guint16);
  f->scale = 1;
  f->largest = scratch_at (step, conv->half_at);
  f->turned = f->largest + rows;
  fill (step, conv, f);
  for (gsize i = 0; i < rows; i++)
    largest = MAX (largest, f->largest[i]);
  if (!cpu_half_fits (largest, &f->scale, &back))
    fill (step, conv, f);
  return back;
}

typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  const float *in, *weights;
  float back;      /* of half floats, which `in` is then: conv-half.c */
  guint16 *halves; /* … of a thread */
  float *out;
  gsize out_first; /* the output pixel that `out` points at */
  const float *residual;
  gsize in_dims[3];                  /* of what `in` points at */
  gsize rows, pixels, chunk, chunks; /* of the phase */
  gsize first, last; /* output channels of a group that are computed */
  guint units;       /* chunks at a time */
} Work;

/* Where row @row of the phase begins, in pixels. */
static void
locate_row (const Work *work, gsize row, gsize *in, gsize *out, gsize *pos)
{
  const CpuConvGeometry *g = &work->conv->g;
  const CpuConvAxis *a = work->phase->axis;
  gsize y = row % a[1].count, z = row / a[1].count % a[0].count;
  gsize n = row / a[1].count / a[0].count;

  *in = ((n * work->in_dims[0] + z * (gsize) a[0].in_step) * work->in_dims[1]
            + y * (gsize) a[1].in_step)
        * work->in_dims[2];
  *out = ((n * g->out[0] + z * a[0].out_step + a[0].out_begin) * g->out[1]
             + y * a[1].out_step + a[1].out_begin)
             * g->out[2]
         + a[2].out_begin;
  pos[0] = z;
  pos[1] = y;
}

static void
offset_epilogue (CpuEpilogue *e, const CpuEpilogue *from, gsize c)
{
  *e = *from;
  if (e->bias)
    e->bias += c;
  if (e->scale)
    e->scale += c;
  if (e->act.slopes)
    e->act.slopes += c;
  if (e->last_act.slopes)
    e->last_act.slopes += c;
}

static void
run_half (const Work *work, gsize in, gsize out, gsize pixels)
{
  const CpuConvNspc *conv = work->conv;
  const gsize ic = conv->g.groups * conv->g.ic;
  const CpuConvHalf half = { .kernels = work->step->kernels,
    .conv = conv,
    .phase = work->phase,
    .in = conv->flat
              ? work->in + in * ic
              : (gconstpointer) ((const guint16 *) (gconstpointer) work->in
                                 + in * ic),
    .back = work->back,
    .halves = work->halves,
    .pixels = pixels,
    .first = work->first,
    .last = work->last,
    .out = work->out + out * conv->g.groups * conv->g.oc,
    .residual = work->residual ? work->residual + out * conv->residual_channels
                               : NULL };

  cpu_conv_half_tiles (&half);
}

/* Pixels of a row that are computed together: where they begin, in pixels. */
typedef struct
{
  gsize in, out, pixels;
} Unit;

#define MOST_UNITS 64

/* All of @units for one block of output channels. */
static void
run_units (const Work *work, CpuConvTile *tile, const float *in, gsize c,
    const Unit *units, guint n)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize ic = g->groups * g->ic, oc = g->groups * g->oc;
  const gsize rc = conv->residual_channels, from = MIN (c, rc);
  const gsize share = (tile->n_ahead / n + 15) & ~(gsize) 15;
  const float *ahead = tile->ahead, *end = ahead + tile->n_ahead;

  tile->residual_channels = MIN (rc - from, tile->channels);
  for (guint i = 0; i < n; i++) {
    tile->in = in + units[i].in * ic;
    tile->out = work->out + units[i].out * oc + c;
    tile->pixels = units[i].pixels;
    if (work->residual)
      tile->epilogue.residual = work->residual + units[i].out * rc + from;
    tile->ahead = ahead + i * share;
    tile->n_ahead = MIN (share, (gsize) MAX (end - tile->ahead, 0));
    work->step->kernels->conv_tile_f32 (tile);
  }
}

/* Block by block of output channels, whose weights stay in the cache for all
 * @units while those of the next come. */
static void
run_tiles (const Work *work, const Unit *units, guint n)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvPhase *phase = work->phase;
  const CpuConvAxis *ax = &phase->axis[2];
  const gsize length = phase->n_segments * phase->length;
  const float *end = work->weights + phase->weights_at
                     + length * g->groups * cpu_conv_nspc_padded_oc (conv);
  CpuConvTile tile = { .in_step = (gsize) ax->in_step * g->groups * g->ic,
    .segments = phase->segments,
    .n_segments = phase->n_segments,
    .length = phase->length,
    .weights = work->weights + phase->weights_at,
    .out_step = ax->out_step * g->groups * g->oc,
    .residual_step = ax->out_step * conv->residual_channels };

  if (conv->half) {
    for (guint i = 0; i < n; i++)
      run_half (work, units[i].in, units[i].out, units[i].pixels);
    return;
  }
  for (gsize group = 0; group < g->groups; group++) {
    for (gsize o = 0, width; o < work->last; o += width) {
      gsize c = group * g->oc + o;

      width = cpu_conv_nspc_block (conv, o);
      if (o < work->first) {
        tile.weights += length * width;
        continue;
      }
      tile.vectors = width / conv->lanes;
      tile.channels = MIN (width, g->oc - o);
      tile.ahead = tile.weights + length * width;
      tile.n_ahead = MIN (length * width, (gsize) (end - tile.ahead));
      offset_epilogue (&tile.epilogue, &conv->epilogue, c);
      run_units (work, &tile, work->in + group * g->ic, c, units, n);
      tile.weights += length * width;
    }
  }
}

/* Halves of a chunk of inputs, of thread @thread. */
static guint16 *
halves_of (const CpuStep *step, const CpuConvNspc *conv, guint thread)
{
  char *at = (char *) step->scratch + conv->half_at;

  return conv->halves > 0 ? (guint16 *) (gpointer) at
                                + thread * ((conv->halves + 31) & ~(gsize) 31)
                          : NULL;
}

/* The pixels of a part of a row.  Nearly equal ones: a single pixel is summed
 * up in another order, which is not to depend on the number of threads. */
static void
find_chunk (const Work *work, gsize i, gsize *x, gsize *pixels)
{
  const gsize chunk = i % work->chunks;

  *x = work->pixels * chunk / work->chunks;
  *pixels = work->pixels * (chunk + 1) / work->chunks - *x;
}

static void
tile_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *shared = data;
  Work own = *shared, *work = &own;
  const CpuConvAxis *ax = &work->phase->axis[2];
  Unit units[MOST_UNITS];
  guint n = 0;

  own.halves = halves_of (own.step, own.conv, thread);
  for (gsize i = begin; i < end; i++) {
    gsize in = 0, out = 0, pos[2], x, pixels;

    find_chunk (work, i, &x, &pixels);
    if (!work->conv->flat)
      locate_row (work, i / work->chunks, &in, &out, pos);
    units[n++] =
        (Unit){ in + x * (gsize) ax->in_step, out + x * ax->out_step, pixels };
    if (n == work->units || i + 1 == end) {
      run_tiles (work, units, n);
      n = 0;
    }
  }
}

/* The taps of output @q that read data: [*first, *last). */
static void
valid_taps (const CpuConvAxis *a, gsize in, gsize q, gsize *first, gsize *last)
{
  gint64 start = (gint64) q * a->in_step + a->begin;
  gint64 lo = start < 0 ? (-start + a->step - 1) / a->step : 0;
  gint64 hi =
      start >= (gint64) in ? 0 : ((gint64) in - start + a->step - 1) / a->step;

  hi = MIN (hi, (gint64) a->taps);
  *last = (gsize) MAX (hi, 0);
  *first = (gsize) MIN (lo, (gint64) *last);
}

/* Rows from @row on, fewer than @rows, that are computed as one: two where all
 * of their taps read data. */
static gsize
rows_at_once (const Work *work, gsize row, gsize rows)
{
  const CpuConvAxis *y = &work->phase->axis[1];
  const gsize at = row % y->count;
  gsize first[2], last[2];

  if (rows < 2 || at + 1 >= y->count || y->in_step != 1 || y->step != 1
      || y->taps == 0)
    return 1;
  for (guint i = 0; i < 2; i++)
    valid_taps (y, work->in_dims[1], at + i, &first[i], &last[i]);
  return last[0] - first[0] == y->taps && last[1] - first[1] == y->taps ? 2 : 1;
}

/* @pixels of @rows rows from @row and @x on. */
static void
depthwise_rows (const Work *work, gsize row, gsize rows, gsize x, gsize pixels)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvAxis *a = work->phase->axis;
  const gsize channels = conv->g.groups, all = channels * conv->repeat;
  CpuConvDepthwise it = { .in = work->in,
    .weights = work->weights + work->phase->weights_at,
    .column = channels,
    .columns = work->in_dims[2],
    .first = (ptrdiff_t) a[2].begin
             + (ptrdiff_t) (x * (gsize) a[2].in_step * conv->repeat),
    .step = (gsize) a[2].in_step * conv->repeat,
    .dilation = (gsize) a[2].step,
    .pixels = pixels,
    .last = all,
    .channels = all,
    .out_step = a[2].out_step * all,
    .rows = rows,
    .out_row = a[1].out_step * conv->g.out[2] * channels,
    .epilogue = conv->epilogue };
  gsize in, out, pos[2];

  locate_row (work, row, &in, &out, pos);
  it.in += in * channels;
  for (guint d = 0; d < 2; d++) {
    gsize unit = (d == 0 ? work->in_dims[1] : 1) * work->in_dims[2] * channels;
    gsize w_unit = (d == 0 ? a[1].taps : 1) * a[2].taps * all;
    gsize first, last;

    valid_taps (&a[d], work->in_dims[d], pos[d], &first, &last);
    it.n[d] = last - first;
    it.in_stride[d] = (gsize) a[d].step * unit;
    it.weight_stride[d] = w_unit;
    it.weights += first * w_unit;
    if (last > first)
      it.in += (a[d].begin + (gint64) first * a[d].step) * (gint64) unit;
  }
  it.n[2] = a[2].taps;
  if ((x + pixels) * conv->repeat > a[2].count)
    it.last -= ((x + pixels) * conv->repeat - a[2].count) * channels;
  out += x * a[2].out_step * conv->repeat;
  it.out = work->out + (out - work->out_first) * channels;
  if (work->residual)
    it.epilogue.residual = work->residual + out * channels;
  work->step->kernels->conv_depthwise_f32 (&it);
}

static void
depthwise_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;

  for (gsize i = begin, rows; i < end; i += rows) {
    gsize x, pixels, row = i / work->chunks;

    find_chunk (work, i, &x, &pixels);
    rows = work->chunks == 1 ? rows_at_once (work, row, end - i) : 1;
    depthwise_rows (work, row, rows, x, pixels);
  }
}

gsize
cpu_conv_nspc_chunk (const CpuConvNspc *conv, const CpuConvPhase *phase)
{
  const gsize tile = conv->lanes >= 16 ? 14 : conv->flat ? 12 : 24;
  gsize row = (gsize) phase->axis[2].in_step * conv->g.groups * conv->g.ic
              * sizeof (float) * MAX (phase->axis[1].taps, 1);
  gsize pixels = 24576 / MAX (row, 1) / tile * tile;

  return CLAMP (pixels, tile, 112);
}

/* Weights that stay in the first-level cache beside what is read. */
#define FEW_WEIGHTS 20480
/* Of inputs, to stay in the second-level cache while all weights pass by. */
#define BATCH_BYTES 262144

/* So many chunks are computed for a block of output channels before the next
 * block, so that large weights are not read anew for each. */
static guint
units_at_a_time (const Work *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvPhase *phase = work->phase;
  gsize weights = phase->n_segments * phase->length * g->groups
                  * cpu_conv_nspc_padded_oc (conv) * sizeof (float);
  gsize chunk = work->chunk * (gsize) phase->axis[2].in_step
                * (gsize) phase->axis[1].in_step * g->groups * g->ic
                * sizeof (float);

  if (weights <= FEW_WEIGHTS)
    return 1;
  return (guint) CLAMP (BATCH_BYTES / MAX (chunk, 1), 1, MOST_UNITS);
}

/* Pieces of a loop that can be shared fairly. */
#define FAIR 4

/* Cuts rows that are fewer than what several threads could share. */
static void
cut_rows (const CpuStep *step, Work *work, gsize least)
{
  const gsize want = step->threads * FAIR;
  gsize parts;

  work->chunks = (work->pixels + work->chunk - 1) / work->chunk;
  if (step->threads == 1 || work->rows * work->chunks >= 2 * want)
    return;
  parts = (want + work->rows - 1) / work->rows;
  while (parts > work->chunks && work->pixels / parts < least)
    parts--;
  work->chunks = MAX (parts, work->chunks);
  work->chunk = (work->pixels + work->chunks - 1) / work->chunks;
}

/* A thread's share is worth starting it: some 100 000 multiplications, fewer
 * where each input is used for few of them. */
#define GRAIN 100000
#define DEPTHWISE_GRAIN 25000
/* To read a weight takes as long as some of them. */
#define READING 4

/* Whether threads take different channels of all pixels: where there are too
 * few pixels, and weights are more than what they are multiplied with. */
static gboolean
splits_channels (const CpuStep *step, const Work *work)
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
  Work work = *(const Work *) data;
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
run_channels (CpuStep *step, Work *work)
{
  const CpuConvGeometry *g = &work->conv->g;
  gsize cost = cpu_conv_phase_taps (work->phase) * g->ic * work->conv->lanes * 2
               * (work->rows * work->pixels + READING);
  gsize n = 0;

  for (gsize o = 0; o < g->oc; o += cpu_conv_nspc_block (work->conv, o))
    n++;
  cpu_step_parallel (step, n, 1 + GRAIN / MAX (cost, 1), channels_range, work);
}

static void
run_phase (CpuStep *step, Work *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *a = work->phase->axis;
  gsize cost;

  if (a[0].count == 0 || a[1].count == 0 || a[2].count == 0)
    return;
  work->rows = g->batch * a[0].count * a[1].count;
  work->pixels = a[2].count;
  cost = cpu_conv_phase_taps (work->phase) * g->groups * g->ic * g->oc;
  if (conv->depthwise) {
    work->pixels = work->chunk = (a[2].count + conv->repeat - 1) / conv->repeat;
    cost *= conv->repeat;
    cut_rows (step, work, 8);
    cpu_step_parallel (step, work->rows * work->chunks,
        1 + DEPTHWISE_GRAIN / MAX (cost * work->chunk, 1), depthwise_range,
        work);
    return;
  }
  if (conv->flat) {
    work->pixels *= work->rows;
    work->rows = 1;
  }
  work->chunk = MIN (cpu_conv_nspc_chunk (conv, work->phase), work->pixels);
  work->chunks = (work->pixels + work->chunk - 1) / work->chunk;
  work->units = units_at_a_time (work);
  if (splits_channels (step, work)) {
    run_channels (step, work);
    return;
  }
  /* The scale of a chunk is the same for any number of threads. */
  if (!conv->half || !conv->flat)
    cut_rows (step, work, 7);
  cpu_step_parallel (step, work->rows * work->chunks,
      1 + GRAIN / MAX (cost * work->chunk, 1), tile_range, work);
}

/* --- a depthwise convolution before a pointwise one ------------------------
 */

typedef struct
{
  const CpuConvNspc *conv;
  Work before, after;
  gsize band, rows; /* rows of the depthwise one computed at a time; all */
  float *bands;     /* one for each thread */
  gsize band_floats;
} Bands;

static void
band_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Bands *bands = data;
  Work before = bands->before, after = bands->after;
  const gsize width = before.pixels;

  before.out = bands->bands + thread * bands->band_floats;
  after.halves = halves_of (after.step, after.conv, thread);
  after.in = before.out;
  for (gsize i = begin; i < end; i++) {
    gsize first = i * bands->band,
          last = MIN (first + bands->band, bands->rows);
    gsize pixels = (last - first) * width;

    before.out_first = first * width;
    for (gsize row = first, rows; row < last; row += rows) {
      rows = rows_at_once (&before, row, last - row);
      depthwise_rows (&before, row, rows, 0, before.chunk);
    }
    after.pixels = pixels;
    after.chunks = (pixels + after.chunk - 1) / after.chunk;
    for (gsize chunk = 0, x, n; chunk < after.chunks; chunk++) {
      find_chunk (&after, chunk, &x, &n);
      run_tiles (&after, &(Unit){ x, first * width + x, n }, 1);
    }
  }
}

static Work
plain_work (const CpuStep *step, const CpuConvNspc *conv)
{
  Work work = { .step = step,
    .conv = conv,
    .phase = &conv->phases[0],
    .in = step->in[0]->data,
    .out = step->out[0]->data,
    .weights = conv->weights,
    .residual = conv->residual ? conv->residual->data : NULL };

  memcpy (work.in_dims, conv->padded, sizeof work.in_dims);
  work.pixels = work.phase->axis[2].count;
  work.chunk = (work.pixels + conv->repeat - 1) / conv->repeat;
  work.last = conv->g.oc;
  return work;
}

static void
run_bands (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvNspc *dw = conv->before;
  const CpuConvAxis *a = dw->phases[0].axis;
  gsize cost = conv->g.ic * (conv->g.oc + cpu_conv_phase_taps (dw->phases));
  Bands bands = { .conv = conv,
    .before = plain_work (conv->before_step, dw),
    .after = plain_work (step, conv),
    .band = conv->band,
    .rows = dw->g.batch * a[0].count * a[1].count,
    .bands = scratch_at (step, conv->band_at),
    .band_floats = conv->band_floats };

  bands.after.chunk = cpu_conv_nspc_chunk (conv, conv->phases);
  cost *= bands.band * a[2].count;
  cpu_step_parallel (step, (bands.rows + bands.band - 1) / bands.band,
      1 + 100000 / MAX (cost, 1), band_range, &bands);
}

/* [batch][rows][cols] → [batch][cols][rows] */
static void
swap (const CpuStep *step, float *to, const float *from, gsize batch,
    gsize rows, gsize cols)
{
  for (gsize n = 0; n < batch; n++)
    transpose (step, to + n * rows * cols, rows, from + n * rows * cols, cols,
        rows, cols);
}

typedef struct
{
  const CpuKernels *kernels;
  CpuUnary unary;
  const CpuAct *act;
  float *data;
} Late;

static void
late_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Late *late = data;
  float *at = late->data + begin;

  late->kernels->unary_f32 (
      late->unary, at, at, end - begin, late->act->alpha, late->act->beta);
}

static void
run_late (CpuStep *step, const CpuConvNspc *conv, float *data)
{
  Late late = { .kernels = step->kernels, .act = &conv->late, .data = data };

  if (cpu_conv_nspc_late_act (&conv->late, &late.unary))
    cpu_step_parallel (step, step->out[0]->n, 16384, late_range, &late);
}

void
cpu_conv_nspc_run (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->oc, volume = cpu_volume (g->out);
  Work work;

  if (conv->before != NULL) {
    run_bands (step, conv);
    run_late (step, conv, step->out[0]->data);
    return;
  }
  work = plain_work (step, conv);
  if (work.weights == NULL) {
    float *packed = scratch_at (step, conv->weights_at);

    cpu_conv_nspc_pack (conv, step->in[1]->data, packed);
    work.weights = packed;
  }
  if (conv->pad || conv->plain) {
    Fill f = { .step = step,
      .conv = conv,
      .data = work.in,
      .to = (char *) step->scratch + conv->fill_at,
      .unit = sizeof (float) };

    if (conv->half && !conv->flat)
      work.back = fill_halves (step, conv, &f);
    else
      fill (step, conv, &f);
    work.in = scratch_at (step, conv->fill_at);
  }
  if (conv->plain) {
    work.out = scratch_at (step, conv->out_at);
    if (work.residual) {
      float *residual = scratch_at (step, conv->residual_at);

      swap (step, residual, work.residual, g->batch, channels, volume);
      work.residual = residual;
    }
  }
  for (guint i = 0; i < conv->n_phases; i++) {
    work.phase = &conv->phases[i];
    run_phase (step, &work);
  }
  run_late (step, conv, work.out);
  if (conv->plain)
    swap (step, step->out[0]->data, work.out, g->batch, volume, channels);
}
