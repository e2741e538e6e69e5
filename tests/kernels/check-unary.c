/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>

/* n units in the last place: one per operation after a polynomial. */
#define ULPS(n) ((n) *1.2e-7f)

static const struct
{
  const char *label;
  CpuUnary what;
  float low, high, a, b;
  float rel, abs;
} kinds[] = {
  { "copy", CPU_UNARY_COPY, -9, 9, 0, 0, 0, 0 },
  { "abs", CPU_UNARY_ABS, -9, 9, 0, 0, 0, 0 },
  { "neg", CPU_UNARY_NEG, -9, 9, 0, 0, 0, 0 },
  { "sign", CPU_UNARY_SIGN, -9, 9, 0, 0, 0, 0 },
  { "floor", CPU_UNARY_FLOOR, -99, 99, 0, 0, 0, 0 },
  { "ceil", CPU_UNARY_CEIL, -99, 99, 0, 0, 0, 0 },
  { "rint", CPU_UNARY_RINT, -99, 99, 0, 0, 0, 0 },
  { "round", CPU_UNARY_ROUND, -99, 99, 0, 0, 0, 0 },
  { "sqrt", CPU_UNARY_SQRT, -1, 99, 0, 0, ULPS (1), 0 },
  { "square", CPU_UNARY_SQUARE, -9, 9, 0, 0, ULPS (1), 2e-45f },
  { "reciprocal", CPU_UNARY_RECIPROCAL, -9, 9, 0, 0, ULPS (1), 2e-45f },
  { "affine", CPU_UNARY_AFFINE, -9, 9, 1.5f, 0.25f, ULPS (1), 1e-6f },
  { "relu", CPU_UNARY_RELU, -9, 9, 0, 0, 0, 0 },
  { "leaky", CPU_UNARY_LEAKY, -9, 9, 0.1f, 0, ULPS (1), 2e-45f },
  { "clamp", CPU_UNARY_CLAMP, -9, 9, -1, 6, 0, 0 },
  /* A subnormal result may be off by its last bit. */
  { "exp", CPU_UNARY_EXP, -100, 88, 0, 0, ULPS (4), 3e-45f },
  { "exp small", CPU_UNARY_EXP, -2, 2, 0, 0, ULPS (2), 3e-45f },
  { "log", CPU_UNARY_LOG, 0, 1e6f, 0, 0, ULPS (3), 0 },
  { "log near 1", CPU_UNARY_LOG, 0.5f, 2, 0, 0, ULPS (3), 0 },
  { "tanh", CPU_UNARY_TANH, -5, 5, 0, 0, ULPS (4), 0 },
  /* exp (-x) overflows where the result is subnormal. */
  { "sigmoid", CPU_UNARY_SIGMOID, -20, 20, 0, 0, ULPS (4), 1.2e-38f },
  { "erf", CPU_UNARY_ERF, -5, 5, 0, 0, ULPS (3), 2e-7f },
  { "swish", CPU_UNARY_SWISH, -9, 9, 1, 0, ULPS (5), 2e-36f },
  { "hsigmoid", CPU_UNARY_HSIGMOID, -5, 5, 0, 0, ULPS (2), 1e-7f },
  { "hswish", CPU_UNARY_HSWISH, -5, 5, 0, 0, ULPS (3), 1e-6f },
  { "hard sigmoid", CPU_UNARY_HARD_SIGMOID, -5, 5, 0.2f, 0.5f, ULPS (2),
      2e-7f },
  /* 1 + erf cancels for negative values. */
  { "gelu erf", CPU_UNARY_GELU_ERF, -6, 6, 0, 0, ULPS (4), 1e-6f },
  { "gelu tanh", CPU_UNARY_GELU_TANH, -6, 6, 0, 0, ULPS (6), 1e-6f },
  { "mish", CPU_UNARY_MISH, -9, 9, 0, 0, ULPS (6), 3e-38f },
  { "elu", CPU_UNARY_ELU, -9, 9, 1.5f, 0, ULPS (5), 2e-45f },
  { "selu", CPU_UNARY_SELU, -9, 9, 1.6732632f, 1.050701f, ULPS (6), 4e-45f },
  { "softplus", CPU_UNARY_SOFTPLUS, -20, 20, 0, 0, ULPS (4), 3e-38f },
  { "softsign", CPU_UNARY_SOFTSIGN, -9, 9, 0, 0, ULPS (3), 0 },
  { "sin", CPU_UNARY_SIN, -9, 9, 0, 0, ULPS (2), 0 },
};

static void
check_kind (size_t k, const CpuKernels *ref, const CpuKernels *opt, float *src,
    float *want, float *got)
{
  kc_label (kinds[k].label);
  kc_fill (src, KC_MAX, kinds[k].low, kinds[k].high);
  for (int pass = 0; pass < 2; pass++) {
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      size_t at = KC_MAX - *n; /* different elements and alignments each time */

      ref->unary_f32 (
          kinds[k].what, want, src + at, *n, kinds[k].a, kinds[k].b);
      kc_poison (got);
      opt->unary_f32 (kinds[k].what, got, src + at, *n, kinds[k].a, kinds[k].b);
      kc_check_beyond (got, *n * sizeof *got);
      kc_check_f32 (got, want, *n, kinds[k].rel, kinds[k].abs);
    }
    /* In place; a result does not depend on its neighbours. */
    for (size_t i = 0; i < KC_MAX; i++)
      want[i] = src[i];
    opt->unary_f32 (kinds[k].what, want, want, KC_MAX, kinds[k].a, kinds[k].b);
    kc_check_f32 (want, got, KC_MAX, 0, 0);
    opt->unary_f32 (
        kinds[k].what, got, src + 1, KC_MAX - 1, kinds[k].a, kinds[k].b);
    kc_check_f32 (got, want + 1, KC_MAX - 1, 0, 0);
    kc_sprinkle (src);
  }
  /* Not subnormal numbers, which are slow on all processors. */
  kc_fill (src, KC_MAX, kinds[k].low < 0 ? -5 : 0, 5);
  KC_BENCH (
      opt->unary_f32 (kinds[k].what, got, src, KC_MAX, kinds[k].a, kinds[k].b));
}

/* Far from zero it is exactly 1 or -1. */
static void
check_tanh_ends (const CpuKernels *opt, float *src, float *want, float *got)
{
  kc_label ("ends of tanh");
  kc_fill (src, KC_MAX, 10, 100);
  src[0] = INFINITY;
  for (size_t i = 0; i < KC_MAX; i++) {
    want[i] = i % 2 == 0 ? 1 : -1;
    src[i] *= want[i];
  }
  opt->unary_f32 (CPU_UNARY_TANH, got, src, KC_MAX, 0, 0);
  kc_check_f32 (got, want, KC_MAX, 0, 0);
}

void
check_unary_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *src = kc_buffer (4), *want = kc_buffer (0), *got = kc_buffer (8);

  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    check_kind (k, ref, opt, src, want, got);
  check_tanh_ends (opt, src, want, got);
}
