/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors in, tensors out; states and statistics. */

#include <string.h>

#include "tests/check/support/stream.h"

#define TENSOR_CAPS_AT(rate)                                                   \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)3:1, framerate=(fraction)" rate "/1"
#define TENSOR_CAPS TENSOR_CAPS_AT ("10")

static GstHarness *
start_tensors (void)
{
  g_autofree char *description = test_filter ("summator.xml", "");
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TENSOR_CAPS);
  return h;
}

static GstFlowReturn
push_tensor (GstHarness *h, float value, gsize size, GstClockTime pts)
{
  const float values[4] = { value, value, value, value };
  GstBuffer *buffer = gst_buffer_new_memdup (values, size);

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100;
  return gst_harness_push (h, buffer);
}

static float
pull_value (GstHarness *h)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

  return test_first_value (buffer);
}

GST_START_TEST (test_tensors)
{
  g_autoptr (TestHarness) h = start_tensors ();

  for (guint i = 0; i < 10; i++) {
    fail_unless_equals_int (push_tensor (h, 2, 12, i * 100), GST_FLOW_OK);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless_equals_float (test_first_value (buffer), (float) (2 * i + 2));
    fail_unless_equals_int64 (GST_BUFFER_PTS (buffer), i * 100);
    fail_unless_equals_int64 (GST_BUFFER_DURATION (buffer), 100);
  }
  push_tensor (h, 2, 8, 0);
  while (push_tensor (h, 2, 12, 0) == GST_FLOW_OK)
    g_usleep (1000);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, "8 bytes") != NULL, "%s", error);
}
GST_END_TEST

static void
assert_dimensions (GstHarness *h, const char *want)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);

  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"),
      want);
}

static void
assert_rate (GstHarness *h, int want)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  int n, d;

  fail_unless (gst_structure_get_fraction (
      gst_caps_get_structure (caps, 0), "framerate", &n, &d));
  fail_unless_equals_int (n, want);
  fail_unless_equals_int (d, 1);
}

/* Caps come from the first buffer's shape and change with it; events wait
 * for them.  The rate is the input's, also where that alone changes. */
GST_START_TEST (test_open_shape)
{
  g_autofree char *description = test_filter ("non-zero.xml", "nireq=1");
  g_autoptr (TestHarness) h = test_harness (description);
  static const float values[][3] = { { 1, 0, 2 }, { 3, 0, 4 }, { 0, 5, 0 },
    { 0, 0, 6 } };
  static const char *const dims[] = { "2:2", "2:2", "1:2", "1:2" };

  gst_harness_set_src_caps_str (h, TENSOR_CAPS);
  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new_empty ()));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    if (i == 3)
      gst_harness_set_src_caps_str (h, TENSOR_CAPS_AT ("25"));
    gst_harness_push (h, gst_buffer_new_memdup (values[i], sizeof values[i]));
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    assert_dimensions (h, dims[i]);
    assert_rate (h, i < 3 ? 10 : 25);
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), (dims[i][0] - '0') * 2 * sizeof (gint64));
  }
}
GST_END_TEST

GST_START_TEST (test_extra_outputs)
{
  g_autofree char *description =
      test_filter ("summator.xml", "extra-outputs=\"read, x:0\"");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, TENSOR_CAPS);
  for (guint i = 0; i < 3; i++) {
    push_tensor (h, 5, 12, i * 100);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless_equals_int (gst_buffer_n_memory (buffer), 3);
    for (guint k = 0; k < 3; k++) {
      const float want[] = { 5.f * (float) (i + 1), 5.f * (float) i, 5.f };
      float have;

      gst_buffer_extract (buffer, 12 * k, &have, sizeof have);
      fail_unless_equals_float (have, want[k]);
    }
  }
  assert_dimensions (h, "3:1,3:1,3:1");
}
GST_END_TEST

GST_START_TEST (test_state_signals)
{
  g_autoptr (TestHarness) h = start_tensors ();
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstSample) saved = NULL, none = NULL;
  g_auto (GStrv) names = NULL;
  gboolean done = FALSE;

  push_tensor (h, 1, 12, 0);
  push_tensor (h, 1, 12, 100);
  fail_unless_equals_float (pull_value (h), 1);
  fail_unless_equals_float (pull_value (h), 2);
  g_object_get (filter, "state-names", &names, NULL);
  fail_unless_equals_int (g_strv_length (names), 1);
  fail_unless_equals_string (names[0], "sum");
  g_signal_emit_by_name (filter, "get-state", "sum", &saved);
  fail_unless (saved != NULL);
  fail_unless_equals_float (
      test_first_value (gst_sample_get_buffer (saved)), 2);
  g_signal_emit_by_name (filter, "get-state", "mus", &none);
  fail_unless (none == NULL);

  g_signal_emit_by_name (filter, "reset-state", &done);
  fail_unless (done);
  push_tensor (h, 10, 12, 200);
  fail_unless_equals_float (pull_value (h), 10);
  g_signal_emit_by_name (filter, "set-state", "sum", saved, &done);
  fail_unless (done);
  push_tensor (h, 10, 12, 300);
  fail_unless_equals_float (pull_value (h), 12);
}
GST_END_TEST

GST_START_TEST (test_stats)
{
  g_autoptr (TestHarness) h = start_tensors ();
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstStructure) stats = NULL, again = NULL;
  GstStructure *total = NULL;
  guint64 n = 0, p50 = 0, max = 0;

  for (guint i = 0; i < 5; i++) {
    push_tensor (h, 1, 12, i * 100);
    pull_value (h);
  }
  g_object_get (filter, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "inferences", &n) && n == 5);
  fail_unless (gst_structure_get_uint64 (stats, "buffers", &n) && n == 5);
  gst_structure_get (stats, "total", GST_TYPE_STRUCTURE, &total, NULL);
  gst_structure_get_uint64 (total, "p50", &p50);
  gst_structure_get_uint64 (total, "max", &max);
  fail_unless (p50 > 0 && p50 <= max);
  gst_structure_free (total);
  g_object_set (filter, "stats", NULL, NULL);
  g_object_get (filter, "stats", &again, NULL);
  fail_unless (gst_structure_get_uint64 (again, "inferences", &n) && n == 0);
}
GST_END_TEST

static void
send_rows_caps (GstHarness *h, guint rows, guint rate)
{
  g_autofree char *text = g_strdup_printf (
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)2:%u:1, framerate=(fraction)%u/%u",
      rows, rate, rows);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  fail_unless (gst_harness_push_event (h, gst_event_new_caps (caps)));
}

static float
sum_of_rows (GstHarness *h, guint rows)
{
  g_autofree float *ones = g_new (float, 2 * rows);

  for (guint i = 0; i < 2 * rows; i++)
    ones[i] = 1;
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_memdup (ones,
                                                   2 * rows * sizeof (float))),
      GST_FLOW_OK);
  return pull_value (h);
}

/* Caps with another number of rows at the same pace are no new sequence: the
 * states stay.  Another pace is one. */
GST_START_TEST (test_rows_go_on)
{
  g_autofree char *description = test_filter ("sum-rows.xml", "");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h,
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)2:5:1, framerate=(fraction)100/5");
  fail_unless_equals_float (sum_of_rows (h, 5), 5);
  fail_unless_equals_float (sum_of_rows (h, 5), 10);
  send_rows_caps (h, 3, 100);
  fail_unless_equals_float (sum_of_rows (h, 3), 13);
  send_rows_caps (h, 5, 100);
  fail_unless_equals_float (sum_of_rows (h, 5), 18);
  send_rows_caps (h, 5, 50);
  fail_unless_equals_float (sum_of_rows (h, 5), 5);
}
GST_END_TEST

static Suite *
inferfilter_tensors_suite (void)
{
  return test_suite ("inferfilter-tensors", NULL, NULL, test_tensors,
      test_rows_go_on, test_open_shape, test_extra_outputs, test_state_signals,
      test_stats, NULL);
}

GST_CHECK_MAIN (inferfilter_tensors)
