/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta, where a model runs for each region of a frame. */

#include <stdio.h>
#include <string.h>

#include "gst/infer/tensor-meta.h"
#include "gst/infer/results.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

/* A result for each region, in their order; regions are clipped to the
 * frame, those outside are left out. */
GST_START_TEST (test_regions)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");

  for (guint nireq = 1; nireq <= 4; nireq++) {
    g_autofree char *more =
        g_strdup_printf ("inference-region=roi-list nireq=%u", nireq);
    g_autoptr (TestHarness) h = striped_harness (model, more);

    for (guint i = 0; i < 5; i++) {
      GstBuffer *frame = striped_frame (i), *before = frame;
      int one = striped_add_region (frame, "face", 3, 1, 3, 4), last;

      striped_add_region (frame, "face", 50, 0, 4, 4);
      last = striped_add_region (frame, "cat", 9, 4, 1000, 1000);
      g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
      fail_unless (got == before);
      fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
      GstInferTensorMeta *meta = striped_meta (got, 0);
      fail_unless_equals_int (meta->roi_id, one);
      fail_unless_equals_float (striped_value (meta, 3), 20);
      striped_assert_map (meta, 3, 1, 0.75, 2);
      meta = striped_meta (got, 1);
      fail_unless_equals_int (meta->roi_id, last);
      fail_unless_equals_float (striped_value (meta, 0), 40);
      striped_assert_map (meta, 9, 4, 0.75, 2);
      fail_unless (striped_meta (got, 2) == NULL);
    }
  }
}
GST_END_TEST

/* A region may reach beyond the frame, where all is padding. */
GST_START_TEST (test_open_region)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h = striped_harness (
      model, "inference-region=roi-list model-info=pad_value=7");
  const GstInferBox box = { -6, 0, 6, 6 };
  const GstInferLabel label = { "person", 0, 1, NULL, NULL };
  GstBuffer *frame = striped_frame (0);

  gst_infer_set_object_region (frame,
      gst_infer_add_object (frame, STRIPED_W, STRIPED_H, &box, &label, -1),
      STRIPED_W, STRIPED_H, &box);
  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
  GstInferTensorMeta *meta = striped_meta (got, 0);
  fail_unless_equals_float (striped_value (meta, 0), 7);
  fail_unless_equals_float (striped_value (meta, 1), 7);
  fail_unless_equals_float (striped_value (meta, 2), 10);
  fail_unless_equals_float (striped_value (meta, 3), 20);
  striped_assert_map (meta, -6, 0, 3, 3);
}
GST_END_TEST

GST_START_TEST (test_object_class)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h =
      striped_harness (model, "inference-region=roi-list object-class=cat");
  GstBuffer *frame = striped_frame (0);

  striped_add_region (frame, "face", 0, 0, 3, 4);
  int cat = striped_add_region (frame, "cat", 6, 0, 3, 4);
  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
  fail_unless_equals_int (striped_meta (got, 0)->roi_id, cat);
  fail_unless_equals_float (striped_value (striped_meta (got, 0), 0), 30);
  fail_unless (striped_meta (got, 1) == NULL);
}
GST_END_TEST

/* Frames with no, some and many regions keep their order, as do the events
 * between them. */
GST_START_TEST (test_order)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h =
      striped_harness (model, "inference-region=roi-list nireq=3");

  for (guint i = 0; i < 50; i++) {
    GstBuffer *frame = striped_frame (i);

    for (guint k = 0; k < i % 5; k++)
      striped_add_region (frame, "x", 3 * k, 0, 3, 8);
    fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  for (guint i = 0; i < 50; i++) {
    g_autoptr (GstBuffer) got = gst_harness_try_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
    for (guint k = 0; k < i % 5; k++)
      fail_unless_equals_float (
          striped_value (striped_meta (got, k), 0), (float) (10 * k + 10));
    fail_unless (striped_meta (got, i % 5) == NULL);
  }
}
GST_END_TEST

/* With output=tensors a buffer leaves for each region. */
GST_START_TEST (test_region_tensors)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter inference-region=roi-list model=%s", model);
  g_autoptr (TestHarness) h = test_harness (description);
  GstBuffer *frame = striped_frame (3);

  gst_harness_set_src_caps_str (h, STRIPED_CAPS);
  for (guint k = 0; k < 4; k++)
    striped_add_region (frame, "x", 3 * k, 0, 3, 8);
  gst_harness_push (h, frame);
  for (guint k = 0; k < 4; k++) {
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    g_autoptr (GArray) floats = picture_floats (got);

    fail_unless_equals_float (
        g_array_index (floats, float, 0), (float) (10 * k + 10));
    fail_unless_equals_int64 (GST_BUFFER_PTS (got), 3 * GST_SECOND / 25);
  }
}
GST_END_TEST

/* A GAP event leaves for a frame without regions. */
GST_START_TEST (test_no_region)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter inference-region=roi-list model=%s", model);
  g_autoptr (TestHarness) h = test_harness (description);
  GstBuffer *frame = striped_frame (25);
  gboolean found = FALSE;

  gst_harness_set_src_caps_str (h, STRIPED_CAPS);
  GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
  gst_harness_push (h, frame);
  while (!found) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (h);
    GstClockTime pts, duration;

    fail_unless (event != NULL);
    if (GST_EVENT_TYPE (event) != GST_EVENT_GAP)
      continue;
    gst_event_parse_gap (event, &pts, &duration);
    fail_unless_equals_uint64 (pts, GST_SECOND);
    fail_unless_equals_uint64 (duration, GST_SECOND / 25);
    found = TRUE;
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
}
GST_END_TEST

/* Two streams in one batch: each frame has its own result. */
GST_START_TEST (test_batch)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h[2];

  for (guint i = 0; i < 2; i++)
    h[i] = striped_harness (
        model, "batch-size=2 batch-timeout=1000 inference-region=roi-list");
  for (guint i = 0; i < 20; i++)
    for (guint k = 0; k < 2; k++) {
      GstBuffer *frame = striped_frame (i);

      striped_add_region (frame, "x", 3 * ((i + k) % 4), 0, 3, 8);
      fail_unless_equals_int (gst_harness_push (h[k], frame), GST_FLOW_OK);
    }
  for (guint k = 0; k < 2; k++) {
    gst_harness_push_event (h[k], gst_event_new_eos ());
    for (guint i = 0; i < 20; i++) {
      g_autoptr (GstBuffer) got = gst_harness_pull (h[k]);

      fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
      fail_unless_equals_float (striped_value (striped_meta (got, 0), 0),
          (float) (10 * ((i + k) % 4) + 10));
    }
    gst_harness_teardown (h[k]);
  }
}
GST_END_TEST

/* A detector's regions are the next model's input: the frame has both
 * results. */
GST_START_TEST (test_cascade)
{
  g_autofree char *wide = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *dot = picture_model_copy ("dot", "f32", "1,3,1,1");
  g_autofree char *description = g_strdup_printf (
      "inferfilter model=%s output=media-with-meta ! "
      "inferfilter model=%s output=media-with-meta inference-region=roi-list",
      wide, dot);
  g_autoptr (TestHarness) h = test_harness (description);
  GstBuffer *frame = striped_frame (0);

  gst_harness_set_src_caps_str (h, STRIPED_CAPS);
  int id = striped_add_region (frame, "x", 9, 0, 3, 8);
  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
  fail_unless_equals_int (striped_meta (got, 0)->roi_id, -1);
  fail_unless_equals_int (striped_meta (got, 0)->input_width, 4);
  fail_unless_equals_int (striped_meta (got, 1)->roi_id, id);
  fail_unless_equals_int (striped_meta (got, 1)->input_width, 1);
  fail_unless_equals_float (striped_value (striped_meta (got, 1), 0), 40);
}
GST_END_TEST

typedef struct
{
  guint64 number;
  guint n;
  float sums[4];
} Expected;

typedef struct
{
  GstHarness *h;
  GRand *random;
  GArray *frames;  /* (element-type Expected), since the last flush */
  gboolean packed; /* the caps now in force */
  float sum;
  guint64 number;
} Stream;

static void
push_frame (Stream *s, gboolean discont)
{
  Expected expected = { .number = s->number++ };
  GstBuffer *frame = striped_frame (0);

  if (!s->packed) {
    guint8 rgb[3 * STRIPED_W * STRIPED_H];

    for (int i = 0; i < STRIPED_W * STRIPED_H; i++)
      memset (rgb + 3 * i, i % STRIPED_W / 3 * 10 + 10, 3);
    gst_buffer_unref (frame);
    frame = picture_frame (GST_VIDEO_FORMAT_BGRx, STRIPED_W, STRIPED_H, rgb);
  }
  GST_BUFFER_OFFSET (frame) = expected.number;
  if (discont) {
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
    s->sum = 0;
  }
  expected.n = (guint) g_rand_int_range (s->random, 0, 5);
  for (guint i = 0; i < expected.n; i++) {
    int stripe = g_rand_int_range (s->random, 0, 4);

    striped_add_region (frame, "x", 3 * (guint) stripe, 0, 3, 8);
    s->sum += (float) (10 * stripe + 10);
    expected.sums[i] = s->sum;
  }
  g_array_append_val (s->frames, expected);
  fail_unless_equals_int (gst_harness_push (s->h, frame), GST_FLOW_OK);
}

static void
act (Stream *s)
{
  GstSegment segment;

  switch (g_rand_int_range (s->random, 0, 14)) {
    case 0:
      push_frame (s, TRUE);
      break;
    case 1:
      test_flush (s->h);
      g_array_set_size (s->frames, 0);
      s->sum = 0;
      break;
    case 2:
      s->packed = !s->packed;
      gst_harness_set_src_caps_str (
          s->h, s->packed ? STRIPED_CAPS
                          : "video/x-raw, format=BGRx, width=12, height=8, "
                            "framerate=25/1");
      s->sum = 0;
      break;
    case 3:
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.start = segment.time = (guint64) s->number * GST_SECOND;
      segment.base = g_rand_int (s->random);
      gst_harness_push_event (s->h, gst_event_new_segment (&segment));
      s->sum = 0;
      break;
    default:
      push_frame (s, FALSE);
      break;
  }
}

static void
assert_frames (Stream *s)
{
  gst_harness_push_event (s->h, gst_event_new_eos ());
  test_wait_eos (s->h);
  for (guint i = 0; i < s->frames->len; i++) {
    const Expected *expected = &g_array_index (s->frames, Expected, i);
    g_autoptr (GstBuffer) got = gst_harness_try_pull (s->h);

    fail_unless (got != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), expected->number);
    for (guint k = 0; k < expected->n; k++)
      fail_unless_equals_float (
          striped_value (striped_meta (got, k), 0), expected->sums[k]);
    fail_unless (striped_meta (got, expected->n) == NULL);
  }
  fail_unless (gst_harness_try_pull (s->h) == NULL);
}

/* Any number of regions, flushes, discontinuities, other caps: each frame
 * leaves once, with its own results, and states continue or reset as
 * documented. */
GST_START_TEST (test_random)
{
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,2,4");
  guint32 seed = g_random_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  printf ("seed %u\n", seed);
  for (guint round = 0; round < 100; round++) {
    g_autofree char *more = g_strdup_printf (
        "inference-region=roi-list nireq=%d", g_rand_int_range (random, 1, 6));
    Stream s = {
      .h = striped_harness (model, more), .random = random, .packed = TRUE
    };

    s.frames = g_array_new (FALSE, FALSE, sizeof (Expected));
    for (guint i = 0; i < 40; i++)
      act (&s);
    assert_frames (&s);
    g_array_unref (s.frames);
    gst_harness_teardown (s.h);
  }
}
GST_END_TEST

static Suite *
inferfilter_regions_suite (void)
{
  return test_suite ("inferfilter-regions", NULL, picture_folder_clear,
      test_regions, test_object_class, test_open_region, test_order,
      test_region_tensors, test_no_region, test_batch, test_cascade,
      test_random, NULL);
}

GST_CHECK_MAIN (inferfilter_regions)
