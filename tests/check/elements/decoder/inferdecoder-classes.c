/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Classes of tensors without video, as of sounds: text and JSON. */

#include <string.h>

#include "tests/check/support/stream.h"

#define CAPS(dims)                                                             \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)" dims ", framerate=(fraction)0/1"

static GstHarness *
start (const char *description, const char *caps, const char *labels)
{
  GstHarness *h = test_harness (description);
  GstStructure *s = gst_structure_new ("inferfilter/model-info", "model_type",
      G_TYPE_STRING, "classification", NULL);

  if (labels != NULL)
    gst_structure_set (s, "labels", G_TYPE_STRING, labels, NULL);
  gst_harness_set_src_caps_str (h, caps);
  gst_harness_push_event (
      h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s));
  return h;
}

static void
push (GstHarness *h, const float *scores, guint n, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_memdup (scores, n * sizeof (float));

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = GST_SECOND;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

static void
assert_text (GstHarness *h, const char *want)
{
  g_autofree char *text = test_finish_text (h);

  fail_unless_equals_string (text, want);
}

GST_START_TEST (test_text)
{
  static const float first_scores[] = { 0.1f, 0.7f, 0.2f };
  static const float next_scores[] = { 0.5f, 0.25f, 0.25f };
  g_autoptr (TestHarness) h =
      start ("inferdecoder top-k=2", CAPS ("3:1"), "dog cat_purring rain");
  g_autoptr (TestHarness) numbers = start ("inferdecoder", CAPS ("3:1"), NULL);

  push (h, first_scores, 3, 0);
  {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), GST_SECOND);
    fail_unless_equals_int (
        gst_buffer_memcmp (buffer, 0, "cat purring 0.70\nrain 0.20\n", 27), 0);
  }
  push (h, next_scores, 3, GST_SECOND);
  assert_text (h, "dog 0.50\ncat purring 0.25\n");
  push (numbers, first_scores, 3, 0);
  assert_text (numbers, "1 0.70\n");
}
GST_END_TEST

/* Where no class is certain enough, time passes in a GAP event. */
GST_START_TEST (test_threshold)
{
  static const float weak[] = { 0.3f, 0.4f, 0.3f };
  g_autoptr (TestHarness) h =
      start ("inferdecoder threshold=0.5", CAPS ("3:1"), "a b c");
  GstClockTime pts = 0, duration = 0;
  GstEvent *event;

  push (h, weak, 3, 5 * GST_SECOND);
  fail_unless (gst_harness_try_pull (h) == NULL);
  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
      gst_event_parse_gap (event, &pts, &duration);
    gst_event_unref (event);
  }
  fail_unless_equals_uint64 (pts, 5 * GST_SECOND);
  fail_unless_equals_uint64 (duration, GST_SECOND);
}
GST_END_TEST

GST_START_TEST (test_json)
{
  static const float scores[] = { 0.25f, 0.75f, 0 };
  static const float none[] = { 0.125f, 0.125f, 0.125f };
  g_autoptr (TestHarness) h =
      start ("inferdecoder top-k=2 threshold=0.25", CAPS ("3:1"), "a b c");

  gst_harness_set_sink_caps_str (h, "application/json");
  push (h, scores, 3, 0);
  push (h, none, 3, GST_SECOND);
  assert_text (h,
      "{\"pts\":0,\"duration\":1000000000,\"classes\":["
      "{\"confidence\":0.75,\"label\":\"b\",\"label_id\":1},"
      "{\"confidence\":0.25,\"label\":\"a\",\"label_id\":0}]}\n"
      "{\"pts\":1000000000,\"duration\":1000000000,\"classes\":[]}\n");
}
GST_END_TEST

/* Rows are parts of the buffer's time: their mean counts. */
GST_START_TEST (test_rows)
{
  static const float rows[] = { 1, 0, 0, 0, 1, 0, 0, 0.75f, 0.25f, 0, 0.25f,
    0.75f };
  g_autoptr (TestHarness) h =
      start ("inferdecoder top-k=3", CAPS ("3:4:1"), "a b c");

  push (h, rows, 12, 0);
  assert_text (h, "b 0.50\na 0.25\nc 0.25\n");
}
GST_END_TEST

/* A model of sound: the greatest of its logits, for each window. */
GST_START_TEST (test_sound)
{
  g_autofree char *filter =
      test_filter ("double-wave.xml", "model-info=model_type=classification");
  g_autofree char *description = g_strdup_printf ("%s ! inferdecoder", filter);
  g_autoptr (TestHarness) h = test_harness (description);
  float samples[150] = { 0 };

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  samples[7] = samples[50 + 3] = samples[100 + 49] = 40;
  test_push_samples (h, samples, 150, 33, 0);
  assert_text (h, "7 1.00\n3 1.00\n49 1.00\n");
}
GST_END_TEST

static Suite *
inferdecoder_classes_suite (void)
{
  return test_suite ("inferdecoder-classes", NULL, NULL, test_text,
      test_threshold, test_json, test_rows, test_sound, NULL);
}

GST_CHECK_MAIN (inferdecoder_classes)
