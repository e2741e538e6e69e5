/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/epilogue-c.h"

/* @column: where element (0, j) of b is. */
static float
start (const CpuGemm *g, size_t i, size_t j, size_t *column)
{
  float sum = g->bias ? g->bias[j] : 0.0f;

  *column = j / CPU_GEMM_PANEL * g->b_panel + j % CPU_GEMM_PANEL;
  return g->accumulate ? sum + g->c[i * g->c_row + j] : sum;
}

static void
finish (const CpuGemm *g, size_t i, size_t j, float sum)
{
  size_t at = i * g->c_row + j;

  g->c[at] = g->epilogue ? epilogue_c (g->epilogue, sum, j, at) : sum;
}

void
cpu_gemm_f32_c (const CpuGemm *g)
{
  const float *b = g->b;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      size_t column;
      float sum = start (g, i, j, &column);

      for (size_t k = 0; k < g->k; k++)
        sum += g->a[i * g->a_row + k * g->a_k] * b[column + k * g->b_k];
      finish (g, i, j, sum);
    }
}

void
cpu_gemm_f16_c (const CpuGemm *g)
{
  const uint16_t *b = g->b;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      size_t column;
      float sum = start (g, i, j, &column), weight;

      for (size_t k = 0; k < g->k; k++) {
        cpu_f16_to_f32_c (&weight, b + column + k * g->b_k, 1);
        sum += g->a[i * g->a_row + k * g->a_k] * weight;
      }
      finish (g, i, j, sum);
    }
}

void
cpu_gemm_i8_c (const CpuGemm *g)
{
  const int8_t *b = g->b;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      size_t column;
      float sum = 0, before = start (g, i, j, &column);

      for (size_t k = 0; k < g->k; k++)
        sum += g->a[i * g->a_row + k * g->a_k] * b[column + k * g->b_k];
      if (g->b_offset)
        sum += g->a_sums[i] * g->b_offset[j];
      finish (g, i, j, before + sum * g->b_scale[j]);
    }
}

void
cpu_dot_rows_f32_c (float *y, const float *a, size_t a_row, const float *x,
    size_t rows, size_t k)
{
  for (size_t i = 0; i < rows; i++) {
    float sum = 0.0f;

    for (size_t j = 0; j < k; j++)
      sum += a[i * a_row + j] * x[j];
    y[i] = sum;
  }
}
