/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that compute in one type whatever real type their values have:
 * inputs are converted to it in the step's scratch memory, outputs from it. */

#pragma once

#include "cpu/base/step.h"

#define CPU_WIDEN_MAX 32

typedef struct
{
  InferType to;
  gsize in[CPU_WIDEN_MAX], out[CPU_WIDEN_MAX]; /* offsets; G_MAXSIZE: as is */
  gsize bytes; /* at the beginning of the scratch memory */
} CpuWiden;

/* In prepare: values of real types other than @to get room, and the step asks
 * for it and for @more bytes after it.  @skip: bit i for an input that is left
 * alone.  FALSE where there is not enough memory in the world. */
gboolean cpu_widen_prepare (CpuWiden *widen, CpuStep *step, InferType to,
    guint32 skip, gsize more, GError **error);

/* In run: the values as @to; what is written to an output is final after
 * cpu_widen_finish. */
gconstpointer cpu_widen_in (
    const CpuWiden *widen, const CpuStep *step, guint i);
gpointer cpu_widen_out (const CpuWiden *widen, const CpuStep *step, guint k);
void cpu_widen_finish (const CpuWiden *widen, const CpuStep *step);

/* The type that a real type is computed in: f64 or f32. */
InferType cpu_widen_type (InferType type);

/* In run: what is behind the values, where there is anything. */
static inline gpointer
cpu_widen_more (const CpuWiden *widen, const CpuStep *step)
{
  return step->scratch ? (char *) step->scratch + widen->bytes : NULL;
}

/* Scratch sizes, kept a multiple of a cache line; G_MAXSIZE once too large. */
gsize cpu_scratch_add (gsize total, gsize count, gsize element);
