/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/sequence/window.h"

#define RATE 16000

/* Rows count up from *@next. */
static void
push (GstInferWindow *window, gsize rows, guint width, GstClockTime pts,
    float *next)
{
  float *to = gst_infer_window_grow (window, rows, pts);

  for (gsize i = 0; i < rows * width; i++)
    to[i] = (*next)++;
}

static GstClockTime
at (guint64 rows)
{
  return gst_util_uint64_scale (rows, GST_SECOND, RATE);
}

static void
test_any_size (void)
{
  static const gsize sizes[] = { 1, 37, 160, 1600, 5000 };
  static const gsize hops[] = { 100, 40, 7 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    for (guint h = 0; h < G_N_ELEMENTS (hops); h++) {
      g_autoptr (GstInferWindow) window =
          gst_infer_window_new (2, 100, hops[h], GST_SECOND, RATE);
      const float *rows;
      GstInferSpan span;
      float next = 0;
      guint64 first = 0;

      for (gsize pushed = 0; pushed < 5000; pushed += sizes[s]) {
        gsize n = MIN (sizes[s], 5000 - pushed);

        push (window, n, 2, GST_SECOND + at (pushed), &next);
        while ((rows = gst_infer_window_peek (window, &span))) {
          g_assert_cmpfloat (rows[0], ==, (float) (2 * first));
          g_assert_cmpfloat (rows[199], ==, (float) (2 * first + 199));
          g_assert_cmpuint (span.pts, ==, GST_SECOND + at (first));
          g_assert_cmpuint (span.duration, ==, at (first + 100) - at (first));
          g_assert_cmpuint (span.offset, ==, first);
          g_assert_cmpuint (span.offset_end, ==, first + 100);
          gst_infer_window_advance (window);
          first += hops[h];
        }
      }
      g_assert_cmpuint (first, ==, (5000 - 100) / hops[h] * hops[h] + hops[h]);
    }
  }
}

static void
test_tail (void)
{
  g_autoptr (GstInferWindow) window =
      gst_infer_window_new (1, 100, 100, GST_SECOND, RATE);
  GstInferSpan span;
  float next = 1;

  g_assert_null (gst_infer_window_tail (window, 100, 0, &span));
  push (window, 100, 1, 0, &next);
  gst_infer_window_advance (window);
  g_assert_null (gst_infer_window_tail (window, 100, 0, &span));

  push (window, 33, 1, GST_CLOCK_TIME_NONE, &next);
  const float *rows = gst_infer_window_tail (window, 20, -5, &span);
  g_assert_cmpuint (span.rows, ==, 40);
  g_assert_cmpuint (span.pts, ==, at (100));
  g_assert_cmpuint (span.duration, ==, at (133) - at (100));
  g_assert_cmpuint (span.offset_end, ==, 133);
  g_assert_cmpfloat (rows[32], ==, 133);
  g_assert_cmpfloat (rows[33], ==, -5);
  g_assert_cmpfloat (rows[39], ==, -5);
  g_assert_null (gst_infer_window_tail (window, 20, -5, &span));
}

/* Rows that were part of a window are not a tail. */
static void
test_overlapping_tail (void)
{
  g_autoptr (GstInferWindow) window =
      gst_infer_window_new (1, 100, 40, GST_SECOND, RATE);
  GstInferSpan span;
  float next = 0;

  push (window, 100, 1, 0, &next);
  g_assert_nonnull (gst_infer_window_peek (window, &span));
  gst_infer_window_advance (window);
  g_assert_null (gst_infer_window_tail (window, 100, 0, &span));
  push (window, 1, 1, GST_CLOCK_TIME_NONE, &next);
  g_assert_nonnull (gst_infer_window_tail (window, 100, 0, &span));
  g_assert_cmpuint (span.offset, ==, 40);
  g_assert_cmpuint (span.offset_end, ==, 101);
}

static void
test_timestamps (void)
{
  g_autoptr (GstInferWindow) window =
      gst_infer_window_new (1, 100, 100, GST_SECOND, RATE);
  GstInferSpan span;
  float next = 0;

  g_assert_false (GST_CLOCK_TIME_IS_VALID (gst_infer_window_next_pts (window)));
  push (window, 100, 1, GST_CLOCK_TIME_NONE, &next);
  g_assert_nonnull (gst_infer_window_peek (window, &span));
  g_assert_false (GST_CLOCK_TIME_IS_VALID (span.pts));
  g_assert_cmpuint (span.duration, ==, at (100));
  gst_infer_window_advance (window);

  /* Jitter is ignored, a jump is not. */
  push (window, 50, 1, GST_SECOND, &next);
  push (window, 50, 1, GST_SECOND + at (50) + GST_MSECOND, &next);
  g_assert_nonnull (gst_infer_window_peek (window, &span));
  g_assert_cmpuint (span.pts, ==, GST_SECOND);
  gst_infer_window_advance (window);
  push (window, 100, 1, 5 * GST_SECOND, &next);
  g_assert_nonnull (gst_infer_window_peek (window, &span));
  g_assert_cmpuint (span.pts, ==, 5 * GST_SECOND);
  g_assert_cmpuint (
      gst_infer_window_next_pts (window), ==, 5 * GST_SECOND + at (100));
  g_assert_cmpuint (gst_infer_window_rows_in (window, GST_SECOND), ==, RATE);
}

static void
test_too_much (void)
{
  g_autoptr (GstInferWindow) window =
      gst_infer_window_new (1, 100, 100, GST_SECOND, RATE);

  g_assert_null (
      gst_infer_window_grow (window, G_MAXSIZE / 4, GST_CLOCK_TIME_NONE));
  g_assert_null (
      gst_infer_window_grow (window, G_MAXSIZE, GST_CLOCK_TIME_NONE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/window/any-size", test_any_size);
  g_test_add_func ("/window/tail", test_tail);
  g_test_add_func ("/window/overlapping-tail", test_overlapping_tail);
  g_test_add_func ("/window/timestamps", test_timestamps);
  g_test_add_func ("/window/too-much", test_too_much);
  return g_test_run ();
}
