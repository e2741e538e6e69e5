/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <float.h>
#include <math.h>

#include "cpu/kernels/f16-c.h"
#include "cpu/kernels/kernels.h"

static float
score (const CpuWeigh *w, size_t r, size_t j)
{
  const float *k = w->k + j / CPU_GEMM_PANEL * w->k_panel + j % CPU_GEMM_PANEL;
  float sum = 0;

  for (size_t c = 0; c < w->depth; c++)
    sum += w->q[r * w->q_row + c] * k[c * CPU_GEMM_PANEL];
  return w->bias ? sum + w->bias[j] : sum;
}

/* Raises the reference score of row @r to @most; rescales earlier results. */
static void
raise (const CpuWeigh *w, size_t r, float most)
{
  const float by = exp2f (w->most[r] - most);

  w->most[r] = most;
  for (size_t i = 0; i < CPU_GEMM_PANEL; i++)
    w->sums[r * CPU_GEMM_PANEL + i] *= by;
  for (size_t c = 0; w->out && c < w->columns; c++)
    w->out[r * w->out_row + c] *= by;
}

void
cpu_weigh_f32_c (const CpuWeigh *w)
{
  const size_t whole =
      (w->keys + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;

  for (size_t r = 0; r < w->rows; r++) {
    float *weights = w->weights + r * w->weights_row;
    float largest = -FLT_MAX;

    for (size_t j = 0; j < w->keys; j++) {
      weights[j] = score (w, r, j);
      largest = fmaxf (weights[j], largest);
    }
    if (largest > w->most[r] + CPU_WEIGH_SLACK)
      raise (w, r, largest);
    for (size_t j = 0; j < whole; j++) {
      weights[j] = j < w->keys ? exp2f (weights[j] - w->most[r]) : 0;
      w->sums[r * CPU_GEMM_PANEL] += weights[j];
    }
  }
}

void
cpu_weigh_bf16_c (const CpuWeighBf16 *w)
{
  const size_t whole = (w->keys + 31) / 32 * 32;

  for (size_t r = 0; r < w->rows; r++) {
    w->sums[r] = 0;
    for (size_t j = 0; j < whole; j++) {
      const uint16_t *k = w->k + j / 32 * w->k_block + j % 32 * 2;
      float s = -w->least[r];

      for (size_t c = 0; c < w->depth; c++)
        s += widened_bf16_c (w->q + r * w->q_row + c)
             * widened_bf16_c (k + c / 2 * 64 + c % 2);
      s = j < w->keys ? exp2f (s) : 0;
      w->sums[r] += s;
      cpu_f32_to_bf16_c (w->weights + r * w->weights_row + j, &s, 1);
    }
  }
}
