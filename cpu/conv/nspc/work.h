/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running the convolutions of conv.h. */

#pragma once

#include "cpu/conv/nspc/conv.h"

/* A phase, or a part of it. */
typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  const float *in, *weights;
  float back;            /* inverse of the f16 scale, if `in` is f16 */
  gboolean is_f16;       /* flat or depthwise: `in` is f16 or bf16 */
  gboolean is_bf16;      /* it is bf16 */
  guint16 *f16;          /* memory of a thread for f16 inputs */
  CpuF16Results results; /* if `out` is stored as f16: the whole output */
  float *out;
  gsize in_first, /* depthwise: the input pixel that `in` points at */
      out_first;  /* the output pixel that `out` points at */
  const float *residual;
  const guint16 *residual_bf16;      /* instead; nullable */
  gsize in_dims[3];                  /* of what `in` points at */
  gsize rows, pixels, chunk, chunks; /* of the phase */
  gsize grain;       /* chunks but the last are multiples of it */
  gsize first, last; /* output channels of a group to compute */
  guint units;       /* chunks at a time */
  /* Floats that tiles prefetch instead of weights; nullable. */
  const float *ahead;
  gsize n_ahead;
} CpuConvWork;

/* Pixels of a row that are computed together; offsets in pixels. */
typedef struct
{
  gsize in, out, pixels;
} CpuConvUnit;

static inline float *
cpu_conv_scratch (const CpuStep *step, gsize at)
{
  return (float *) (gpointer) ((char *) step->scratch + at);
}

/* --- work.c --- */

/* The first phase, for an input without padding. */
CpuConvWork cpu_conv_work (const CpuStep *step, const CpuConvNspc *conv);

/* Where row @row of the phase begins, in pixels; @pos: its first two dims. */
void cpu_conv_work_locate (
    const CpuConvWork *work, gsize row, gsize *in, gsize *out, gsize pos[2]);

/* Cuts rows into chunks of about work->chunk pixels. */
void cpu_conv_work_set_chunks (CpuConvWork *work);
/* The same; into more chunks, of @least pixels or more, if there are too few
 * rows for the threads. */
void cpu_conv_work_cut (const CpuStep *step, CpuConvWork *work, gsize least);
/* The pixels of chunk @i of all rows. */
void cpu_conv_work_chunk (
    const CpuConvWork *work, gsize i, gsize *x, gsize *pixels);

/* Memory of thread @thread for a chunk of f16 inputs; or NULL. */
guint16 *cpu_conv_work_f16 (
    const CpuStep *step, const CpuConvNspc *conv, guint thread);

/* --- fill.c --- */

/* Copies the input to scratch with channels last and zero padding. f16:
 * returns the inverse of the scale, *@largest is the largest magnitude. */
float cpu_conv_nspc_fill (
    CpuStep *step, const CpuConvNspc *conv, float *largest);

/* --- tiles.c --- */

/* Computes @units block by block of output channels, whose weights stay in the
 * cache for all @units while those of the next block are prefetched. */
void cpu_conv_nspc_tiles (
    const CpuConvWork *work, const CpuConvUnit *units, guint n);
/* Computes @all of a pointwise convolution, in chunks of work->chunk. */
void cpu_conv_nspc_pixels (CpuConvWork *work, const CpuConvUnit *all);
/* Computes a phase whose rows are set. */
void cpu_conv_nspc_run_tiles (CpuStep *step, CpuConvWork *work);

/* --- parts.c --- */

/* Decides whether it is computed in parts: sets conv->parts. */
void cpu_conv_nspc_plan_parts (CpuConvNspc *conv);
void cpu_conv_nspc_parts_free (CpuConvNspc *conv);
/* Pixels that are side by side in most of the rows that are computed. */
gsize cpu_conv_nspc_row (const CpuConvNspc *conv);
/* Whether the input is copied to scratch. */
gboolean cpu_conv_nspc_fills (const CpuConvNspc *conv);
/* Computes all parts; work->in is the input, or its copy. */
void cpu_conv_nspc_run_parts (CpuStep *step, CpuConvWork *work);

/* --- depthwise.c --- */

/* Rows from @row on, at most @rows, that are computed together: several if all
 * of their taps read data. */
gsize cpu_conv_nspc_depthwise_rows (
    const CpuConvWork *work, gsize row, gsize rows);
/* Computes @pixels of @rows rows from @row and @x on. */
void cpu_conv_nspc_depthwise (
    const CpuConvWork *work, gsize row, gsize rows, gsize x, gsize pixels);
/* Computes a phase whose rows are set. */
void cpu_conv_nspc_run_depthwise (CpuStep *step, CpuConvWork *work);

/* --- bands.c --- */

/* Runs the step with its fused convolutions. */
void cpu_conv_nspc_run_bands (CpuStep *step, const CpuConvNspc *conv);

/* --- window.c --- */

/* Some successive rows of what a fused pointwise convolution makes, from which
 * a depthwise one reads.  Of one thread. */
typedef struct
{
  CpuConvWork work; /* of the pointwise convolution; its `out` is not used */
  float *data;      /* of `rows` rows */
  gsize rows;       /* that there is room for */
  gsize image;      /* of the batch */
  gsize begin, end; /* its rows that are there */
} CpuConvWindow;

/* Rows that there should be room for if @depthwise reads them, which makes
 * *@band rows at a time, or fewer where it has to be; 0: it does not pay. */
gsize cpu_conv_window_rows (const CpuConvNspc *depthwise, gsize *band);

/* Rows [*@begin, *@end) of its input that @depthwise reads for its rows
 * [@first, @last) of an image; none: *@begin == *@end. */
void cpu_conv_window_range (const CpuConvNspc *depthwise, gsize first,
    gsize last, gsize *begin, gsize *end);

/* Computes what is missing of rows [@begin, @end) of image @image.  Rows before
 * @begin are not kept. */
void cpu_conv_window_fill (
    CpuConvWindow *window, gsize image, gsize begin, gsize end);
