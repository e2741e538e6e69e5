/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each element's debug log tells its caps, resets and why, flushes and latency,
 * and says nothing in the steady state.  inferfilter: inferfilter-logging.c. */

#include <string.h>

#include "tests/check/support/tracers/debug-log.h"
#include "tests/check/support/stream.h"

#define N_STEADY 20
#define DURATION (100 * GST_MSECOND)
#define VIDEO(size)                                                            \
  "video/x-raw, format=RGB, width=" size ", height=" size ", framerate=10/1"
#define S16_CAPS                                                               \
  "audio/x-raw, format=S16LE, layout=interleaved, rate=16000, channels=1"
#define TENSORS(n)                                                             \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)" n ":1, framerate=(fraction)10/1"
#define ONE_ZONE "zones=[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]}]"

/* The text that each step must log; NULL: any. */
typedef struct
{
  const char *element, *properties, *caps, *other_caps;
  gsize size; /* of a buffer, of 100 ms */
  const char *start, *caps_come, *buffer, *discont, *gap, *segment,
      *stream_start, *latency, *flush, *caps_change, *eos, *stop;
} Case;

static const Case cases[] = {
  {
      .element = "inferdecoder",
      .properties = "mode=json",
      .caps = TENSORS ("3"),
      .other_caps = TENSORS ("6"),
      .size = 12,
      .caps_come = "tensors of other/tensors",
      .buffer = "decoder json: application/json",
      .discont = "a buffer with DISCONT or RESYNC: the sequence ends",
      .gap = "a gap: the sequence ends",
      .segment = "a segment that does not continue: the sequence ends",
      .stream_start = "stream-start: the sequence ends",
      .latency = "latency: 0:00:00.000000000 here",
      .flush = "the flush ends: what was begun is dropped",
      .caps_change = "tensors of another size: the sequence ends",
      .eos = "eos: the sequence ends",
  },
  {
      .element = "inferfeatures",
      .properties = "",
      .caps = TEST_AUDIO_CAPS,
      .other_caps = S16_CAPS,
      .size = 6400,
      .caps_come = "features of audio/x-raw",
      .discont = "a buffer with DISCONT or RESYNC: the sequence ends",
      .gap = "gap: the sequence ends",
      .segment = "a segment that does not continue: the sequence ends",
      .stream_start = "stream-start: the sequence ends",
      .latency = "latency: ",
      .flush = "the flush ends: what was begun is dropped",
      .caps_change = "other caps: the sequence ends",
      .eos = "eos: the sequence ends",
  },
  {
      .element = "infermotion",
      .properties = "",
      .caps = VIDEO ("32"),
      .other_caps = VIDEO ("64"),
      .size = 32 * 32 * 3,
      .caps_come = "motion in video/x-raw",
      .discont = "DISCONT: the next frame is compared with none",
      .segment = "segment: the next frame is compared with none",
      .stream_start = "stream-start: the next frame is compared with none",
      .flush = "flush-stop: the next frame is compared with none",
      .caps_change = "other caps: the next frame is compared with none",
      .stop = " frames were still",
  },
  {
      .element = "inferoverlay",
      .properties = "",
      .caps = VIDEO ("32"),
      .other_caps = VIDEO ("64"),
      .size = 32 * 32 * 3,
      .caps_come = "drawing into frames of video/x-raw",
      .caps_change = "drawing into frames of video/x-raw",
  },
  {
      .element = "inferpublish",
      .properties = "file-path=/dev/null",
      .caps = "text/x-raw, format=utf8",
      .other_caps = "application/json",
      .size = 2,
      .start = "publishes by file",
      .caps_come = "lines of text/x-raw",
      .stream_start = "the key of lines is other",
      .flush = "a flush begins: nothing waits for room",
      .caps_change = "lines of application/json",
      .eos = "EOS: up to ",
      .stop = " lines sent, 0 dropped",
  },
  {
      .element = "inferscene",
      .properties = ONE_ZONE,
      .caps = VIDEO ("32"),
      .other_caps = VIDEO ("64"),
      .size = 32 * 32 * 3,
      .caps_come = "objects on frames of video/x-raw",
      .buffer = "zones, tripwires and speed lines in use: 1",
      .gap = "gap: all stays end",
      .segment = "discontinuity: all stays end",
      .stream_start = "discontinuity: all stays end",
      .flush = "flush: all stays end",
      .eos = "eos: all stays end",
  },
  {
      .element = "infertrack",
      .properties = "",
      .caps = VIDEO ("32"),
      .other_caps = VIDEO ("64"),
      .size = 32 * 32 * 3,
      .caps_come = "objects on frames of video/x-raw",
      .stream_start = "stream-start: all tracks end",
      .flush = "flush-stop: all tracks end",
      .caps_change = "the frame size has changed: all tracks end",
  },
  {
      .element = "infertranscriber",
      .properties =
          "vad=none "
          "model=" SOURCE_ROOT "/pipelines/models/digits/digits-wave.xml",
      .caps = TEST_AUDIO_CAPS,
      .other_caps = S16_CAPS,
      .size = 6400,
      .start = "a model of kind ctc at 16000 Hz, voice activity by nothing",
      .caps_come = "speech in audio/x-raw",
      .discont = "a discontinuity: the sequence ends",
      .gap = "a gap: the sequence ends",
      .segment = "a segment that does not continue: the sequence ends",
      .stream_start = "stream-start: the sequence ends",
      .latency = "latency: ",
      .flush = "a flush begins: recognition is cancelled",
      .caps_change = "speech in audio/x-raw",
      .eos = "eos: the sequence ends",
  },
  {
      .element = "infervad",
      .properties = "",
      .caps = TEST_AUDIO_CAPS,
      .other_caps = S16_CAPS,
      .size = 6400,
      .start = "speech is found by level at ",
      .caps_come = "speech in audio/x-raw",
      .discont = "a buffer with DISCONT or RESYNC: the stream ends",
      .gap = "gap: the stream ends",
      .segment = "a segment that does not continue: the stream ends",
      .stream_start = "stream-start: the stream ends",
      .latency = "latency: ",
      .flush = "the flush ends: what was begun is dropped",
      .caps_change = "other caps: the stream ends",
      .eos = "eos: the stream ends",
  },
};

/* --- steps --- */

static void
assert_logged (const Case *c, const char *part)
{
  if (part == NULL)
    return;
  g_autofree char *text = test_log_await (part);
  fail_unless (text == NULL, "%s: '%s' is not in:\n%s", c->element, part, text);
}

static void
push (GstHarness *h, const Case *c, guint *n, GstBufferFlags flags)
{
  GstBuffer *out, *buffer = gst_buffer_new_and_alloc (c->size);

  /* "{}" for inferpublish */
  gst_buffer_memset (buffer, 0, 0, c->size);
  if (c->size == 2)
    gst_buffer_fill (buffer, 0, "{}", 2);
  GST_BUFFER_PTS (buffer) = (*n)++ * DURATION;
  GST_BUFFER_DURATION (buffer) = DURATION;
  GST_BUFFER_FLAG_SET (buffer, flags);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  while ((out = gst_harness_try_pull (h)) != NULL)
    gst_buffer_unref (out);
}

/* Something that can end. */
static void
begin (GstHarness *h, const Case *c, guint *n)
{
  for (guint i = 0; i < 3; i++)
    push (h, c, n, 0);
  g_autoptr (GstQuery) drain =
      gst_query_new_custom (GST_QUERY_CUSTOM, gst_structure_new_empty ("wait"));
  gst_pad_peer_query (h->srcpad, drain);
  g_free (test_log_take ());
}

static void
check_steady (GstHarness *h, const Case *c, guint *n)
{
  begin (h, c, n);
  for (guint i = 0; i < N_STEADY; i++)
    push (h, c, n, 0);
  g_autofree char *text = test_log_take ();
  fail_unless (*text == '\0', "%s is not silent:\n%s", c->element, text);
}

static void
send_segment (GstHarness *h, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = start;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

static void
check_events (GstHarness *h, const Case *c, guint *n)
{
  begin (h, c, n);
  push (h, c, n, GST_BUFFER_FLAG_DISCONT);
  assert_logged (c, c->discont);
  begin (h, c, n);
  gst_harness_push_event (
      h, gst_event_new_gap (*n * DURATION, 10 * GST_SECOND));
  *n += 100;
  assert_logged (c, c->gap);
  begin (h, c, n);
  send_segment (h, GST_SECOND);
  *n = 10;
  assert_logged (c, c->segment);
  begin (h, c, n);
  gst_harness_push_event (h, gst_event_new_stream_start ("other"));
  assert_logged (c, c->stream_start);
  gst_harness_query_latency (h);
  assert_logged (c, c->latency);
  begin (h, c, n);
  test_flush (h);
  *n = 0;
  assert_logged (c, c->flush);
}

static void
check_case (const Case *c)
{
  g_autofree char *description =
      g_strdup_printf ("%s %s", c->element, c->properties);
  guint n = 0;

  test_log_begin (c->element);
  {
    g_autoptr (TestHarness) h = test_harness (description);

    gst_harness_use_systemclock (h);
    assert_logged (c, c->start);
    gst_harness_set_src_caps_str (h, c->caps);
    assert_logged (c, c->caps_come);
    push (h, c, &n, 0);
    assert_logged (c, c->buffer);
    check_steady (h, c, &n);
    check_events (h, c, &n);
    begin (h, c, &n);
    gst_harness_set_src_caps_str (h, c->other_caps);
    assert_logged (c, c->caps_change);
    gst_harness_set_src_caps_str (h, c->caps);
    begin (h, c, &n);
    gst_harness_push_event (h, gst_event_new_eos ());
    assert_logged (c, c->eos);
    gst_element_set_state (h->element, GST_STATE_NULL);
    assert_logged (c, c->stop);
  }
  test_log_end ();
}

/* --- tests --- */

GST_START_TEST (test_log)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}
GST_END_TEST

static guint
find_case (GstElement *element)
{
  const char *name = GST_OBJECT_NAME (gst_element_get_factory (element));
  gboolean found = g_str_equal (name, "inferfilter");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    found |= g_str_equal (cases[i].element, name);
  fail_unless (found, "%s has no case here", name);
  return 1;
}

GST_START_TEST (test_every_element)
{
  test_each_element (find_case);
}
GST_END_TEST

static Suite *
logging_suite (void)
{
  return test_suite ("logging", NULL, NULL, test_log, test_every_element, NULL);
}

GST_CHECK_MAIN (logging)
