/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fourier transforms of many lengths, compared with the definition. */

#include "cpu/gemm/fourier/fft.h"

#include <math.h>

/* The definition, in O(n²). */
static void
transform (CpuComplex *out, const CpuComplex *in, gsize n)
{
  for (gsize q = 0; q < n; q++) {
    double re = 0, im = 0;
    for (gsize k = 0; k < n; k++) {
      double angle = -2 * G_PI * (double) (q * k % n) / (double) n;
      re += in[k].re * cos (angle) - in[k].im * sin (angle);
      im += in[k].re * sin (angle) + in[k].im * cos (angle);
    }
    out[q] = (CpuComplex){ re, im };
  }
}

static void
assert_near (const CpuComplex *got, const CpuComplex *want, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpfloat_with_epsilon (got[i].re, want[i].re, 1e-11 * (double) n);
    g_assert_cmpfloat_with_epsilon (got[i].im, want[i].im, 1e-11 * (double) n);
  }
}

static void
check_length (GRand *rand, gsize n)
{
  g_autofree CpuComplex *in = g_new (CpuComplex, n);
  g_autofree CpuComplex *got = g_new (CpuComplex, n);
  g_autofree CpuComplex *want = g_new (CpuComplex, n);
  CpuFft *fft = cpu_fft_new (n);

  g_assert_nonnull (fft);
  g_assert_cmpuint (cpu_fft_length (fft), ==, n);
  for (gsize i = 0; i < n; i++)
    got[i] = in[i] = (CpuComplex){ g_rand_double_range (rand, -1, 1),
      g_rand_double_range (rand, -1, 1) };
  transform (want, in, n);
  cpu_fft_run (fft, got, FALSE);
  assert_near (got, want, n);
  cpu_fft_run (fft, got, TRUE);
  assert_near (got, in, n);
  cpu_fft_free (fft);
}

static void
test_lengths (void)
{
  /* Powers, products, primes below and above the largest direct radix. */
  static const gsize more[] = { 81, 97, 125, 128, 134, 243, 256, 320, 360, 400,
    480, 512, 1009, 1021, 1024 };
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (gsize n = 1; n <= 70; n++)
    check_length (rand, n);
  for (gsize i = 0; i < G_N_ELEMENTS (more); i++)
    check_length (rand, more[i]);
}

static void
test_cache (void)
{
  CpuFftCache cache = { NULL };
  CpuFft *a = cpu_fft_cache_get (&cache, 12);

  g_assert_true (cpu_fft_cache_get (&cache, 12) == a);
  g_assert_true (cpu_fft_cache_get (&cache, 13) != a);
  cpu_fft_cache_clear (&cache);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/fft/lengths", test_lengths);
  g_test_add_func ("/cpu/fft/cache", test_cache);
  return g_test_run ();
}
