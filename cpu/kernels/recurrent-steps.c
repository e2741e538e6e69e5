/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/recurrent-c.h"

/* Of gate @gate, unit @j. */
static float
sum_over_state (const CpuGruSteps *s, size_t gate, size_t j)
{
  const float *r = s->r + gate * s->n * CPU_GEMM_PANEL + j;
  float sum = s->bias[gate * s->gate + j];

  for (size_t k = 0; k < s->n; k++)
    sum += s->state[k] * r[k * CPU_GEMM_PANEL];
  return sum;
}

static void
step (const CpuGruSteps *s, const float *x, float *y)
{
  float next[CPU_GEMM_PANEL];

  for (size_t j = 0; j < s->n; j++) {
    const float z =
        sigmoid_c (gate_clamp_c (x[j] + sum_over_state (s, 0, j), s->clip));
    const float reset = sigmoid_c (
        gate_clamp_c (x[s->gate + j] + sum_over_state (s, 1, j), s->clip));
    const float sum = x[2 * s->gate + j] + reset * sum_over_state (s, 2, j);

    next[j] =
        (1.0f - z) * tanhf (gate_clamp_c (sum, s->clip)) + z * s->state[j];
  }
  for (size_t j = 0; j < s->n; j++)
    s->state[j] = y[j] = next[j];
}

void
cpu_gru_steps_f32_c (const CpuGruSteps *s, size_t n)
{
  for (size_t q = 0; q < n; q++)
    for (size_t i = 0; i < s[q].steps; i++)
      step (s + q, s[q].x + (ptrdiff_t) i * s[q].x_step,
          s[q].y + (ptrdiff_t) i * s[q].y_step);
}
