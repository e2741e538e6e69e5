/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Few units leave most of 512 bits empty. */
#if defined(__AVX512F__)
#define CPU_VEC_BYTES 32
#endif

#include "cpu/kernels/vec-math.h"

#define UNROLL _Pragma ("GCC unroll 8")

/* A step waits for one operation after the other.  Two sequences in turn wait
 * at the same time. */
#define MOST_SEQUENCES 2

/* x p (x²) / q (x²) for the coefficients of polynomials, the last ones of x^8.
 * A step waits for each operation: as few as possible depend on another. */
INLINE vf
quotient (vf x, const float p[5], const float q[5])
{
  const vf z = x * x, z2 = z * z, xz2 = x * z2;
  const vf p_low = (z * p[1] + p[0]) * x,
           p_high = z2 * p[4] + (z * p[3] + p[2]);
  const vf q_low = z * q[1] + q[0], q_high = z2 * q[4] + (z * q[3] + q[2]);

  return (p_high * xz2 + p_low) / (q_high * z2 + q_low);
}

/* The polynomials of vf_tanh_within_10; those of sigmoid (x) - 1/2, which is
 * tanh (x / 2) / 2. */
static const float tanh_p[] = { 1.0f, VF_TANH_P1, VF_TANH_P2, VF_TANH_P3,
  VF_TANH_P4 };
static const float tanh_q[] = { 1.0f, VF_TANH_Q1, VF_TANH_Q2, VF_TANH_Q3,
  VF_TANH_Q4 };
static const float sigmoid_p[] = { 1.0f / 4, VF_TANH_P1 / 16, VF_TANH_P2 / 64,
  VF_TANH_P3 / 256, VF_TANH_P4 / 1024 };
static const float sigmoid_q[] = { 1.0f, VF_TANH_Q1 / 4, VF_TANH_Q2 / 16,
  VF_TANH_Q3 / 64, VF_TANH_Q4 / 256 };

INLINE vf
clamp (vf x, vf limit)
{
  return vf_max (-limit, vf_min (limit, x));
}

/* tanh of the sum clamped to ±@limit, at most 9, from where on it is 1:
 * absolute error 3e-7. */
INLINE vf
tanh_of (vf sum, vf limit)
{
  return quotient (clamp (sum, limit), tanh_p, tanh_q);
}

/* @limit: at most 18. */
INLINE vf
sigmoid_of (vf sum, vf limit)
{
  return quotient (clamp (sum, limit), sigmoid_p, sigmoid_q) + 0.5f;
}

/* The sums of the gates of vector @v at step @i: of z and r over the input and
 * the state, of h over the state alone. */
INLINE void
sum_gates (const CpuGruSteps *s, size_t i, size_t v, vf sums[3])
{
  const float *x = s->x + (ptrdiff_t) i * s->x_step + v * VF_N;
  const float *r = s->r + v * VF_N;
  const size_t gate = s->n * CPU_GEMM_PANEL;

  for (size_t g = 0; g < 3; g++)
    sums[g] = vf_load (s->bias + g * s->gate + v * VF_N);
  for (size_t g = 0; g < 2; g++)
    sums[g] += vf_load (x + g * s->gate);
  for (size_t k = 0; k < s->n; k++) {
    const vf h = vf_set (s->state[k]);

    for (size_t g = 0; g < 3; g++)
      sums[g] += h * vf_load (r + g * gate + k * CPU_GEMM_PANEL);
  }
}

INLINE vf
next_state (const CpuGruSteps *s, size_t i, size_t v, const vf sums[3])
{
  const float *x = s->x + (ptrdiff_t) i * s->x_step + v * VF_N;
  const vf clip = vf_set (s->clip);
  const vf limit = vf_min (vf_set (9.0f), clip);
  const vf gate_limit = vf_min (vf_set (18.0f), clip);
  const vf z = sigmoid_of (sums[0], gate_limit);
  const vf reset = sigmoid_of (sums[1], gate_limit);
  const vf sum = vf_load (x + 2 * s->gate) + reset * sums[2];
  const vf h = vf_load (s->state + v * VF_N);

  return (1.0f - z) * tanh_of (sum, limit) + z * h;
}

INLINE void
store_y (const CpuGruSteps *s, size_t i, size_t vectors, const vf h[PANEL_VF])
{
  float *y = s->y + (ptrdiff_t) i * s->y_step;

  for (size_t v = 0; v + 1 < vectors; v++)
    vf_store (y + v * VF_N, h[v]);
  vf_store_tail (
      y + (vectors - 1) * VF_N, h[vectors - 1], s->n - (vectors - 1) * VF_N);
}

/* Steps [first, end) of @n sequences whose states are @vectors vectors. */
INLINE void
run_steps (
    const CpuGruSteps *s, size_t n, size_t vectors, size_t first, size_t end)
{
  for (size_t i = first; i < end; i++) {
    vf sums[MOST_SEQUENCES][PANEL_VF][3], h[MOST_SEQUENCES][PANEL_VF];

    UNROLL
    for (size_t q = 0; q < n; q++)
      UNROLL
    for (size_t v = 0; v < vectors; v++)
      sum_gates (s + q, i, v, sums[q][v]);
    UNROLL
    for (size_t q = 0; q < n; q++)
      UNROLL
    for (size_t v = 0; v < vectors; v++)
      h[q][v] = next_state (s + q, i, v, sums[q][v]);
    UNROLL
    for (size_t q = 0; q < n; q++) {
      UNROLL
      for (size_t v = 0; v < vectors; v++)
        vf_store (s[q].state + v * VF_N, h[q][v]);
      store_y (s + q, i, vectors, h[q]);
    }
  }
}

INLINE void
run_sequences (const CpuGruSteps *s, size_t n, size_t vectors)
{
  size_t i = 0;

  for (; i + 1 < n; i += 2) {
    const size_t both =
        s[i].steps < s[i + 1].steps ? s[i].steps : s[i + 1].steps;

    run_steps (s + i, 2, vectors, 0, both);
    run_steps (s + i, 1, vectors, both, s[i].steps);
    run_steps (s + i + 1, 1, vectors, both, s[i + 1].steps);
  }
  if (i < n)
    run_steps (s + i, 1, vectors, 0, s[i].steps);
}

void
CPU_KERNEL (gru_steps_f32) (const CpuGruSteps *s, size_t n)
{
  const size_t vectors = n > 0 ? (s->n + VF_N - 1) / VF_N : 0;

  switch (vectors) {
    case 1:
      run_sequences (s, n, 1);
      break;
#if PANEL_VF >= 2
    case 2:
      run_sequences (s, n, 2);
      break;
#endif
#if PANEL_VF >= 4
    case 3:
      run_sequences (s, n, 3);
      break;
    case 4:
      run_sequences (s, n, 4);
      break;
#endif
  }
}
