/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

/* Vectors [i, i + n) of a gate. */
static inline vf
load (const float *p, size_t n)
{
  return n >= VF_N ? vf_load (p) : vf_load_tail (p, n);
}

static inline void
store (float *p, vf v, size_t n)
{
  if (n >= VF_N)
    vf_store (p, v);
  else
    vf_store_tail (p, v, n);
}

static inline vf
clamp (const CpuGates *g, vf sum)
{
  return vf_min (vf_max (sum, vf_set (-g->clip)), vf_set (g->clip));
}

static inline vf
gate (const CpuGates *g, size_t index, size_t i)
{
  size_t at = index * g->stride + i, n = g->n - i;

  return clamp (g, load (g->x + at, n) + load (g->r + at, n));
}

void
CPU_KERNEL (lstm_f32) (
    const CpuGates *g, const float *c, float *c_out, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t n = g->n - i;
    vf cell = vf_sigmoid (gate (g, 0, i)) * load (c + i, n)
              + vf_sigmoid (gate (g, 1, i)) * vf_tanh (gate (g, 2, i));

    store (h_out + i, vf_sigmoid (gate (g, 3, i)) * vf_tanh (cell), n);
    store (c_out + i, cell, n);
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
    size_t n = g->n - i, at = 2 * g->stride + i;
    vf z = vf_sigmoid (gate (g, 0, i));
    vf sum =
        load (g->x + at, n) + vf_sigmoid (gate (g, 1, i)) * load (g->r + at, n);

    store (h_out + i, blend (z, vf_tanh (clamp (g, sum)), load (h + i, n)), n);
  }
}

void
CPU_KERNEL (gru_gates_f32) (
    const CpuGates *g, const float *h, float *z, float *rh)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t n = g->n - i;

    store (z + i, vf_sigmoid (gate (g, 0, i)), n);
    store (rh + i, vf_sigmoid (gate (g, 1, i)) * load (h + i, n), n);
  }
}

void
CPU_KERNEL (gru_state_f32) (
    const CpuGates *g, const float *z, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t n = g->n - i;

    store (h_out + i,
        blend (load (z + i, n), vf_tanh (gate (g, 0, i)), load (h + i, n)), n);
  }
}

void
CPU_KERNEL (rnn_f32) (const CpuGates *g, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N)
    store (h_out + i, vf_tanh (gate (g, 0, i)), g->n - i);
}
