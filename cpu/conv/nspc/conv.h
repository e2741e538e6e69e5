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

typedef struct
{
  gsize taps, count; /* may be 0: no input contributes to these outputs */
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
  /* Elements of a filter: all, those before the first segment, and from one
   * segment to the next. */
  gsize elements, first, element_step;
  gsize weights_at; /* offset in the packed weights, in floats */
} CpuConvPhase;

typedef struct _CpuConvNspc
{
  CpuConvGeometry g;
  /* Transposed: outputs side by side that are treated as channels of one
   * output, in g and the epilogue too, and how many rows they lie in; else 1.
   */
  gsize fold, fold_rows;
  gboolean depthwise;
  gboolean uses_f16; /* f16 or bf16 products: f16-gemm.c */
  gboolean bf16;     /* if so, they are of bf16 */
  /* Elements of a pixel in a vector, for conv_dots_f32, if output channels are
   * too few to fill one; else 1. */
  gsize dot;
  gboolean stores_f16; /* the output is stored as f16 or bf16: f16-storage.c */
  gsize repeat;        /* depthwise: columns treated as one pixel; else 1 */
  gboolean flat;       /* one tap, no padding: all pixels are one row */
  gboolean plain;      /* data and output are in CPU_LAYOUT_PLAIN */
  gsize lo[3],
      padded[3]; /* size of the padded input; lo: padding before the data */
  gboolean pad;  /* the input is padded in scratch */
  struct _CpuConvParts *parts; /* of parts.c; nullable */
  guint n_phases;
  CpuConvPhase *phases;
  gsize lanes;
  gsize fours, threes; /* first blocks, of four and of three vectors */
  const float *scale;  /* of output channels, in the packed weights; nullable */
  gsize packed;        /* floats of packed weights */
  gconstpointer weights; /* packed; NULL: filters are not constant */
  /* f16 only: |out| ≤ gain · max|in| + shift; used to choose the scale. */
  float gain, shift;
  /* Depthwise with f16 input: scales and filters. */
  const float *f16_scales;
  const guint16 *f16_weights;
  /* Depthwise with bf16 input: filters, [rows of taps][pairs][channels][2];
   * nullable. */
  const guint16 *pairs;
  /* Scratch for f16: inputs of a chunk for each thread; or the largest
   * magnitude of each row, and a row for each thread. */
  gsize f16_at, f16_elements;
  gsize fill_at, out_at, residual_at, weights_at, scratch; /* bytes */
  gsize largest_at; /* largest result of each thread */
  gboolean has_largest;
  CpuEpilogue epilogue;
  CpuAct output_act; /* applied to the complete output: channels are too few to
                  fill vectors */
  const CpuValue *residual; /* nullable */
  gsize residual_channels;  /* the last channels may have no residual */
  gpointer owned;           /* arrays of the epilogue */
  /* A fused depthwise convolution, or of a depthwise one the pointwise one
   * before it: some of its rows at a time are computed just before this one
   * reads them from the cache. */
  const struct _CpuConvNspc *fused; /* nullable; the step that it belongs to: */
  CpuStep *fused_step;
  /* Rows that the depthwise convolution writes at a time: how many, floats of a
   * thread's copy, offset of all copies in scratch memory. */
  gsize band, band_floats, band_at;
  /* The same of rows that it reads. */
  gsize window, window_floats, window_at;
} CpuConvNspc;

void cpu_conv_nspc_run (CpuStep *step, const CpuConvNspc *conv);

/* Pixels computed at a time, a multiple of the kernel's largest tile: their
 * inputs stay in the first-level cache while weights are streamed. */
gsize cpu_conv_nspc_chunk (const CpuConvNspc *conv, const CpuConvPhase *phase);

/* The name of the kernel that computes it. */
const char *cpu_conv_nspc_kernel (const CpuConvNspc *conv);

/* Finds the unary operation for an expensive activation; FALSE: @act is cheap.
 */
gboolean cpu_conv_nspc_expensive_act (const CpuAct *act, CpuUnary *unary);

/* --- within --- */

/* Reserves scratch of the step; returns its offset in bytes. */
gsize cpu_conv_nspc_reserve (CpuConvNspc *conv, gsize floats);

/* --- within: phases.c --- */

/* Plans the phases, the padding that they read, their segments, and `flat`; all
 * else but weights and scratch is planned.  FALSE: the padded input is too
 * large, there are too many phases, or memory is short. */
gboolean cpu_conv_nspc_plan_phases (CpuConvNspc *conv);

/* --- within: blocks.c --- */

/* Sets `fours` and `threes`, by the number of pixels that are side by side.
 * Sums do not depend on @threads. */
void cpu_conv_nspc_plan_blocks (CpuConvNspc *conv, guint threads);
/* What a row of @pixels takes, for comparison; 0 where vectors do not have 256
 * bits. */
double cpu_conv_nspc_row_cost (const CpuConvNspc *conv, gsize pixels);

/* --- within: pack.c --- */

/* FALSE: memory is short. */
gboolean cpu_conv_nspc_prepare_weights (CpuStep *step, CpuConvNspc *conv);
void cpu_conv_nspc_pack (const CpuKernels *kernels, const CpuConvNspc *conv,
    const CpuLooseFloat *filters, float *to);

/* Fills in all that packed weights depend on besides the constant; returns the
 * number of parameters. */
guint cpu_conv_nspc_pack_params (const CpuConvNspc *conv, gint64 params[16]);

/* --- within: f16-gemm.c --- */

/* Computes some pixels of a row, group by group. */
typedef struct
{
  const CpuKernels *kernels;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  gconstpointer in; /* flat: dense floats, else f16 or bf16 */
  float back;       /* inverse of the f16 scale */
  /* Flat: memory for inputs of that type; NULL: `in` has it already. */
  guint16 *f16;
  gboolean is_f16; /* bf16: `in` is f16, to be converted */
  gsize pixels;
  gsize first, last;            /* output channels of a group to compute */
  float *out;                   /* of the first pixel */
  const float *residual;        /* ditto; nullable */
  const guint16 *residual_bf16; /* instead; nullable */
  CpuF16Results results;        /* of the first pixel: used instead of `out` */
} CpuConvF16;

/* Whether 16-bit products of a planned convolution are to be of bf16. */
gboolean cpu_conv_bf16_wants (const CpuStep *step, const CpuConvNspc *conv);
/* Whether a planned convolution, with no weights packed yet, is to use f16 or
 * bf16 products. */
gboolean cpu_conv_f16_wants (const CpuStep *step, const CpuConvNspc *conv);
/* Whether it would use them if its neighbours store f16; then
 * cpu_conv_nspc_become_f16 may be called. */
gboolean cpu_conv_f16_could (const CpuStep *step, const CpuConvNspc *conv);
gboolean cpu_conv_nspc_become_f16 (CpuStep *step, CpuConvNspc *conv);
/* Packs; sets packed, and weights_at in bytes from the beginning. */
gboolean cpu_conv_f16_prepare_weights (CpuStep *step, CpuConvNspc *conv);
void cpu_conv_f16_tiles (const CpuConvF16 *part);

/* --- within: f16-storage.c --- */

/* Upper bound of results for inputs of at most @largest. */
float cpu_conv_nspc_bound (const CpuConvNspc *conv, float largest);

/* How results of at most @bound are stored; resets the largest result of each
 * thread. */
CpuF16Results cpu_conv_nspc_results (
    CpuStep *step, const CpuConvNspc *conv, float bound);
/* The largest result of thread @thread. */
float *cpu_conv_nspc_largest (
    const CpuStep *step, const CpuConvNspc *conv, guint thread);
/* Combines the threads' largest results. */
void cpu_conv_nspc_end_results (
    CpuStep *step, const CpuConvNspc *conv, const CpuF16Results *results);

/* Repeats the epilogue's arrays of @n channels @times.  FALSE: memory is short.
 */
gboolean cpu_conv_nspc_repeat_epilogue (
    CpuConvNspc *conv, gsize n, gsize times);

/* Output channels of a group, rounded up to whole vectors. */
static inline gsize
cpu_conv_nspc_padded_oc (const CpuConvNspc *conv)
{
  if (conv->dot > 1)
    return conv->g.oc;
  return (conv->g.oc + conv->lanes - 1) / conv->lanes * conv->lanes;
}

/* Output channels from @begin on that are computed together: the first blocks
 * have four vectors, others three, all others two, but the last may have one.
 */
static inline gsize
cpu_conv_nspc_block (const CpuConvNspc *conv, gsize begin)
{
  const gsize at = begin / conv->lanes, four = 4 * conv->fours;
  const gsize vectors = cpu_conv_nspc_padded_oc (conv) / conv->lanes - at;

  if (conv->dot > 1)
    return conv->g.oc;
  if (at < four)
    return conv->lanes * 4;
  return conv->lanes * (at < four + 3 * conv->threes ? 3 : MIN (vectors, 2));
}

/* Pixels of the largest tile of @vectors of 256 bits: twelve sums, or eight. */
static inline gsize
cpu_conv_nspc_tile (gsize vectors)
{
  static const gsize pixels[] = { 8, 6, 4, 3 };

  return pixels[vectors - 1];
}

/* Elements of a packed filter: those of a segment fill vectors. */
static inline gsize
cpu_conv_phase_length (const CpuConvNspc *conv, const CpuConvPhase *phase)
{
  return phase->n_segments * ((phase->length + conv->dot - 1) / conv->dot)
         * conv->dot;
}

static inline gsize
cpu_conv_phase_taps (const CpuConvPhase *phase)
{
  return phase->axis[0].taps * phase->axis[1].taps * phase->axis[2].taps;
}
