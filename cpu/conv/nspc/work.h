/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How convolutions of conv-nspc.h are computed. */

#pragma once

#include "cpu/conv/nspc/conv.h"

G_BEGIN_DECLS

/* A phase, or a share of it. */
typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  const float *in, *weights;
  float back;             /* of half floats, which `in` is then: conv-half.c */
  gboolean are_halves;    /* of a flat or depthwise one: `in` is */
  guint16 *halves;        /* … of a thread */
  CpuHalfResults results; /* where `out` is to be halves: all of it */
  float *out;
  gsize out_first; /* the output pixel that `out` points at */
  const float *residual;
  gsize in_dims[3];                  /* of what `in` points at */
  gsize rows, pixels, chunk, chunks; /* of the phase */
  gsize first, last; /* output channels of a group that are computed */
  guint units;       /* chunks at a time */
} CpuConvWork;

/* Pixels of a row that are computed together: where they begin, in pixels. */
typedef struct
{
  gsize in, out, pixels;
} CpuConvUnit;

static inline float *
cpu_conv_scratch (const CpuStep *step, gsize at)
{
  return (float *) (gpointer) ((char *) step->scratch + at);
}

/* --- conv-nspc-work.c --- */

/* Of the first phase, for an input that is not padded. */
CpuConvWork cpu_conv_work (const CpuStep *step, const CpuConvNspc *conv);

/* Where row @row of the phase begins, in pixels; @pos: its first two dims. */
void cpu_conv_work_locate (
    const CpuConvWork *work, gsize row, gsize *in, gsize *out, gsize pos[2]);

/* Chunks of rows, into which each is cut where rows are fewer than what several
 * threads could share; the pixels of one. */
void cpu_conv_work_cut (const CpuStep *step, CpuConvWork *work, gsize least);
void cpu_conv_work_chunk (
    const CpuConvWork *work, gsize i, gsize *x, gsize *pixels);

/* Room for half floats of a chunk of inputs, of thread @thread; or NULL. */
guint16 *cpu_conv_work_halves (
    const CpuStep *step, const CpuConvNspc *conv, guint thread);

/* --- conv-nspc-fill.c --- */

/* The input with channels last and zeros around it, in scratch; of half floats
 * what undoes their scale, and *@largest is the largest. */
float cpu_conv_nspc_fill (
    CpuStep *step, const CpuConvNspc *conv, float *largest);

/* --- conv-nspc-tiles.c --- */

/* @units block by block of output channels, whose weights stay in the cache for
 * all @units while those of the next come. */
void cpu_conv_nspc_tiles (
    const CpuConvWork *work, const CpuConvUnit *units, guint n);
/* A phase, whose rows are set. */
void cpu_conv_nspc_run_tiles (CpuStep *step, CpuConvWork *work);

/* --- conv-nspc-depthwise.c --- */

/* Rows from @row on, at most @rows, that are computed as one: two where all of
 * their taps read data. */
gsize cpu_conv_nspc_depthwise_rows (
    const CpuConvWork *work, gsize row, gsize rows);
/* @pixels of @rows rows from @row and @x on. */
void cpu_conv_nspc_depthwise (
    const CpuConvWork *work, gsize row, gsize rows, gsize x, gsize pixels);
/* A phase, whose rows are set. */
void cpu_conv_nspc_run_depthwise (CpuStep *step, CpuConvWork *work);

/* --- conv-nspc-bands.c --- */

/* The step with the depthwise convolution that it has taken over. */
void cpu_conv_nspc_run_bands (CpuStep *step, const CpuConvNspc *conv);

G_END_DECLS
