/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models set while data flows, and model states kept over a restart of the
 * element. */

#include <glib/gstdio.h>
#include <string.h>

#include "tests/check/support/stream.h"

#define DATA SOURCE_ROOT "/tests/data/"
#define SUMMATOR DATA "summator-wave.xml" /* 100 samples, x + state */
#define DOUBLE DATA "double-wave.xml"     /* 50 samples, x + x */

static GstHarness *
start (const char *more)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=" SUMMATOR " %s", more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

static GstFlowReturn
push (GstHarness *h, float value, gsize n)
{
  g_autofree float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = value;
  return gst_harness_push (
      h, gst_buffer_new_memdup (values, n * sizeof (float)));
}

/* The first value of the next result, which must have @n values. */
static float
pull (GstHarness *h, gsize n, gboolean discont)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  float value;

  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_get_size (buffer), n * sizeof (float));
  fail_unless_equals_int (
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), discont);
  gst_buffer_extract (buffer, 0, &value, sizeof value);
  return value;
}

static void
await_progress (GstHarness *h, GstProgressType wanted)
{
  GstProgressType type = GST_PROGRESS_TYPE_CANCELED;

  while (type != wanted) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        test_bus (h), 10 * GST_SECOND, GST_MESSAGE_PROGRESS);

    fail_unless (message != NULL);
    gst_message_parse_progress (message, &type, NULL, NULL);
  }
}

static void
change (GstHarness *h, const char *model, GstProgressType wanted)
{
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (
              test_bus (h), GST_MESSAGE_PROGRESS | GST_MESSAGE_WARNING))
         != NULL)
    gst_message_unref (message);
  g_object_set (filter, "model", model, NULL);
  await_progress (h, wanted);
}

static void
assert_warning (GstHarness *h, const char *part)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      test_bus (h), 10 * GST_SECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) warning = NULL;

  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, part) != NULL, "'%s' is not in: %s",
      part, warning->message);
}

static void
assert_model (GstHarness *h, const char *want)
{
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autofree char *model = NULL;

  g_object_get (filter, "model", &model, NULL);
  fail_unless_equals_string (model, want);
}

/* The old model finishes what it has begun before the new one begins; caps
 * follow. */
GST_START_TEST (test_swap)
{
  g_autoptr (TestHarness) h = start ("");

  push (h, 1, 230);
  fail_unless_equals_float (pull (h, 100, TRUE), 1);
  fail_unless_equals_float (pull (h, 100, FALSE), 2);
  change (h, DOUBLE, GST_PROGRESS_TYPE_COMPLETE);
  push (h, 5, 100);
  fail_unless_equals_float (pull (h, 100, FALSE), 3); /* the tail */
  fail_unless_equals_float (pull (h, 50, TRUE), 10);
  fail_unless_equals_float (pull (h, 50, FALSE), 10);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"),
      "50:1");
  change (h, SUMMATOR, GST_PROGRESS_TYPE_COMPLETE);
  push (h, 7, 200);
  fail_unless_equals_float (pull (h, 100, TRUE), 7); /* with fresh states */
  fail_unless_equals_float (pull (h, 100, FALSE), 14);
  assert_model (h, SUMMATOR);
}
GST_END_TEST

static guint
count_caps (GstHarness *h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
    gst_event_unref (event);
  }
  return n;
}

/* Another model with the same caps: elements that follow do not negotiate
 * again, nor does a decoder send its caps again. */
GST_START_TEST (test_same_caps)
{
  static const char *const descriptions[] = { "inferfilter model=" SUMMATOR,
    "inferfilter model=" SUMMATOR " ! inferdecoder mode=json" };
  g_autofree char *folder = g_dir_make_tmp ("inferfilter-XXXXXX", NULL);
  g_autofree char *copy = g_build_filename (folder, "copy.xml", NULL);
  g_autofree char *xml = NULL;

  fail_unless (g_file_get_contents (SUMMATOR, &xml, NULL, NULL));
  fail_unless (g_file_set_contents (copy, xml, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (TestHarness) h = test_harness (descriptions[i]);

    gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
    push (h, 1, 100);
    gst_buffer_unref (gst_harness_pull (h));
    fail_unless_equals_int (count_caps (h), 1);
    change (h, copy, GST_PROGRESS_TYPE_COMPLETE);
    push (h, 1, 100);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    assert_model (h, copy);
    fail_unless (GST_BUFFER_IS_DISCONT (buffer) || i > 0);
    fail_unless_equals_int (count_caps (h), 0);
    change (h, DOUBLE, GST_PROGRESS_TYPE_COMPLETE);
    push (h, 1, 100);
    gst_buffer_unref (gst_harness_pull (h));
    fail_unless_equals_int (count_caps (h), i == 0); /* JSON is JSON */
  }
  g_remove (copy);
  g_rmdir (folder);
}
GST_END_TEST

GST_START_TEST (test_bad_swap)
{
  g_autoptr (TestHarness) h = start ("");

  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, TRUE), 1);
  change (h, "/nowhere.xml", GST_PROGRESS_TYPE_ERROR);
  assert_warning (h, "/nowhere.xml");
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, FALSE), 2);
  assert_model (h, SUMMATOR);

  /* A model that loads, but does not take the caps. */
  change (h, DATA "summator.xml", GST_PROGRESS_TYPE_COMPLETE);
  push (h, 1, 100);
  assert_warning (h, "model-info=sample_rate=");
  fail_unless_equals_float (pull (h, 100, TRUE), 1);
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, FALSE), 2);
  assert_model (h, SUMMATOR);
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

/* Set while data flows, both are for the next model, not for the one that
 * runs. */
GST_START_TEST (test_swap_with_files)
{
  static const char *const names[] = { "model", "weights", "model-info" };
  g_autofree char *folder = g_dir_make_tmp ("inferfilter-XXXXXX", NULL);
  g_autofree char *copy = g_build_filename (folder, "copy.xml", NULL);
  g_autofree char *xml = NULL;
  g_autoptr (TestHarness) h = start ("");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    fail_unless (
        g_object_class_find_property (G_OBJECT_GET_CLASS (filter), names[i])
            ->flags
        & GST_PARAM_MUTABLE_PLAYING);
  fail_unless (g_file_get_contents (DATA "delay-wave.xml", &xml, NULL, NULL));
  fail_unless (g_file_set_contents (copy, xml, -1, NULL));
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, TRUE), 1);
  change (
      h, copy, GST_PROGRESS_TYPE_ERROR); /* there are no weights beside it */
  assert_warning (h, "copy.bin");
  g_object_set (filter, "weights", DATA "delay-wave.bin", NULL);
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, FALSE), 2);
  change (h, copy, GST_PROGRESS_TYPE_COMPLETE);
  push (h, 3, 3200);
  fail_unless_equals_float (pull (h, 1600, TRUE), 0); /* 30 samples late */
  fail_unless_equals_float (pull (h, 1600, FALSE), 6);
  assert_model (h, copy);

  /* Without its rate, summator.xml does not take the caps. */
  g_object_set (filter, "weights", NULL, "model-info",
      "sample_rate=" G_STRINGIFY (TEST_RATE), NULL);
  push (h, 3, 1600);
  fail_unless_equals_float (pull (h, 1600, FALSE), 6);
  change (h, DATA "summator.xml", GST_PROGRESS_TYPE_COMPLETE);
  push (h, 7, 6);
  fail_unless_equals_float (pull (h, 3, TRUE), 7);
  fail_unless_equals_float (pull (h, 3, FALSE), 14);
  assert_model (h, DATA "summator.xml");
  fail_unless (test_pop_error (h) == NULL);
  g_remove (copy);
  g_rmdir (folder);
}
GST_END_TEST

static void
send_gap (GstHarness *h, GstClockTime pts, guint samples)
{
  fail_unless (gst_harness_push_event (
      h, gst_event_new_gap (
             pts, gst_util_uint64_scale (samples, GST_SECOND, TEST_RATE))));
}

/* A gap is data, too: its rows are the new model's.  Where a flush has left
 * nothing under way, the new model is in use at once. */
GST_START_TEST (test_swap_at_gap)
{
  for (guint flush = 0; flush < 2; flush++) {
    g_autoptr (TestHarness) h = start ("");
    g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
    g_autoptr (GstSample) state = NULL;

    push (h, 1, 100);
    fail_unless_equals_float (pull (h, 100, TRUE), 1);
    change (h, DOUBLE, GST_PROGRESS_TYPE_COMPLETE);
    g_signal_emit_by_name (filter, "get-state", "sum", &state);
    fail_unless (state != NULL);
    if (flush) {
      g_clear_pointer (&state, gst_sample_unref);
      test_flush (h);
      g_signal_emit_by_name (filter, "get-state", "sum", &state);
      fail_unless (state == NULL); /* the new model has none */
    }
    send_gap (h, 0, 50);
    fail_unless_equals_float (pull (h, 50, TRUE), 0);
  }
}
GST_END_TEST

static gpointer
keep_changing (gpointer filter)
{
  for (guint i = 0; i < 60; i++) {
    g_object_set (filter, "model", i % 2 ? SUMMATOR : DOUBLE, NULL);
    g_usleep (500);
  }
  return NULL;
}

/* From another thread, beside elements with the same models: nothing is
 * lost. */
GST_START_TEST (test_swap_storm)
{
  GstHarness *h = start ("nireq=3"), *other = start ("model-instance-id=x");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  GThread *thread = g_thread_new ("changer", keep_changing, filter);
  guint n;

  for (n = 0; n < 3000; n++)
    fail_unless_equals_int (push (h, 1, 100), GST_FLOW_OK);
  g_thread_join (thread);
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, n * 100);
  fail_unless (test_pop_error (h) == NULL);
  test_teardown (h);
  push (other, 3, 100);
  fail_unless_equals_float (pull (other, 100, TRUE), 3);
  test_teardown (other);
}
GST_END_TEST

/* The element is stopped while a model loads. */
GST_START_TEST (test_swap_and_stop)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (TestHarness) h = start ("");
    g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

    push (h, 1, 100);
    g_object_set (filter, "model", DOUBLE, NULL);
    if (i % 2)
      push (h, 1, 100);
  }
}
GST_END_TEST

/* A harness with a bus before the first state change. */
static GstHarness *
start_async (const char *model)
{
  g_autoptr (GstElement) filter =
      gst_object_ref_sink (gst_element_factory_make ("inferfilter", NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();

  g_object_set (filter, "model", model, "async-load", TRUE, NULL);
  gst_element_set_bus (filter, bus);
  GstHarness *h = gst_harness_new_with_element (filter, "sink", "src");
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

/* PAUSED is reached at once; data waits for the model. */
GST_START_TEST (test_async)
{
  GstHarness *h = start_async (SUMMATOR);

  await_progress (h, GST_PROGRESS_TYPE_START);
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, TRUE), 1);
  await_progress (h, GST_PROGRESS_TYPE_COMPLETE);
  test_teardown (h);

  for (guint i = 0; i < 20; i++)
    test_teardown (start_async (SUMMATOR));
}
GST_END_TEST

GST_START_TEST (test_async_failure)
{
  g_autoptr (TestHarness) h = start_async ("/nowhere.xml");

  fail_unless (push (h, 1, 100) < GST_FLOW_EOS);
  await_progress (h, GST_PROGRESS_TYPE_ERROR);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, "/nowhere.xml") != NULL);
}
GST_END_TEST

/* States saved, the element stopped, states restored, started: the results
 * continue. */
GST_START_TEST (test_restart)
{
  g_autoptr (TestHarness) h = start ("");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstSample) saved = NULL;
  gboolean done = FALSE;

  push (h, 1, 300);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_float (pull (h, 100, i == 0), (float) (i + 1));
  g_signal_emit_by_name (filter, "get-state", "sum", &saved);
  fail_unless (saved != NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  g_signal_emit_by_name (filter, "set-state", "sum", saved, &done);
  fail_unless (done);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_push_event (h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  push (h, 1, 200);
  fail_unless_equals_float (pull (h, 100, TRUE), 4);
  fail_unless_equals_float (pull (h, 100, FALSE), 5);
  test_flush (h); /* later sequences start from fresh states */
  push (h, 1, 100);
  fail_unless_equals_float (pull (h, 100, TRUE), 1);

  /* A value that does not fit, or of another variable, gives a warning. */
  g_autoptr (GstCaps) other = gst_caps_from_string (
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)7:1, framerate=(fraction)0/1");
  g_autoptr (GstBuffer) seven = gst_buffer_new_and_alloc (7 * sizeof (float));
  g_autoptr (GstSample) wrong = gst_sample_new (seven, other, NULL, NULL);
  g_signal_emit_by_name (filter, "set-state", "sum", wrong, &done);
  fail_if (done);
  assert_warning (h, "a value of shape [1,7] does not fit");
  g_autoptr (GstCaps) two = gst_caps_from_string (
      "other/tensors, format=static, num_tensors=2, "
      "types=(string)\"float32,float32\", dimensions=(string)\"7:1,7:1\", "
      "framerate=(fraction)0/1");
  g_autoptr (GstSample) both = gst_sample_new (seven, two, NULL, NULL);
  g_signal_emit_by_name (filter, "set-state", "sum", both, &done);
  fail_if (done);
  assert_warning (h, "the sample has 2 tensors, not 1");
  g_signal_emit_by_name (filter, "set-state", "total", saved, &done);
  fail_if (done);
  assert_warning (h, "no variable 'total'; there are: 'sum'");
  gst_element_set_state (h->element, GST_STATE_NULL);
  g_signal_emit_by_name (filter, "set-state", "total", saved, &done);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  assert_warning (h, "'total'");
}
GST_END_TEST

static Suite *
inferfilter_swap_suite (void)
{
  return test_suite ("inferfilter-swap", NULL, NULL, test_swap,
      test_swap_at_gap, test_same_caps, test_bad_swap, test_swap_with_files,
      test_swap_storm, test_swap_and_stop, test_async, test_async_failure,
      test_restart, NULL);
}

GST_CHECK_MAIN (inferfilter_swap)
