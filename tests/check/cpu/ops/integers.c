/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Integer weights are detected for any scale, other weights are not. */

#include "cpu/base/integers.h"
#include "inference/base/small-float.h"

#include <math.h>

#define N 300

static float
as_f16 (float value)
{
  guint16 half;

  infer_f32_to_f16_n (&half, &value, 1);
  infer_f16_to_f32_n (&value, &half, 1);
  return value;
}

static void
make (GRand *rand, float *values, int *integers, int low, int high, float scale)
{
  for (int i = 0; i < N; i++) {
    integers[i] = g_rand_int_range (rand, low, high + 1);
    values[i] = (float) integers[i] * scale;
  }
}

static void
check (const float *values, const int *integers, gsize n, float tolerance)
{
  CpuIntegers found;
  int want = 0, got = 0; /* for one element; the others are proportional */

  g_assert_true (cpu_integers_find (values, n, 1, &found));
  for (gsize i = 0; i < n; i++) {
    int integer = cpu_integers_of (&found, values[i]);

    g_assert_cmpint (integer, >=, found.low);
    g_assert_cmpint (integer, <=, found.high);
    g_assert_cmpfloat_with_epsilon (
        (float) integer * found.scale, values[i], tolerance * found.scale);
    if (got == 0) {
      got = integer;
      want = integers[i];
    }
    g_assert_cmpint (integer * want, ==, integers[i] * got);
  }
}

static void
test_found (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  float values[N];
  int integers[N];

  for (int round = 0; round < 200; round++) {
    int low = g_rand_int_range (rand, -255, 0);
    int high = g_rand_int_range (rand, 1, 256);
    float scale = (float) g_rand_double_range (rand, 1e-6, 10);

    make (rand, values, integers, low, high, scale);
    check (values, integers, N, 2e-4f);
  }
}

static void
test_f16 (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  float values[N];
  int integers[N];

  for (int round = 0; round < 100; round++) {
    make (rand, values, integers, -200, 150,
        as_f16 ((float) g_rand_double_range (rand, 1e-3, 1e-2)));
    for (int i = 0; i < N; i++)
      values[i] = as_f16 (values[i]);
    check (values, integers, N, 0.2f);
  }
}

static void
test_not_found (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  float values[N];
  CpuIntegers found;

  for (int round = 0; round < 100; round++) {
    for (int i = 0; i < N; i++) {
      values[i] = (float) g_rand_double_range (rand, -1, 1);
      if (round % 2 == 0)
        values[i] = as_f16 (values[i]);
    }
    g_assert_false (cpu_integers_find (values, N, 1, &found));
  }
  for (int i = 0; i < N; i++)
    values[i] = (float) i;
  g_assert_false (
      cpu_integers_find (values, N, 1, &found)); /* needs nine bits */
}

static void
test_edges (void)
{
  const float strided[] = { 2, 0.3f, -4, 0.7f, 6 };
  const float zeros[] = { 0, -0.0f }, huge[] = { 1, INFINITY };
  CpuIntegers found;

  g_assert_true (cpu_integers_find (strided, 3, 2, &found));
  g_assert_cmpint (
      cpu_integers_of (&found, -4) * 3, ==, cpu_integers_of (&found, 6) * -2);
  g_assert_true (cpu_integers_find (zeros, 2, 1, &found));
  g_assert_cmpint (found.low, ==, 0);
  g_assert_cmpint (found.high, ==, 0);
  g_assert_true (cpu_integers_find (NULL, 0, 1, &found));
  g_assert_false (cpu_integers_find (huge, 2, 1, &found));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/integers/found", test_found);
  g_test_add_func ("/integers/f16", test_f16);
  g_test_add_func ("/integers/not-found", test_not_found);
  g_test_add_func ("/integers/edges", test_edges);
  return g_test_run ();
}
