/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of f32, computed with channels last.
 *
 * An output position q of a *phase* reads, in each dimension, the inputs
 * q * in_step + begin + j * step, j < taps.  A forward convolution is one
 * phase; a transposed one has as many as the product of its strides, each a
 * forward convolution of its own that gives every stride-th output. */

#pragma once

#include "cpu/conv/geometry.h"
#include "cpu/kernels/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  gsize taps, count; /* may be 0: nothing reaches these outputs */
  gint64 first_k,
      k_step; /* tap j is element first_k + j * k_step of a filter */
  gint64 begin, step, in_step;
  gsize out_begin, out_step;
} CpuConvAxis;

typedef struct
{
  CpuConvAxis axis[3];
  gsize *segments; /* offsets in the padded input */
  gsize n_segments, length;
  gsize weights_at; /* floats into the packed weights */
} CpuConvPhase;

typedef struct _CpuConvNspc
{
  CpuConvGeometry g;
  /* Of a transposed one: outputs of a row that are as many channels of one, in
   * g and the epilogue as well; else 1. */
  gsize fold;
  gboolean depthwise;
  gboolean half; /* products of half floats: conv-half.c */
  /* Elements of a pixel in a vector, where output channels are too few to fill
   * one; else 1: what conv_dots_f32 is for. */
  gsize dot;
  gboolean keeps; /* the output is kept as half floats: conv-halves.c */
  gsize repeat;   /* of a depthwise one: columns that are one pixel; else 1 */
  gboolean flat;  /* one tap, no padding: all pixels are one row */
  gboolean plain; /* data and output come in CPU_LAYOUT_PLAIN */
  gsize lo[3], padded[3]; /* the padded input; lo: what is before the data */
  gboolean pad;           /* it is made in scratch */
  guint n_phases;
  CpuConvPhase *phases;
  gsize lanes;
  const float *scale; /* of output channels, in the packed weights; nullable */
  gsize packed;       /* floats of packed weights */
  gconstpointer weights; /* packed; NULL: filters are no constant */
  /* Of one of half floats: no result is larger than this times the largest
   * input, and the largest bias. */
  float gain, shift;
  /* Of a depthwise one whose input is half floats: its scales, filters. */
  const float *half_scales;
  const guint16 *half_weights;
  /* Scratch for half floats: inputs of a chunk, of each thread; or what the
   * largest of each row is, and a row of each thread. */
  gsize half_at, halves;
  gsize fill_at, out_at, residual_at, weights_at, scratch; /* bytes */
  gsize largest_at; /* … for the largest result of each thread */
  CpuEpilogue epilogue;
  CpuAct late; /* done when all is there: too few channels to fill vectors */
  const CpuValue *residual; /* nullable */
  gsize residual_channels;  /* it may lack the last ones */
  gpointer owned;           /* arrays of the epilogue */
  /* A depthwise convolution whose rows are computed, some at a time, just
   * before this reads them: they never leave the cache. */
  const struct _CpuConvNspc *before; /* nullable; of this step: */
  CpuStep *before_step;
  gsize band, band_floats, band_at; /* rows at a time; for a thread; scratch */
} CpuConvNspc;

void cpu_conv_nspc_run (CpuStep *step, const CpuConvNspc *conv);

/* Pixels computed at a time: what they read stays in the first-level cache
 * while the weights of some output channels pass by; a multiple of what the
 * kernel's largest tiles have. */
gsize cpu_conv_nspc_chunk (const CpuConvNspc *conv, const CpuConvPhase *phase);

/* What costs much, as the operation over whole rows; FALSE for the others. */
gboolean cpu_conv_nspc_late_act (const CpuAct *act, CpuUnary *unary);

/* --- within --- */

/* Room in the scratch of the step: where it begins, in bytes. */
gsize cpu_conv_nspc_reserve (CpuConvNspc *conv, gsize floats);

/* --- within: conv-pack.c --- */

/* FALSE: memory is short. */
gboolean cpu_conv_nspc_prepare_weights (CpuStep *step, CpuConvNspc *conv);
void cpu_conv_nspc_pack (
    const CpuConvNspc *conv, const float *filters, float *to);

/* What packed weights depend on besides the constant; returns how many. */
guint cpu_conv_nspc_pack_params (const CpuConvNspc *conv, gint64 params[16]);

/* --- within: conv-half.c --- */

/* Some pixels of a row, one group after the other. */
typedef struct
{
  const CpuKernels *kernels;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  gconstpointer in; /* floats side by side of a flat one, else halves */
  float back;       /* what undoes the scale of halves */
  guint16 *halves;  /* of a flat one: room for them; NULL: they come so */
  gsize pixels;
  gsize first, last;      /* output channels of a group that are computed */
  float *out;             /* of the first pixel */
  const float *residual;  /* ditto; nullable */
  CpuHalfResults results; /* ditto: instead of `out` */
} CpuConvHalf;

/* Whether a convolution that is planned so far, with no weights packed, is
 * to be of half floats. */
gboolean cpu_conv_half_wants (const CpuStep *step, const CpuConvNspc *conv);
/* Whether it would be, if its neighbours were; then it can become so. */
gboolean cpu_conv_half_could (const CpuStep *step, const CpuConvNspc *conv);
gboolean cpu_conv_nspc_become_half (CpuStep *step, CpuConvNspc *conv);
/* Sets packed and weights_at, in bytes from the beginning; packs. */
gboolean cpu_conv_half_prepare_weights (CpuStep *step, CpuConvNspc *conv);
void cpu_conv_half_tiles (const CpuConvHalf *half);

/* --- within: conv-halves.c --- */

/* No result of inputs up to @largest is larger. */
float cpu_conv_nspc_bound (const CpuConvNspc *conv, float largest);

/* What results of at most @bound are to be, the largest of each thread 0. */
CpuHalfResults cpu_conv_nspc_results (
    CpuStep *step, const CpuConvNspc *conv, float bound);
/* … of thread @thread. */
float *cpu_conv_nspc_largest (
    const CpuStep *step, const CpuConvNspc *conv, guint thread);
/* All are there. */
void cpu_conv_nspc_end_results (
    CpuStep *step, const CpuConvNspc *conv, const CpuHalfResults *results);

/* Arrays of the epilogue for @n channels, @times over. */
void cpu_conv_nspc_repeat_epilogue (CpuConvNspc *conv, gsize n, gsize times);

/* Output channels of a group, padded to whole vectors. */
static inline gsize
cpu_conv_nspc_padded_oc (const CpuConvNspc *conv)
{
  if (conv->dot > 1)
    return conv->g.oc;
  return (conv->g.oc + conv->lanes - 1) / conv->lanes * conv->lanes;
}

/* How many of them are computed together from @begin on: two vectors, three
 * where pairs would leave one. */
static inline gsize
cpu_conv_nspc_block (const CpuConvNspc *conv, gsize begin)
{
  gsize vectors = (cpu_conv_nspc_padded_oc (conv) - begin) / conv->lanes;

  if (conv->dot > 1)
    return conv->g.oc;
  return conv->lanes * (vectors % 2 == 1 ? MIN (vectors, 3) : 2);
}

static inline gsize
cpu_conv_phase_taps (const CpuConvPhase *phase)
{
  return phase->axis[0].taps * phase->axis[1].taps * phase->axis[2].taps;
}

G_END_DECLS
