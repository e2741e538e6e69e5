/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/recurrent-c.h"

/* Of gate @gate, unit @j, clamped. */
static float
gate_of (const CpuLstmSteps *s, const float *x, size_t gate, size_t j)
{
  const size_t panel = j / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  const float *r = s->r + (gate * s->n + panel) * s->n + j - panel;
  float sum = 0;

  for (size_t k = 0; k < s->n; k++)
    sum += s->state[k] * r[k * CPU_GEMM_PANEL];
  return gate_clamp_c (x[gate * s->n + j] + sum, s->clip);
}

void
cpu_lstm_steps_f32_c (const CpuLstmSteps *s)
{
  float *next = s->scratch;

  for (size_t i = 0; i < s->steps; i++) {
    const float *x = s->x + (ptrdiff_t) i * s->x_step;
    float *y = s->y + (ptrdiff_t) i * s->y_step;

    for (size_t j = 0; j < s->n; j++) {
      s->cell[j] =
          sigmoid_c (gate_of (s, x, 0, j)) * s->cell[j]
          + sigmoid_c (gate_of (s, x, 1, j)) * tanhf (gate_of (s, x, 2, j));
      next[j] = sigmoid_c (gate_of (s, x, 3, j)) * tanhf (s->cell[j]);
    }
    for (size_t j = 0; j < s->n; j++)
      s->state[j] = y[j] = next[j];
  }
}
