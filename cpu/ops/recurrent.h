/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recurrent cells and sequences: geometry and the reference. */

#pragma once

#include "cpu/base/step.h"
#include "inference/graph/ops/recurrent.h"

/* Cells are sequences of one step and one direction. */
typedef struct
{
  const InferRecurrent *attrs;
  gsize batch, time, input, hidden, directions;
  guint gates, biases; /* gates of W and R; of B */
  guint w;             /* index of input W */
} CpuRecurrentDims;

/* Operands, all of one type; nullable: c, b, p, y, co, lengths. */
typedef struct
{
  gconstpointer x, h, c, w, r, b, p;
  gpointer y, ho, co;    /* y: all steps; NULL for a cell */
  const gint64 *lengths; /* NULL: all sequences have `time` steps */
} CpuRecurrentData;

/* The time step of sequence @b in iteration @i: direction 1 and "reverse" run
 * backwards from the sequence's end. */
static inline gsize
cpu_recurrent_time (
    const CpuRecurrentDims *dims, guint direction, gsize length, gsize i)
{
  return direction == 1 || dims->attrs->direction == INFER_DIRECTION_REVERSE
             ? length - 1 - i
             : i;
}

/* Working memory of the reference, in doubles. */
gsize cpu_recurrent_ref_size (const CpuRecurrentDims *dims);

/* Runs the reference, in double. */
void cpu_recurrent_ref (const CpuStep *step, const CpuRecurrentDims *dims,
    const CpuRecurrentData *data, double *scratch);

/* GRU with linear_before_reset and at most CPU_GEMM_PANEL units, in f32. */
typedef struct
{
  /* The gates' sums over the input, a panel for each gate: [direction, batch,
   * time, gate]. */
  const float *x;
  const float *r[2], *bias[2]; /* of a direction, as in CpuGruSteps */
  float *state;                /* working memory: a panel for each sequence */
} CpuRecurrentFew;

/* Runs all steps after the products with the input. */
void cpu_recurrent_run_few (const CpuStep *step, const CpuRecurrentDims *dims,
    const CpuRecurrentData *data, const CpuRecurrentFew *few);
