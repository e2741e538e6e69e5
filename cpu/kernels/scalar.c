/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/scalar.h"

#include <math.h>

/* Newton's method from Winitzki's approximation. */
static double
inverse_erf (double x)
{
  double l, t, y;

  if (!(fabs (x) < 1.0))
    return fabs (x) == 1.0 ? copysign (INFINITY, x) : NAN;
  /* S. Winitzki, "A handy approximation for the error function" (2008) */
  l = log1p (-x * x);
  t = 2.0 / (M_PI * 0.147) + l / 2.0;
  y = copysign (sqrt (sqrt (t * t - l / 0.147) - t), x);
  for (int i = 0; i < 4; i++) {
    /* Near 1 the difference of small terms avoids cancellation. */
    double e = x > 0.5    ? (1.0 - x) - erfc (y)
               : x < -0.5 ? erfc (-y) - (1.0 + x)
                          : erf (y) - x;

    y -= e / (2.0 / sqrt (M_PI) * exp (-y * y));
  }
  return y;
}

static double
clamp (double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

static double
softplus (double x)
{
  return (x > 0 ? x : 0) + log1p (exp (-fabs (x)));
}

static double
swish (double x, double a)
{
  double s = 1 / (1 + exp (-a * x));

  return s == 0 ? 0 * x : x * s;
}

static double
trigonometric (CpuUnary what, double x)
{
  switch (what) {
    case CPU_UNARY_SIN:
      return sin (x);
    case CPU_UNARY_COS:
      return cos (x);
    case CPU_UNARY_TAN:
      return tan (x);
    case CPU_UNARY_ASIN:
      return asin (x);
    case CPU_UNARY_ACOS:
      return acos (x);
    case CPU_UNARY_ATAN:
      return atan (x);
    case CPU_UNARY_SINH:
      return sinh (x);
    case CPU_UNARY_COSH:
      return cosh (x);
    case CPU_UNARY_ASINH:
      return asinh (x);
    case CPU_UNARY_ACOSH:
      return acosh (x);
    case CPU_UNARY_ATANH:
      return atanh (x);
    default:
      return inverse_erf (x);
  }
}

static double
activation (CpuUnary what, double x, double a, double b)
{
  switch (what) {
    case CPU_UNARY_TANH:
      return tanh (x);
    case CPU_UNARY_SIGMOID:
      return 1 / (1 + exp (-x));
    case CPU_UNARY_ERF:
      return erf (x);
    case CPU_UNARY_SWISH:
      return swish (x, a);
    case CPU_UNARY_HSIGMOID:
      return clamp (x + 3, 0, 6) / 6;
    case CPU_UNARY_HSWISH:
      return x * clamp (x + 3, 0, 6) / 6;
    case CPU_UNARY_HARD_SIGMOID:
      return clamp (a * x + b, 0, 1);
    case CPU_UNARY_GELU_ERF:
      /* Infinities give NaN, as they do in OpenVINO. */
      return 0.5 * x * (1 + erf (x / M_SQRT2)) + (x - x);
    case CPU_UNARY_GELU_TANH:
      return 0.5 * x
             * (1 + tanh (0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case CPU_UNARY_MISH:
      return x * tanh (softplus (x));
    case CPU_UNARY_ELU:
      return x < 0 ? a * expm1 (x) : x;
    case CPU_UNARY_SELU:
      return b * (x < 0 ? a * expm1 (x) : x);
    case CPU_UNARY_SOFTPLUS:
      return softplus (x);
    case CPU_UNARY_SOFTSIGN:
      return x / (1 + fabs (x));
    default:
      return trigonometric (what, x);
  }
}

double
cpu_unary_scalar (CpuUnary what, double x, double a, double b)
{
  switch (what) {
    case CPU_UNARY_COPY:
      return x;
    case CPU_UNARY_ABS:
      return fabs (x);
    case CPU_UNARY_NEG:
      return -x;
    case CPU_UNARY_SIGN:
      return x > 0 ? 1 : x < 0 ? -1 : x;
    case CPU_UNARY_FLOOR:
      return floor (x);
    case CPU_UNARY_CEIL:
      return ceil (x);
    case CPU_UNARY_RINT:
      return rint (x);
    case CPU_UNARY_ROUND:
      return round (x);
    case CPU_UNARY_SQRT:
      return sqrt (x);
    case CPU_UNARY_SQUARE:
      return x * x;
    case CPU_UNARY_RECIPROCAL:
      return 1 / x;
    case CPU_UNARY_AFFINE:
      return a * x + b;
    case CPU_UNARY_RELU:
      return x < 0 ? 0 : x;
    case CPU_UNARY_LEAKY:
      return x < 0 ? a * x : x;
    case CPU_UNARY_CLAMP:
      return clamp (x, a, b);
    case CPU_UNARY_EXP:
      return exp (x);
    case CPU_UNARY_LOG:
      return log (x);
    default:
      return activation (what, x, a, b);
  }
}

double
cpu_binary_scalar (CpuBinary what, double a, double b)
{
  double r;

  switch (what) {
    case CPU_BINARY_ADD:
      return a + b;
    case CPU_BINARY_SUB:
      return a - b;
    case CPU_BINARY_MUL:
      return a * b;
    case CPU_BINARY_DIV:
      return a / b;
    case CPU_BINARY_MAX:
      return isnan (a) || a > b ? a : b;
    case CPU_BINARY_MIN:
      return isnan (a) || a < b ? a : b;
    case CPU_BINARY_SQUARED_DIFFERENCE:
      return (a - b) * (a - b);
    case CPU_BINARY_POW:
      return pow (a, b);
    case CPU_BINARY_MOD:
      return fmod (a, b);
    case CPU_BINARY_FLOOR_MOD:
      r = fmod (a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    case CPU_BINARY_PRELU:
      return a < 0 ? a * b : a;
  }
  return NAN;
}
