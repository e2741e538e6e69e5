/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

/* Sigmoid and tanh are within 4e-7 of the reference, and each step begins with
 * what the last one gave. */
#define TOLERANCE 2e-5f

#define PANEL CPU_GEMM_PANEL
#define LANES CPU_GRU_LANES
#define MOST_STEPS 9
#define SEQUENCES 3
#define X_STEP (3 * PANEL)

/* Three sequences: the first forward, the second backward, and a third that
 * goes on where the second has ended. */
typedef struct
{
  float *x[SEQUENCES], *r[2], *bias, *begin; /* begin: a panel for each */
  float *state[2], *y[2][SEQUENCES];         /* the same */
} Data;

static void
fill (Data *d)
{
  d->bias = kc_floats (4, -1, 1);
  d->begin = kc_floats (0, -1, 1);
  for (int i = 0; i < 2; i++) {
    d->r[i] = kc_floats (4, -1, 1);
    d->state[i] = kc_buffer (4);
  }
  for (size_t q = 0; q < SEQUENCES; q++) {
    d->x[q] = kc_floats (4 * q, -4, 4);
    for (int i = 0; i < 2; i++)
      d->y[i][q] = kc_buffer (8);
  }
}

static void
set_sequences (const Data *d, int side, size_t n, size_t gate,
    const size_t *steps, float clip, CpuGruSteps s[SEQUENCES])
{
  memcpy (d->state[side], d->begin, SEQUENCES * PANEL * sizeof (float));
  for (size_t q = 0; q < SEQUENCES; q++) {
    const size_t last = q == 1 && steps[q] > 0 ? steps[q] - 1 : 0;
    const ptrdiff_t direction = q == 1 ? -1 : 1;

    kc_poison (d->y[side][q]);
    s[q] = (CpuGruSteps){ .n = n,
      .steps = steps[q],
      .gate = gate,
      .x = d->x[q] + last * X_STEP,
      .r = d->r[q % 2],
      .bias = d->bias,
      .state = d->state[side] + q * PANEL,
      .y = d->y[side][q] + last * n,
      .x_step = direction * X_STEP,
      .y_step = direction * (ptrdiff_t) n,
      .clip = clip };
  }
}

static void
check_case (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    size_t n, size_t gate, size_t sequences, const size_t *steps, float clip)
{
  CpuGruSteps want[SEQUENCES], got[SEQUENCES];

  set_sequences (d, 0, n, gate, steps, clip, want);
  set_sequences (d, 1, n, gate, steps, clip, got);
  ref->gru_steps_f32 (want, sequences);
  opt->gru_steps_f32 (got, sequences);
  for (size_t q = 0; q < sequences; q++) {
    kc_check_f32 (got[q].state, want[q].state, n, TOLERANCE, TOLERANCE);
    kc_check_f32 (d->y[1][q], d->y[0][q], n * steps[q], TOLERANCE, TOLERANCE);
    /* The rows of a sequence that runs backward end before the first. */
    kc_check_beyond (d->y[1][q], n * steps[q] * sizeof (float));
  }
}

void
check_gru_steps_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t steps[][SEQUENCES] = { { 1, 1, 1 }, { 5, 9, 0 },
    { 9, 5, 7 }, { 0, 3, 1 } };
  static const float clips[] = { INFINITY, 0.75f };
  CpuGruSteps s[SEQUENCES];
  Data d;

  fill (&d);
  for (size_t n = 1; n <= PANEL; n++)
    for (size_t gate = (n + LANES - 1) / LANES * LANES; gate <= PANEL;
         gate += 24)
      for (size_t sequences = 0; sequences <= SEQUENCES; sequences++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
          for (size_t c = 0; c < sizeof clips / sizeof *clips; c++)
            check_case (ref, opt, &d, n, gate, sequences, steps[i], clips[c]);
  set_sequences (&d, 1, 4, 8, (const size_t[]){ 9, 9, 9 }, INFINITY, s);
  KC_BENCH (opt->gru_steps_f32 (s, 2));
}
