/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The epilogue on vectors, inlined into the kernels that store results. */

#pragma once

#include "cpu/kernels/epilogue.h"
#include "cpu/kernels/vec-math.h"

/* NaN stays NaN. */
static inline vf
epilogue_clamp (vf v, float lo, float hi)
{
  return vf_min (vf_set (hi), vf_max (vf_set (lo), v));
}

static inline vf
epilogue_negative (vf v, vf slope)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_mask_mul_ps ((__m512) v,
      _mm512_cmp_ps_mask ((__m512) v, _mm512_setzero_ps (), _CMP_LT_OQ),
      (__m512) v, (__m512) slope);
#elif CPU_VEC_BYTES == 32
  /* By the sign bit, without a comparison; -0 becomes -0 times the slope. */
  return (vf) _mm256_blendv_ps ((__m256) v, (__m256) (v * slope), (__m256) v);
#else
  return vf_select (v < 0, v * slope, v);
#endif
}

/* All but PRELU, which needs slopes. */
static inline vf
epilogue_plain (const CpuAct *act, vf v)
{
  switch (act->kind) {
    case CPU_ACT_RELU:
      return vf_max (vf_set (0), v);
    case CPU_ACT_LEAKY_RELU:
      return epilogue_negative (v, vf_set (act->alpha));
    case CPU_ACT_CLAMP:
      return epilogue_clamp (v, act->alpha, act->beta);
    case CPU_ACT_HSWISH:
      return v * epilogue_clamp (v + 3, 0, 6) * (1.0f / 6);
    case CPU_ACT_HSWISH_AFFINE:
      return v * epilogue_clamp (v + 3, 0, 6) * (act->alpha * (1.0f / 6))
             + act->beta;
    case CPU_ACT_HARD_SIGMOID:
      return epilogue_clamp (v * act->alpha + act->beta, 0, 1);
    case CPU_ACT_ABS:
      return vf_abs (v);
    case CPU_ACT_SQUARE:
      return v * v;
    case CPU_ACT_SIGMOID:
      return vf_sigmoid (v);
    case CPU_ACT_TANH:
      return vf_tanh (v);
    case CPU_ACT_SWISH:
      return v * vf_sigmoid (v * act->alpha);
    case CPU_ACT_ELU:
      return vf_select (v < 0, vf_expm1 (v) * act->alpha, v);
    case CPU_ACT_GELU_ERF:
      return vf_gelu (v);
    case CPU_ACT_GELU_TANH:
      return vf_gelu_tanh (v);
    case CPU_ACT_PRELU:
    case CPU_ACT_NONE:
      break;
  }
  return v;
}

/* @slopes: of the @n channels of @v; read for PRELU only. */
static inline vf
epilogue_act (const CpuAct *act, vf v, const float *slopes, size_t n)
{
  if (act->kind == CPU_ACT_PRELU)
    return epilogue_negative (
        v, n == VF_N ? vf_load (slopes) : vf_load_tail (slopes, n));
  return epilogue_plain (act, v);
}
