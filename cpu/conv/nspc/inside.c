/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions whose padding few results read: the inside is computed from the
 * input itself; only what the edges read is copied and padded. */

#include "cpu/conv/nspc/work.h"

#include <string.h>

/* The outputs of a dimension, [first, last) of which read no padding. */
typedef struct
{
  gsize first, last, all;
} Inner;

static Inner
find_inner (const CpuConvNspc *conv, guint d)
{
  const CpuConvAxis *a = &conv->phases[0].axis[d];
  const gint64 tall = (gint64) (a->taps - 1) * a->step + 1;
  const gint64 before = a->begin < 0 ? -a->begin : 0;
  const gint64 room = (gint64) conv->g.in[d] - tall - a->begin;
  const gint64 all = (gint64) a->count;
  const gint64 last = room < 0 ? 0 : MIN (room / a->in_step + 1, all);
  const gint64 first =
      MIN ((before + a->in_step - 1) / a->in_step, MAX (last, 0));

  return (Inner){ (gsize) first, (gsize) last, (gsize) all };
}

#define MOST_PARTS 16
#define MOST_SEGMENTS 64

/* A rectangle of outputs, which is computed from a padded copy of what it
 * reads. */
typedef struct
{
  gsize y, x, rows, columns;
} Part;

typedef struct _CpuConvInside
{
  CpuConvPhase phase; /* of the outputs that read no padding */
  Part parts[MOST_PARTS];
  guint n_parts;
} Inside;

/* Columns, or rows, of the input that @n outputs read. */
static gsize
n_read (const CpuConvAxis *a, gsize n)
{
  return (n - 1) * (gsize) a->in_step + (a->taps - 1) * (gsize) a->step + 1;
}

/* The offsets of segments where rows of the input have @columns. */
static void
set_segments (const CpuConvNspc *conv, const CpuConvPhase *phase, gsize columns)
{
  const CpuConvAxis *a = phase->axis;
  const gsize channels = conv->g.groups * conv->g.ic;
  const gsize x_taps = phase->n_segments / a[1].taps;

  for (gsize y = 0, i = 0; y < a[1].taps; y++)
    for (gsize x = 0; x < x_taps; x++)
      phase->segments[i++] =
          (y * (gsize) a[1].step * columns + x * (gsize) a[2].step) * channels;
}

static CpuConvPhase
inner_phase (const CpuConvNspc *conv, const Inner inner[2])
{
  CpuConvPhase phase = conv->phases[0];

  for (guint i = 0; i < 2; i++) {
    CpuConvAxis *a = &phase.axis[1 + i];

    a->count = inner[i].last - inner[i].first;
    a->out_begin = inner[i].first;
    a->begin += (gint64) inner[i].first * a->in_step;
  }
  phase.segments = g_new (gsize, phase.n_segments);
  set_segments (conv, &phase, conv->g.in[2]);
  return phase;
}

/* --- edges --- */

/* Rows above and below the inside, and columns beside it, one by one. */
static guint
find_parts (const Inner inner[2], Part parts[MOST_PARTS])
{
  const Inner y = inner[0], x = inner[1];
  const gsize rows = y.last - y.first;
  guint n = 0;

  if (y.first > 0)
    parts[n++] = (Part){ 0, 0, y.first, x.all };
  if (y.last < y.all)
    parts[n++] = (Part){ y.last, 0, y.all - y.last, x.all };
  for (gsize i = 0; i < x.all && n < MOST_PARTS; i++)
    if (i < x.first || i >= x.last)
      parts[n++] = (Part){ y.first, i, rows, 1 };
  return n;
}

static gsize
part_floats (const CpuConvNspc *conv, const Part *part)
{
  const CpuConvAxis *a = conv->phases[0].axis;

  return n_read (&a[1], part->rows) * n_read (&a[2], part->columns)
         * conv->g.groups * conv->g.ic;
}

/* Copies @n floats, or writes zeros if @from is NULL.  Of a column beside the
 * inside a row has so few that calls of the C library take most of the time. */
static inline void
put (float *to, const float *from, gsize n)
{
  if (n > 32 && from != NULL)
    memcpy (to, from, n * sizeof *to);
  else if (n > 32)
    memset (to, 0, n * sizeof *to);
  else
    for (gsize i = 0; i < n; i++)
      to[i] = from != NULL ? from[i] : 0;
}

/* @rows × @columns pixels from row @y and column @x on of an image at @from,
 * zeros where there are none. */
static void
copy_padded (const CpuConvGeometry *g, const float *from, gint64 y, gint64 x,
    gsize rows, gsize columns, float *to)
{
  const gsize channels = g->groups * g->ic;
  const gint64 in = (gint64) g->in[2];
  const gsize left = (gsize) CLAMP (-x, 0, (gint64) columns);
  const gsize end = (gsize) CLAMP (in - x, (gint64) left, (gint64) columns);

  for (gsize i = 0; i < rows; i++, y++, to += columns * channels) {
    if (y < 0 || y >= (gint64) g->in[1]) {
      put (to, NULL, columns * channels);
      continue;
    }
    put (to, NULL, left * channels);
    if (end > left)
      put (to + left * channels,
          from + (gsize) (y * in + x + (gint64) left) * channels,
          (end - left) * channels);
    put (to + end * channels, NULL, (columns - end) * channels);
  }
}

/* Computes @part of image @image; @memory: for the copy of what it reads. */
static void
compute (
    const CpuConvWork *shared, const Part *part, gsize image, float *memory)
{
  const CpuConvNspc *conv = shared->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize segments[MOST_SEGMENTS];
  CpuConvPhase phase = conv->phases[0];
  CpuConvWork work = *shared;
  CpuConvAxis *a = phase.axis;
  const gsize rows = n_read (&a[1], part->rows);
  const gsize columns = n_read (&a[2], part->columns);
  const gsize row = (gsize) a[1].in_step * columns;
  gsize out = (image * g->out[1] + part->y) * g->out[2] + part->x;

  copy_padded (g, work.in + image * g->in[1] * g->in[2] * g->groups * g->ic,
      (gint64) part->y * a[1].in_step + a[1].begin,
      (gint64) part->x * a[2].in_step + a[2].begin, rows, columns, memory);
  phase.segments = segments;
  set_segments (conv, &phase, columns);
  work.phase = &phase;
  work.in = memory;
  if (part->columns == 1) {
    a[2].in_step = (gint64) row;
    a[2].out_step = g->out[2];
    cpu_conv_nspc_tiles (&work, &(CpuConvUnit){ 0, out, part->rows }, 1);
    return;
  }
  for (gsize i = 0; i < part->rows; i++, out += g->out[2])
    cpu_conv_nspc_tiles (
        &work, &(CpuConvUnit){ i * row, out, part->columns }, 1);
}

static void
edge_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuConvWork *work = data;
  const CpuConvNspc *conv = work->conv;
  float *memory =
      cpu_conv_scratch (work->step, conv->fill_at) + thread * conv->edge_floats;
  const Inside *inside = conv->inside;
  const guint n = inside->n_parts;

  for (gsize i = begin; i < end; i++)
    compute (work, &inside->parts[i % n], i / n, memory);
}

/* --- planning, running --- */

/* The share of the outputs at the edges from which on all of the input is
 * padded instead. */
#define MOST_EDGES 8

static gboolean
pays (const CpuConvNspc *conv, const Inner inner[2])
{
  const gsize area =
      (inner[0].last - inner[0].first) * (inner[1].last - inner[1].first);
  const gsize all = inner[0].all * inner[1].all;
  const gsize columns = inner[1].all - (inner[1].last - inner[1].first);

  return area > 0 && columns + 2 <= MOST_PARTS
         && (all - area) * MOST_EDGES <= all;
}

void
cpu_conv_nspc_plan_inside (CpuConvNspc *conv)
{
  const CpuConvPhase *phase = &conv->phases[0];

  if (!conv->pad || conv->plain || conv->uses_f16 || conv->depthwise
      || conv->dot > 1 || conv->g.transposed || conv->padded[0] != 1
      || phase->n_segments == 0 || phase->n_segments > MOST_SEGMENTS)
    return;
  const Inner inner[] = { find_inner (conv, 1), find_inner (conv, 2) };
  if (!pays (conv, inner))
    return;
  Inside *inside = g_new0 (Inside, 1);
  inside->phase = inner_phase (conv, inner);
  inside->n_parts = find_parts (inner, inside->parts);
  conv->inside = inside;
  conv->edge_floats = 0;
  for (guint i = 0; i < inside->n_parts; i++)
    conv->edge_floats =
        MAX (conv->edge_floats, part_floats (conv, &inside->parts[i]));
  conv->edge_floats = (conv->edge_floats + 15) & ~(gsize) 15;
}

void
cpu_conv_nspc_inside_free (CpuConvNspc *conv)
{
  if (conv->inside != NULL)
    g_free (conv->inside->phase.segments);
  g_clear_pointer (&conv->inside, g_free);
}

/* Multiplications per thread from which on starting it pays. */
#define GRAIN 100000

void
cpu_conv_nspc_run_inside (CpuStep *step, CpuConvWork *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const Inside *inside = conv->inside;
  const CpuConvPhase *phase = &inside->phase;
  const guint n = inside->n_parts;
  const gsize edges =
      cpu_volume (g->out) - phase->axis[1].count * phase->axis[2].count;
  const gsize cost =
      edges * cpu_conv_phase_taps (phase) * g->groups * g->ic * g->oc;

  cpu_step_parallel (step, g->batch * n, 1 + GRAIN / MAX (cost / MAX (n, 1), 1),
      edge_range, work);
  work->phase = phase;
  memcpy (work->in_dims, g->in, sizeof work->in_dims);
  work->in +=
      (gsize) (phase->axis[1].begin * (gint64) g->in[2] + phase->axis[2].begin)
      * g->groups * g->ic;
  work->rows = g->batch * phase->axis[1].count;
  cpu_conv_nspc_run_tiles (step, work);
}
