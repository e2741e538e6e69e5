/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the files of this folder: a transform as it is prepared and run. */

#pragma once

#include "cpu/gemm/fourier/fourier.h"

/* Columns of the second transform that are computed at a time, of as many
 * frames as fit. */
#define CPU_FOURIER_COLUMNS 64
/* Each weight may be wrong by that much of its row's size: no more than
 * what the sum of rounded products is wrong by anyway.  Even where products of
 * halves are allowed: errors of angles mix strong bins into weak ones. */
#define CPU_FOURIER_TOLERANCE 0x1p-22

/* Second transforms of all frames that one product leaves to others.  Each
 * product may be prepared anew without the others: nothing is taken that was
 * not left in the same run. */
typedef struct
{
  guint references;
  guint takers, left; /* left: how many may still take it */
  float *results;     /* chunk by chunk */
} CpuFourierKept;

struct _CpuFourier
{
  gsize taps, rows, length;
  CpuFourierPoints a, b;
  gsize kept;     /* columns of the second transform for a frame: a / 2 + 1 */
  gsize half_row; /* between rows of half of the b columns */
  gsize n_runs;
  gsize scratch;                 /* bytes for a thread */
  float *window;                 /* its own, without unknown elements */
  CpuFourierKept *gives, *takes; /* nullable */
  /* in the pack */
  float *known_window; /* NAN: not known */
  float *roots[2];     /* of a and b */
  float *twist;        /* [2 halves][2 parts][kept][half_row] */
  float *scale;        /* [rows], and a vector */
  /* of rows in the results of a frame's second transform, [2
   * parts][b][CPU_FOURIER_COLUMNS] */
  CpuFourierRun *runs;
};

static inline gsize
cpu_fourier_align (gsize floats)
{
  return (floats + CPU_FOURIER_ALIGN - 1) & ~(gsize) (CPU_FOURIER_ALIGN - 1);
}

/* --- scratch of a thread, in floats: a frame, the first transform of a chunk
 * of frames, the second --- */

static inline gsize
cpu_fourier_frame (const CpuFourier *f)
{
  return MAX (cpu_fourier_align (f->length), 2 * f->a.n * f->half_row)
         + 2 * CPU_FOURIER_ALIGN;
}

static inline gsize
cpu_fourier_first (const CpuFourier *f)
{
  return 4 * CPU_FOURIER_COLUMNS * f->half_row;
}

static inline gsize
cpu_fourier_second (const CpuFourier *f)
{
  return 2 * f->b.n * CPU_FOURIER_COLUMNS + CPU_FOURIER_ALIGN;
}

/* --- where part @p, real or imaginary, of half @h of the b columns is --- */

/* … in the first transform */
static inline gsize
cpu_fourier_first_part (const CpuFourier *f, guint h, guint p)
{
  return (2 * h + p) * CPU_FOURIER_COLUMNS * f->half_row;
}

/* … in the second, where the columns are rows */
static inline gsize
cpu_fourier_second_part (const CpuFourier *f, guint h, guint p)
{
  return (p * f->b.n + h * f->b.n / 2) * CPU_FOURIER_COLUMNS;
}

/* … in the roots between them */
static inline const float *
cpu_fourier_twist (const CpuFourier *f, guint h, guint p)
{
  return f->twist + (2 * h + p) * f->kept * f->half_row;
}

/* Frames of a chunk. */
static inline gsize
cpu_fourier_at_a_time (const CpuFourier *f)
{
  return CPU_FOURIER_COLUMNS / f->kept;
}

/* In prepare: sets lengths and arrays of @fourier, from a pack of constant
 * in[@input].  FALSE: @matrix, which lies in it, is none, or memory is short.
 */
gboolean cpu_fourier_pack (CpuStep *step, guint input,
    const CpuFourierMatrix *matrix, CpuFourier *fourier);
