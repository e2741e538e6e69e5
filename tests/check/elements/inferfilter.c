/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element with a model that sums up its input, 100 samples at a time. */

#include "tests/check/support/stream.h"

#define LENGTH 100

static GstHarness *
start (const char *more)
{
  g_autofree char *description = test_filter ("summator-wave.xml", more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

static GstClockTime
at (guint64 samples)
{
  return gst_util_uint64_scale (samples, GST_SECOND, TEST_RATE);
}

static void
push_value (GstHarness *h, float value, gsize n, gsize part, GstClockTime pts)
{
  g_autofree float *samples = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    samples[i] = value;
  fail_unless_equals_int (
      test_push_samples (h, samples, n, part, pts), GST_FLOW_OK);
}

/* The first value of each window until EOS. */
static void
assert_sums (GstHarness *h, guint n, const float *sums)
{
  g_autoptr (GArray) floats = test_finish_floats (h);

  fail_unless_equals_int (floats->len, n * LENGTH);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_float (
        g_array_index (floats, float, i *LENGTH), sums[i]);
}

GST_START_TEST (test_windows)
{
  static const gsize parts[] = { 1, 37, 100, 160, 48000 };
  static const char *const more[] = { "", "nireq=1", "nireq=8" };

  for (guint i = 0; i < G_N_ELEMENTS (parts) * G_N_ELEMENTS (more); i++) {
    g_autoptr (TestHarness) h = start (more[i % G_N_ELEMENTS (more)]);
    gsize part = parts[i / G_N_ELEMENTS (more)];

    push_value (h, 1, 1050, part, GST_SECOND);
    gst_harness_push_event (h, gst_event_new_eos ());
    for (guint w = 0; w < 11; w++) {
      g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
      guint64 end = MIN ((w + 1) * LENGTH, 1050);
      float last;

      gst_buffer_extract (
          buffer, (LENGTH - 1) * sizeof last, &last, sizeof last);
      fail_unless_equals_float (test_first_value (buffer), (float) (w + 1));
      fail_unless_equals_float (last, (float) MIN (w + 1, 10));
      fail_unless_equals_int64 (
          GST_BUFFER_PTS (buffer), GST_SECOND + at (w * LENGTH));
      fail_unless_equals_int64 (
          GST_BUFFER_DURATION (buffer), at (end) - at (w * LENGTH));
      fail_unless_equals_int64 (GST_BUFFER_OFFSET (buffer), w * LENGTH);
      fail_unless_equals_int64 (GST_BUFFER_OFFSET_END (buffer), end);
      fail_unless_equals_int (
          GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), w == 0);
    }
    test_wait_eos (h);
  }
}
GST_END_TEST

GST_START_TEST (test_tail)
{
  static const float sums[] = { 1, 2, 3 };
  GstHarness *h = start ("tail=drop");

  push_value (h, 1, 250, 250, 0);
  assert_sums (h, 2, sums);
  test_teardown (h);
  h = start ("tail=run");
  push_value (h, 1, 250, 250, 0);
  assert_sums (h, 3, sums);
  test_teardown (h);
  h = start ("tail=pad");
  push_value (h, 1, 200, 250, 0);
  assert_sums (h, 2, sums);
  test_teardown (h);
}
GST_END_TEST

/* Windows of 100 with a hop of 50: sums overlap by half. */
GST_START_TEST (test_hop)
{
  g_autoptr (TestHarness) h = start ("hop=3"); /* 48 samples */

  push_value (h, 1, 200, 37, 0);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint w = 0; w < 4; w++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_int64 (GST_BUFFER_PTS (buffer), at (48 * w));
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (buffer), 48 * w);
  }
  test_wait_eos (h);
}
GST_END_TEST

static void
send_segment (GstHarness *h, GstClockTime begin, GstClockTime base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = begin;
  segment.base = base;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static void
send_custom (GstHarness *h, const char *name)
{
  fail_unless (gst_harness_push_event (
      h, gst_event_new_custom (
             GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty (name))));
}

/* Pushes without the DISCONT that the helper sets. */
static void
push_on (GstHarness *h, gsize n, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n * sizeof (float), NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < n; i++)
    ((float *) (gpointer) map.data)[i] = 1;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

enum
{
  BY_NOTHING,
  BY_DISCONT,
  BY_SEGMENT,
  BY_STREAM_START,
  BY_GAP,
  BY_EVENT,
  BY_JUMP,
  BY_SAME_SEGMENT,
  BY_CONTINUED_SEGMENT,
  N_WAYS
};

static void
break_off (GstHarness *h, guint way)
{
  switch (way) {
    case BY_DISCONT:
      push_value (h, 1, 200, 200, at (200));
      return;
    case BY_SEGMENT:
      send_segment (h, GST_SECOND, 0);
      push_on (h, 200, GST_SECOND);
      return;
    case BY_STREAM_START:
      gst_harness_push_event (h, gst_event_new_stream_start ("other"));
      send_segment (h, 0, 0);
      break;
    case BY_GAP:
      gst_harness_push_event (h, gst_event_new_gap (at (200), 2 * GST_SECOND));
      push_on (h, 200, at (200) + 2 * GST_SECOND);
      return;
    case BY_EVENT:
      send_custom (h, "inferfilter/reset-state");
      break;
    case BY_JUMP:
      push_on (h, 200, 10 * GST_SECOND);
      return;
    case BY_SAME_SEGMENT:
      send_segment (h, 0, 0);
      break;
    case BY_CONTINUED_SEGMENT:
      send_segment (h, at (200), at (200));
      break;
    default:
      break;
  }
  push_on (h, 200, at (200));
}

GST_START_TEST (test_resets)
{
  static const float reset[] = { 1, 2, 1, 2 }, kept[] = { 1, 2, 3, 4 };

  for (guint way = 0; way < N_WAYS; way++) {
    gboolean resets = way != BY_NOTHING && way < BY_SAME_SEGMENT;
    GstHarness *h = start ("");

    push_on (h, 200, 0);
    break_off (h, way);
    GST_INFO ("way %u", way);
    assert_sums (h, 4, resets ? reset : kept);
    test_teardown (h);

    h = start ("state-reset=0");
    push_on (h, 200, 0);
    break_off (h, way);
    assert_sums (h, 4, way == BY_EVENT ? reset : kept);
    test_teardown (h);
  }
}
GST_END_TEST

GST_START_TEST (test_flushed)
{
  static const float sums[] = { 1, 2, 3 };
  g_autoptr (TestHarness) h = start ("");

  push_on (h, 450, 0);
  test_flush (h);
  push_on (h, 250, 0);
  assert_sums (h, 3, sums);
}
GST_END_TEST

/* 200 samples of silence: time passes, the sum stays. */
GST_START_TEST (test_short_gap)
{
  g_autoptr (TestHarness) h = start ("");
  static const float sums[] = { 1, 1, 1, 2 };

  push_on (h, 50, 0);
  gst_harness_push_event (h, gst_event_new_gap (at (50), at (250)));
  push_on (h, 100, at (300));
  assert_sums (h, 4, sums);
}
GST_END_TEST

/* --- order, flow --- */

/* 'B' for a buffer, the first letter of a custom event's name. */
static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GString *seen = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_string_append_c (seen, 'B');
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
           == GST_EVENT_CUSTOM_DOWNSTREAM)
    g_string_append_c (seen, gst_structure_get_name (gst_event_get_structure (
                                 GST_PAD_PROBE_INFO_EVENT (info)))[0]);
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_TAG)
    g_string_append_c (seen, 'T');
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_order)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (TestHarness) h = start ("nireq=4");

  gst_pad_add_probe (h->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note,
      seen, NULL);
  push_on (h, 250, 0);
  send_custom (h, "x");
  push_on (h, 150, at (250));
  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new_empty ()));
  send_custom (h, "y");
  push_on (h, 50, at (400));
  send_custom (h, "z");
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_string (seen->str, "BBxBBTyzB");
}
GST_END_TEST

/* A serialized query is answered after all earlier buffers. */
GST_START_TEST (test_query)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();
  g_autoptr (TestHarness) h = start ("");

  push_on (h, 2000, 0);
  gst_pad_peer_query (h->srcpad, query);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 20);
}
GST_END_TEST

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_EOS;
}

GST_START_TEST (test_flow_return)
{
  g_autoptr (TestHarness) h = start ("nireq=2");
  GstFlowReturn flow = GST_FLOW_OK;

  gst_pad_set_chain_function (h->sinkpad, refuse);
  for (guint i = 0; i < 1000 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (
        h, gst_buffer_new_memdup ((float[LENGTH]){ 0 }, LENGTH * 4));
  fail_unless_equals_int (flow, GST_FLOW_EOS);
}
GST_END_TEST

typedef struct
{
  GstHarness *h;
  int pushed; /* atomic */
  GstFlowReturn flow;
} Pusher;

static gpointer
keep_pushing (gpointer data)
{
  Pusher *pusher = data;

  do {
    pusher->flow = gst_harness_push (
        pusher->h, gst_buffer_new_memdup ((float[LENGTH]){ 0 }, LENGTH * 4));
    g_atomic_int_inc (&pusher->pushed);
  } while (pusher->flow == GST_FLOW_OK);
  return NULL;
}

static GstPadProbeReturn
block (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* Downstream blocks: at most nireq buffers are under way and one is being
 * pushed; a flush ends the wait at once. */
GST_START_TEST (test_back_pressure)
{
  static const float sums[] = { 1 };
  g_autoptr (TestHarness) h = start ("nireq=3");
  Pusher pusher = { .h = h };
  int before = -1, now = 0;

  gulong probe = gst_pad_add_probe (h->sinkpad,
      GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, block, NULL, NULL);
  GThread *thread = g_thread_new ("pusher", keep_pushing, &pusher);
  while (now != before || now == 0) {
    before = now;
    g_usleep (100000);
    now = g_atomic_int_get (&pusher.pushed);
  }
  fail_unless (now >= 3 && now <= 4, "%d pushed", now);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  g_thread_join (thread);
  fail_unless_equals_int (pusher.flow, GST_FLOW_FLUSHING);
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_pad_remove_probe (h->sinkpad, probe);
  send_segment (h, 0, 0);
  push_on (h, LENGTH, 0);
  assert_sums (h, 1, sums);
}
GST_END_TEST

/* Nothing is left after flushes from another thread at any time. */
GST_START_TEST (test_flush_storm)
{
  static const float sums[] = { 1, 2, 3 };
  guint32 seed = g_random_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (TestHarness) h = start ("nireq=3");

  GST_INFO ("seed %u", seed);
  for (guint i = 0; i < 300; i++) {
    Pusher pusher = { .h = h };
    GThread *thread = g_thread_new ("pusher", keep_pushing, &pusher);

    g_usleep ((gulong) g_rand_int_range (random, 0, 300));
    gst_harness_push_event (h, gst_event_new_flush_start ());
    g_thread_join (thread);
    fail_unless_equals_int (pusher.flow, GST_FLOW_FLUSHING);
    test_flush (h);
  }
  push_on (h, 300, 0);
  assert_sums (h, 3, sums);
}
GST_END_TEST

GST_START_TEST (test_caps)
{
  g_autoptr (TestHarness) h = start ("");
  g_autoptr (GstCaps) sink = gst_pad_peer_query_caps (h->srcpad, NULL);
  int rate = 0, n, d;

  const GstStructure *s = gst_caps_get_structure (sink, 0);
  fail_unless (gst_structure_has_name (s, "audio/x-raw"));
  fail_unless (gst_structure_get_int (s, "rate", &rate) && rate == TEST_RATE);
  /* Known before the first buffer. */
  send_custom (h, "x");
  push_on (h, LENGTH, 0);
  gst_buffer_unref (gst_harness_pull (h));
  g_autoptr (GstCaps) src = gst_pad_get_current_caps (h->sinkpad);
  s = gst_caps_get_structure (src, 0);
  fail_unless_equals_string (
      gst_structure_get_string (s, "dimensions"), "100:1");
  fail_unless (gst_structure_get_fraction (s, "framerate", &n, &d));
  fail_unless (n == 160 && d == 1);
}
GST_END_TEST

GST_START_TEST (test_latency)
{
  g_autoptr (TestHarness) h = start ("");

  gst_harness_set_upstream_latency (h, 7 * GST_MSECOND);
  GstClockTime latency = gst_harness_query_latency (h);
  fail_unless_equals_int64 (latency, 7 * GST_MSECOND + at (LENGTH));
  push_on (h, LENGTH, 0);
  gst_buffer_unref (gst_harness_pull (h));
  latency = gst_harness_query_latency (h);
  /* A buffer of a whole window adds no waiting time. */
  fail_unless (latency > 7 * GST_MSECOND);
  fail_unless (latency < GST_SECOND);
}
GST_END_TEST

/* Stopped and started in the middle of a stream: works as a new element. */
GST_START_TEST (test_again)
{
  static const float sums[] = { 1, 2 };
  g_autoptr (TestHarness) h = start ("");

  for (guint i = 0; i < 20; i++) {
    push_on (h, 350 + 70 * i, 0);
    if (i % 2 == 0) {
      fail_unless_equals_int (
          gst_element_set_state (h->element, GST_STATE_READY),
          GST_STATE_CHANGE_SUCCESS);
    } else {
      gst_element_set_state (h->element, GST_STATE_NULL);
    }
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    test_flush (h);
    gst_harness_push_event (h, gst_event_new_stream_start (i % 2 ? "a" : "b"));
    gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  }
  push_on (h, 200, 0);
  assert_sums (h, 2, sums);
}
GST_END_TEST

static Suite *
inferfilter_suite (void)
{
  return test_suite ("inferfilter", NULL, NULL, test_windows, test_tail,
      test_hop, test_resets, test_flushed, test_short_gap, test_order,
      test_query, test_flow_return, test_back_pressure, test_flush_storm,
      test_caps, test_latency, test_again, NULL);
}

GST_CHECK_MAIN (inferfilter)
