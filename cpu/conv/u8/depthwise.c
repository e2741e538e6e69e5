/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions: four rows or four columns of the input are
 * interleaved first, so that four products are one instruction and each quad
 * serves all taps of a row. */

#include "cpu/conv/u8/private.h"

#include <string.h>

/* Bytes of quads for one call of the kernel. */
#define PIECE_BYTES 16384

CpuU8Quads
cpu_u8_quads (const CpuConvGeometry *g)
{
  const CpuU8Quads rows = { TRUE, (g->k[1] + 3) / 4, g->k[2] };
  const CpuU8Quads columns = { FALSE, g->k[1], (g->k[2] + 3) / 4 };

  return rows.groups * rows.across <= columns.groups * columns.across ? rows
                                                                      : columns;
}

/* Inputs of a row at which the quads of @pixels begin. */
static gsize
count_span (const CpuConvGeometry *g, const CpuU8Quads *q, gsize pixels)
{
  return (pixels - 1) * (gsize) g->stride[2]
         + (q->across - 1) * (gsize) g->dilation[2] * (q->rows ? 1 : 4) + 1;
}

gboolean
cpu_u8_plan_quads (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  const CpuU8Quads q = cpu_u8_quads (g);
  const gsize across = (gsize) g->dilation[2] * (q.rows ? 1 : 4);
  const gsize step = 4 * g->groups * (gsize) g->stride[2];
  gsize i = 0;

  conv->piece = MIN (MAX (PIECE_BYTES / step, 8), g->out[2]);
  conv->span = count_span (g, &q, conv->piece);
  conv->n_segments = conv->weights.head->planes * g->k[0] * q.groups * q.across;
  conv->segments = g_try_new (gsize, MAX (conv->n_segments, 1));
  conv->zeros = g_try_malloc_n (conv->span, g->groups);
  if (conv->segments == NULL || conv->zeros == NULL)
    return FALSE;
  for (guint plane = 0; plane < conv->weights.head->planes; plane++)
    for (gsize row = 0; row < g->k[0] * q.groups; row++)
      for (gsize x = 0; x < q.across; x++)
        conv->segments[i++] = (row * conv->span + x * across) * 4 * g->groups;
  memset (conv->zeros, conv->zero, conv->span * g->groups);
  return TRUE;
}

/* The kernel reads a vector for each quad. */
gsize
cpu_u8_quads_room (const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;

  return (g->k[0] * cpu_u8_quads (g).groups * conv->span * 4 * g->groups + 127)
         & ~(gsize) 63;
}

typedef struct
{
  CpuU8Run run;
  CpuU8Quads quads;
  gsize pieces; /* of a row */
} Work;

/* Some pixels of an output row: from x on, at y and z of image n. */
typedef struct
{
  gsize n, z, y, x, pixels;
  gboolean edges; /* quads beyond the row have not been made yet */
} Piece;

/* Quads of input rows; those outside of the image are zeros. */
static void
quads_of_rows (
    const Work *work, const Piece *piece, gsize z, gsize group, guint8 *to)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gint64 channels = (gint64) g->groups, width = (gint64) g->in[2];
  const gint64 span = (gint64) count_span (g, &work->quads, piece->pixels);
  const gint64 x = (gint64) piece->x * g->stride[2] - g->pad[2];
  const gint64 first = CLAMP (-x, 0, span);
  const gint64 last = CLAMP (width - x, first, span);
  const gint64 iz = (gint64) piece->z * g->stride[0] - g->pad[0]
                    + (gint64) z * g->dilation[0];
  const guint8 *rows[4];

  for (guint j = 0; j < 4; j++) {
    const gsize tap = group * 4 + j;
    const gint64 iy = (gint64) piece->y * g->stride[1] - g->pad[1]
                      + (gint64) tap * g->dilation[1];

    const guint8 *row =
        tap < g->k[1] ? cpu_u8_row (&work->run, piece->n, iz, iy) : NULL;

    rows[j] = row != NULL ? row + (x + first) * channels : conv->zeros;
  }
  work->run.step->kernels->interleave_u8 (
      to + first * channels * 4, rows, (gsize) ((last - first) * channels));
  if (!piece->edges)
    return;
  memset (to, conv->zero, (gsize) (first * channels * 4));
  memset (to + last * channels * 4, conv->zero,
      (gsize) ((span - last) * channels * 4));
}

/* Quads of columns of the padded input. */
static void
quads_of_columns (
    const Work *work, const Piece *piece, gsize z, gsize y, guint8 *to)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize span = count_span (g, &work->quads, piece->pixels);
  const gsize iz = piece->z * (gsize) g->stride[0] + conv->lo[0]
                   - (gsize) g->pad[0] + z * (gsize) g->dilation[0];
  const gsize iy = piece->y * (gsize) g->stride[1] + conv->lo[1]
                   - (gsize) g->pad[1] + y * (gsize) g->dilation[1];
  const gsize ix =
      piece->x * (gsize) g->stride[2] + conv->lo[2] - (gsize) g->pad[2];
  const gsize row = (piece->n * conv->padded[0] + iz) * conv->padded[1] + iy;
  const guint8 *columns[4];

  for (guint j = 0; j < 4; j++)
    columns[j] =
        work->run.in
        + (row * conv->padded[2] + ix + j * (gsize) g->dilation[2]) * g->groups;
  work->run.step->kernels->interleave_u8 (to, columns, span * g->groups);
}

static void
run_piece (const Work *work, const Piece *piece, guint8 *quads)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize groups = work->quads.groups;
  const gsize pixel =
      ((piece->n * g->out[0] + piece->z) * g->out[1] + piece->y) * g->out[2]
      + piece->x;
  const CpuConvQuadsU8 row = { .in = quads,
    .in_step = (gsize) g->stride[2] * g->groups * 4,
    .terms = conv->segments,
    .n_terms = conv->n_segments,
    .weights = conv->weights.integers,
    .channels = g->groups,
    .pixels = piece->pixels,
    .out = work->run.out + pixel * g->groups * work->run.size,
    .out_step = g->groups,
    .end = conv->end };

  for (gsize i = 0; i < g->k[0] * groups; i++) {
    guint8 *to = quads + i * conv->span * g->groups * 4;

    if (work->quads.rows)
      quads_of_rows (work, piece, i / groups, i % groups, to);
    else
      quads_of_columns (work, piece, i / groups, i % groups, to);
  }
  work->run.step->kernels->conv_quads_u8 (&row);
}

static void
run_pieces (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  guint8 *quads =
      (guint8 *) work->run.step->scratch + thread * cpu_u8_quads_room (conv);

  for (gsize i = begin; i < end; i++) {
    const gsize row = i / work->pieces, x = i % work->pieces * conv->piece;
    const Piece piece = { .n = row / g->out[1] / g->out[0],
      .z = row / g->out[1] % g->out[0],
      .y = row % g->out[1],
      .x = x,
      .pixels = MIN (conv->piece, g->out[2] - x),
      .edges = i == begin || work->pieces > 1 };

    run_piece (work, &piece, quads);
  }
}

/* Products per thread from which on waking it pays; less than in run.c, since
 * each input takes part in fewer products. */
#define GRAIN 250000

void
cpu_u8_run_quads (CpuStep *step, const CpuU8Run *run)
{
  const CpuConvU8 *conv = run->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize cost = conv->piece * g->groups * cpu_volume (g->k);
  Work work = { .run = *run,
    .quads = cpu_u8_quads (g),
    .pieces = (g->out[2] + conv->piece - 1) / conv->piece };

  cpu_step_parallel (step, g->batch * g->out[0] * g->out[1] * work.pieces,
      GRAIN / MAX (cost, 1) + 1, run_pieces, &work);
}
