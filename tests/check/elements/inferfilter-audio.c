/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media of audio, with a model that outputs twice the input delayed
 * by 30 samples: all that goes in comes out doubled, each sample with its
 * own timestamp. */

#include <gst/audio/audio.h>
#include <stdio.h>
#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define LATE 30

static GstHarness *
start (const char *more)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=media model=" SOURCE_ROOT
                       "/tests/data/delay-wave.xml %s",
          more);
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
push_ramp (GstHarness *h, gsize n, gsize part, GstClockTime start)
{
  g_autofree float *samples = test_ramp (n);

  fail_unless_equals_int (
      test_push_samples (h, samples, n, part, start), GST_FLOW_OK);
}

/* Pulls buffers until there are @n samples: twice the ramp, timestamps
 * without a hole from @start, only the first buffer with DISCONT. */
static void
assert_ramp (GstHarness *h, gsize n, GstClockTime start)
{
  gsize got = 0;

  while (got < n) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    GstMapInfo map;

    fail_unless (buffer != NULL);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    gsize count = map.size / sizeof (float);
    for (gsize i = 0; i < count; i++)
      fail_unless_equals_float (
          ((const float *) (gpointer) map.data)[i], 2 * (float) (got + i + 1));
    gst_buffer_unmap (buffer, &map);
    fail_unless (count > 0);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), got == 0);
    fail_unless_equals_int64 (GST_BUFFER_PTS (buffer), start + at (got));
    fail_unless_equals_int64 (
        GST_BUFFER_DURATION (buffer), at (got + count) - at (got));
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (buffer), got);
    got += count;
    fail_unless_equals_int64 (GST_BUFFER_OFFSET_END (buffer), got);
  }
  fail_unless_equals_int (got, n);
}

static void
assert_end (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
}

/* Windows shorter and longer than the latency, sequences shorter than either.
 */
GST_START_TEST (test_exact)
{
  static const gsize lengths[] = { 1, 16, 29, 30, 31, 160, 1000, 1601 };
  static const gsize parts[] = { 1, 37, 160, 1600 };
  static const char *const more[] = { "window=1", "window=10 nireq=1",
    "window=2 nireq=4" };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
      for (guint m = 0; m < G_N_ELEMENTS (more); m++) {
        g_autoptr (TestHarness) h = start (more[m]);

        push_ramp (h, lengths[i], parts[p], GST_SECOND);
        gst_harness_push_event (h, gst_event_new_eos ());
        assert_ramp (h, lengths[i], GST_SECOND);
        assert_end (h);
      }
}
GST_END_TEST

GST_START_TEST (test_caps_and_latency)
{
  g_autoptr (GstCaps) want = gst_caps_from_string (TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) h = start ("window=10");

  push_ramp (h, 160, 160, 0);
  assert_ramp (h, 130, 0);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_can_intersect (caps, want));
  GstClockTime latency = gst_harness_query_latency (h);
  fail_unless (
      latency >= at (160 + LATE) && latency < at (160 + LATE) + GST_SECOND / 2);
}
GST_END_TEST

/* Both parts round a discontinuity come out whole. */
GST_START_TEST (test_discont)
{
  g_autoptr (TestHarness) h = start ("window=10");

  push_ramp (h, 500, 37, GST_SECOND);
  push_ramp (h, 300, 160, 9 * GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_ramp (h, 500, GST_SECOND);
  assert_ramp (h, 300, 9 * GST_SECOND);
  assert_end (h);
}
GST_END_TEST

GST_START_TEST (test_flush_and_seek)
{
  g_autoptr (TestHarness) h = start ("window=10 nireq=3");
  GstSegment segment;

  for (guint i = 0; i < 20; i++) {
    push_ramp (h, 100 * i + 50, 37, 0);
    test_flush (h);
  }
  push_ramp (h, 333, 40, 2 * GST_SECOND);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 5 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  push_ramp (h, 444, 40, 5 * GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_ramp (h, 333, 2 * GST_SECOND);
  assert_ramp (h, 444, 5 * GST_SECOND);
  assert_end (h);
}
GST_END_TEST

/* A short gap is filled with silence; a long one ends the sequence and is
 * passed on after its last sample. */
GST_START_TEST (test_gaps)
{
  static const float values[] = { 2, 4, 6, 0, 0, 0, 0, 2, 4, 6 };
  GstHarness *h = start ("window=1");
  float samples[] = { 1, 2, 3 };

  test_push_samples (h, samples, 3, 3, 0);
  gst_harness_push_event (h, gst_event_new_gap (at (3), at (4)));
  GstBuffer *buffer = gst_buffer_new_memdup (samples, sizeof samples);
  GST_BUFFER_PTS (buffer) = at (7);
  gst_harness_push (h, buffer);
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, G_N_ELEMENTS (values));
  for (guint i = 0; i < floats->len; i++)
    fail_unless_equals_float (g_array_index (floats, float, i), values[i]);
  test_teardown (h);

  h = start ("window=10");
  push_ramp (h, 200, 200, 0);
  gst_harness_push_event (h, gst_event_new_gap (at (200), 3 * GST_SECOND));
  assert_ramp (h, 200, 0);
  push_ramp (h, 100, 100, at (200) + 3 * GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_ramp (h, 100, at (200) + 3 * GST_SECOND);
  assert_end (h);
  test_teardown (h);
}
GST_END_TEST

/* The format changes in the stream. */
GST_START_TEST (test_new_caps)
{
  g_autoptr (TestHarness) h = start ("window=10");
  gint16 samples[100];

  push_ramp (h, 250, 100, 0);
  gst_harness_set_src_caps_str (h,
      "audio/x-raw, format=S16LE, layout=interleaved, rate=16000, channels=1");
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = (gint16) ((i + 1) * 256);
  GstBuffer *buffer = gst_buffer_new_memdup (samples, sizeof samples);
  GST_BUFFER_PTS (buffer) = 0;
  gst_harness_push (h, buffer);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_ramp (h, 250, 0);
  test_wait_eos (h);
  buffer = gst_harness_pull (h);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    float value;

    if (i * sizeof value == gst_buffer_get_size (buffer))
      break;
    gst_buffer_extract (buffer, i * sizeof value, &value, sizeof value);
    fail_unless_equals_float (value, (float) (i + 1) / 64.0f);
  }
  gst_buffer_unref (buffer);
}
GST_END_TEST

GST_START_TEST (test_tail_drop)
{
  g_autoptr (TestHarness) h = start ("window=10 tail=drop");

  push_ramp (h, 500, 100, 0);
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, 480 - LATE);
}
GST_END_TEST

/* Windows whose output would be late are not inferred, and a sequence begins
 * after them: the samples that come are right and have the right times. */
GST_START_TEST (test_qos)
{
  g_autoptr (TestHarness) h = start ("qos=true window=10");
  g_autoptr (GstStructure) stats = NULL;
  gsize due[] = { 0, 130, 290, 960, 1090, 1250, 1410, 1570 };
  guint64 dropped = 0;
  GstBuffer *buffer;
  guint n = 0;

  push_ramp (h, 480, 160, 0);
  gst_harness_push_upstream_event (
      h, gst_event_new_qos (
             GST_QOS_TYPE_UNDERFLOW, 2.0, 10 * GST_MSECOND, 30 * GST_MSECOND));
  for (gsize i = 480; i < 1600; i += 160) {
    g_autofree float *samples = test_ramp (i + 160);

    buffer = gst_buffer_new_memdup (samples + i, 160 * sizeof (float));
    GST_BUFFER_PTS (buffer) = at (i);
    gst_harness_push (h, buffer);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  while ((buffer = gst_harness_try_pull (h)) != NULL) {
    GstMapInfo map;

    fail_unless (n < G_N_ELEMENTS (due));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), due[n]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), at (due[n]));
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT),
        due[n] == 0 || due[n] == 960);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (gsize i = 0; i < map.size / sizeof (float); i++)
      fail_unless_equals_float (((const float *) (gpointer) map.data)[i],
          2 * (float) (due[n] + i + 1));
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
    n++;
  }
  fail_unless_equals_int (n, G_N_ELEMENTS (due));
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_object_get (filter, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "dropped", &dropped);
  fail_unless_equals_uint64 (dropped, 3);
}
GST_END_TEST

/* --- random streams --- */

typedef struct
{
  GstHarness *h;
  GRand *random;
  GArray *values, *times; /* samples expected since the last flush */
  GstClockTime base;      /* of the sequence */
  guint64 count;          /* samples in it */
  float next;
} Stream;

static GstClockTime
stream_time (const Stream *s)
{
  return s->base + at (s->count);
}

static void
expect (Stream *s, float value)
{
  GstClockTime time = stream_time (s);

  g_array_append_val (s->values, value);
  g_array_append_val (s->times, time);
  s->count++;
}

static void
begin (Stream *s)
{
  s->base = (GstClockTime) g_rand_int_range (s->random, 0, 100) * GST_SECOND;
  s->count = 0;
}

static void
push_some (Stream *s, gboolean discont)
{
  gsize n = (gsize) g_rand_int_range (s->random, 1, 400);
  g_autofree float *samples = g_new (float, n);
  GstClockTime time = stream_time (s);

  for (gsize i = 0; i < n; i++) {
    samples[i] = s->next++;
    expect (s, 2 * samples[i]);
  }
  GstBuffer *buffer = gst_buffer_new_memdup (samples, n * sizeof (float));
  GST_BUFFER_PTS (buffer) = time;
  if (discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (s->h, buffer), GST_FLOW_OK);
}

static void
act (Stream *s)
{
  GstSegment segment;
  guint n;

  switch (g_rand_int_range (s->random, 0, 12)) {
    case 0:
      begin (s);
      push_some (s, TRUE);
      break;
    case 1:
      test_flush (s->h);
      g_array_set_size (s->values, 0);
      g_array_set_size (s->times, 0);
      begin (s);
      break;
    case 2:
      begin (s);
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.start = segment.time = s->base;
      segment.base = (guint64) g_rand_int (s->random);
      gst_harness_push_event (s->h, gst_event_new_segment (&segment));
      break;
    case 3: /* silence */
      n = (guint) g_rand_int_range (s->random, 1, 500);
      gst_harness_push_event (s->h, gst_event_new_gap (stream_time (s),
                                        at (s->count + n) - at (s->count)));
      while (n-- > 0)
        expect (s, 0);
      break;
    case 4:
      gst_harness_push_event (
          s->h, gst_event_new_gap (stream_time (s), 2 * GST_SECOND));
      begin (s);
      break;
    default:
      push_some (s, FALSE);
      break;
  }
}

static void
assert_stream (Stream *s)
{
  GstBuffer *buffer;
  guint got = 0;

  gst_harness_push_event (s->h, gst_event_new_eos ());
  test_wait_eos (s->h);
  while ((buffer = gst_harness_try_pull (s->h)) != NULL) {
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    guint n = (guint) (map.size / sizeof (float));
    fail_unless (got + n <= s->values->len);
    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), g_array_index (s->times, GstClockTime, got));
    for (guint i = 0; i < n; i++)
      fail_unless_equals_float (((const float *) (gpointer) map.data)[i],
          g_array_index (s->values, float, got + i));
    got += n;
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (got, s->values->len);
}

/* In random streams each sample comes out once, in order, with its
 * timestamp. */
GST_START_TEST (test_random)
{
  guint32 seed = g_random_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  printf ("seed %u\n", seed);
  for (guint round = 0; round < 150; round++) {
    g_autofree char *more = g_strdup_printf ("window=%d nireq=%d",
        g_rand_int_range (random, 1, 20), g_rand_int_range (random, 1, 5));
    Stream s = { .h = start (more), .random = random, .next = 1 };

    s.values = g_array_new (FALSE, FALSE, sizeof (float));
    s.times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
    begin (&s);
    for (guint i = 0; i < 40; i++)
      act (&s);
    assert_stream (&s);
    g_array_unref (s.values);
    g_array_unref (s.times);
    test_teardown (s.h);
  }
}
GST_END_TEST

static void
assert_refused (
    const char *model, const char *more, const char *caps, const char *part)
{
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media model=" SOURCE_ROOT "/tests/data/%s %s", model,
      more);
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  g_autofree char *message = test_pop_error (h);
  fail_unless (message != NULL && strstr (message, part) != NULL,
      "'%s' lacks '%s'", message, part);
}

GST_START_TEST (test_refused)
{
  assert_refused ("delay-wave.xml", "hop=5", TEST_AUDIO_CAPS, "hop is 80");
  assert_refused ("summator.xml", "",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)3:1, framerate=(fraction)10/1",
      "output=media needs");
}
GST_END_TEST

static Suite *
inferfilter_audio_suite (void)
{
  return test_suite ("inferfilter-audio", NULL, picture_folder_clear,
      test_exact, test_caps_and_latency, test_discont, test_flush_and_seek,
      test_gaps, test_new_caps, test_tail_drop, test_qos, test_random,
      test_refused, NULL);
}

GST_CHECK_MAIN (inferfilter_audio)
