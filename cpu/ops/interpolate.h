/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ways of interpolating: copying elements, and blending along one axis or two
 * at once. */

#pragma once

#include "cpu/ops/chain.h"
#include "inference/graph/ops/interpolate-table.h"

/* Elements per thread from which on waking it pays. */
#define CPU_INTERPOLATE_GRAIN 16384

/* Elements are copied.  Offsets in bytes by axis, -1 in the padding. */
typedef struct
{
  const InferShape *out;
  const gint64 *const *offsets;
  gboolean whole_rows;   /* the last axis is copied as it is */
  gsize size;            /* bytes of an element */
  const CpuChain *chain; /* nullable; only where rows are dense */
  const guint8 *src;
  guint8 *dst;
  gsize dst_row; /* bytes from one row of the last axis to the next */
} CpuNearest;

/* Rows [begin, end) of all.  Any thread. */
void cpu_nearest_rows (const CpuNearest *nearest, gsize begin, gsize end);

/* Whether prepared @step is an Interpolate that can write rows of @bytes to any
 * place. */
gboolean cpu_interpolate_gives_rows (const CpuStep *step, gsize bytes);

/* Writes rows [begin, end) of its output, the first to @dst.  Any thread. */
void cpu_interpolate_rows_into (
    const CpuStep *step, gsize begin, gsize end, guint8 *dst, gsize dst_row);

/* f32 along two axes at once: rows are stretched when needed and blended while
 * they are in the cache. */
typedef struct
{
  const CpuKernels *kernels;
  const InferInterpolateTable *rows, *columns; /* axes, the outer one first */
  gsize outer, between, inner; /* elements around and between the axes */
  const CpuChain *chain;       /* nullable: chain applied to the result */
  CpuRowFunc done; /* nullable: function applied to rows of the result */
  gpointer data;
  const float *src;
  float *dst;   /* NULL: rows are only given to @done, in memory of @lines */
  float *lines; /* a row for each thread */
  gboolean transposed; /* @done gets transposed parts of rows (op.h) */
  gpointer scratch;
} CpuInterpolateRows;

/* Elements of a row of the result. */
gsize cpu_interpolate_row_size (const CpuInterpolateRows *rows);

/* Whether rows of @table can be computed so: each needs few rows of the input.
 */
gboolean cpu_interpolate_rows_suit (const InferInterpolateTable *table);

/* Bytes of scratch for one thread. */
gsize cpu_interpolate_rows_scratch (const CpuInterpolateRows *rows);

/* On the step's threads. */
void cpu_interpolate_rows_run (CpuStep *step, const CpuInterpolateRows *rows);

/* Along one axis: [outer][in][inner] → [outer][out][inner]. */
typedef struct
{
  const CpuKernels *kernels;
  const InferInterpolateTable *table;
  gsize inner;
  gconstpointer src;
  gpointer dst;
  const CpuChain *chain; /* nullable; of f32 */
} CpuInterpolatePass;

/* Of elements of @type, f32 or f64, on the step's threads. */
void cpu_interpolate_pass_run (
    CpuStep *step, const CpuInterpolatePass *pass, gsize outer, InferType type);
