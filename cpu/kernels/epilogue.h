/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The epilogue of convolutions and matrix products, applied to each result
 * before it is stored:
 *
 *     v = act (acc * scale[c] + bias[c])
 *     v = last_act (v + residual)          only where there is a residual
 *
 * Plain C types only: kernels take it too. */

#pragma once

#include <stddef.h>

typedef enum
{
  CPU_ACT_NONE,
  CPU_ACT_RELU,
  CPU_ACT_LEAKY_RELU, /* v < 0: alpha * v */
  CPU_ACT_PRELU,      /* v < 0: slopes[c] * v */
  CPU_ACT_CLAMP,      /* to [alpha, beta] */
  CPU_ACT_SIGMOID,
  CPU_ACT_TANH,
  CPU_ACT_HSWISH,       /* v * clamp (v + 3, 0, 6) / 6 */
  CPU_ACT_HARD_SIGMOID, /* clamp (alpha * v + beta, 0, 1) */
  CPU_ACT_SWISH,        /* v * sigmoid (alpha * v) */
  CPU_ACT_ELU,          /* v < 0: alpha * (exp (v) - 1) */
  CPU_ACT_GELU_ERF,
  CPU_ACT_GELU_TANH,
  CPU_ACT_ABS,
  CPU_ACT_SQUARE,
  CPU_ACT_HSWISH_AFFINE, /* alpha * hswish (v) + beta */
} CpuActivation;

typedef struct
{
  CpuActivation kind;
  float alpha, beta;
  const float *slopes; /* per channel, PRELU only */
} CpuAct;

typedef struct
{
  const float *scale; /* per channel; NULL: 1 */
  const float *bias;  /* per channel; NULL: 0 */
  CpuAct act;
  const float *residual; /* shaped as the output; NULL: none */
  CpuAct last_act;
} CpuEpilogue;
