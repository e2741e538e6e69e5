/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/recurrent-vec.h"

static inline vf
sum_of (const CpuGates *g, size_t index, size_t i)
{
  const size_t at = index * g->stride + i;

  return vf_load (g->x + at) + vf_load (g->r + at);
}

static inline vf
gate (const CpuGates *g, size_t index, size_t i)
{
  return clamp_sum (sum_of (g, index, i), g->clip);
}

void
CPU_KERNEL (lstm_f32) (
    const CpuGates *g, const float *c, float *c_out, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    const vf sums[] = { sum_of (g, 0, i), sum_of (g, 1, i), sum_of (g, 2, i),
      sum_of (g, 3, i) };
    vf h;

    vf_store (c_out + i, lstm_unit (sums, g->clip, vf_load (c + i), &h));
    vf_store (h_out + i, h);
  }
}

static inline vf
blend (vf z, vf candidate, vf h)
{
  return (1.0f - z) * candidate + z * h;
}

void
CPU_KERNEL (gru_linear_f32) (const CpuGates *g, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t at = 2 * g->stride + i;
    vf z = vf_sigmoid (gate (g, 0, i));
    vf sum =
        vf_load (g->x + at) + vf_sigmoid (gate (g, 1, i)) * vf_load (g->r + at);

    vf_store (h_out + i,
        blend (z, vf_tanh (clamp_sum (sum, g->clip)), vf_load (h + i)));
  }
}

void
CPU_KERNEL (gru_gates_f32) (
    const CpuGates *g, const float *h, float *z, float *rh)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    vf_store (z + i, vf_sigmoid (gate (g, 0, i)));
    vf_store (rh + i, vf_sigmoid (gate (g, 1, i)) * vf_load (h + i));
  }
}

void
CPU_KERNEL (gru_state_f32) (
    const CpuGates *g, const float *z, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    vf_store (h_out + i,
        blend (vf_load (z + i), vf_tanh (gate (g, 0, i)), vf_load (h + i)));
  }
}

void
CPU_KERNEL (rnn_f32) (const CpuGates *g, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N)
    vf_store (h_out + i, vf_tanh (gate (g, 0, i)));
}
