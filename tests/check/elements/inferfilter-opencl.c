/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pipelines on a device that fails, with the fake driver: every call in
 * turn, at start and in the stream, once and permanently, and commands that
 * fail on the device. The error on the bus names the function, no buffer is
 * wrong, nothing leaks, and the next pipeline works. */

#include <gst/check/gstcheck.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check/support/fake-icd/fake-icd.h"
#include "tests/check/support/stream.h"

#define PIPELINE                                                               \
  "fakesrc format=time num-buffers=8 sizetype=fixed sizemax=400 "              \
  "filltype=zero ! audio/x-raw, format=F32LE, layout=interleaved, "            \
  "rate=16000, channels=1 ! inferfilter name=filter model=" SOURCE_ROOT        \
  "/tests/data/summator-wave.xml device=OPENCL nireq=3 ! fakesink"

static guint
stride (void)
{
  const char *text = g_getenv ("INFER_TEST_STRIDE");

  return text != NULL ? (guint) atoi (text) : 1;
}

/* The filter's first error on the bus; NULL: EOS came first. (transfer full) */
static char *
run (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (PIPELINE, &error);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  char *text = NULL;

  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, 100 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    text = g_strdup (error->message);
    fail_unless_equals_string (GST_MESSAGE_SRC_NAME (message), "filter");
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return text;
}

static void
assert_runs (void)
{
  fake_icd_fail (0, FALSE);
  g_autofree char *message = run ();
  fail_unless_equals_string (message, NULL);
  fail_unless_equals_int (fake_icd_n_alive (), 0);
}

/* Calls whose failure is tolerated. */
static gboolean
is_spared (const char *function)
{
  return g_str_has_prefix (function, "clRelease")
         || strcmp (function, "clGetEventProfilingInfo") == 0;
}

static guint
check_calls (gboolean all)
{
  guint n, n_errors = 0;

  assert_runs ();
  n = fake_icd_n_calls ();
  for (guint at = 1; at <= n; at += stride ()) {
    fake_icd_fail (at, all);
    g_autofree char *message = run ();
    const char *failed = fake_icd_failed ();
    fail_unless_equals_int (fake_icd_n_alive (), 0);
    if (message == NULL)
      fail_unless (failed == NULL || all || is_spared (failed));
    else
      fail_unless (strstr (message, all ? "cl" : failed) != NULL,
          "%s failed: %s", failed, message);
    n_errors += message != NULL;
  }
  assert_runs ();
  return n_errors;
}

GST_START_TEST (test_call)
{
  fail_unless (check_calls (FALSE) > 0);
}
GST_END_TEST

GST_START_TEST (test_lost)
{
  fail_unless (check_calls (TRUE) > 0);
}
GST_END_TEST

/* Errors reported by events. */
GST_START_TEST (test_command)
{
  assert_runs ();
  guint n = fake_icd_n_commands ();
  for (guint at = 1; at <= n; at += stride ()) {
    fake_icd_fail_command (at);
    g_autofree char *message = run ();
    fail_unless_equals_int (fake_icd_n_alive (), 0);
    fail_unless (message == NULL || strstr (message, "cl") != NULL);
    fail_unless (message != NULL || at > n / 2);
  }
  assert_runs ();
}
GST_END_TEST

/* OpenVINO's name for the first GPU. */
GST_START_TEST (test_gpu)
{
  g_autoptr (GstElement) filter =
      gst_element_factory_make ("inferfilter", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;

  fake_icd_fail (0, FALSE);
  g_object_set (filter, "model", SOURCE_ROOT "/tests/data/summator-wave.xml",
      "device", "gpu", NULL);
  gst_element_set_bus (filter, bus);
  fail_unless_equals_int (gst_element_set_state (filter, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (filter, GST_STATE_READY);
  g_object_set (filter, "device", "GPU.1", NULL);
  fail_unless_equals_int (gst_element_set_state (filter, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "'GPU.1': ") != NULL
                   && strstr (error->message, "OPENCL (") != NULL,
      "%s", error->message);
  gst_element_set_state (filter, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
}
GST_END_TEST

static Suite *
inferfilter_opencl_suite (void)
{
  Suite *suite = suite_create ("inferfilter-opencl");
  TCase *tc = tcase_create ("faults");

  g_assert_true (test_load_plugin ("coreelements"));
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_call);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_command);
  tcase_add_test (tc, test_gpu);
  return suite;
}

GST_CHECK_MAIN (inferfilter_opencl)
