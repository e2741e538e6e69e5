/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber: flushes, seeks, ends, discontinuities and formats. */

#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/said.h"

/* Long enough that the machine's other load does not matter. */
#define LONG_US 20000000

/* --- flush, seek, EOS --- */

static void
wait_computing (void)
{
  while (!g_atomic_int_get (&fake_speech.computing))
    g_usleep (200);
}

/* In the middle of a decode. */
GST_START_TEST (test_flushed)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < 3; i++) {
    g_autoptr (TestHarness) h = said_begin (FAKE "vad=level");

    g_atomic_int_set (&fake_speech.end_us, LONG_US);
    said_push_all (h, samples, 60000, 1600, NULL);
    wait_computing ();
    gint64 start = g_get_monotonic_time ();
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    best = MIN (best, g_get_monotonic_time () - start);
    g_atomic_int_set (&fake_speech.end_us, 0);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
  fail_unless (best <= 50000, "%d us", (int) best);
  fail_unless (g_atomic_int_get (&fake_speech.n_cancelled) >= 3);
}
GST_END_TEST

/* A seek is a fresh pipeline. */
GST_START_TEST (test_seek)
{
  g_autofree char *expected = said_run ("vad=level granularity=word", 1600, 0);
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = said_begin (FAKE "vad=level granularity=word");
  GstSegment segment;

  said_watch_init (&watch, h);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (gsize until = 10000; until < N_SAMPLES; until += 23456) {
    said_push_all (h, samples, until, 1600, NULL);
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (h, gst_event_new_segment (&segment));
  }
  said_push_all (h, samples, N_SAMPLES, 1600, NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  ck_assert_str_eq (watch.log->str, expected);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* The word that was being said is not lost, where the stream ends or breaks. */
GST_START_TEST (test_drained)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  GstSegment segment;
  GstEvent *events[] = { gst_event_new_eos (),
    gst_event_new_segment_done (GST_FORMAT_TIME, 0),
    gst_event_new_stream_start ("another"),
    gst_event_new_gap (said_time (16000), 3 * GST_SECOND), NULL,
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new_empty ("inferfilter/reset-state")) };

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 3600 * GST_SECOND;
  events[4] = gst_event_new_segment (&segment);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    g_autoptr (TestHarness) h = said_begin (FAKE "vad=level");

    said_push_all (h, samples, 16000, 1600, NULL);
    fail_unless (gst_harness_push_event (h, events[i]));
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), said_time (12345));
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (buffer), said_time (16000) - said_time (12345));
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
}
GST_END_TEST

/* So does DISCONT, and the next sample is the first of a sequence. */
GST_START_TEST (test_discont)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = said_begin (FAKE "vad=none granularity=word");
  GstBuffer *buffer;

  said_push_all (h, samples, 14000, 1400, NULL);
  buffer = said_buffer (samples, 14000, 1600);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_PTS (buffer) = said_time (14000) + 20 * GST_SECOND;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 2);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (buffer), said_time (14000) - said_time (12345));
  gst_buffer_unref (buffer);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (
      GST_BUFFER_PTS (buffer), said_time (14000) + 20 * GST_SECOND);
  gst_buffer_unref (buffer);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* Events leave behind the text of what was said before them. */
GST_START_TEST (test_order)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = said_begin (FAKE "vad=level");

  said_watch_init (&watch, h);
  for (gsize i = 0; i < N_SAMPLES; i += 1600) {
    gst_harness_push (h, said_buffer (samples, i, MIN (1600, N_SAMPLES - i)));
    if (i == 16000 || i == 64000)
      gst_harness_push_event (
          h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                 gst_structure_new_empty (i == 16000 ? "inside" : "between")));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  const char *text = strstr (watch.log->str, "one two three");
  const char *inside = strstr (watch.log->str, "event inside");
  const char *next = strstr (watch.log->str, "four five");
  const char *between = strstr (watch.log->str, "event between");
  fail_unless (text != NULL && text < inside && inside < next && next < between
                   && between < strstr (watch.log->str, "six"),
      "%s", watch.log->str);
  fail_if (watch.torn);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* As what the next element takes. */
GST_START_TEST (test_formats)
{
  static const struct
  {
    const char *caps, *text;
  } formats[] = {
    { "text/x-raw", "one two threefour fivesix seven eight nine" },
    { "application/x-subtitle",
        "1\n00:00:10,771 --> 00:00:11,687\none two three\n\n"
        "2\n00:00:13,000 --> 00:00:13,624\nfour five\n\n"
        "3\n00:00:15,000 --> 00:00:16,137\nsix seven eight nine\n\n" },
    { "application/x-subtitle-vtt",
        "WEBVTT\n\n00:00:10.771 --> 00:00:11.687\none two three\n\n"
        "00:00:13.000 --> 00:00:13.624\nfour five\n\n"
        "00:00:15.000 --> 00:00:16.137\nsix seven eight nine\n\n" },
    { "application/json", "{\"pts\":10771562500,\"duration\":916000000,"
                          "\"text\":\"one two three\"}\n"
                          "{\"pts\":13000000000,\"duration\":624937500,"
                          "\"text\":\"four five\"}\n"
                          "{\"pts\":15000000000,\"duration\":1137500000,"
                          "\"text\":\"six seven eight nine\"}\n" },
  };
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h = test_harness (FAKE "vad=level");

    gst_harness_set_live (h, FALSE);
    gst_harness_set_sink_caps_str (h, formats[i].caps);
    said_begin_stream (h);
    said_push_all (h, samples, N_SAMPLES, 1600, NULL);
    g_autofree char *text = test_finish_text (h);
    ck_assert_str_eq (text, formats[i].text);
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
}
GST_END_TEST

static Suite *
transcriber_suite (void)
{
  fake_speech_register ();
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  return test_suite ("infertranscriber", NULL, NULL, test_flushed, test_seek,
      test_drained, test_discont, test_order, test_formats, NULL);
}

GST_CHECK_MAIN (transcriber)
