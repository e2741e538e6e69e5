/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Discrete Fourier transforms of any length, in double: mixed radix for small
 * prime factors, Bluestein's algorithm for lengths with a large one. */

#pragma once

#include <glib.h>

typedef struct
{
  double re, im;
} CpuComplex;

typedef struct _CpuFft CpuFft;

/* @n >= 1.  NULL where memory is short. */
CpuFft *cpu_fft_new (gsize n);
void cpu_fft_free (CpuFft *fft);
gsize cpu_fft_length (const CpuFft *fft);

/* In place; uses memory of its own, so one thread at a time.  The inverse is
 * divided by n. */
void cpu_fft_run (CpuFft *fft, CpuComplex *data, gboolean inverse);

/* Transforms by length, made on first use. */
typedef struct
{
  GPtrArray *all; /* (element-type CpuFft) */
} CpuFftCache;

CpuFft *cpu_fft_cache_get (CpuFftCache *cache, gsize n);
void cpu_fft_cache_clear (CpuFftCache *cache);
