/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions with padding, in parts: outputs that need the same taps.  Taps
 * that would read padding are left out. */

#include "cpu/conv/nspc/work.h"
#include "cpu/base/caches.h"

#include <string.h>

/* Outputs of a dimension, side by side, and the taps of which they read data.
 */
typedef struct
{
  gsize first, count;
  gsize tap, taps;
} Range;

#define MOST_RANGES 15

typedef struct
{
  Range of[MOST_RANGES];
  guint n;            /* 0: there would be too many */
  const Range *whole; /* those of all taps, nullable */
} Ranges;

/* A rectangle of outputs. */
typedef struct
{
  CpuConvPhase phase; /* with the taps that read data; owns its segments */
  gsize in, out;      /* the first pixel that is read, and written */
} Part;

typedef struct _CpuConvParts
{
  /* Of what is read: the input, or its padded copy; what that has before the
   * first row and column. */
  const gsize *dims;
  gsize before[2];
  gboolean padded; /* it is the copy */
  gsize row;       /* outputs of a row of most parts */
  Part inner;      /* of most outputs; its phase has none if there is none */
  GArray *edges;   /* (element-type Part) */
  gsize outputs;   /* of all edges of an image */
} Parts;

/* --- ranges --- */

static gint64
divide_up (gint64 a, gint64 b)
{
  return a > 0 ? (a + b - 1) / b : 0;
}

static Range
range_of (const CpuConvAxis *a, gint64 in, gsize output)
{
  const gint64 at = (gint64) output * a->in_step + a->begin;
  const gint64 taps = (gint64) a->taps;
  const gint64 first = MIN (divide_up (-at, a->step), taps);
  const gint64 end = MIN (divide_up (in - at, a->step), taps);

  return (Range){ .first = output,
    .count = 1,
    .tap = (gsize) first,
    .taps = (gsize) MAX (end - first, 0) };
}

/* @each: each output is a range. */
static void
find_ranges (const CpuConvNspc *conv, guint d, gboolean each, Ranges *ranges)
{
  const CpuConvAxis *a = &conv->phases[0].axis[d];
  guint n = 0;

  ranges->n = 0;
  ranges->whole = NULL;
  for (gsize i = 0; i < a->count; i++) {
    const Range range = range_of (a, (gint64) conv->g.in[d], i);
    Range *last = n > 0 && !each ? &ranges->of[n - 1] : NULL;

    if (last && last->tap == range.tap && last->taps == range.taps)
      last->count++;
    else if (n < MOST_RANGES)
      ranges->of[n++] = range;
    else
      return;
  }
  ranges->n = n;
  for (guint i = 0; i < n; i++)
    if (ranges->of[i].taps == a->taps)
      ranges->whole = &ranges->of[i];
}

/* All outputs, with all taps. */
static void
set_all (const CpuConvNspc *conv, guint d, Ranges *ranges)
{
  const CpuConvAxis *a = &conv->phases[0].axis[d];

  ranges->of[0] = (Range){ .count = a->count, .taps = a->taps };
  ranges->n = 1;
  ranges->whole = ranges->of;
}

/* --- parts --- */

/* Whether the taps of a row are one segment. */
static gboolean
is_merged (const CpuConvPhase *phase)
{
  return phase->n_segments == phase->axis[1].taps;
}

/* Whether segments are at equal distances if only taps @x are left: several
 * segments of each of several rows are not. */
static gboolean
is_regular (const CpuConvPhase *phase, const Ranges *x)
{
  for (guint i = 0; i < x->n; i++)
    if (!is_merged (phase) && phase->axis[1].taps > 1 && x->of[i].taps > 1
        && x->of[i].taps < phase->axis[2].taps)
      return FALSE;
  return x->n > 0;
}

/* The segments of the taps that are not left out. */
static void
set_segments (const CpuConvNspc *conv, gsize columns, CpuConvPhase *phase,
    const Range *y, const Range *x)
{
  const CpuConvPhase *whole = &conv->phases[0];
  const CpuConvAxis *a = whole->axis;
  const gsize channels = conv->g.groups * conv->g.ic, ic = conv->g.ic;
  const gboolean merged = is_merged (whole);
  const gsize each = merged ? MIN (x->taps, 1) : x->taps;
  gsize n = 0;

  phase->segments = g_new (gsize, y->taps * each + 1);
  for (gsize i = 0; i < y->taps; i++)
    for (gsize j = 0; j < each; j++)
      phase->segments[n++] =
          (i * (gsize) a[1].step * columns + j * (gsize) a[2].step) * channels;
  phase->n_segments = n;
  phase->length = merged ? MAX (x->taps, 1) * ic : ic;
  phase->first = (y->tap * a[2].taps + x->tap) * ic;
  phase->element_step = each == 1 ? a[2].taps * ic : ic;
}

/* What the first tap of the first output of @range reads; @before: what there
 * is before the input. */
static gsize
input_of (const CpuConvAxis *a, const Range *range, gsize before)
{
  return (gsize) ((gint64) range->first * a->in_step + a->begin
                  + (gint64) range->tap * a->step + (gint64) before);
}

static Part
make_part (
    const CpuConvNspc *conv, const Parts *parts, const Range *y, const Range *x)
{
  const gsize columns = parts->dims[2], out = conv->g.out[2];
  Part part = { .phase = conv->phases[0] };
  CpuConvAxis *a = part.phase.axis;

  if (y->taps > 0 && x->taps > 0)
    part.in = input_of (&a[1], y, parts->before[0]) * columns
              + input_of (&a[2], x, parts->before[1]);
  part.out = y->first * out + x->first;
  a[1].count = y->count;
  a[1].out_begin = y->first;
  a[2].count = x->count;
  a[2].out_begin = x->first;
  set_segments (conv, columns, &part.phase, y, x);
  /* A column is computed as a row. */
  if (x->count == 1) {
    a[2].count = y->count;
    a[2].in_step = a[1].in_step * (gint64) columns;
    a[2].out_step = out;
    a[1].count = 1;
  }
  return part;
}

static void
clear_part (gpointer data)
{
  Part *part = data;

  g_free (part->phase.segments);
}

/* @inner: one of the parts is that of the whole ranges; @row: outputs of a row
 * of most parts. */
static void
make_parts (CpuConvNspc *conv, gboolean padded, gboolean inner, gsize row,
    const Ranges *y, const Ranges *x)
{
  Parts *parts = g_new0 (Parts, 1);

  parts->padded = padded;
  parts->dims = padded ? conv->padded : conv->g.in;
  for (guint i = 0; i < 2 && padded; i++)
    parts->before[i] = conv->lo[1 + i];
  parts->edges = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (parts->edges, clear_part);
  parts->outputs = cpu_volume (conv->g.out);
  for (guint i = 0; i < y->n; i++)
    for (guint j = 0; j < x->n; j++) {
      const Part part = make_part (conv, parts, &y->of[i], &x->of[j]);

      if (inner && &y->of[i] == y->whole && &x->of[j] == x->whole) {
        parts->inner = part;
        parts->outputs -= y->whole->count * x->whole->count;
      } else
        g_array_append_val (parts->edges, part);
    }
  parts->row = row;
  conv->parts = parts;
}

/* --- planning --- */

/* The share of the outputs at the edges from which on all of the input is
 * padded. */
#define MOST_EDGES 8

static gboolean
has_few_edges (const CpuConvNspc *conv, const Ranges *y, const Ranges *x)
{
  if (y->whole == NULL || x->whole == NULL)
    return FALSE;
  const gsize all = cpu_volume (conv->g.out);

  return (all - y->whole->count * x->whole->count) * MOST_EDGES <= all;
}

/* How much faster columns as rows must be, in hundredths: what they read is
 * further apart. */
#define COLUMNS_GAIN 5

/* Whether columns @x are better rows than rows are. */
static gboolean
prefers_columns (const CpuConvNspc *conv, const Ranges *x)
{
  const CpuConvAxis *a = conv->phases[0].axis;
  double columns = 0;

  for (guint i = 0; i < x->n; i++)
    columns += cpu_conv_nspc_row_cost (conv, a[1].count)
               * (double) x->of[i].taps / (double) a[2].taps;
  return x->n > 0
         && columns * (1 + COLUMNS_GAIN / 100.0)
                < (double) a[1].count
                      * cpu_conv_nspc_row_cost (conv, a[2].count);
}

/* Each part reads the weights. */
static gboolean
has_few_weights (const CpuConvNspc *conv)
{
  const gsize n = conv->phases[0].elements * conv->g.groups
                  * cpu_conv_nspc_padded_oc (conv);

  return n * sizeof (float) <= cpu_caches ()->second / 2;
}

/* Bytes of weights that come from the second-level cache in a cycle. */
#define READING 32

/* Whether leaving out taps of rows saves much more than it takes to read the
 * weights again for each part. */
static gboolean
saves_enough (const CpuConvNspc *conv, const Ranges *y)
{
  const CpuConvPhase *phase = &conv->phases[0];
  const gsize filters = conv->g.groups * cpu_conv_nspc_padded_oc (conv);
  const gsize weights = phase->elements * filters * sizeof (float);
  double saved = 0;

  for (guint i = 0; i < y->n; i++)
    saved += (double) (y->of[i].count * conv->g.out[2])
             * (1 - (double) y->of[i].taps / (double) phase->axis[1].taps);
  saved *= (double) (phase->elements * filters) / (double) (2 * conv->lanes);
  if (weights <= cpu_caches ()->first / 2)
    return saved > 0;
  return saved > 2.0 * (double) (y->n - 1) * (double) weights / READING;
}

void
cpu_conv_nspc_plan_parts (CpuConvNspc *conv)
{
  const CpuConvPhase *phase = &conv->phases[0];
  Ranges y, x;

  if (!conv->pad || conv->uses_f16 || conv->depthwise || conv->dot > 1
      || conv->g.transposed || conv->padded[0] != 1 || phase->n_segments == 0)
    return;
  find_ranges (conv, 1, FALSE, &y);
  find_ranges (conv, 2, FALSE, &x);
  if (y.n == 1 && x.n == 1) {
    if (is_regular (phase, &x)) {
      y.whole = y.of;
      x.whole = x.of;
      make_parts (conv, conv->plain, TRUE, x.of[0].count, &y, &x);
    }
    return;
  }
  if (!has_few_weights (conv))
    return;
  if (!conv->plain && has_few_edges (conv, &y, &x) && is_regular (phase, &x)) {
    make_parts (conv, FALSE, TRUE, x.whole->count, &y, &x);
    return;
  }
  find_ranges (conv, 2, TRUE, &x);
  if (prefers_columns (conv, &x) && is_regular (phase, &x)) {
    set_all (conv, 1, &y);
    make_parts (conv, TRUE, FALSE, conv->g.out[1], &y, &x);
  } else if (saves_enough (conv, &y)) {
    set_all (conv, 2, &x);
    make_parts (conv, TRUE, y.whole != NULL, conv->g.out[2], &y, &x);
  }
}

gsize
cpu_conv_nspc_row (const CpuConvNspc *conv)
{
  const CpuConvAxis *a = conv->phases[0].axis;

  if (conv->flat)
    return conv->g.batch * a[0].count * a[1].count * a[2].count;
  return conv->parts != NULL ? conv->parts->row : a[2].count;
}

gboolean
cpu_conv_nspc_fills (const CpuConvNspc *conv)
{
  return conv->plain
         || (conv->pad && (conv->parts == NULL || conv->parts->padded));
}

void
cpu_conv_nspc_parts_free (CpuConvNspc *conv)
{
  Parts *parts = conv->parts;

  if (parts == NULL)
    return;
  clear_part (&parts->inner);
  g_array_unref (parts->edges);
  g_clear_pointer (&conv->parts, g_free);
}

/* --- running --- */

static void
edge_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuConvWork *shared = data;
  const CpuConvGeometry *g = &shared->conv->g;
  const Parts *parts = shared->conv->parts;
  const GArray *edges = parts->edges;
  CpuConvWork work = *shared;

  for (gsize i = begin; i < end; i++) {
    const Part *part = &g_array_index (edges, Part, i % edges->len);
    const CpuConvAxis *a = part->phase.axis;
    const gsize image = i / edges->len;
    CpuConvUnit unit = { part->in + image * cpu_volume (parts->dims),
      part->out + image * cpu_volume (g->out), a[2].count };

    work.phase = &part->phase;
    for (gsize y = 0; y < a[1].count; y++) {
      cpu_conv_nspc_tiles (&work, &unit, 1);
      unit.in += (gsize) a[1].in_step * parts->dims[2];
      unit.out += g->out[2];
    }
  }
}

/* Multiplications per thread from which on starting it pays. */
#define GRAIN 100000

void
cpu_conv_nspc_run_parts (CpuStep *step, CpuConvWork *work)
{
  const CpuConvGeometry *g = &work->conv->g;
  const Parts *parts = work->conv->parts;
  const CpuConvAxis *a = parts->inner.phase.axis;
  const gsize n = parts->edges->len;
  const gsize cost = parts->outputs * cpu_conv_phase_taps (work->phase)
                     * g->groups * g->ic * g->oc;

  if (n > 0)
    cpu_step_parallel (
        step, g->batch * n, 1 + GRAIN / MAX (cost / n, 1), edge_range, work);
  if (a[2].count == 0)
    return;
  work->phase = &parts->inner.phase;
  memcpy (work->in_dims, parts->dims, sizeof work->in_dims);
  work->in += parts->inner.in * g->groups * g->ic;
  work->rows = g->batch * a[1].count;
  cpu_conv_nspc_run_tiles (step, work);
}
