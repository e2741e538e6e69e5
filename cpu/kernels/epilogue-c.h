/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The epilogue of one value: the reference for epilogue-vec.h. */

#pragma once

#include <math.h>

#include "cpu/kernels/epilogue.h"

static inline float
epilogue_clamp_c (float v, float lo, float hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

/* @c: the channel. */
static inline float
epilogue_act_c (const CpuAct *act, float v, size_t c)
{
  switch (act->kind) {
    case CPU_ACT_NONE:
      break;
    case CPU_ACT_RELU:
      return v < 0 ? 0 : v;
    case CPU_ACT_LEAKY_RELU:
      return v < 0 ? act->alpha * v : v;
    case CPU_ACT_PRELU:
      return v < 0 ? act->slopes[c] * v : v;
    case CPU_ACT_CLAMP:
      return epilogue_clamp_c (v, act->alpha, act->beta);
    case CPU_ACT_SIGMOID:
      return 1 / (1 + expf (-v));
    case CPU_ACT_TANH:
      return tanhf (v);
    case CPU_ACT_HSWISH:
      return v * epilogue_clamp_c (v + 3, 0, 6) * (1.0f / 6);
    case CPU_ACT_HARD_SIGMOID:
      return epilogue_clamp_c (act->alpha * v + act->beta, 0, 1);
    case CPU_ACT_SWISH:
      return v / (1 + expf (-act->alpha * v));
    case CPU_ACT_ELU:
      return v < 0 ? act->alpha * expm1f (v) : v;
    case CPU_ACT_GELU_ERF:
      return 0.5f * v * (1 + erff (v * 0.70710678f));
    case CPU_ACT_GELU_TANH:
      return 0.5f * v * (1 + tanhf (0.79788456f * (v + 0.044715f * v * v * v)));
    case CPU_ACT_ABS:
      return fabsf (v);
    case CPU_ACT_SQUARE:
      return v * v;
    case CPU_ACT_HSWISH_AFFINE:
      return v * epilogue_clamp_c (v + 3, 0, 6) * (1.0f / 6) * act->alpha
             + act->beta;
  }
  return v;
}

/* @c: the channel, @i: index into the residual. */
static inline float
epilogue_c (const CpuEpilogue *epilogue, float v, size_t c, size_t i)
{
  if (epilogue->scale)
    v *= epilogue->scale[c];
  if (epilogue->bias)
    v += epilogue->bias[c];
  v = epilogue_act_c (&epilogue->act, v, c);
  if (epilogue->residual)
    v = epilogue_act_c (&epilogue->last_act, v + epilogue->residual[i], c);
  return v;
}

/* Pixel @p and channel @c of a tile, whose residual has its own pixel step and
 * @residual_channels. */
static inline float
epilogue_tile_c (const CpuEpilogue *epilogue, size_t residual_step,
    size_t residual_channels, float v, size_t p, size_t c)
{
  static const float zero = 0;
  CpuEpilogue e = *epilogue;
  size_t at = p * residual_step + c;

  if (e.residual != NULL && c >= residual_channels) {
    e.residual = &zero;
    at = 0;
  }
  return epilogue_c (&e, v, c, at);
}
