/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where speech starts and ends, of probabilities: text, JSON, messages. */

#include <string.h>

#include "tests/check/support/stream.h"

#define STEP (32 * GST_MSECOND)
#define CAPS                                                                   \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1:1, framerate=(fraction)0/1"

/* Speech from window 5 to 20 and from 34 to 44; a click at 25. */
#define SPEECH "00000111111111111111000001000000001111111111000000"

/* @key and @value (both nullable): an entry of the model's info. */
static GstHarness *
start (const char *description, const char *key, const char *value)
{
  GstHarness *h = test_harness (description);
  GstStructure *s = gst_structure_new (
      "inferfilter/model-info", "model_type", G_TYPE_STRING, "vad", NULL);

  if (key != NULL)
    gst_structure_set (s, key, G_TYPE_STRING, value, NULL);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_harness_push_event (
      h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s));
  return h;
}

/* A probability of @yes for each "1", of @no for each "0". */
static void
push_values (GstHarness *h, const char *speech, float yes, float no)
{
  GstClockTime pts = GST_SECOND;

  for (; *speech != '\0'; speech++) {
    float p = *speech == '1' ? yes : no;
    GstBuffer *buffer = gst_buffer_new_memdup (&p, sizeof p);

    GST_BUFFER_PTS (buffer) = pts;
    GST_BUFFER_DURATION (buffer) = STEP;
    pts += STEP;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
}

static void
push (GstHarness *h, const char *speech)
{
  push_values (h, speech, 0.9f, 0.1f);
}

/* Events at @windows, moved by @pad milliseconds; nothing else. */
static void
check_times (GstHarness *h, const guint *windows, const int *pad, guint n)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    const char *want = i % 2 == 0 ? "speech-start\n" : "speech-end\n";

    fail_unless_equals_int (gst_buffer_get_size (buffer), strlen (want));
    fail_unless_equals_int (
        gst_buffer_memcmp (buffer, 0, want, strlen (want)), 0);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer),
        GST_SECOND + windows[i] * STEP + pad[i] * GST_MSECOND);
  }
  fail_unless (gst_harness_try_pull (h) == NULL);
}

/* GAP events cover the time up to @end, in order. */
static void
check_gaps (GstHarness *h, GstClockTime end)
{
  GstClockTime at = GST_SECOND, pts, duration;
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
      gst_event_parse_gap (event, &pts, &duration);
      fail_unless_equals_uint64 (pts, at);
      at += duration;
    }
    gst_event_unref (event);
  }
  fail_unless_equals_uint64 (at, end);
}

GST_START_TEST (test_speech)
{
  static const guint windows[] = { 5, 20, 34, 44 };
  static const int pad[] = { -30, 30, -30, 30 };
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);
  g_autoptr (TestHarness) logits =
      start ("inferdecoder mode=vad", "output_raw_scores", "True");

  push (h, SPEECH);
  check_times (h, windows, pad, 4);
  check_gaps (h, GST_SECOND + strlen (SPEECH) * STEP);
  push_values (logits, SPEECH, 0.1f, -0.8f);
  check_times (logits, windows, pad, 4);
}
GST_END_TEST

/* The properties have precedence over what the model says. */
GST_START_TEST (test_settings)
{
  static const guint clicks[] = { 5, 20, 25, 26, 34, 44 };
  static const int pad[] = { -10, 10, -10, 10, -10, 10 };
  static const guint ends[] = { 5, 50 };
  static const int none[] = { -30, 0 };
  g_autoptr (TestHarness) h =
      start ("inferdecoder min-speech-duration-ms=20 speech-pad-ms=10",
          "speech_pad_ms", "5");
  g_autoptr (TestHarness) one =
      start ("inferdecoder", "min_silence_duration_ms", "500");
  g_autoptr (TestHarness) low =
      start ("inferdecoder neg-threshold=0.05", NULL, NULL);
  g_autoptr (TestHarness) high =
      start ("inferdecoder threshold=0.95", NULL, NULL);

  push (h, SPEECH);
  check_times (h, clicks, pad, 6);
  push (one, SPEECH);
  check_times (one, ends, none, 2);
  push (low, SPEECH);
  check_times (low, ends, none, 2);
  push (high, SPEECH);
  check_times (high, NULL, NULL, 0);
}
GST_END_TEST

/* A flush forgets pending speech, a discontinuity ends it. */
GST_START_TEST (test_resets)
{
  static const guint windows[] = { 0, 15 };
  static const int pad[] = { 0, 30 };
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);

  push (h, "00000111111");
  test_flush (h);
  push (h, "11111111111111100000");
  check_times (h, windows, pad, 2);
}
GST_END_TEST

GST_START_TEST (test_json)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);

  gst_harness_set_sink_caps_str (h, "application/json");
  push (h, SPEECH);
  g_autofree char *text = test_finish_text (h);
  fail_unless (
      g_str_has_prefix (text, "{\"pts\":1130000000,\"event\":\"speech-start\","
                              "\"probability\":0.9}\n"
                              "{\"pts\":1670000000,\"event\":\"speech-end\","
                              "\"probability\":0.1}\n"),
      "%s", text);
}
GST_END_TEST

/* As webrtcdsp posts them. */
GST_START_TEST (test_messages)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);
  guint64 running, stream, time;
  gboolean voice;

  push (h, SPEECH);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (message != NULL);
    const GstStructure *s = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (s, "voice-activity"));
    fail_unless (gst_structure_get (s, "stream-has-voice", G_TYPE_BOOLEAN,
        &voice, "timestamp", G_TYPE_UINT64, &time, "running-time",
        G_TYPE_UINT64, &running, "stream-time", G_TYPE_UINT64, &stream, NULL));
    fail_unless_equals_int (voice, i % 2 == 0);
    fail_unless_equals_uint64 (time, GST_BUFFER_PTS (buffer));
    fail_unless_equals_uint64 (running, time);
    fail_unless_equals_uint64 (stream, time);
  }
}
GST_END_TEST

/* A start is known after the shortest speech, counted in windows. */
GST_START_TEST (test_latency)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);
  GstClockTime want = 7 * STEP + 30 * GST_MSECOND;

  gst_harness_set_upstream_latency (h, 0);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), 0);
  push (h, "0");
  fail_unless_equals_int (test_count_messages (h, GST_MESSAGE_LATENCY), 1);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), want);
  push (h, SPEECH);
  fail_unless_equals_int (test_count_messages (h, GST_MESSAGE_LATENCY), 0);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), want);
}
GST_END_TEST

GST_START_TEST (test_no_times)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", NULL, NULL);
  const float p = 1;

  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&p, sizeof p)),
      GST_FLOW_ERROR);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, "timestamp") != NULL);
}
GST_END_TEST

static Suite *
inferdecoder_vad_suite (void)
{
  return test_suite ("inferdecoder-vad", NULL, NULL, test_speech, test_settings,
      test_resets, test_json, test_messages, test_latency, test_no_times, NULL);
}

GST_CHECK_MAIN (inferdecoder_vad)
