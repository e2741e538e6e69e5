/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

typedef void (*Softmax) (float *dst, const float *src, size_t n);

static void
check (const char *name, Softmax ref, Softmax opt, float rel, float abs)
{
  float *src, *want, *got;

  if (!kc_begin (name, (KcFunc) ref, (KcFunc) opt))
    return;
  src = kc_buffer (4);
  want = kc_buffer (0);
  got = kc_buffer (8);
  kc_fill (src, KC_MAX, -30, 30);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref (want, src, *n);
    kc_poison (got);
    opt (got, src, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_f32 (got, want, *n, rel, abs);
  }
  for (size_t i = 0; i < KC_MAX; i++)
    want[i] = src[i];
  opt (want, want, KC_MAX);
  kc_check_f32 (want, got, KC_MAX, 0, 0);
  /* A row that is masked out but for one element. */
  for (size_t i = 0; i < KC_MAX; i++)
    src[i] = i == 700 ? 0.0f : kc_specials[2];
  ref (want, src, KC_MAX);
  opt (got, src, KC_MAX);
  kc_check_f32 (got, want, KC_MAX, rel, abs);
  kc_fill (src, KC_MAX, -30, 30);
  KC_BENCH (opt (got, src, KC_MAX));
  kc_end ();
}

void
check_softmax_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  /* exp, and a sum in float. */
  check ("softmax_f32", ref->softmax_f32, opt->softmax_f32, 4e-6f, 1e-37f);
}

void
check_log_softmax_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  check ("log_softmax_f32", ref->log_softmax_f32, opt->log_softmax_f32, 1e-6f,
      4e-6f);
}
