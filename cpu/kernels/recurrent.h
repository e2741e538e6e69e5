/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recurrent cells after their matrix products, for one sequence.
 *
 * @x and @r hold the gates' sums over the input (with the biases) and over the
 * hidden state, @n of each gate, the gates @stride apart.  Sums are clamped to
 * ±@clip first.  Input and output state may be the same memory.
 *
 * Everything is padded to a multiple of CPU_GEMM_PANEL numbers, which may be
 * read and written like the others. */

#pragma once

#include <stddef.h>

typedef struct
{
  size_t n, stride;
  const float *x, *r;
  float clip; /* INFINITY: none */
} CpuGates;

/* Steps of one sequence of LSTM of @n units, a multiple of CPU_GEMM_PANEL.
 *
 * @x: the sums of the gates f i c o over the input, with the biases, of the
 * first step, @n of each; @x_step from one step to the next, in floats, maybe
 * negative.  @r: the weights of the state,
 * [gate][panel of units][k][CPU_GEMM_PANEL].  @state, @cell: before and after.
 * @y: @n states after the first step, @y_step from one to the next.  @scratch:
 * CPU_LSTM_SCRATCH floats for each unit. */
typedef struct
{
  size_t n, steps;
  const float *x, *r;
  float *state, *cell, *y, *scratch;
  ptrdiff_t x_step, y_step;
  float clip; /* INFINITY: none */
} CpuLstmSteps;

#define CPU_LSTM_SCRATCH 9

/* Units that are read together. */
#define CPU_GRU_LANES 8

/* Steps of one sequence of GRU with linear_before_reset, whose state of @n
 * units, 1 to CPU_GEMM_PANEL, fills at most a panel.
 *
 * @x: the sums of the gates over the input, with the biases, of the first step,
 * the gates @gate apart, @n rounded up to CPU_GRU_LANES or more; @x_step from
 * one step to the next, in floats, maybe negative.  @r: the weights of the
 * state, [gate][k][CPU_GEMM_PANEL].  @bias: added to the sums over the state,
 * the gates as in @x.  @state: a panel, of which the first @n are read, and all
 * may be written.  @y: @n states after the first step, @y_step from one step to
 * the next. */
typedef struct
{
  size_t n, steps, gate;
  const float *x, *r, *bias;
  float *state, *y;
  ptrdiff_t x_step, y_step;
  float clip; /* INFINITY: none */
} CpuGruSteps;
