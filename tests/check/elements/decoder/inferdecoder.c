/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib/gstdio.h>
#include <string.h>

#include "tests/check/support/stream.h"

#define CLASSES 4
#define STEP (50 * GST_MSECOND)
#define CAPS(dims)                                                             \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)" dims ", framerate=(fraction)0/1"

static void
send_info (GstHarness *h, const char *type, const char *labels)
{
  GstStructure *s = gst_structure_new ("inferfilter/model-info", "model_type",
      G_TYPE_STRING, type, "blank", G_TYPE_STRING, "0", "step_ms",
      G_TYPE_STRING, "50", NULL);
  static const char *const outputs[] = { "logits", NULL };

  if (labels != NULL)
    gst_structure_set (s, "labels", G_TYPE_STRING, labels, NULL);
  gst_structure_set (s, "outputs", G_TYPE_STRV, outputs, NULL);
  gst_harness_push_event (
      h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s));
}

static GstHarness *
start (const char *description, const char *labels)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS ("4:2:1"));
  send_info (h, "ctc", labels);
  return h;
}

/* Two steps in each buffer, of the classes that the digits name. */
static GstFlowReturn
push (GstHarness *h, const char *classes, GstClockTime pts)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (const char *c = classes; *c != '\0' && flow == GST_FLOW_OK; c += 2) {
    float scores[2 * CLASSES] = { 0 };

    scores[c[0] - '0'] = scores[CLASSES + c[1] - '0'] = 20;
    GstBuffer *buffer = gst_buffer_new_memdup (scores, sizeof scores);
    GST_BUFFER_PTS (buffer) = pts;
    GST_BUFFER_DURATION (buffer) = 2 * STEP;
    pts += 2 * STEP;
    flow = gst_harness_push (h, buffer);
  }
  return flow;
}

static void
assert_text (GstHarness *h, const char *want)
{
  g_autofree char *text = test_finish_text (h);

  fail_unless_equals_string (text, want);
}

GST_START_TEST (test_words)
{
  static const char *const modes[] = { "inferdecoder",
    "inferdecoder beam-width=8", "inferdecoder mode=ctc separator=\"\\ \"" };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autoptr (TestHarness) h = start (modes[i], "- one two three");

    fail_unless_equals_int (push (h, "0110112230", 0), GST_FLOW_OK);
    assert_text (h, i < 2 ? "one\none\ntwo\nthree\n" : "one one two three ");
  }
}
GST_END_TEST

/* Words and gaps cover the time without holes or overlaps. */
GST_START_TEST (test_times)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", "- one two three");
  static const struct
  {
    const char *word;
    guint start, end;
  } words[] = { { "one\n", 1, 3 }, { "two\n", 7, 8 }, { "three\n", 8, 10 } };
  GstClockTime gaps = 0, end = 0;
  GstEvent *event;

  push (h, "0110000233", GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (
        gst_buffer_memcmp (buffer, 0, words[i].word, strlen (words[i].word))
        == 0);
    fail_unless_equals_int64 (
        GST_BUFFER_PTS (buffer), GST_SECOND + words[i].start * STEP);
    fail_unless_equals_int64 (
        GST_BUFFER_DURATION (buffer), (words[i].end - words[i].start) * STEP);
    /* the first after a segment */
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), i == 0);
  }
  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    GstClockTime pts, duration;

    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
      gst_event_parse_gap (event, &pts, &duration);
      fail_unless (pts >= end);
      end = pts + duration;
      gaps += duration;
    }
    gst_event_unref (event);
  }
  fail_unless_equals_int64 (gaps, 5 * STEP);
}
GST_END_TEST

/* A flush discards a pending word, a discontinuity makes it final; words never
 * merge across either. */
GST_START_TEST (test_resets)
{
  GstHarness *h = start ("inferdecoder", "- one two three");

  push (h, "0011", 0);
  test_flush (h);
  push (h, "1100", 0);
  assert_text (h, "one\n");
  gst_harness_teardown (h);

  h = start ("inferdecoder", "- one two three");
  push (h, "0011", 0);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 2 * CLASSES * 4, NULL);
  gst_buffer_memset (buffer, 0, 0, 2 * CLASSES * 4);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_PTS (buffer) = 10 * GST_SECOND;
  gst_harness_push (h, buffer);
  push (h, "11", 11 * GST_SECOND);
  assert_text (h, "one\none\n");
  gst_harness_teardown (h);
}
GST_END_TEST

/* A word is final with the step after it: it is later at the sink than its data
 * by the time from its start to that step's buffer. */
GST_START_TEST (test_latency)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", "- one two three");
  static const struct
  {
    const char *classes;
    guint steps; /* that the latest word was behind */
  } parts[] = { { "00", 1 }, { "0110", 1 }, { "0111", 1 }, { "0111111000", 5 },
    { "0011", 5 }, { "0000222222222200", 10 } };
  GstClockTime at = 0, told = 7 * GST_MSECOND;

  gst_harness_set_upstream_latency (h, told);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    GstClockTime want = 7 * GST_MSECOND + parts[i].steps * STEP;

    fail_unless_equals_int64 (gst_harness_query_latency (h), told);
    fail_unless_equals_int (test_count_messages (h, GST_MESSAGE_LATENCY), 0);
    fail_unless_equals_int (push (h, parts[i].classes, at), GST_FLOW_OK);
    at += strlen (parts[i].classes) * STEP;
    fail_unless_equals_int (
        test_count_messages (h, GST_MESSAGE_LATENCY), want > told);
    told = want;
  }
  fail_unless_equals_int64 (gst_harness_query_latency (h), told);
  test_flush (h);
  fail_unless_equals_int64 (gst_harness_query_latency (h), told);
}
GST_END_TEST

GST_START_TEST (test_pieces)
{
  g_autoptr (TestHarness) h = start ("inferdecoder", "- \xe2\x96\x81he y |");

  push (h, "010233", 0);
  push (h, "1000", 3 * 2 * STEP);
  assert_text (h, "hey\nhe\n");
}
GST_END_TEST

GST_START_TEST (test_labels_file)
{
  g_autofree char *path = NULL, *description = NULL;
  int file = g_file_open_tmp ("labels-XXXXXX", &path, NULL);

  g_close (file, NULL);
  g_file_set_contents (path, "-\neins\nzwei\r\ndrei\n", -1, NULL);
  description = g_strdup_printf ("inferdecoder labels-file=%s", path);
  GstHarness *h = start (description, "- one two three");
  push (h, "1020", 0);
  assert_text (h, "eins\nzwei\n");
  gst_harness_teardown (h);
  g_unlink (path);

  h = start (description, "- one two three");
  fail_unless_equals_int (push (h, "10", 0), GST_FLOW_ERROR);
  {
    g_autofree char *error = test_pop_error (h);

    fail_unless (error != NULL && strstr (error, path) != NULL, "%s", error);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

GST_START_TEST (test_json)
{
  g_autoptr (TestHarness) h = start ("inferdecoder mode=json", NULL);

  push (h, "12", 100);
  assert_text (h,
      "{\"pts\":100,\"duration\":100000000,\"tensors\":[{\"name\":\"logits\","
      "\"type\":\"float32\",\"shape\":[1,2,4],"
      "\"values\":[0,20,0,0,0,0,20,0]}]}\n");
}
GST_END_TEST

/* Tensors follow each other in a buffer: those behind one of bytes lie at odd
 * addresses. */
GST_START_TEST (test_unaligned)
{
  static const float real = 0.5f;
  static const gint64 integer = -7;
  static const guint64 natural = G_MAXUINT64;
  g_autoptr (TestHarness) h = test_harness ("inferdecoder mode=json");
  GstBuffer *buffer = gst_buffer_new_memdup ("\1\2\3", 3);

  gst_harness_set_src_caps_str (h,
      "other/tensors, format=static, num_tensors=4, "
      "types=(string)\"uint8,float32,int64,uint64\", "
      "dimensions=(string)\"3,1,1,1\", framerate=(fraction)0/1");
  buffer =
      gst_buffer_append (buffer, gst_buffer_new_memdup (&real, sizeof real));
  buffer = gst_buffer_append (
      buffer, gst_buffer_new_memdup (&integer, sizeof integer));
  buffer = gst_buffer_append (
      buffer, gst_buffer_new_memdup (&natural, sizeof natural));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  assert_text (h,
      "{\"pts\":null,\"duration\":null,\"tensors\":["
      "{\"name\":\"0\",\"type\":\"uint8\",\"shape\":[3],\"values\":[1,2,3]},"
      "{\"name\":\"1\",\"type\":\"float32\",\"shape\":[1],\"values\":[0.5]},"
      "{\"name\":\"2\",\"type\":\"int64\",\"shape\":[1],\"values\":[-7]},"
      "{\"name\":\"3\",\"type\":\"uint64\",\"shape\":[1],"
      "\"values\":[18446744073709551615]}]}\n");
}
GST_END_TEST

static void
assert_error (GstHarness *h, const char *part)
{
  fail_unless_equals_int (push (h, "10", 0), GST_FLOW_ERROR);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, part) != NULL,
      "'%s' is not in: %s", part, error);
  gst_harness_teardown (h);
}

GST_START_TEST (test_errors)
{
  GstHarness *h = test_harness ("inferdecoder");

  gst_harness_set_src_caps_str (h, CAPS ("4:2:1"));
  assert_error (h, "'mode'");

  h = test_harness ("inferdecoder");
  gst_harness_set_src_caps_str (h, CAPS ("4:2:1"));
  send_info (h, "telepathy", NULL);
  assert_error (h, "telepathy");

  h = test_harness ("inferdecoder");
  gst_harness_set_src_caps_str (h, CAPS ("7:100:1:1"));
  send_info (h, "ssd", NULL);
  assert_error (h, "'ssd' needs the video that the tensors belong to: set "
                   "inferfilter output=media-with-meta");

  h = test_harness ("inferdecoder");
  gst_harness_set_src_caps_str (h, CAPS ("7:100:1:1"));
  assert_error (h, "shapes of mode=detection, which needs the video that they "
                   "belong to: set inferfilter output=media-with-meta");

  h = start ("inferdecoder", NULL);
  assert_error (h, "'labels'");

  h = start ("inferdecoder", "only three labels");
  assert_error (h, "3 labels");

  /* Boxes need video. */
  h = test_harness ("inferdecoder mode=detection");
  gst_harness_set_src_caps_str (h, CAPS ("4:2:1"));
  assert_error (h, "output=media-with-meta");

  /* The buffer is shorter than its caps. */
  h = test_harness ("inferdecoder mode=json");
  gst_harness_set_src_caps_str (h, CAPS ("4:3:1"));
  assert_error (h, "ends within");
}
GST_END_TEST

/* Numbers of `mode` are stored in applications: they never change. */
GST_START_TEST (test_modes)
{
  static const char *const nicks[] = { "auto", "classification", "ctc",
    "detection", "json", "keypoints", "segmentation", "text-detection", "vad" };
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("inferdecoder", NULL));
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "mode");
  GEnumClass *modes = G_PARAM_SPEC_ENUM (spec)->enum_class;

  for (guint i = 0; i < G_N_ELEMENTS (nicks); i++)
    fail_unless_equals_int (
        g_enum_get_value_by_nick (modes, nicks[i])->value, (int) i - 1);
}
GST_END_TEST

static Suite *
inferdecoder_suite (void)
{
  return test_suite ("inferdecoder", NULL, NULL, test_words, test_times,
      test_resets, test_latency, test_pieces, test_labels_file, test_json,
      test_unaligned, test_errors, test_modes, NULL);
}

GST_CHECK_MAIN (inferdecoder)
