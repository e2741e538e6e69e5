/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions of up to three columns and four rows: interleaved in
 * registers.  Where two rows of results need four rows of the input, both are
 * computed at once. */

#include "cpu/conv/u8/private.h"

#include <string.h>

/* Results side by side need neighbouring columns of every dilation[2]-th, so
 * that only a stride of 1 goes with a dilation. */
static gboolean
fits_columns (const CpuConvGeometry *g)
{
  return g->k[2] <= CPU_U8_WINDOW
         && (g->stride[2] == 1 || (g->stride[2] == 2 && g->dilation[2] == 1));
}

gsize
cpu_u8_window_lines (const CpuStep *step, const CpuConvGeometry *g)
{
  if (!(step->isa & CPU_ISA_AVXVNNI) || !cpu_u8_is_depthwise (g) || g->k[0] != 1
      || g->k[1] > 4 || !fits_columns (g))
    return 0;
  return g->k[1] <= 3 && g->stride[1] == 1 && g->stride[2] == 1 ? 2 : 1;
}

/* Rows of results from one to the other that is computed with it. */
static gsize
line_gap (const CpuConvU8 *conv)
{
  return conv->weights.head->lines == 2 ? (gsize) conv->g.dilation[1] : 1;
}

gboolean
cpu_u8_plan_windows (CpuConvU8 *conv)
{
  const gsize row = conv->g.in[2] * conv->g.groups;

  conv->zeros = g_try_malloc (MAX (row, 1));
  if (conv->zeros == NULL)
    return FALSE;
  memset (conv->zeros, conv->zero, row);
  return TRUE;
}

typedef struct
{
  CpuU8Run run;
  gsize units; /* of lines computed at once, of a plane */
} Work;

/* The rows of the input that are read for row @y of plane @plane. */
static void
find_rows (const Work *work, gsize plane, gsize y, gsize lines,
    const guint8 *rows[static 4])
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize n = plane / g->out[0];
  const gint64 z = (gint64) (plane % g->out[0]) * g->stride[0] - g->pad[0];

  for (gsize j = 0; j < 4; j++) {
    const gint64 iy =
        (gint64) y * g->stride[1] - g->pad[1] + (gint64) j * g->dilation[1];

    const guint8 *row =
        j < g->k[1] + lines - 1 ? cpu_u8_row (&work->run, n, z, iy) : NULL;

    rows[j] = row != NULL ? row : conv->zeros;
  }
}

/* Every dilation[2]-th pixel, from @x on. */
static void
run_pixels (const Work *work, CpuConvWindowsU8 *w, const guint8 *const *rows,
    guint8 *out, gsize x)
{
  const CpuConvGeometry *g = &work->run.conv->g;
  const gint64 apart = g->dilation[2];
  const gint64 column = (gint64) x * g->stride[2] - g->pad[2];
  const gint64 from = (column % apart + apart) % apart;

  w->first = (column - from) / apart;
  w->columns =
      (gsize) MAX (((gint64) g->in[2] - from + apart - 1) / apart, (gint64) 0);
  w->pixels = (g->out[2] - x + (gsize) apart - 1) / (gsize) apart;
  w->out = out + x * g->groups * work->run.size;
  for (gsize j = 0; j < 4; j++)
    w->rows[j] = rows[j] + (w->columns > 0 ? (gsize) from * g->groups : 0);
  work->run.step->kernels->conv_windows_u8 (w);
}

static void
run_unit (const Work *work, gsize plane, gsize unit)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize gap = line_gap (conv), planned = conv->weights.head->lines;
  const gsize y = unit / gap * gap * planned + unit % gap;
  const gsize lines = y + gap < g->out[1] ? planned : 1;
  const guint8 *rows[4];
  CpuConvWindowsU8 w = { .column = (gsize) g->dilation[2] * g->groups,
    .advance = (gsize) g->stride[2],
    .zero = conv->zero,
    .weights = conv->weights.integers,
    .lines = lines,
    .planes = conv->weights.head->planes,
    .channels = g->groups,
    .out_step = (gsize) g->dilation[2] * g->groups,
    .out_line = gap * g->out[2] * g->groups,
    .end = conv->end };

  if (y >= g->out[1])
    return;
  find_rows (work, plane, y, lines, rows);
  for (gsize x = 0; x < MIN ((gsize) g->dilation[2], g->out[2]); x++)
    run_pixels (work, &w, rows,
        work->run.out
            + (plane * g->out[1] + y) * g->out[2] * g->groups * work->run.size,
        x);
}

static void
run_units (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;

  for (gsize i = begin; i < end; i++)
    run_unit (work, i / work->units, i % work->units);
}

/* As in depthwise.c. */
#define GRAIN 250000

void
cpu_u8_run_windows (CpuStep *step, const CpuU8Run *run)
{
  const CpuConvU8 *conv = run->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize gap = line_gap (conv), lines = conv->weights.head->lines;
  const gsize cost = lines * g->out[2] * g->groups * cpu_volume (g->k);
  Work work = { .run = *run,
    .units = (g->out[1] + gap * lines - 1) / (gap * lines) * gap };

  cpu_step_parallel (step, g->batch * g->out[0] * work.units,
      GRAIN / MAX (cost, 1) + 1, run_units, &work);
}
