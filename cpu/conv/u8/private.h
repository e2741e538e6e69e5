/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Within cpu/conv/u8. */

#pragma once

#include "cpu/conv/geometry.h"

#define LANES CPU_U8_LANES
#define BLOCK ((gsize) CPU_U8_BLOCK)

/* Packed weights: this head; scale, offset and sum of integers by padded
 * channel; then the integers, for each group as CpuConvTileU8 or CpuConvQuadsU8
 * expects them. */
typedef struct
{
  gboolean found; /* FALSE: nothing follows */
  gboolean offset;
  /* Depthwise: 8-bit integers whose sum is a weight; each repeats all terms. */
  guint planes;
  /* Depthwise: rows of results that conv_windows_u8 computes at once, or 0 if
   * the integers are ordered for conv_quads_u8. */
  guint lines;
  char pad[48];
} CpuU8Head;

typedef struct
{
  const CpuU8Head *head;
  const float *scale, *offset;
  const gint32 *sums;
  gconstpointer integers;
} CpuU8Weights;

typedef struct
{
  CpuConvGeometry g;
  gboolean depthwise, pad;
  gboolean columns; /* depthwise: quads are made of columns */
  gboolean flat;    /* pointwise: all pixels are one row */
  gsize lo[3],
      padded[3]; /* size of the padded input; lo: padding before the data */
  guint8 zero;
  gsize padded_oc; /* channels of one group in arrays */
  gsize padded_at; /* bytes of scratch before the padded input */
  CpuU8Weights weights;
  gint32 *start; /* these three: by padded channel */
  float *scale, *bias;
  CpuQuantEnd end; /* uses the arrays above */
  /* A tile's segments, or the terms of quads. */
  gsize *segments, n_segments, length;
  gsize strip; /* rows, or pixels if flat, computed at once */
  /* Quads: pixels computed at once, and the inputs of a row that they read;
   * zeros: as many quantised zeros, or a row of them for windows. */
  gsize piece, span;
  guint8 *zeros;
} CpuConvU8;

/* One input channel and one output channel in each group. */
static inline gboolean
cpu_u8_is_depthwise (const CpuConvGeometry *g)
{
  return g->ic == 1 && g->oc == 1 && g->groups > 1;
}

static inline gsize
cpu_u8_padded_oc (const CpuConvGeometry *g)
{
  return cpu_u8_is_depthwise (g) ? 1 : (g->oc + LANES - 1) / LANES * LANES;
}

/* Number of channels in arrays. */
static inline gsize
cpu_u8_channels (const CpuConvGeometry *g)
{
  return (g->groups * cpu_u8_padded_oc (g) + LANES - 1) / LANES * LANES;
}

/* Taps along x and the channels of one group lie side by side where there is
 * one group and no gap. */
static inline gboolean
cpu_u8_merges (const CpuConvGeometry *g)
{
  return g->groups == 1 && g->dilation[2] == 1;
}

static inline gsize
cpu_u8_length (const CpuConvGeometry *g)
{
  return cpu_u8_merges (g) ? g->ic * g->k[2] : g->ic;
}

static inline gsize
cpu_u8_segments (const CpuConvGeometry *g)
{
  return g->k[0] * g->k[1] * (cpu_u8_merges (g) ? 1 : g->k[2]);
}

/* Depthwise: quads are made of four rows, else of four columns; groups of rows
 * for one z; quads along x. */
typedef struct
{
  gboolean rows;
  gsize groups, across;
} CpuU8Quads;

CpuU8Quads cpu_u8_quads (const CpuConvGeometry *g);

/* Whether the input is copied with padding: tiles read all of it, quads of
 * columns too; others are given zeros for rows that are outside. */
static inline gboolean
cpu_u8_copies_input (const CpuConvU8 *conv)
{
  return conv->pad && (!conv->depthwise || conv->columns);
}

/* Depthwise: by conv_windows_u8, else by conv_quads_u8. */
static inline gboolean
cpu_u8_has_windows (const CpuConvU8 *conv)
{
  return conv->weights.head->lines > 0;
}

/* A step while it runs. */
typedef struct
{
  const CpuStep *step;
  const CpuConvU8 *conv;
  const guint8 *in; /* copied with padding, where it is */
  guint8 *out;
  gsize size; /* of an element of the output */
} CpuU8Run;

/* Row @y of plane @z of image @n of the input, which is not copied; NULL: it is
 * outside. */
static inline const guint8 *
cpu_u8_row (const CpuU8Run *run, gsize n, gint64 z, gint64 y)
{
  const CpuConvGeometry *g = &run->conv->g;

  if (z < 0 || z >= (gint64) g->in[0] || y < 0 || y >= (gint64) g->in[1])
    return NULL;
  return run->in
         + ((n * g->in[0] + (gsize) z) * g->in[1] + (gsize) y) * g->in[2]
               * g->groups;
}

/* windows.c */
/* Rows of results that are computed at once, or 0. */
gsize cpu_u8_window_lines (const CpuStep *step, const CpuConvGeometry *g);
/* FALSE: memory is short. */
gboolean cpu_u8_plan_windows (CpuConvU8 *conv);
void cpu_u8_run_windows (CpuStep *step, const CpuU8Run *run);

/* pack.c; NULL: memory is short. */
const CpuU8Head *cpu_u8_pack (CpuStep *step, CpuConvGeometry *g);
CpuU8Weights cpu_u8_weights (const CpuU8Head *head, const CpuConvGeometry *g);

/* run.c; CpuImpl.run */
gboolean cpu_u8_run (CpuStep *step, gconstpointer self, GError **error);

/* depthwise.c */
/* FALSE: memory is short. */
gboolean cpu_u8_plan_quads (CpuConvU8 *conv);
/* @in: padded if quads are made of columns. */
void cpu_u8_run_quads (CpuStep *step, const CpuU8Run *run);
/* Bytes of scratch for each thread. */
gsize cpu_u8_quads_room (const CpuConvU8 *conv);
