/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta: the frame that came leaves, with what the model gave
 * for it or for each of its regions. */

#include <gst/check/gstcheck.h>
#include <stdio.h>
#include <string.h>

#include "gst/infertensormeta.h"
#include "gst/results.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define W 12
#define H 8
#define CAPS                                                                   \
  "video/x-raw, format=RGB, width=12, height=8, framerate=25/1, "              \
  "pixel-aspect-ratio=1/1, interlace-mode=progressive"

static GstHarness *
start (const char *model, const char *more)
{
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media-with-meta model=%s %s", model, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* Columns of 3 pixels, of 10, 20, 30 and 40. */
static GstBuffer *
striped (guint number)
{
  guint8 rgb[3 * W * H];
  GstBuffer *frame;

  for (int i = 0; i < W * H; i++)
    memset (rgb + 3 * i, i % W / 3 * 10 + 10, 3);
  frame = picture_frame (GST_VIDEO_FORMAT_RGB, W, H, rgb);
  GST_BUFFER_PTS (frame) = number * GST_SECOND / 25;
  GST_BUFFER_OFFSET (frame) = number;
  return frame;
}

static int
add_region (
    GstBuffer *frame, const char *type, guint x, guint y, guint w, guint h)
{
  static int next = 100;
  GstVideoRegionOfInterestMeta *meta =
      gst_buffer_add_video_region_of_interest_meta (frame, type, x, y, w, h);

  meta->id = next++;
  return meta->id;
}

static GstInferTensorMeta *
nth_meta (GstBuffer *buffer, guint n)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_TENSOR_META_API_TYPE))
         != NULL)
    if (n-- == 0)
      return (GstInferTensorMeta *) meta;
  return NULL;
}

static float
value_of (const GstInferTensorMeta *meta, guint index)
{
  return ((const float *) meta->tensors[0]->data)[index];
}

static void
assert_map (
    const GstInferTensorMeta *meta, double x, double y, double sx, double sy)
{
  fail_unless_equals_float (meta->map.x, x);
  fail_unless_equals_float (meta->map.y, y);
  fail_unless_equals_float (meta->map.scale_x, sx);
  fail_unless_equals_float (meta->map.scale_y, sy);
}

/* The very buffer, with all that it had. */
GST_START_TEST (test_untouched)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "");
  GstBuffer *frame = striped (7), *before = frame;
  g_autoptr (GstBuffer) got = NULL;
  g_autoptr (GstCaps) caps = NULL, want = gst_caps_from_string (CAPS);
  GstInferTensorMeta *meta;
  guint8 pixel;

  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_MARKER);
  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  got = gst_harness_pull (h);
  fail_unless (got == before);
  fail_unless (gst_buffer_is_writable (got));
  fail_unless_equals_int64 (GST_BUFFER_PTS (got), 7 * GST_SECOND / 25);
  fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), 7);
  fail_unless (GST_BUFFER_FLAG_IS_SET (got, GST_BUFFER_FLAG_MARKER));
  fail_if (GST_BUFFER_FLAG_IS_SET (got, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_extract (got, 9, &pixel, 1);
  fail_unless_equals_int (pixel, 20);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, want));

  meta = nth_meta (got, 0);
  fail_unless (meta != NULL && nth_meta (got, 1) == NULL);
  fail_unless_equals_int (meta->n, 1);
  fail_unless_equals_int (meta->input_width, 4);
  fail_unless_equals_int (meta->input_height, 2);
  fail_unless_equals_int (meta->roi_id, -1);
  fail_unless_equals_int (meta->age, 0);
  fail_unless_equals_string (gst_infer_tensor_meta_name (meta, 0), "x");
  fail_unless_equals_string (
      gst_structure_get_string (
          gst_infer_tensor_meta_model_info (meta), "model"),
      model);
  assert_map (meta, 0, 0, 3, 4);
  for (guint x = 0; x < 4; x++)
    fail_unless_equals_float (value_of (meta, x), (float) (10 * x + 10));
  gst_harness_teardown (h);
}
GST_END_TEST

/* Frames between have what was found last, and how long ago that was. */
GST_START_TEST (test_interval)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "inference-interval=3");

  for (guint i = 0; i < 7; i++) {
    g_autoptr (GstBuffer) got = NULL;
    const GstInferTensorMeta *meta;

    fail_unless_equals_int (gst_harness_push (h, striped (i)), GST_FLOW_OK);
    got = gst_harness_pull (h);
    meta = nth_meta (got, 0);
    fail_unless (meta != NULL && nth_meta (got, 1) == NULL);
    fail_unless_equals_int (meta->age, i % 3);
    fail_unless_equals_float (value_of (meta, 3), 40);
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), i);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

/* Input row 0 lies a whole row of input above the frame. */
GST_START_TEST (test_letterbox)
{
  g_autofree char *model = picture_model_copy ("tall", "f32", "1,3,6,6");
  GstHarness *h =
      start (model, "model-info=resize_type=fit_to_window_letterbox");
  g_autoptr (GstBuffer) got = NULL;

  gst_harness_push (h, striped (0));
  got = gst_harness_pull (h);
  assert_map (nth_meta (got, 0), 0, -2, 2, 2);
  gst_harness_teardown (h);
}
GST_END_TEST

/* A result for each region, in their order; what lies outside is cut off or
 * left out. */
GST_START_TEST (test_regions)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");

  for (guint nireq = 1; nireq <= 4; nireq++) {
    g_autofree char *more =
        g_strdup_printf ("inference-region=roi-list nireq=%u", nireq);
    GstHarness *h = start (model, more);

    for (guint i = 0; i < 5; i++) {
      GstBuffer *frame = striped (i), *before = frame;
      g_autoptr (GstBuffer) got = NULL;
      int one = add_region (frame, "face", 3, 1, 3, 4), last;
      GstInferTensorMeta *meta;

      add_region (frame, "face", 50, 0, 4, 4);
      last = add_region (frame, "cat", 9, 4, 1000, 1000);
      gst_harness_push (h, frame);
      got = gst_harness_pull (h);
      fail_unless (got == before);
      fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
      meta = nth_meta (got, 0);
      fail_unless_equals_int (meta->roi_id, one);
      fail_unless_equals_float (value_of (meta, 3), 20);
      assert_map (meta, 3, 1, 0.75, 2);
      meta = nth_meta (got, 1);
      fail_unless_equals_int (meta->roi_id, last);
      fail_unless_equals_float (value_of (meta, 0), 40);
      assert_map (meta, 9, 4, 0.75, 2);
      fail_unless (nth_meta (got, 2) == NULL);
    }
    gst_harness_teardown (h);
  }
}
GST_END_TEST

/* A region may want to be seen beyond the frame, where all is padding. */
GST_START_TEST (test_open_region)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h =
      start (model, "inference-region=roi-list model-info=pad_value=7");
  const InferDetection box = { -6, 0, 6, 6, 1, 0, 0 };
  const GstInferLabel label = { "person", 0, 1, NULL, NULL };
  GstBuffer *frame = striped (0);
  g_autoptr (GstBuffer) got = NULL;
  GstInferTensorMeta *meta;

  gst_infer_set_object_region (
      frame, gst_infer_add_object (frame, W, H, &box, &label, -1), W, H, &box);
  gst_harness_push (h, frame);
  got = gst_harness_pull (h);
  meta = nth_meta (got, 0);
  fail_unless_equals_float (value_of (meta, 0), 7);
  fail_unless_equals_float (value_of (meta, 1), 7);
  fail_unless_equals_float (value_of (meta, 2), 10);
  fail_unless_equals_float (value_of (meta, 3), 20);
  assert_map (meta, -6, 0, 3, 3);
  gst_harness_teardown (h);
}
GST_END_TEST

GST_START_TEST (test_object_class)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "inference-region=roi-list object-class=cat");
  GstBuffer *frame = striped (0);
  g_autoptr (GstBuffer) got = NULL;
  int cat;

  add_region (frame, "face", 0, 0, 3, 4);
  cat = add_region (frame, "cat", 6, 0, 3, 4);
  gst_harness_push (h, frame);
  got = gst_harness_pull (h);
  fail_unless_equals_int (nth_meta (got, 0)->roi_id, cat);
  fail_unless_equals_float (value_of (nth_meta (got, 0), 0), 30);
  fail_unless (nth_meta (got, 1) == NULL);
  gst_harness_teardown (h);
}
GST_END_TEST

/* Frames with none, some and many regions keep their order, and so do the
 * events between them. */
GST_START_TEST (test_order)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "inference-region=roi-list nireq=3");

  for (guint i = 0; i < 50; i++) {
    GstBuffer *frame = striped (i);

    for (guint k = 0; k < i % 5; k++)
      add_region (frame, "x", 3 * k, 0, 3, 8);
    fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  for (guint i = 0; i < 50; i++) {
    g_autoptr (GstBuffer) got = gst_harness_try_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
    for (guint k = 0; k < i % 5; k++)
      fail_unless_equals_float (
          value_of (nth_meta (got, k), 0), (float) (10 * k + 10));
    fail_unless (nth_meta (got, i % 5) == NULL);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

/* A part of the frame instead of the whole, by property. */
GST_START_TEST (test_crop)
{
  static const char *const wrong[] = { "1,2,3", "0,0,0,4", "9,0,4,8", "x" };
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "crop=6,4,3,2");
  g_autoptr (GstBuffer) got = NULL;

  gst_harness_push (h, striped (0));
  got = gst_harness_pull (h);
  fail_unless_equals_float (value_of (nth_meta (got, 0), 5), 30);
  fail_unless_equals_int (nth_meta (got, 0)->roi_id, -1);
  assert_map (nth_meta (got, 0), 6, 4, 0.75, 1);
  gst_harness_teardown (h);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *more = g_strdup_printf ("crop=%s", wrong[i]);
    g_autofree char *message = NULL;

    h = start (model, more);
    message = test_pop_error (h);
    fail_unless (message != NULL && strstr (message, wrong[i]) != NULL);
    gst_harness_teardown (h);
  }
}
GST_END_TEST

/* With output=tensors a buffer leaves for each region. */
GST_START_TEST (test_region_tensors)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter inference-region=roi-list model=%s", model);
  GstHarness *h = test_harness (description);
  GstBuffer *frame = striped (3);

  gst_harness_set_src_caps_str (h, CAPS);
  for (guint k = 0; k < 4; k++)
    add_region (frame, "x", 3 * k, 0, 3, 8);
  gst_harness_push (h, frame);
  for (guint k = 0; k < 4; k++) {
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    g_autoptr (GArray) floats = picture_floats (got);

    fail_unless_equals_float (
        g_array_index (floats, float, 0), (float) (10 * k + 10));
    fail_unless_equals_int64 (GST_BUFFER_PTS (got), 3 * GST_SECOND / 25);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

/* … and where there is none, a gap says so. */
GST_START_TEST (test_no_region)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter inference-region=roi-list model=%s", model);
  GstHarness *h = test_harness (description);
  GstBuffer *frame = striped (25);
  gboolean found = FALSE;

  gst_harness_set_src_caps_str (h, CAPS);
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
  gst_harness_teardown (h);
}
GST_END_TEST

/* Two streams in one batch: each frame has its own result. */
GST_START_TEST (test_batch)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h[2];

  for (guint i = 0; i < 2; i++)
    h[i] = start (
        model, "batch-size=2 batch-timeout=1000 inference-region=roi-list");
  for (guint i = 0; i < 20; i++)
    for (guint k = 0; k < 2; k++) {
      GstBuffer *frame = striped (i);

      add_region (frame, "x", 3 * ((i + k) % 4), 0, 3, 8);
      fail_unless_equals_int (gst_harness_push (h[k], frame), GST_FLOW_OK);
    }
  for (guint k = 0; k < 2; k++) {
    gst_harness_push_event (h[k], gst_event_new_eos ());
    for (guint i = 0; i < 20; i++) {
      g_autoptr (GstBuffer) got = gst_harness_pull (h[k]);

      fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), i);
      fail_unless_equals_float (
          value_of (nth_meta (got, 0), 0), (float) (10 * ((i + k) % 4) + 10));
    }
    gst_harness_teardown (h[k]);
  }
}
GST_END_TEST

/* A detector's regions are the next one's input: both results are there. */
GST_START_TEST (test_cascade)
{
  g_autofree char *wide = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *dot = picture_model_copy ("dot", "f32", "1,3,1,1");
  g_autofree char *description = g_strdup_printf (
      "inferfilter model=%s output=media-with-meta ! "
      "inferfilter model=%s output=media-with-meta inference-region=roi-list",
      wide, dot);
  GstHarness *h = test_harness (description);
  GstBuffer *frame = striped (0);
  g_autoptr (GstBuffer) got = NULL;
  int id;

  gst_harness_set_src_caps_str (h, CAPS);
  id = add_region (frame, "x", 9, 0, 3, 8);
  gst_harness_push (h, frame);
  got = gst_harness_pull (h);
  fail_unless_equals_int (nth_meta (got, 0)->roi_id, -1);
  fail_unless_equals_int (nth_meta (got, 0)->input_width, 4);
  fail_unless_equals_int (nth_meta (got, 1)->roi_id, id);
  fail_unless_equals_int (nth_meta (got, 1)->input_width, 1);
  fail_unless_equals_float (value_of (nth_meta (got, 1), 0), 40);
  gst_harness_teardown (h);
}
GST_END_TEST

/* Another model takes over between two frames; one that takes no pictures does
 * not, and says why. */
GST_START_TEST (test_swap)
{
  g_autofree char *wide = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *dot = picture_model_copy ("dot", "f32", "1,3,1,1");
  g_autofree char *flat = picture_model_copy ("flat", "f32", "1,12");
  GstHarness *h = start (wide, "crop=9,0,3,8");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autoptr (GstMessage) warning = NULL;
  guint number = 0, width = 0;

  g_object_set (filter, "model", dot, NULL);
  while (width != 1) {
    g_autoptr (GstBuffer) got = NULL;

    gst_harness_push (h, striped (number));
    got = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), number++);
    fail_unless_equals_float (value_of (nth_meta (got, 0), 0), 40);
    width = nth_meta (got, 0)->input_width;
    fail_unless (width == 4 || width == 1);
    assert_map (nth_meta (got, 0), 9, 0, 3.0 / width, width == 1 ? 8 : 4);
  }
  g_object_set (filter, "model", flat, NULL);
  warning = gst_bus_timed_pop_filtered (
      test_bus (h), 10 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstBuffer) got = NULL;

    gst_harness_push (h, striped (number));
    got = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), number++);
    fail_unless_equals_int (nth_meta (got, 0)->input_width, 1);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

static void
note_end (gpointer data, GstMiniObject *object)
{
  g_atomic_int_inc ((int *) data);
}

/* A flush leaves no frame behind in any request, and no result. */
GST_START_TEST (test_flushed)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "inference-region=roi-list nireq=4");
  int gone = 0;

  for (guint round = 0; round < 30; round++) {
    g_autoptr (GstBuffer) got = NULL;
    GstBuffer *frame;

    for (guint i = 0; i < 4; i++) {
      frame = striped (i);
      gst_mini_object_weak_ref (GST_MINI_OBJECT (frame), note_end, &gone);
      for (guint k = 0; k < 3; k++)
        add_region (frame, "x", 3 * k, 0, 3, 8);
      gst_harness_push (h, frame);
    }
    test_flush (h);
    fail_unless_equals_int (g_atomic_int_get (&gone), 4 * ((int) round + 1));
    frame = striped (9);
    add_region (frame, "x", 9, 0, 3, 8);
    gst_harness_push (h, frame);
    got = gst_harness_pull (h);
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), 9);
    fail_unless_equals_float (value_of (nth_meta (got, 0), 0), 40);
    fail_unless (nth_meta (got, 1) == NULL);
  }
  gst_harness_teardown (h);
}
GST_END_TEST

GST_START_TEST (test_new_caps)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = start (model, "");
  g_autofree char *text = picture_caps (GST_VIDEO_FORMAT_NV12, 32, 16);
  guint8 rgb[3 * 32 * 16];
  g_autoptr (GstBuffer) one = NULL, two = NULL;
  g_autoptr (GstCaps) caps = NULL;

  memset (rgb, 128, sizeof rgb);
  gst_harness_push (h, striped (0));
  gst_harness_set_src_caps_str (h, text);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_NV12, 32, 16, rgb));
  one = gst_harness_pull (h);
  two = gst_harness_pull (h);
  assert_map (nth_meta (one, 0), 0, 0, 3, 4);
  assert_map (nth_meta (two, 0), 0, 0, 8, 8);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      "NV12");
  gst_harness_teardown (h);
}
GST_END_TEST

/* What passes is as downstream wants it, and in its memory. */
GST_START_TEST (test_negotiation)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=media-with-meta model=%s", model);
  GstHarness *h = test_harness (description);
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstCaps) want = gst_caps_from_string (
      "video/x-raw, format=I420, width=640, height=480, framerate=25/1");
  g_autoptr (GstCaps) other = gst_caps_from_string (
      "video/x-raw, format=RGB, width=640, height=480, framerate=25/1");
  g_autoptr (GstCaps) fixed = gst_caps_from_string (CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (fixed, TRUE);
  GstHarness *plain;

  gst_harness_set_sink_caps_str (h, "video/x-raw, format=I420, width=640");
  caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_can_intersect (caps, want));
  fail_if (gst_caps_can_intersect (caps, other));
  gst_harness_teardown (h);

  plain = start (model, "");
  gst_harness_add_propose_allocation_meta (
      plain, GST_VIDEO_CROP_META_API_TYPE, NULL);
  fail_unless (gst_pad_peer_query (plain->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (
      query, GST_VIDEO_CROP_META_API_TYPE, NULL));
  gst_harness_teardown (plain);
}
GST_END_TEST

/* --- random streams --- */

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
  GstBuffer *frame = striped (0);

  if (!s->packed) {
    guint8 rgb[3 * W * H];

    for (int i = 0; i < W * H; i++)
      memset (rgb + 3 * i, i % W / 3 * 10 + 10, 3);
    gst_buffer_unref (frame);
    frame = picture_frame (GST_VIDEO_FORMAT_BGRx, W, H, rgb);
  }
  GST_BUFFER_OFFSET (frame) = expected.number;
  if (discont) {
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
    s->sum = 0;
  }
  expected.n = (guint) g_rand_int_range (s->random, 0, 5);
  for (guint i = 0; i < expected.n; i++) {
    int stripe = g_rand_int_range (s->random, 0, 4);

    add_region (frame, "x", 3 * (guint) stripe, 0, 3, 8);
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
          s->h, s->packed ? CAPS
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
          value_of (nth_meta (got, k), 0), expected->sums[k]);
    fail_unless (nth_meta (got, expected->n) == NULL);
  }
  fail_unless (gst_harness_try_pull (s->h) == NULL);
}

/* Regions in any number, flushes, discontinuities, other caps: each frame
 * leaves once, with its own results, of states that go on as they should. */
GST_START_TEST (test_random)
{
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,2,4");
  guint32 seed = g_random_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  printf ("seed %u\n", seed);
  for (guint round = 0; round < 100; round++) {
    g_autofree char *more = g_strdup_printf (
        "inference-region=roi-list nireq=%d", g_rand_int_range (random, 1, 6));
    Stream s = { .h = start (model, more), .random = random, .packed = TRUE };

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
inferfilter_meta_suite (void)
{
  Suite *s = suite_create ("inferfilter-meta");
  TCase *tc = tcase_create ("meta");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, NULL, picture_folder_clear);
  tcase_add_test (tc, test_untouched);
  tcase_add_test (tc, test_interval);
  tcase_add_test (tc, test_letterbox);
  tcase_add_test (tc, test_regions);
  tcase_add_test (tc, test_object_class);
  tcase_add_test (tc, test_open_region);
  tcase_add_test (tc, test_crop);
  tcase_add_test (tc, test_order);
  tcase_add_test (tc, test_region_tensors);
  tcase_add_test (tc, test_no_region);
  tcase_add_test (tc, test_batch);
  tcase_add_test (tc, test_cascade);
  tcase_add_test (tc, test_swap);
  tcase_add_test (tc, test_flushed);
  tcase_add_test (tc, test_new_caps);
  tcase_add_test (tc, test_negotiation);
  tcase_add_test (tc, test_random);
  return s;
}

GST_CHECK_MAIN (inferfilter_meta)
