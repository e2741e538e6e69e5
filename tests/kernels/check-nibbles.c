/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

static void
compare (const CpuKernels *ref, const CpuKernels *opt, CpuGemmNibbles *g,
    float *want, float *got)
{
  g->c = want;
  ref->gemm_nibbles (g);
  kc_poison (got);
  g->c = got;
  opt->gemm_nibbles (g);
  kc_check_beyond (got, ((g->m - 1) * g->c_row + g->n) * sizeof (float));
  for (size_t i = 0; i < g->m; i++)
    kc_check_f32 (got + i * g->c_row, want + i * g->c_row, g->n, 1e-5f, 1e-4f);
}

void
check_gemm_nibbles (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t columns[] = { 1, 5, 16, 17, 49, 64, 65, 80, 0 };
  static const size_t groups[] = { 8, 16, 32, 0 };
  float *a = kc_floats (4, -1, 1), *scale = kc_floats (0, 0, 0.1f),
        *shift = kc_floats (8, -1, 1), *sums = kc_floats (4, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (4);
  uint32_t *b = kc_buffer (0);

  for (size_t i = 0; i < KC_MAX; i++)
    b[i] = kc_random () << 16 ^ kc_random ();
  for (const size_t *n = columns; *n != 0; n++)
    for (const size_t *group = groups; *group != 0; group++)
      for (size_t k = *group; k <= 96; k += *group) {
        const size_t panels = (*n + 15) / 16;
        CpuGemmNibbles g = { .m = 1 + (*n + k / 8) % 6,
          .n = *n,
          .k = k,
          .group = *group,
          .a = a,
          .a_row = k + 3,
          .b = b,
          .b_panel = k / 8 * 16,
          .scale = scale,
          .shift = k % 3 ? shift : NULL,
          .number_panel = k / *group * 16,
          .a_sums = sums,
          .c_row = *n + 3 };

        if (panels * g.b_panel <= KC_MAX && panels * g.number_panel <= KC_MAX
            && g.m * g.c_row <= KC_MAX && g.m * g.a_row <= KC_MAX)
          compare (ref, opt, &g, want, got);
      }
  CpuGemmNibbles g = { 1, 64, 128, 32, a, 128, b, 256, scale, NULL, 64, NULL,
    got, 64 };
  KC_BENCH (opt->gemm_nibbles (&g));
}

void
check_unpack_nibbles (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t groups[] = { 8, 16, 24, 64, 0 };
  float *scale = kc_floats (0, 0, 0.1f), *shift = kc_floats (8, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (4);
  uint32_t *b = kc_buffer (4);

  for (size_t i = 0; i < KC_MAX; i++)
    b[i] = kc_random () << 16 ^ kc_random ();
  for (const size_t *group = groups; *group != 0; group++)
    for (size_t k = *group; k * CPU_GEMM_PANEL <= KC_MAX; k += *group) {
      const CpuGemmNibbles g = { .k = k,
        .group = *group,
        .b = b,
        .scale = scale,
        .shift = k % 3 ? shift : NULL };

      ref->unpack_nibbles (want, &g);
      kc_poison (got);
      opt->unpack_nibbles (got, &g);
      kc_check_beyond (got, k * CPU_GEMM_PANEL * sizeof *got);
      kc_check_f32 (got, want, k * CPU_GEMM_PANEL, 1e-6f, 1e-6f);
    }
  const CpuGemmNibbles g = { .k = 64, .group = 32, .b = b, .scale = scale };
  KC_BENCH (opt->unpack_nibbles (got, &g));
}
