/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/f16-gemm.h"

#include "cpu/base/scope.h"
#include "inference/base/small-float.h"

#include <math.h>

gboolean
cpu_f16_wanted (const CpuStep *step, guint input)
{
  return (step->isa & CPU_ISA_FP16) && step->in[input]->constant
         && cpu_scope_precision (step->scope) == INFER_PRECISION_F16;
}

/* Larger exponents: the factor or its inverse is not a normal float. */
#define MOST_SHIFT 120

/* Below this largest magnitude, f16 would lose precision to subnormals. */
#define LEAST_LARGEST 0.00390625f

gboolean
cpu_f16_fits (float largest, float *scale, float *back)
{
  int exponent = 0, top = 0;

  *scale = *back = 1;
  if (largest == 0 || (largest >= LEAST_LARGEST && largest < CPU_F16_LARGEST))
    return TRUE;
  (void) frexpf (CPU_F16_LARGEST, &top);
  (void) frexpf (largest, &exponent);
  exponent = CLAMP (top - 1 - exponent, -MOST_SHIFT, MOST_SHIFT);
  *back = ldexpf (1, -exponent);
  *scale = ldexpf (1, exponent);
  return FALSE;
}

float
cpu_f16_scale (float bound, float *back)
{
  int exponent = 0, top = 0;

  if (isfinite (bound) && bound > 0) {
    (void) frexpf (CPU_F16_LARGEST, &top);
    (void) frexpf (bound, &exponent);
    exponent = CLAMP (top - 1 - exponent, -MOST_SHIFT, MOST_SHIFT);
  }
  *back = ldexpf (1, -exponent);
  return ldexpf (1, exponent);
}

float
cpu_f16_fill (
    const CpuKernels *kernels, guint16 *to, const float *from, gsize n)
{
  float scale, back;

  if (!cpu_f16_fits (kernels->scale_f16 (to, from, n, 1), &scale, &back))
    kernels->scale_f16 (to, from, n, scale);
  return back;
}

float
cpu_f16_column_scale (const float *from, gsize rows, gsize width, float *back)
{
  float largest = 0;
  int exponent = 0;

  for (gsize i = 0; i < rows; i++)
    if (isfinite (from[i * width]))
      largest = MAX (largest, fabsf (from[i * width]));
  if (largest > 0)
    (void) frexpf (largest, &exponent);
  exponent = CLAMP (exponent, -MOST_SHIFT, MOST_SHIFT);
  *back = ldexpf (1, exponent);
  return ldexpf (1, -exponent);
}

guint16 *
cpu_f16_pack (guint16 *to, float *scales, const float *from, gsize rows,
    gsize length, gsize width)
{
  g_autofree float *factors = g_new (float, width);
  g_autofree float *pair = g_new (float, 2 * width);

  for (gsize c = 0; c < width; c++)
    factors[c] = cpu_f16_column_scale (from + c, rows, width, &scales[c]);
  for (gsize s = 0; s < rows; s += length)
    for (gsize i = s; i < s + length; i += 2) {
      for (gsize c = 0; c < width; c++) {
        float *two = pair + 2 * cpu_f16_lane (c, width / CPU_F16_LANES);

        two[0] = from[i * width + c] * factors[c];
        two[1] =
            i + 1 < s + length ? from[(i + 1) * width + c] * factors[c] : 0;
      }
      infer_f32_to_f16_n (to, pair, 2 * width);
      to += 2 * width;
    }
  return to;
}
