/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products with a constant matrix that is a Fourier transform: frames of a
 * signal, a window, bins of the spectrum.  They take n log n operations instead
 * of n^2, and round less often.
 *
 * A transform of length a * b is one of a points down b columns, real numbers,
 * then times roots of unity, then one of b points down a columns, of which half
 * are the conjugates of the others and left out. */

#pragma once

#include "cpu/base/step.h"
#include "cpu/gemm/fourier/find.h"

typedef struct _CpuFourier CpuFourier;

/* Element j of frame i is in[i * step + j - padding], zero beyond the signal's
 * @length elements. */
typedef struct
{
  const float *in;
  gsize length, padding, step;
  gsize frames;
  float *out; /* [frames][rows] */
} CpuFourierJob;

/* In prepare: constant in[@input], if @matrix, which lies in it (`data` is
 * ignored), is a transform and that is faster than a product; asks for scratch.
 * NULL: it is not, or memory is short. */
CpuFourier *cpu_fourier_new (
    CpuStep *step, guint input, const CpuFourierMatrix *matrix);
void cpu_fourier_free (CpuFourier *fourier); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CpuFourier, cpu_fourier_free)

/* Bytes of scratch that it has asked for. */
gsize cpu_fourier_scratch (const CpuStep *step, const CpuFourier *fourier);

/* Both are prepared, and run for the same @frames, @earlier first: whether it
 * keeps its results, of which @fourier, of @step, only takes other rows. */
gboolean cpu_fourier_share (
    CpuStep *step, CpuFourier *fourier, CpuFourier *earlier, gsize frames);

/* Elements [*@first, *@last) of a frame that begins at element @start of a
 * signal are within its @length. */
static inline void
cpu_fourier_clip (
    gint64 start, gsize taps, gsize length, gsize *first, gsize *last)
{
  *first = (gsize) CLAMP (-start, 0, (gint64) taps);
  *last =
      (gsize) CLAMP ((gint64) length - start, (gint64) *first, (gint64) taps);
}

/* In run; on the step's threads. */
void cpu_fourier_run (
    CpuStep *step, const CpuFourier *fourier, const CpuFourierJob *job);

/* The product with the transposed matrix: frames of a signal from bins of
 * spectra.  Row i of `in`, @step apart, has a number for each row of the
 * matrix, out is [frames][taps]; `length` and `padding` are ignored. */
void cpu_fourier_run_inverse (
    CpuStep *step, const CpuFourier *fourier, const CpuFourierJob *job);

/* In run: posts, applied to out[0], of @frames times @rows numbers.  @residual:
 * nullable. */
void cpu_fourier_run_epilogue (CpuStep *step, const CpuEpilogue *epilogue,
    const CpuValue *residual, gsize frames, gsize rows);
