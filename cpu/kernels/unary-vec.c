/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

/* The tail goes through the same vector code, so that a result does not depend
 * on where in a tensor its element lies. */
#define LOOP(expression)                                                       \
  do {                                                                         \
    size_t i = 0;                                                              \
    for (; i + VF_N <= n; i += VF_N) {                                         \
      vf x = vf_load (src + i);                                                \
      vf_store (dst + i, expression);                                          \
    }                                                                          \
    if (i < n) {                                                               \
      vf x = vf_load_tail (src + i, n - i);                                    \
      vf_store_tail (dst + i, expression, n - i);                              \
    }                                                                          \
  } while (0)

static inline vf
clamp (vf x, vf low, vf high)
{
  x = vf_select (x < low, low, x);
  return vf_select (x > high, high, x);
}

static inline vf
sign (vf x)
{
  return vf_select (
      x != 0.0f, vf_select (x != x, x, vf_copysign (vf_set (1.0f), x)), x);
}

/* Avoids exp (-inf) * -inf: x sigmoid (x) tends to 0. */
static inline vf
swish (vf x, vf a)
{
  vf s = vf_sigmoid (a * x);

  return vf_select (s == 0.0f, vf_select (x == x, x - x, x), x * s);
}

/* Infinities give NaN, as they do in OpenVINO. */
static inline vf
gelu_erf (vf x)
{
  return vf_gelu (x) + (x - x);
}

/* tanh (log (1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2) */
static inline vf
mish (vf x)
{
  vf e = vf_exp (vf_select (x > 20.0f, vf_set (20.0f), x));
  vf n = e * (e + 2.0f);

  return x * (n / (n + 2.0f));
}

static inline vf
elu (vf x, vf a)
{
  return vf_select (x < 0.0f, a * vf_expm1 (x), x);
}

static void
square_roots (float *dst, const float *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = __builtin_sqrtf (src[i]);
}

static void
simple (CpuUnary what, float *dst, const float *src, size_t n, float a, float b)
{
  const vf va = vf_set (a), vb = vf_set (b), zero = vf_set (0.0f);

  switch (what) {
    case CPU_UNARY_ABS:
      LOOP (vf_abs (x));
      break;
    case CPU_UNARY_NEG:
      LOOP (-x);
      break;
    case CPU_UNARY_SIGN:
      LOOP (sign (x));
      break;
    case CPU_UNARY_FLOOR:
      LOOP (vf_floor (x));
      break;
    case CPU_UNARY_CEIL:
      LOOP (vf_ceil (x));
      break;
    case CPU_UNARY_RINT:
      LOOP (vf_rint (x));
      break;
    case CPU_UNARY_ROUND:
      LOOP (vf_round (x));
      break;
    case CPU_UNARY_SQUARE:
      LOOP (x * x);
      break;
    case CPU_UNARY_RECIPROCAL:
      LOOP (1.0f / x);
      break;
    case CPU_UNARY_AFFINE:
      LOOP (x * va + vb);
      break;
    case CPU_UNARY_RELU:
      LOOP (vf_select (x < zero, zero, x));
      break;
    case CPU_UNARY_LEAKY:
      LOOP (vf_select (x < zero, x * va, x));
      break;
    case CPU_UNARY_CLAMP:
      LOOP (clamp (x, va, vb));
      break;
    case CPU_UNARY_HSIGMOID:
      LOOP (clamp (x + 3.0f, zero, vf_set (6.0f)) * (1.0f / 6.0f));
      break;
    case CPU_UNARY_HSWISH:
      LOOP (x * (clamp (x + 3.0f, zero, vf_set (6.0f)) * (1.0f / 6.0f)));
      break;
    case CPU_UNARY_HARD_SIGMOID:
      LOOP (clamp (x * va + vb, zero, vf_set (1.0f)));
      break;
    case CPU_UNARY_SOFTSIGN:
      LOOP (x / (vf_abs (x) + 1.0f));
      break;
    default:
      break;
  }
}

void
CPU_KERNEL (unary_f32) (
    CpuUnary what, float *dst, const float *src, size_t n, float a, float b)
{
  const vf va = vf_set (a), vb = vf_set (b);

  switch (what) {
    case CPU_UNARY_COPY:
      memmove (dst, src, n * sizeof *dst);
      break;
    case CPU_UNARY_SQRT:
      square_roots (dst, src, n);
      break;
    case CPU_UNARY_EXP:
      LOOP (vf_exp (x));
      break;
    case CPU_UNARY_LOG:
      LOOP (vf_log (x));
      break;
    case CPU_UNARY_TANH:
      LOOP (vf_tanh (x));
      break;
    case CPU_UNARY_SIGMOID:
      LOOP (vf_sigmoid (x));
      break;
    case CPU_UNARY_ERF:
      LOOP (vf_erf (x));
      break;
    case CPU_UNARY_SWISH:
      LOOP (swish (x, va));
      break;
    case CPU_UNARY_GELU_ERF:
      LOOP (gelu_erf (x));
      break;
    case CPU_UNARY_GELU_TANH:
      LOOP (vf_gelu_tanh (x));
      break;
    case CPU_UNARY_MISH:
      LOOP (mish (x));
      break;
    case CPU_UNARY_ELU:
      LOOP (elu (x, va));
      break;
    case CPU_UNARY_SELU:
      LOOP (vb * elu (x, va));
      break;
    case CPU_UNARY_SOFTPLUS:
      LOOP (vf_softplus (x));
      break;
    case CPU_UNARY_SIN:
    case CPU_UNARY_COS:
    case CPU_UNARY_TAN:
    case CPU_UNARY_ASIN:
    case CPU_UNARY_ACOS:
    case CPU_UNARY_ATAN:
    case CPU_UNARY_SINH:
    case CPU_UNARY_COSH:
    case CPU_UNARY_ASINH:
    case CPU_UNARY_ACOSH:
    case CPU_UNARY_ATANH:
    case CPU_UNARY_ERFINV:
      cpu_unary_f32_c (what, dst, src, n, a, b);
      break;
    default:
      simple (what, dst, src, n, a, b);
      break;
  }
}
