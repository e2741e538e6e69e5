/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two steps read the weights together as far as possible.  When the first step
 * computes some units, those before them are known already, so that what the
 * second step adds of these is computed from the same weights; the rest follows
 * when all units are known.  So weights are read one and a half times for two
 * steps, and half of them while others are computed with. */

#include "cpu/kernels/recurrent-vec.h"

#define UNROLL_FOR(i, n)                                                       \
  _Pragma ("GCC unroll 8") for (size_t i = 0; i < (n); i++)

#define GATES 4
/* Sums of a gate, in turn: as in the matrix product of a row (gemm-vec.c), so
 * that results are the same. */
#if CPU_VEC_BYTES == 64
#define TURNS 2
#else
#define TURNS 1
#endif

typedef struct
{
  vf of[GATES][TURNS];
} Sums;

/* Adds states [first, end) times their weights, for the units from @at on;
 * @rows states to as many sums. */
INLINE void
add_states (const CpuLstmSteps *s, size_t at, size_t first, size_t end,
    const float *const *states, Sums *sums, size_t rows)
{
  const size_t gate = s->n * s->n, panel = at / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  const float *r = s->r + panel * s->n + (at - panel);
  Sums local[2];

  UNROLL_FOR (q, rows)
    local[q] = sums[q];
  for (size_t k = first; k < end; k += TURNS)
    UNROLL_FOR (u, TURNS) {
      const float *w = r + (k + u) * CPU_GEMM_PANEL;
      vf x[2];

      UNROLL_FOR (q, rows)
        x[q] = vf_set (states[q][k + u]);
      UNROLL_FOR (g, GATES) {
        const vf v = vf_load (w + g * gate);

        UNROLL_FOR (q, rows)
          local[q].of[g][u] += x[q] * v;
      }
    }
  UNROLL_FOR (q, rows)
    sums[q] = local[q];
}

/* The units from @at on after step @i, with complete @sums; changes the cell,
 * and writes y. */
INLINE vf
finish_units (const CpuLstmSteps *s, size_t i, size_t at, const Sums *sums)
{
  const float *x = s->x + (ptrdiff_t) i * s->x_step + at;
  vf gates[GATES], h;

  UNROLL_FOR (g, GATES) {
    vf sum = sums->of[g][0];

    if (TURNS > 1)
      sum += sums->of[g][TURNS - 1];
    gates[g] = vf_load (x + g * s->n) + sum;
  }
  vf_store (
      s->cell + at, lstm_unit (gates, s->clip, vf_load (s->cell + at), &h));
  vf_store (s->y + (ptrdiff_t) i * s->y_step + at, h);
  return h;
}

static void
run_pair (const CpuLstmSteps *s, size_t i)
{
  float *next = s->scratch, *later = next + s->n;
  const float *const states[] = { s->state, next };
  const size_t each = sizeof (Sums) / sizeof (float);

  for (size_t at = 0; at < s->n; at += VF_N, later += each) {
    Sums sums[2] = { 0 };

    add_states (s, at, 0, at, states, sums, 2);
    add_states (s, at, at, s->n, states, sums, 1);
    __builtin_memcpy (later, &sums[1], sizeof *sums);
    vf_store (next + at, finish_units (s, i, at, &sums[0]));
  }
  later = next + s->n;
  for (size_t at = 0; at < s->n; at += VF_N, later += each) {
    Sums sums;

    __builtin_memcpy (&sums, later, sizeof sums);
    add_states (s, at, at, s->n, states + 1, &sums, 1);
    vf_store (s->state + at, finish_units (s, i + 1, at, &sums));
  }
}

static void
run_single (const CpuLstmSteps *s, size_t i)
{
  const float *const states[] = { s->state };
  float *next = s->scratch;

  for (size_t at = 0; at < s->n; at += VF_N) {
    Sums sums = { 0 };

    add_states (s, at, 0, s->n, states, &sums, 1);
    vf_store (next + at, finish_units (s, i, at, &sums));
  }
  __builtin_memcpy (s->state, next, s->n * sizeof *next);
}

void
CPU_KERNEL (lstm_steps_f32) (const CpuLstmSteps *s)
{
  size_t i = 0;

  for (; i + 2 <= s->steps; i += 2)
    run_pair (s, i);
  if (i < s->steps)
    run_single (s, i);
}
