/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec.h"

/* exp with 2^n split off; the polynomial is the Taylor series to the 7th degree
 * on [-ln 2 / 2, ln 2 / 2], below 1e-8 there. */
static inline vf
exp_vf (vf x)
{
  const float round = 12582912.0f; /* 1.5 * 2^23: its last bit is one */
  vf t, n, p;
  vu scale;

  x = vf_min (vf_max (x, vf_set (-87.0f)), vf_set (88.0f));
  t = x * 1.44269504f + round;
  n = t - round;
  x = x - n * 0.693359375f;
  x = x + n * 2.12194440e-4f;
  p = x * (1.0f / 5040) + 1.0f / 720;
  p = p * x + 1.0f / 120;
  p = p * x + 1.0f / 24;
  p = p * x + 1.0f / 6;
  p = p * x + 0.5f;
  p = p * x + 1.0f;
  p = p * x + 1.0f;
  scale = (vu) t << 23;
  return (vf) ((vu) p + scale);
}

static inline vf
sigmoid_vf (vf x)
{
  return 1.0f / (1.0f + exp_vf (-x));
}

/* Near 0, where 1 - 2 / (…) loses digits, the Taylor series. */
static inline vf
tanh_vf (vf x)
{
  vf a = vf_abs (x);
  vf s = x * x;
  vf p = s * (62.0f / 2835) - 17.0f / 315;

  p = p * s + 2.0f / 15;
  p = p * s - 1.0f / 3;
  p = p * s * x + x;
  return vf_select (
      a < 0.25f, p, vf_copysign (1.0f - 2.0f / (exp_vf (a + a) + 1.0f), x));
}

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
    vf cell = sigmoid_vf (gate (g, 0, i)) * load (c + i, n)
              + sigmoid_vf (gate (g, 1, i)) * tanh_vf (gate (g, 2, i));

    store (h_out + i, sigmoid_vf (gate (g, 3, i)) * tanh_vf (cell), n);
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
    vf z = sigmoid_vf (gate (g, 0, i));
    vf sum =
        load (g->x + at, n) + sigmoid_vf (gate (g, 1, i)) * load (g->r + at, n);

    store (h_out + i, blend (z, tanh_vf (clamp (g, sum)), load (h + i, n)), n);
  }
}

void
CPU_KERNEL (gru_gates_f32) (
    const CpuGates *g, const float *h, float *z, float *rh)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t n = g->n - i;

    store (z + i, sigmoid_vf (gate (g, 0, i)), n);
    store (rh + i, sigmoid_vf (gate (g, 1, i)) * load (h + i, n), n);
  }
}

void
CPU_KERNEL (gru_state_f32) (
    const CpuGates *g, const float *z, const float *h, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N) {
    size_t n = g->n - i;

    store (h_out + i,
        blend (load (z + i, n), tanh_vf (gate (g, 0, i)), load (h + i, n)), n);
  }
}

void
CPU_KERNEL (rnn_f32) (const CpuGates *g, float *h_out)
{
  for (size_t i = 0; i < g->n; i += VF_N)
    store (h_out + i, tanh_vf (gate (g, 0, i)), g->n - i);
}
