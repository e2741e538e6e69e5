/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "cpu/kernels/kernels.h"

/* 2^@exponent */
static float
power (int exponent)
{
  return ldexpf (1, exponent);
}

void
cpu_digits_f32_c (CpuDigits *to, const float *src, size_t n)
{
  const size_t plane = (n + 63) / 64 * 64;
  float most = 0;
  double sum = 0;

  memset (to, 0, cpu_digits_size (n));
  to->unit = NAN;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite (src[i]))
      return;
    most = fmaxf (most, fabsf (src[i]));
  }
  /* The largest has 30 bits; magnitudes below 2^-97 are ignored. */
  int exponent = most > power (-97) ? ilogbf (most) : -97;
  to->unit = power (exponent - 29);
  for (size_t i = 0; i < n; i++) {
    int32_t left = (int32_t) rintf (src[i] * power (29 - exponent));

    for (size_t d = 0; d < 4; d++) {
      int32_t digit = ((left & 255) ^ 128) - 128;

      to->digits[d * plane + i] = (int8_t) digit;
      to->sums[d] += digit;
      left = (left - digit) / 256;
    }
  }
  for (size_t d = 4; d-- > 0;)
    sum = sum * 256 + to->sums[d];
  to->sum = (float) (sum * to->unit);
}

void
cpu_gemm_digits_c (const CpuGemm *g)
{
  const uint8_t *b = g->b;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      const size_t column =
          j / CPU_GEMM_PANEL * g->b_panel + j % CPU_GEMM_PANEL * 4;
      float sum = 0;

      for (size_t k = 0; k < g->k; k++) {
        float weight = (float) b[column + k / 4 * 64 + k % 4] - 128;

        weight += g->b_offset ? g->b_offset[j] : 0;
        sum += g->a[i * g->a_row + k] * weight;
      }
      g->c[i * g->c_row + j] = sum * g->b_scale[j];
    }
}
