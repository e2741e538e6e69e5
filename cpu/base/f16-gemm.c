/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/f16-gemm.h"

#include "cpu/base/scope.h"
#include "inference/base/small-float.h"
#include "infer/tensor.h"

#include <math.h>
#include <string.h>

gboolean
cpu_f16_wanted (const CpuStep *step, guint input)
{
  const InferPrecision precision = cpu_scope_precision (step->scope);

  return (step->isa & CPU_ISA_FP16) && step->in[input]->constant
         && (precision == INFER_PRECISION_F16
             || precision == INFER_PRECISION_ANY);
}

/* Rows below which a tile of AMX is not worth its bf16, and weights are read
 * rather than multiplied. */
#define LEAST_ROWS 6
/* Products of tiles, measured on a Xeon of the fourth generation. */
#define TILES_SPEED 4

double
cpu_bf16_speed (const CpuStep *step, gsize rows)
{
  if (!(step->isa & CPU_ISA_BF16))
    return 0;
  if ((step->isa & CPU_ISA_AMX) && rows >= LEAST_ROWS)
    return TILES_SPEED;
  const CpuRates *rates = cpu_scope_rates (step->scope);
  return rates->bf16 / rates->f32;
}

/* bf16 in vectors, where neither a hint asks for it nor is there f16. */
static gboolean
is_faster (const CpuStep *step, gsize rows)
{
  return rows < LEAST_ROWS
         || cpu_bf16_speed (step, rows) >= CPU_RATES_LEAST_BF16;
}

gboolean
cpu_bf16_wanted (const CpuStep *step, guint input, gsize rows)
{
  const InferPrecision precision = cpu_scope_precision (step->scope);

  if (!(step->isa & CPU_ISA_BF16) || !step->in[input]->constant)
    return FALSE;
  if (precision == INFER_PRECISION_ANY)
    return step->isa & CPU_ISA_FP16
               ? (step->isa & CPU_ISA_AMX) && rows >= LEAST_ROWS
               : is_faster (step, rows);
  return precision == INFER_PRECISION_BF16;
}

gboolean
cpu_bf16_products_wanted (const CpuStep *step)
{
  const InferPrecision precision = cpu_scope_precision (step->scope);

  if (!(step->isa & CPU_ISA_BF16))
    return FALSE;
  if (precision == INFER_PRECISION_ANY)
    return cpu_bf16_speed (step, LEAST_ROWS) >= CPU_RATES_LEAST_BF16;
  return precision == INFER_PRECISION_BF16;
}

gboolean
cpu_bf16_is_stored (const CpuScope *scope)
{
  const InferPrecision precision = cpu_scope_precision (scope);
  const CpuIsa isa = cpu_scope_isa (scope);

  return (isa & CPU_ISA_BF16) && !(isa & CPU_ISA_FP16)
         && (precision == INFER_PRECISION_ANY
             || precision == INFER_PRECISION_BF16);
}

/* Larger exponents: the factor or its inverse is not a normal float. */
#define MOST_SHIFT 120

/* Columns of a block. */
#define MOST_WIDTH (3 * CPU_F16_LANES)

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
  float factors[MOST_WIDTH], pair[2 * MOST_WIDTH];

  g_assert (width <= MOST_WIDTH);
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

/* Rounds to the nearest even; numbers that are not normal are rare. */
static inline guint16
to_bf16 (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  if ((bits & 0x7f800000) == 0x7f800000)
    return infer_f32_to_bf16 (value);
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

guint16 *
cpu_bf16_pack (guint16 *to, float *scales, const float *from, gsize rows,
    gsize length, gsize width)
{
  const gsize padded = cpu_f16_padded (length);
  const gsize segments = length > 0 ? rows / length : 0;
  const gsize n = cpu_bf16_padded (segments, length) * width;

  for (gsize c = 0; c < width; c++)
    scales[c] = 1;
  memset (to, 0, n * sizeof *to);
  for (gsize s = 0; s < segments; s++)
    for (gsize i = 0; i < length; i++, from += width) {
      guint16 *at = to + (s * padded + i) / 2 * 2 * width + i % 2;

      for (gsize c = 0; c < width; c++)
        at[2 * c] = to_bf16 (from[c]);
    }
  return to + n;
}
