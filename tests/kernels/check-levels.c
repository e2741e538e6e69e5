/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <stdlib.h>

#include "tests/kernels/kernelcheck.h"

void
check_levels_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const float scales[] = { 0.015625f, 0.01f, 3e-39f, 0 };
  int8_t *want = kc_buffer (0), *got = kc_buffer (1);
  float *src = kc_floats (4, -2, 2);

  src[5] = NAN;
  src[7] = 0;
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
    for (int32_t zero = 0; zero <= 255; zero += 85)
      for (const size_t *n = kc_lengths; *n != 0; n++) {
        int32_t sum = ref->levels_f32 (want, src, *n, scales[s], zero);

        kc_poison (got);
        int32_t own = opt->levels_f32 (got, src, *n, scales[s], zero);
        kc_check_beyond (got, *n);
        kc_check_bytes (got, want, *n);
        kc_check_bytes (&own, &sum, sizeof own);
      }
  KC_BENCH (opt->levels_f32 (got, src, KC_MAX, 0.01f, 127));
}

/* Sums are exact, so results are equal. */
static void
compare (const CpuKernels *ref, const CpuKernels *opt, CpuGemmLevels *g,
    float *want, float *got)
{
  g->c = want;
  ref->gemm_levels (g);
  kc_poison (got);
  g->c = got;
  opt->gemm_levels (g);
  kc_check_beyond (got, ((g->m - 1) * g->c_row + g->n) * sizeof (float));
  for (size_t i = 0; i < g->m; i++)
    kc_check_bytes (
        got + i * g->c_row, want + i * g->c_row, g->n * sizeof (float));
}

/* b_sums and a_sums of a product whose other fields are set. */
static void
make_sums (const CpuGemmLevels *g, int32_t *a_sums, int32_t *b_sums)
{
  for (size_t i = 0; i < g->m; i++) {
    a_sums[i] = 0;
    for (size_t k = 0; k < g->k; k++)
      a_sums[i] += g->a[i * g->a_row + k];
  }
  for (size_t j = 0; j < g->n; j++) {
    b_sums[j] = 0;
    for (size_t k = 0; k < g->k; k++)
      b_sums[j] += g->b[j / 16 * g->b_panel + j % 16 * 4 + k / 4 * 64 + k % 4]
                   - 128 - (g->b_zeros ? g->b_zeros[j] : 0);
  }
}

/* Of any value; a's are zero behind element @k. */
static void
fill (int8_t *a, uint8_t *b, const CpuGemmLevels *g)
{
  for (size_t i = 0; i < g->m * g->a_row; i++)
    a[i] = i % g->a_row < g->k ? (int8_t) kc_random () : 0;
  for (size_t i = 0; i < KC_BYTES; i++)
    b[i] = (uint8_t) kc_random ();
}

void
check_gemm_levels (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t columns[] = { 1, 16, 17, 49, 64, 65, 80, 0 };
  static const size_t depths[] = { 1, 3, 4, 9, 32, 41, 48, 0 };
  int8_t *a = kc_buffer (4);
  uint8_t *b = kc_buffer (0);
  int32_t *a_sums = kc_buffer (4), *b_sums = kc_buffer (0),
          *zeros = kc_buffer (0);
  float *scale = kc_buffer (0), *want = kc_buffer (0), *got = kc_buffer (4);

  for (size_t i = 0; i < KC_MAX; i++) {
    scale[i] = (float) (i % 5 + 1) / 512;
    zeros[i] = (int32_t) (i % 200) - 100;
  }
  for (const size_t *n = columns; *n != 0; n++)
    for (const size_t *k = depths; *k != 0; k++) {
      const size_t panels = (*n + 15) / 16, panel = (*k + 3) / 4 * 64;
      CpuGemmLevels g = { .m = 1 + (*n + *k) % 9,
        .n = *n,
        .k = *k,
        .a = a,
        .a_row = (*k + 3) / 4 * 4 + 4,
        .a_sums = a_sums,
        .a_zero = (int32_t) (*n + *k) - 60,
        .b = b,
        .b_panel = panel,
        .b_in_order = (*n + *k) % 9 < 5,
        .b_sums = b_sums,
        .b_zeros = *k % 2 ? zeros : NULL,
        .a_scale = 0.3f,
        .b_scale = scale,
        .c_row = *n + 3 };

      if (panels * panel > KC_BYTES)
        continue;
      fill (a, b, &g);
      make_sums (&g, a_sums, b_sums);
      compare (ref, opt, &g, want, got);
    }
  CpuGemmLevels g = { 6, 64, 64, a, 64, a_sums, 3, b, 1024, false, b_sums, NULL,
    1, scale, got, 64 };
  KC_BENCH (opt->gemm_levels (&g));
}
