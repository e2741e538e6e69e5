/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

#define ROWS 14 /* at most */
#define COLUMNS 5

/* Keys of one call fit a buffer of KC_MAX floats; there are two calls. */
static const struct
{
  size_t rows, keys, depth;
} shapes[] = { { 1, 1, 1 }, { 8, 48, 16 }, { 14, 60, 15 }, { 3, 16, 7 },
  { 5, 17, 9 }, { 12, 65, 4 }, { 9, 47, 1 }, { 4, 33, 0 } };

typedef struct
{
  float *q, *k, *bias, *weights, *out, most[ROWS], sums[ROWS * CPU_GEMM_PANEL];
} Side;

/* Two blocks of keys; the first block's weights are rescaled to the second's
 * maximum. */
static void
weigh (cpu_weigh_f32_fn *kernel, Side *side, size_t s, const float *bias)
{
  const size_t keys = shapes[s].keys;
  const size_t panels = (keys + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL;
  CpuWeigh w = { .rows = shapes[s].rows,
    .keys = keys,
    .depth = shapes[s].depth,
    .q = side->q,
    .q_row = shapes[s].depth + 1,
    .k = side->k,
    .k_panel = CPU_GEMM_PANEL * shapes[s].depth,
    .bias = bias,
    .weights = side->weights,
    .weights_row = panels * CPU_GEMM_PANEL + 1,
    .most = side->most,
    .sums = side->sums };
  float before[ROWS];

  memset (side->sums, 0, sizeof side->sums);
  for (size_t r = 0; r < ROWS; r++)
    side->most[r] = -INFINITY;
  kernel (&w);
  for (size_t r = 0; r < w.rows; r++)
    for (size_t c = 0; c < COLUMNS; c++)
      side->out[r * COLUMNS + c] = side->weights[r * w.weights_row];
  memcpy (before, side->most, sizeof before);
  for (size_t i = 0; i < ROWS * (shapes[s].depth + 1); i++)
    side->q[i] *= 3;
  w.out = side->out;
  w.out_row = COLUMNS;
  w.columns = COLUMNS;
  kernel (&w);
  for (size_t i = 0; i < ROWS * (shapes[s].depth + 1); i++)
    side->q[i] /= 3;
}

static double
total (const Side *side, size_t r)
{
  double sum = 0;

  for (size_t i = 0; i < CPU_GEMM_PANEL; i++)
    sum += side->sums[r * CPU_GEMM_PANEL + i];
  return sum;
}

/* Both relative to the reference's largest score. */
static void
compare (const Side *want, const Side *got, size_t s)
{
  const size_t keys =
      (shapes[s].keys + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;

  for (size_t r = 0; r < shapes[s].rows; r++) {
    const float by = exp2f (got->most[r] - want->most[r]);
    float a[2] = { (float) total (want, r), want->out[r * COLUMNS + 2] };
    float b[2] = { (float) total (got, r) * by,
      got->out[r * COLUMNS + 2] * by };

    /* Rounding of scores of magnitude up to 40. */
    kc_check_f32 (b, a, 2, 3e-5f, 1e-30f);
    for (size_t j = 0; j < keys; j++) {
      const size_t at = r * (keys + 1) + j;
      const float x = got->weights[at] * by;

      kc_check_f32 (&x, want->weights + at, 1, 3e-5f, 1e-30f);
    }
  }
}

void
check_weigh_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  Side want, got;

  want.q = kc_floats (4, -2, 2);
  want.k = kc_floats (0, -2, 2);
  want.bias = kc_floats (8, -1, 1);
  got = want;
  want.weights = kc_buffer (0);
  want.out = kc_buffer (0);
  got.weights = kc_buffer (12);
  got.out = kc_buffer (4);
  for (size_t i = 0; i < KC_MAX; i += 3)
    want.bias[i] = kc_specials[2]; /* -inf */
  for (int biased = 0; biased < 2; biased++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      kc_label (biased ? "bias" : "");
      kc_poison (got.weights);
      weigh (ref->weigh_f32, &want, s, biased ? want.bias + 1 : NULL);
      weigh (opt->weigh_f32, &got, s, biased ? want.bias + 1 : NULL);
      compare (&want, &got, s);
    }
  KC_BENCH (weigh (opt->weigh_f32, &got, 1, NULL));
}
