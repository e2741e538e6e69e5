/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps that multiply in f16 or bf16 (kernels/f16-gemm.h): when they may,
 * packed weights, scaled inputs. */

#pragma once

#include "cpu/base/step.h"

/* In prepare: whether products with constant in[@input] use f16: the
 * configuration allows it and the machine has f16 arithmetic. */
gboolean cpu_f16_wanted (const CpuStep *step, guint input);

/* The same for bf16, of @rows of inputs at a time.  Where both may be used,
 * bf16 is for tiles (AMX), and for machines without f16 arithmetic; where only
 * speed counts, it must be faster than f32, or reading weights what takes the
 * time. */
gboolean cpu_bf16_wanted (const CpuStep *step, guint input, gsize rows);
/* How many products of bf16 take the time of one of f32, in products of @rows
 * of inputs: AMX has tiles from a few rows on; 0: it is not there. */
double cpu_bf16_speed (const CpuStep *step, gsize rows);
/* Whether products of changing operands, packed in each run, use bf16. */
gboolean cpu_bf16_products_wanted (const CpuStep *step);

/* Whether values between convolutions are stored as bf16 rather than f16. */
gboolean cpu_bf16_is_stored (const CpuScope *scope);

/* Converts @n floats to f16 with one common scale.  Returns its inverse. */
float cpu_f16_fill (
    const CpuKernels *kernels, guint16 *to, const float *from, gsize n);

/* Whether floats with the largest magnitude @largest need no scale in f16; else
 * *@scale is the power of two to multiply them by.  *@back: its inverse. */
gboolean cpu_f16_fits (float largest, float *scale, float *back);

/* The power of two that brings magnitudes up to @bound into the range of f16;
 * *@back: its inverse. */
float cpu_f16_scale (float bound, float *back);
/* The power of two that makes @rows numbers, @step apart, at most 1; *@back:
 * its inverse. */
float cpu_f16_column_scale (
    const float *from, gsize rows, gsize step, float *back);

/* bf16: its exponents are those of floats, so that nothing is scaled.
 * cpu_f16_pack, all scales being 1. */
guint16 *cpu_bf16_pack (guint16 *to, float *scales, const float *from,
    gsize rows, gsize length, gsize width);

/* The columns of a block of weights, [@rows][@width] floats of which @length
 * rows at a time are a segment, as CpuConvTileF16 wants them, and their
 * scales.  Returns the end of what was written. */
guint16 *cpu_f16_pack (guint16 *to, float *scales, const float *from,
    gsize rows, gsize length, gsize width);

/* --- matrix products --- */

/* c[i, j] = epilogue (sum over k of a[i, k] * b[k, j]); strides in elements.
 * Channels of the epilogue are columns, its residual lies as c does.  Several
 * matrices b of @n columns, one after the other, make as many times the
 * columns. */
typedef struct
{
  gsize m, n, k, matrices;
  gboolean bf16;
  const float *a;
  const guint16 *a_bf16; /* instead, with bf16; else NULL */
  gsize a_row;
  gconstpointer b; /* cpu_f16_pack_matrix */
  float *c;
  guint16 *c_bf16; /* instead, with bf16; else NULL */
  gsize c_row;
  CpuEpilogue epilogue;
  gpointer scratch; /* cpu_f16_scratch bytes */
} CpuF16Product;

gsize cpu_f16_scratch (gsize m, gsize k, gboolean bf16);
/* On the step's threads where it is large. */
void cpu_f16_product (CpuStep *step, const CpuF16Product *product);

/* Bytes of a packed matrix; G_MAXSIZE where there is not so much memory. */
gsize cpu_f16_matrix_size (gsize k, gsize n, gboolean bf16);
/* Element (i, j) is b[i * k_stride + j * n_stride].  FALSE: memory is short. */
gboolean cpu_f16_pack_matrix (gpointer to, const float *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride, gboolean bf16);
