/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

/* Sigmoid and tanh are within 4e-7 of the reference, and each step begins with
 * what the last one gave. */
#define TOLERANCE 2e-5f

#define MOST_UNITS (3 * CPU_GEMM_PANEL)
#define MOST_STEPS 5
#define X_STEP (4 * MOST_UNITS)

static struct
{
  float x[MOST_STEPS * X_STEP], r[4 * MOST_UNITS * MOST_UNITS];
  float scratch[CPU_LSTM_SCRATCH * MOST_UNITS];
} data;

/* Runs @kernel from states that are the same each time; steps go backward with
 * negative @direction. */
static void
run (cpu_lstm_steps_f32_fn *kernel, float *state, float *cell, float *y,
    size_t n, size_t steps, ptrdiff_t direction, float clip)
{
  const size_t last = direction < 0 && steps > 0 ? steps - 1 : 0;
  CpuLstmSteps s = { .n = n,
    .steps = steps,
    .x = data.x + last * X_STEP,
    .r = data.r,
    .state = state,
    .cell = cell,
    .y = y + last * n,
    .scratch = data.scratch,
    .x_step = direction * X_STEP,
    .y_step = direction * (ptrdiff_t) n,
    .clip = clip };

  for (size_t j = 0; j < n; j++) {
    state[j] = 0.25f - (float) (j % 7) * 0.125f;
    cell[j] = 0.5f - (float) (j % 5) * 0.25f;
  }
  kernel (&s);
}

void
check_lstm_steps_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *state[2], *cell[2], *y[2];

  kc_fill (data.x, sizeof data.x / sizeof (float), -3, 3);
  kc_fill (data.r, sizeof data.r / sizeof (float), -0.5f, 0.5f);
  for (size_t i = 0; i < 2; i++) {
    state[i] = kc_buffer (4);
    cell[i] = kc_buffer (8);
    y[i] = kc_buffer (4 * i);
  }
  for (size_t n = CPU_GEMM_PANEL; n <= MOST_UNITS; n += CPU_GEMM_PANEL)
    for (size_t steps = 0; steps <= MOST_STEPS; steps++)
      for (int i = 0; i < 4; i++) {
        const float clip = i < 2 ? INFINITY : 0.75f;
        const ptrdiff_t direction = i % 2 > 0 ? -1 : 1;

        run (ref->lstm_steps_f32, state[0], cell[0], y[0], n, steps, direction,
            clip);
        kc_poison (y[1]);
        kc_poison (state[1]);
        kc_poison (cell[1]);
        run (opt->lstm_steps_f32, state[1], cell[1], y[1], n, steps, direction,
            clip);
        kc_check_f32 (y[1], y[0], n * steps, TOLERANCE, TOLERANCE);
        kc_check_f32 (state[1], state[0], n, TOLERANCE, TOLERANCE);
        kc_check_f32 (cell[1], cell[0], n, TOLERANCE, TOLERANCE);
        kc_check_beyond (y[1], n * steps * sizeof (float));
        kc_check_beyond (state[1], n * sizeof (float));
        kc_check_beyond (cell[1], n * sizeof (float));
      }
  KC_BENCH (run (opt->lstm_steps_f32, state[1], cell[1], y[1], MOST_UNITS,
      MOST_STEPS, 1, INFINITY));
}
