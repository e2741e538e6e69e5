/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reverse playback: buffers come last first.  What adjoins is collected to
 * units of half a second, each of which gives what it would give alone when
 * played forwards, but last first. */

#include <string.h>

#include "tests/check/support/stream.h"

#define PART 1600 /* samples of a buffer */
#define UNIT 8000 /* samples: 500 ms */

static GstClockTime
at (guint64 samples)
{
  return gst_util_uint64_scale (samples, GST_SECOND, TEST_RATE);
}

static void
push_part (
    GstHarness *h, const float *samples, gsize begin, gsize n, guint flags)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (samples + begin, n * sizeof (float));

  GST_BUFFER_PTS (buffer) = at (begin);
  GST_BUFFER_DURATION (buffer) = at (begin + n) - at (begin);
  GST_BUFFER_FLAG_SET (buffer, flags);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

/* Ends the stream.  (element-type GstBuffer) */
static GPtrArray *
finish (GstHarness *h)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstBuffer *buffer;

  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  test_wait_eos (h);
  while ((buffer = gst_harness_try_pull (h)) != NULL)
    g_ptr_array_add (all, buffer);
  return all;
}

/* What @description gives for the samples [@begin, @end) played forwards. */
static GPtrArray *
forwards (const char *description, const float *samples, gsize begin, gsize end)
{
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  for (gsize i = begin; i < end; i += PART)
    push_part (h, samples, i, MIN (PART, end - i), 0);
  return finish (h);
}

static void
assert_equal_buffers (GstBuffer *have, GstBuffer *want)
{
  GstMapInfo map;

  fail_unless_equals_uint64 (GST_BUFFER_PTS (have), GST_BUFFER_PTS (want));
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (have), GST_BUFFER_DURATION (want));
  fail_unless_equals_int (
      gst_buffer_get_size (have), gst_buffer_get_size (want));
  g_assert_true (gst_buffer_map (want, &map, GST_MAP_READ));
  fail_unless_equals_int (gst_buffer_memcmp (have, 0, map.data, map.size), 0);
  gst_buffer_unmap (want, &map);
}

/* Compares the results of the unit [@begin, @end), from number @from on;
 * returns where the next unit's begin. */
static guint
check_unit (const char *description, const float *samples, gsize begin,
    gsize end, const GPtrArray *have, guint from)
{
  g_autoptr (GPtrArray) want = forwards (description, samples, begin, end);

  fail_unless (from + want->len <= have->len);
  for (guint i = 0; i < want->len; i++) {
    GstBuffer *buffer = have->pdata[from + i];

    assert_equal_buffers (buffer, want->pdata[want->len - 1 - i]);
    if (gst_buffer_get_size (buffer) > 32) /* not text */
      fail_unless_equals_int (
          GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), i == 0);
  }
  return from + want->len;
}

static GstHarness *
start_reverse (const char *description, gsize n)
{
  GstHarness *h = test_harness (description);
  GstSegment segment;

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = at (n);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  return h;
}

static char *
describe (guint i)
{
  switch (i) {
    case 0: /* stateful */
      return test_filter ("summator-wave.xml", "");
    case 1: /* windows that overlap, a tail */
      return test_filter ("summator-wave.xml", "hop=3 nireq=4");
    case 2: /* samples out, later than in */
      return test_filter ("delay-wave.xml", "output=media");
    case 3: /* caps of their own for a tail */
      return g_strdup ("inferfeatures frames=7");
    default: /* words */
      return g_strdup ("inferfeatures ! inferfilter model=" SOURCE_ROOT
                       "/pipelines/models/digits/digits.xml ! inferdecoder");
  }
}

GST_START_TEST (test_units)
{
  g_autofree char *description = describe ((guint) __i__);
  gsize n, end;
  guint done = 0;

  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  g_autoptr (TestHarness) h = start_reverse (description, n);
  for (end = n; end > 0; end -= MIN (PART, end))
    push_part (h, samples, end - MIN (PART, end), MIN (PART, end), 0);
  g_autoptr (GPtrArray) have = finish (h);
  for (end = n; end > 0; end -= MIN (UNIT, end))
    done = check_unit (
        description, samples, end - MIN (UNIT, end), end, have, done);
  fail_unless_equals_int (done, have->len);
  fail_unless (done > 0);
}
GST_END_TEST

/* Buffers of a unit in the order of time, as a decoder of raw media in a
 * container gets them; each unit begins with DISCONT.  A unit is as long as
 * upstream made it. */
GST_START_TEST (test_forward_in_units)
{
  g_autofree char *description = describe ((guint) __i__);
  gsize n = 25 * PART, unit = 10 * PART, end;
  guint done = 0;
  gsize all;

  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &all);
  fail_unless (all > n);
  g_autoptr (TestHarness) h = start_reverse (description, n);
  for (end = n; end > 0; end -= MIN (unit, end))
    for (gsize i = end - MIN (unit, end); i < end; i += PART)
      push_part (h, samples, i, PART,
          i == end - MIN (unit, end) ? GST_BUFFER_FLAG_DISCONT : 0);
  g_autoptr (GPtrArray) have = finish (h);
  for (end = n; end > 0; end -= MIN (unit, end))
    done = check_unit (
        description, samples, end - MIN (unit, end), end, have, done);
  fail_unless_equals_int (done, have->len);
}
GST_END_TEST

/* A flush drops what was collected, and playing forwards goes on as ever. */
GST_START_TEST (test_flush_and_turn)
{
  g_autofree char *description = describe ((guint) __i__);
  gsize n;

  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  g_autoptr (TestHarness) h = start_reverse (description, n);
  push_part (h, samples, 2 * PART, PART, 0);
  push_part (h, samples, PART, PART, 0);
  test_flush (h);
  for (gsize i = 0; i < n; i += PART)
    push_part (h, samples, i, MIN (PART, n - i), 0);
  g_autoptr (GPtrArray) have = finish (h);
  g_autoptr (GPtrArray) want = forwards (description, samples, 0, n);
  fail_unless_equals_int (have->len, want->len);
  for (guint i = 0; i < want->len; i++)
    assert_equal_buffers (have->pdata[i], want->pdata[i]);
}
GST_END_TEST

static Suite *
reverse_suite (void)
{
  Suite *suite = suite_create ("reverse");
  TCase *tc = tcase_create ("reverse");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_units, 0, 5);
  tcase_add_loop_test (tc, test_forward_in_units, 0, 4);
  tcase_add_loop_test (tc, test_flush_and_turn, 0, 5);
  return suite;
}

GST_CHECK_MAIN (reverse)
