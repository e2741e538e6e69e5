/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/timing/durations.h"

typedef struct
{
  guint64 n, mean, p50, p95, p99, max;
} Figures;

static Figures
read (const GstInferDurations *durations)
{
  g_autoptr (GstStructure) s = gst_structure_new_empty ("stats");
  g_autoptr (GstStructure) field = NULL;
  Figures f;

  gst_infer_durations_report (durations, "delay", s);
  g_assert_true (
      gst_structure_get (s, "delay", GST_TYPE_STRUCTURE, &field, NULL));
  g_assert_cmpint (gst_structure_n_fields (field), ==, 6);
  g_assert_true (
      gst_structure_get (field, "n", G_TYPE_UINT64, &f.n, "mean", G_TYPE_UINT64,
          &f.mean, "p50", G_TYPE_UINT64, &f.p50, "p95", G_TYPE_UINT64, &f.p95,
          "p99", G_TYPE_UINT64, &f.p99, "max", G_TYPE_UINT64, &f.max, NULL));
  return f;
}

static void
expect (const GstInferDurations *durations, Figures wanted)
{
  const Figures got = read (durations);

  g_assert_cmpuint (got.n, ==, wanted.n);
  g_assert_cmpuint (got.mean, ==, wanted.mean);
  g_assert_cmpuint (got.p50, ==, wanted.p50);
  g_assert_cmpuint (got.p95, ==, wanted.p95);
  g_assert_cmpuint (got.p99, ==, wanted.p99);
  g_assert_cmpuint (got.max, ==, wanted.max);
}

static void
test_none (void)
{
  const GstInferDurations durations = { 0 };

  expect (&durations, (Figures){ 0, 0, 0, 0, 0, 0 });
}

static void
test_one (void)
{
  GstInferDurations durations = { 0 };

  gst_infer_durations_add (&durations, 7);
  expect (&durations, (Figures){ 1, 7, 7, 7, 7, 7 });
}

/* 1 … 100 in an order of its own: 37 and 101 have no common divisor. */
static void
test_hundred (void)
{
  GstInferDurations durations = { 0 };

  for (guint64 i = 1; i <= 100; i++)
    gst_infer_durations_add (&durations, i * 37 % 101);
  expect (&durations, (Figures){ 100, 50, 51, 96, 100, 100 });
}

/* The percentiles forget what is older than the ring; mean and max do not. */
static void
test_ring (void)
{
  const guint64 large = 1000000;
  GstInferDurations durations = { 0 };

  for (guint i = 0; i < 100; i++)
    gst_infer_durations_add (&durations, large);
  for (guint64 i = 0; i < GST_INFER_DURATIONS_RECENT; i++)
    gst_infer_durations_add (&durations, i);
  expect (&durations, (Figures){ 356, (100 * large + 255 * 256 / 2) / 356, 128,
                          243, 253, large });
}

/* Durations that do not fit into 32 bits. */
static void
test_long (void)
{
  GstInferDurations durations = { 0 };

  for (guint64 i = 0; i < 4; i++)
    gst_infer_durations_add (&durations, (10 + i) * GST_SECOND);
  expect (&durations, (Figures){ 4, 23 * GST_SECOND / 2, 12 * GST_SECOND,
                          13 * GST_SECOND, 13 * GST_SECOND, 13 * GST_SECOND });
}

int
main (int argc, char **argv)
{
  gst_init (NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/durations/none", test_none);
  g_test_add_func ("/durations/one", test_one);
  g_test_add_func ("/durations/hundred", test_hundred);
  g_test_add_func ("/durations/ring", test_ring);
  g_test_add_func ("/durations/long", test_long);
  return g_test_run ();
}
