/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

void
check_dot_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *a, *b;

  if (!kc_begin ("dot_f32", (KcFunc) ref->dot_f32, (KcFunc) opt->dot_f32))
    return;
  a = kc_buffer (4);
  b = kc_buffer (12);
  kc_fill (a, KC_MAX, -1, 1);
  kc_fill (b, KC_MAX, -1, 1);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    float want = ref->dot_f32 (a, b, *n), got = opt->dot_f32 (a, b, *n);

    kc_check_f32 (&got, &want, 1, 1e-5f, 1e-4f);
  }
  KC_BENCH ((void) opt->dot_f32 (a, b, KC_MAX));
  kc_end ();
}
