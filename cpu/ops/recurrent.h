/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recurrent cells and sequences: geometry, packed weights, the reference and
 * cells of few units. */

#pragma once

#include "cpu/base/step.h"
#include "cpu/base/widen.h"
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

/* --- recurrent-ref.c --- */

/* Working memory of the reference, in doubles. */
gsize cpu_recurrent_ref_size (const CpuRecurrentDims *dims);

/* Runs the reference, in double. */
void cpu_recurrent_ref (const CpuStep *step, const CpuRecurrentDims *dims,
    const CpuRecurrentData *data, double *scratch);

/* --- recurrent-weights.c --- */

/* The fast version works on gates that are padded to whole panels:
 *
 *   1. the products with W, of all steps at once
 *   2. step by step the products with R, of the whole batch at once
 *   3. the non-linear part, sequence by sequence
 *
 * Weights are packed per gate, so that each gate begins at a panel; those of
 * the input for few units one gate after the other. */
typedef struct
{
  gconstpointer packed; /* NULL: packed when running */
  gboolean half;        /* stored as f16 */
  gboolean products;    /* f16 or bf16 products: cpu/base/f16-gemm.h */
  gboolean bf16;        /* if so, they are of bf16 */
  gboolean integers;    /* integers times a scale: cpu_gemm_integers */
  gsize at;             /* packed when running: offset in floats */
  gsize step;           /* elements of one direction; bytes of products */
} CpuRecurrentWeights;

typedef struct
{
  gboolean plain; /* use the reference */
  gboolean few;   /* units of a GRU, f32 weights: gru_steps_f32 */
  gboolean pairs; /* of LSTM's steps may be computed together: lstm_steps_f32 */
  CpuRecurrentDims dims;
  CpuWiden widen;
  gsize padded; /* hidden, rounded up to whole panels */
  gsize gate;   /* from one gate to the next, in sums over the input */
  gsize row;    /* of all gates there, in whole panels */
  CpuRecurrentWeights w, r, b;
  /* Offsets in floats behind widen's memory. */
  gsize at_x, at_h, at_state, at_cell, at_z, at_lengths, at_f16, at_digits;
  gsize digits_room; /* bytes */
} CpuRecurrent;

/* A GRU whose state fills at most one panel: a kernel runs through all steps.
 */
gboolean cpu_recurrent_has_few_units (const CpuRecurrentDims *dims);

/* Sets gate and row. */
void cpu_recurrent_place_gates (CpuRecurrent *rec);

/* In prepare: packs a constant input once (and sets its bit of @skip); else
 * reserves memory, of *@total bytes, to pack it in each run. */
gboolean cpu_recurrent_place_weights (CpuStep *step, CpuRecurrent *rec,
    guint input, CpuRecurrentWeights *weights, gsize *total, guint32 *skip,
    GError **error);

/* In run: packs weights that are not constant. */
void cpu_recurrent_pack_now (
    const CpuRecurrent *rec, const CpuRecurrentData *data, float *memory);

/* Those of a direction, packed. */
gconstpointer cpu_recurrent_weights_of (
    const CpuRecurrentWeights *weights, const float *memory, gsize direction);

/* --- recurrent-few.c --- */

/* GRU with linear_before_reset and at most CPU_GEMM_PANEL units, in f32. */
typedef struct
{
  /* The gates' sums over the input, [direction, batch, time, @row]; the gates
   * are @gate apart. */
  const float *x;
  gsize row, gate;
  const float *r[2], *bias[2]; /* of a direction, as in CpuGruSteps */
  float *state;                /* working memory: a panel for each sequence */
} CpuRecurrentFew;

/* Runs all steps after the products with the input. */
void cpu_recurrent_run_few (const CpuStep *step, const CpuRecurrentDims *dims,
    const CpuRecurrentData *data, const CpuRecurrentFew *few);
