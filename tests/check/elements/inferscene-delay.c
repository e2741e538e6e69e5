/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The delay from a frame's arrival at the first of our elements to its events:
 * property `stats` of inferscene, and the marks that it is measured by. */

#include "gst/common/timing/arrival.h"
#include "gst/infer/scene-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

#define CAPS                                                                   \
  "video/x-raw, format=GRAY8, width=320, height=240, framerate=25/1, "         \
  "pixel-aspect-ratio=1/1"
#define FRAME (GST_SECOND / 25)
#define SLEEP (30 * GST_MSECOND)
#define SLEEPER "identity sleep-time=30000"

static char *model; /* a copy of its input */

static void
set_up (void)
{
  fail_unless (test_load_plugin ("coreelements"));
  model = picture_model_copy ("copy", "f32", "1,3,2,4");
}

static void
tear_down (void)
{
  g_clear_pointer (&model, g_free);
  picture_folder_clear ();
}

typedef struct
{
  guint64 buffers, events, n, mean, p50, p95, p99, max;
} Figures;

static Figures
figures_of (GstElement *scene)
{
  g_autoptr (GstStructure) stats = NULL, delay = NULL;
  Figures f;

  g_object_get (scene, "stats", &stats, NULL);
  fail_unless (
      gst_structure_get (stats, "buffers", G_TYPE_UINT64, &f.buffers, "events",
          G_TYPE_UINT64, &f.events, "delay", GST_TYPE_STRUCTURE, &delay, NULL));
  fail_unless (
      gst_structure_get (delay, "n", G_TYPE_UINT64, &f.n, "mean", G_TYPE_UINT64,
          &f.mean, "p50", G_TYPE_UINT64, &f.p50, "p95", G_TYPE_UINT64, &f.p95,
          "p99", G_TYPE_UINT64, &f.p99, "max", G_TYPE_UINT64, &f.max, NULL));
  return f;
}

static Figures
figures (GstHarness *h)
{
  g_autoptr (GstElement) scene = gst_harness_find_element (h, "inferscene");

  return figures_of (scene);
}

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* Frame @t; @inside: with person 7 in the middle of it. */
static GstBuffer *
frame (guint t, gboolean inside)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  const GstInferBox box = { 150, 90, 170, 120 };
  const GstInferLabel label = { "person", 0, 0.9, NULL, NULL };
  GstVideoInfo video;

  fail_unless (gst_video_info_from_caps (&video, caps));
  GstBuffer *buffer = test_frame (&video);
  GST_BUFFER_PTS (buffer) = t * (GstClockTime) FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  if (inside) {
    GstVideoRegionOfInterestMeta *roi =
        gst_infer_add_object (buffer, 320, 240, &box, &label, -1);

    gst_infer_set_object_id (buffer, roi, 7, 0, 0, FALSE);
  }
  return buffer;
}

static void
pass (GstHarness *h, GstBuffer *buffer)
{
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
}

/* The clock is read before and after. */
static void
pass_marked (GstHarness *h, GstBuffer *buffer, GstClockTime ago,
    GstClockTime *least, GstClockTime *most)
{
  const GstClockTime before = gst_util_get_timestamp ();

  gst_infer_mark_arrival (buffer, before - ago);
  pass (h, buffer);
  *least = ago;
  *most = ago + (gst_util_get_timestamp () - before);
}

#define ZONE                                                                   \
  "inferscene zones=\"[{\\\"id\\\":\\\"door\\\",\\\"points\\\":[[0.25,0.25],"  \
  "[0.75,0.25],[0.75,0.75],[0.25,0.75]]}]\""

/* Marked by hand: what is measured is the time since the mark. */
GST_START_TEST (test_measured)
{
  g_autoptr (TestHarness) h = start (ZONE " post-messages=false");
  GstClockTime least[2], most[2];

  pass_marked (h, frame (0, FALSE), 40 * GST_MSECOND, &least[0], &most[0]);
  Figures f = figures (h);
  fail_unless_equals_uint64 (f.buffers, 1);
  fail_unless_equals_uint64 (f.events, 0);
  fail_unless_equals_uint64 (f.n, 1);
  fail_unless (f.max >= least[0] && f.max <= most[0]);
  fail_unless (f.mean == f.max && f.p50 == f.max && f.p99 == f.max);

  pass_marked (h, frame (1, TRUE), 10 * GST_SECOND, &least[1], &most[1]);
  f = figures (h);
  fail_unless_equals_uint64 (f.buffers, 2);
  fail_unless_equals_uint64 (f.events, 1);
  fail_unless_equals_uint64 (f.n, 2);
  fail_unless (f.max >= least[1] && f.max <= most[1]);
  fail_unless (
      f.mean >= (least[0] + least[1]) / 2 && f.mean <= (most[0] + most[1]) / 2);
}
GST_END_TEST

/* Without a mark, with somebody else's, or with one that is not of this clock,
 * there is no delay. */
GST_START_TEST (test_unmarked)
{
  g_autoptr (TestHarness) h = start (ZONE);
  g_autoptr (GstCaps) ntp = gst_caps_from_string ("timestamp/x-ntp");

  pass (h, frame (0, TRUE));
  GstBuffer *buffer = frame (1, TRUE);
  gst_buffer_add_reference_timestamp_meta (buffer, ntp, 77, 78);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
  const GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (out, ntp);
  fail_unless (meta != NULL && meta->timestamp == 77 && meta->duration == 78);
  buffer = frame (2, TRUE);
  gst_infer_mark_arrival (
      buffer, gst_util_get_timestamp () + 3600 * GST_SECOND);
  pass (h, buffer);

  const Figures f = figures (h);
  fail_unless_equals_uint64 (f.buffers, 3);
  fail_unless_equals_uint64 (f.events, 1);
  fail_unless_equals_uint64 (f.n, 0);
  fail_unless_equals_uint64 (f.mean + f.p50 + f.p95 + f.p99 + f.max, 0);
}
GST_END_TEST

/* A flush begins anew, and so does the next start; a stop leaves the figures to
 * be read. */
GST_START_TEST (test_resets)
{
  g_autoptr (TestHarness) h = start (ZONE);
  GstClockTime least, most;

  pass_marked (h, frame (0, TRUE), GST_SECOND, &least, &most);
  fail_unless_equals_uint64 (figures (h).n, 1);
  test_flush (h);
  Figures f = figures (h);
  fail_unless_equals_uint64 (f.buffers + f.events + f.n + f.max, 0);
  pass_marked (h, frame (0, TRUE), 2 * GST_SECOND, &least, &most);
  f = figures (h);
  fail_unless_equals_uint64 (f.buffers, 1);
  fail_unless_equals_uint64 (f.events, 1); /* enter */
  fail_unless_equals_uint64 (f.n, 1);
  fail_unless (f.p50 >= least && f.p50 <= most);

  gst_element_set_state (h->element, GST_STATE_READY);
  f = figures (h);
  fail_unless_equals_uint64 (f.events, 2); /* exit (eos) */
  fail_unless_equals_uint64 (f.n, 1);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  f = figures (h);
  fail_unless_equals_uint64 (f.buffers + f.events + f.n + f.max, 0);
}
GST_END_TEST

/* The delay has the time between infermotion and inferscene, not the time
 * before infermotion. */
GST_START_TEST (test_behind_motion)
{
  g_autoptr (TestHarness) h =
      start ("identity sleep-time=200000 ! infermotion ! queue ! " SLEEPER
             " ! queue ! inferscene");

  pass (h, frame (0, FALSE)); /* a queue may have it before it is asked for */
  test_flush (h);
  const GstClockTime before = gst_util_get_timestamp ();
  for (guint i = 0; i < 3; i++)
    pass (h, frame (i, FALSE));
  const GstClockTime spent = gst_util_get_timestamp () - before;
  const Figures f = figures (h);
  fail_unless_equals_uint64 (f.buffers, 3);
  fail_unless_equals_uint64 (f.n, 3);
  fail_unless (f.p50 >= SLEEP, "%" G_GUINT64_FORMAT, f.p50);
  fail_unless (f.mean * f.n <= spent - 600 * GST_MSECOND,
      "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, f.mean * f.n, spent);
}
GST_END_TEST

static char *
filter (const char *before, const char *properties, const char *after)
{
  return g_strdup_printf (
      "%sinferfilter output=media-with-meta model=%s %s ! %sinferscene", before,
      model, properties, after);
}

static GstHarness *
start_striped (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, STRIPED_CAPS);
  return h;
}

/* The mark is of the time when the frame came to inferfilter: the second of two
 * waits there until downstream has taken the first. */
GST_START_TEST (test_behind_filter)
{
  g_autofree char *description = filter ("", "nireq=4", SLEEPER " ! ");
  g_autoptr (TestHarness) h = start_striped (description);

  pass (h, striped_frame (0));
  fail_unless_equals_uint64 (figures (h).n, 1);
  fail_unless (figures (h).max >= SLEEP);
  test_flush (h);
  const GstClockTime before = gst_util_get_timestamp ();
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (
        gst_harness_push (h, striped_frame (i)), GST_FLOW_OK);
  const GstClockTime pushed = gst_util_get_timestamp ();
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (gst_harness_pull (h));
  const GstClockTime pulled = gst_util_get_timestamp ();
  const Figures f = figures (h);
  fail_unless_equals_uint64 (f.n, 2);
  fail_unless (f.max + (pushed - before) >= 2 * SLEEP,
      "%" G_GUINT64_FORMAT " ns", f.max);
  fail_unless (f.max <= pulled - before);
}
GST_END_TEST

/* A batch that waits for a second stream, which brings nothing: the wait is in
 * the delay. */
GST_START_TEST (test_batch_wait)
{
  g_autofree char *description =
      filter ("", "model-instance-id=wait batch-size=2 batch-timeout=50", "");
  g_autoptr (TestHarness) h = start_striped (description);
  g_autoptr (TestHarness) other = start_striped (description);

  pass (other, striped_frame (0));
  pass (h, striped_frame (0));
  const Figures f = figures (h);
  fail_unless_equals_uint64 (f.n, 1);
  fail_unless (f.max >= 50 * GST_MSECOND, "%" G_GUINT64_FORMAT, f.max);
}
GST_END_TEST

/* inferfilter leaves infermotion's mark; frames on which nothing moves have one
 * too. */
GST_START_TEST (test_behind_both)
{
  g_autofree char *description =
      filter ("infermotion ! " SLEEPER " ! ", "", "");
  g_autoptr (TestHarness) h = start_striped (description);
  g_autoptr (GstElement) motion = gst_harness_find_element (h, "infermotion");
  guint64 still;

  g_object_set (motion, "hold", 0, NULL);
  for (guint i = 0; i < 5; i++)
    pass (h, striped_frame (i));
  const Figures f = figures (h);
  g_object_get (motion, "still", &still, NULL);
  fail_unless (still >= 3, "%" G_GUINT64_FORMAT, still);
  fail_unless_equals_uint64 (f.n, 5);
  fail_unless (f.p50 >= SLEEP, "%" G_GUINT64_FORMAT, f.p50);
}
GST_END_TEST

/* Two streams of one model, in batches: each has its own figures. */
GST_START_TEST (test_streams)
{
  const char *shared = "model-instance-id=streams batch-size=2 batch-timeout=1";
  g_autofree char *slow = filter ("", shared, "identity sleep-time=80000 ! ");
  g_autofree char *fast = filter ("", shared, "");
  g_autoptr (TestHarness) a = start_striped (slow);
  g_autoptr (TestHarness) b = start_striped (fast);

  for (guint i = 0; i < 3; i++) {
    gst_harness_push (a, striped_frame (i));
    pass (b, striped_frame (2 * i));
    pass (b, striped_frame (2 * i + 1));
  }
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (gst_harness_pull (a));
  const Figures of_a = figures (a), of_b = figures (b);
  fail_unless_equals_uint64 (of_a.n, 3);
  fail_unless_equals_uint64 (of_b.n, 6);
  fail_unless (of_a.p50 >= 80 * GST_MSECOND);
  fail_unless (of_b.p50 < of_a.p50);
}
GST_END_TEST

/* Beside a branch that no filter has seen, whose buffers are the same. */
GST_START_TEST (test_tee)
{
  g_autofree char *description = g_strdup_printf (
      "tee name=t t. ! queue ! inferfilter output=media-with-meta model=%s ! "
      "inferscene name=a ! fakesink async=false t. ! queue ! inferscene name=b",
      model);
  g_autoptr (TestHarness) h = start_striped (description);
  g_autoptr (GstElement) a = gst_bin_get_by_name (GST_BIN (h->element), "a");
  g_autoptr (GstElement) b = gst_bin_get_by_name (GST_BIN (h->element), "b");

  for (guint i = 0; i < 5; i++) {
    g_autoptr (GstBuffer) out =
        gst_harness_push_and_pull (h, striped_frame (i));

    fail_if (GST_CLOCK_TIME_IS_VALID (gst_infer_arrival_of (out)));
  }
  for (guint i = 0; i < 1000 && figures_of (a).buffers < 5; i++)
    g_usleep (10000);
  fail_unless_equals_uint64 (figures_of (a).n, 5);
  fail_unless_equals_uint64 (figures_of (b).buffers, 5);
  fail_unless_equals_uint64 (figures_of (b).n, 0);
}
GST_END_TEST

static GstClockTime
mark_after (GstHarness *h, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);

  return gst_infer_arrival_of (out);
}

/* Where nobody asks, no frame is marked; after a request the mark is of the
 * time of the push, and one that is there stays. */
static void
check_request (GstHarness *h)
{
  GstBuffer *marked = striped_frame (2);

  fail_if (GST_CLOCK_TIME_IS_VALID (mark_after (h, striped_frame (0))));
  fail_unless (
      gst_harness_push_upstream_event (h, gst_infer_arrival_request ()));
  const GstClockTime before = gst_util_get_timestamp ();
  const GstClockTime mark = mark_after (h, striped_frame (1));
  fail_unless (mark >= before && mark <= gst_util_get_timestamp ());
  gst_infer_mark_arrival (marked, 5);
  fail_unless_equals_uint64 (mark_after (h, marked), 5);
}

GST_START_TEST (test_requested)
{
  static const char *const outputs[] = { "media-with-meta", "media" };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++) {
    g_autofree char *description =
        g_strdup_printf ("inferfilter model=%s output=%s", model, outputs[i]);
    g_autoptr (TestHarness) h = start_striped (description);

    check_request (h);
  }
  g_autoptr (TestHarness) motion = start_striped ("infermotion");
  check_request (motion);
  /* Another start: nobody has asked yet. */
  gst_element_set_state (motion->element, GST_STATE_READY);
  gst_element_set_state (motion->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (motion, STRIPED_CAPS);
  fail_if (GST_CLOCK_TIME_IS_VALID (mark_after (motion, striped_frame (0))));
}
GST_END_TEST

static Suite *
inferscene_delay_suite (void)
{
  return test_suite ("inferscene-delay", set_up, tear_down, test_measured,
      test_unmarked, test_resets, test_behind_motion, test_behind_filter,
      test_batch_wait, test_behind_both, test_streams, test_tee, test_requested,
      NULL);
}

GST_CHECK_MAIN (inferscene_delay)
