/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/recurrent-c.h"

static float
gate (const CpuGates *g, size_t index, size_t i)
{
  float sum = g->x[index * g->stride + i] + g->r[index * g->stride + i];

  return gate_clamp_c (sum, g->clip);
}

void
cpu_lstm_f32_c (const CpuGates *g, const float *c, float *c_out, float *h_out)
{
  for (size_t i = 0; i < g->n; i++) {
    float cell = sigmoid_c (gate (g, 0, i)) * c[i]
                 + sigmoid_c (gate (g, 1, i)) * tanhf (gate (g, 2, i));

    h_out[i] = sigmoid_c (gate (g, 3, i)) * tanhf (cell);
    c_out[i] = cell;
  }
}

void
cpu_gru_linear_f32_c (const CpuGates *g, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i++) {
    size_t at = 2 * g->stride + i;
    float z = sigmoid_c (gate (g, 0, i));
    float sum = g->x[at] + sigmoid_c (gate (g, 1, i)) * g->r[at];
    float candidate = tanhf (gate_clamp_c (sum, g->clip));

    h_out[i] = (1.0f - z) * candidate + z * h[i];
  }
}

void
cpu_gru_gates_f32_c (const CpuGates *g, const float *h, float *z, float *rh)
{
  for (size_t i = 0; i < g->n; i++) {
    z[i] = sigmoid_c (gate (g, 0, i));
    rh[i] = sigmoid_c (gate (g, 1, i)) * h[i];
  }
}

void
cpu_gru_state_f32_c (
    const CpuGates *g, const float *z, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i++)
    h_out[i] = (1.0f - z[i]) * tanhf (gate (g, 0, i)) + z[i] * h[i];
}

void
cpu_rnn_f32_c (const CpuGates *g, float *h_out)
{
  for (size_t i = 0; i < g->n; i++)
    h_out[i] = tanhf (gate (g, 0, i));
}
