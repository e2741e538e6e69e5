/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results on frames that GStreamer's own elements convert, scale and crop. */

#include <gst/video/video.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define W 64
#define H 48
#define CAPS "video/x-raw, format=%s, width=%d, height=%d, framerate=25/1"

static GstBuffer *
frame_with_results (void)
{
  static const GstInferKeypoint points[] = { { 10, 20, 0.5 }, { 30, 40, 1 } };
  static const guint8 classes[] = { 0, 1, 2, 3 };
  const GstInferBox box = { 16, 12, 48, 36 };
  const GstInferLabel label = { "cat", 3, 0.9, "m", "l" };
  g_autoptr (GBytes) bytes = g_bytes_new_static (classes, 4);
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, W, H);
  GstBuffer *buffer = test_frame (&info);
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, W, H, &box, &label, -1);
  gst_infer_add_label (buffer, roi, "classification", &label);
  gst_infer_add_label (buffer, NULL, "classification", &label);
  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_BODY, 2, points)
      ->roi_id = roi->id;
  gst_buffer_add_infer_mask_meta (buffer, GST_INFER_MASK_CLASSES, 2, 2, bytes,
      (GstInferMap){ 0, 0, W / 2, H / 2 }, NULL);
  return buffer;
}

static GstBuffer *
through (const char *element, const char *format, int width, int height)
{
  g_autoptr (TestHarness) h = test_harness (element);
  g_autofree char *in = g_strdup_printf (CAPS, "RGB", W, H);
  g_autofree char *out = g_strdup_printf (CAPS, format, width, height);

  gst_harness_set_caps_str (h, in, out);
  GstBuffer *frame = gst_harness_push_and_pull (h, frame_with_results ());
  fail_unless (frame != NULL, "%s", element);
  return frame;
}

static void
check_label (GstBuffer *frame)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (frame, GST_INFER_LABEL_META);

  fail_unless (meta != NULL);
  fail_unless_equals_string (
      gst_structure_get_string (gst_custom_meta_get_structure (meta), "label"),
      "cat");
}

/* All results, moved by @map. */
static void
check_results (
    const char *what, GstBuffer *frame, GstInferMap map, guint w, guint h)
{
  GstVideoRegionOfInterestMeta *roi = gst_infer_find_object (frame, 1);
  GstInferKeypointsMeta *points =
      gst_buffer_get_infer_keypoints_meta (frame, 1);
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      frame, GST_INFER_MASK_META_API_TYPE);

  fail_unless (roi != NULL && points != NULL && mask != NULL, "%s", what);
  fail_unless_equals_int (roi->x, (int) (map.x + 16 * map.scale_x));
  fail_unless_equals_int (roi->h, (int) (24 * map.scale_y));
  fail_unless_equals_int (g_list_length (roi->params), 2);
  GstInferBox box = gst_infer_object_box (roi, w, h);
  fail_unless_equals_float (box.x1, (float) (map.x + 48 * map.scale_x));
  fail_unless_equals_float (
      (float) gst_infer_object_label (roi).confidence, 0.9f);
  fail_unless_equals_float (points->points[1].x, map.x + 30 * map.scale_x);
  fail_unless_equals_float (points->points[1].y, map.y + 40 * map.scale_y);
  for (int i = 0; i < 4; i++)
    fail_unless_equals_int (
        gst_infer_mask_meta_at (mask,
            (int) (map.x + (i % 2 ? 40 : 20) * map.scale_x),
            (int) (map.y + (i / 2 ? 36 : 16) * map.scale_y)),
        i);
  check_label (frame);
}

GST_START_TEST (test_scale)
{
  static const struct
  {
    const char *element, *format;
    int width, height;
  } cases[] = {
    { "videoscale", "RGB", 2 * W, 3 * H },
    { "videoscale", "RGB", W / 2, H / 2 },
    { "videoconvertscale", "I420", 2 * W, 3 * H },
    { "videoconvertscale", "NV12", W / 2, H / 2 },
    { "videoconvertscale", "RGB", W, H },
    { "videoconvert", "I420", W, H },
    { "videoconvert ! videoscale", "I420", 2 * W, H },
  };

  if (!test_load_plugin ("videoconvertscale"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    int w = cases[i].width, h = cases[i].height;
    g_autoptr (GstBuffer) frame =
        through (cases[i].element, cases[i].format, w, h);

    check_results (cases[i].element, frame,
        (GstInferMap){ 0, 0, (double) w / W, (double) h / H }, (guint) w,
        (guint) h);
  }
}
GST_END_TEST

/* videocrop tells metas where it cropped from GStreamer 1.28 on.  Before that,
 * results with coordinates are dropped rather than misplaced. */
GST_START_TEST (test_crop)
{
  if (!test_load_plugin ("videocrop"))
    return;
  g_autoptr (GstBuffer) frame =
      through ("videocrop left=8 top=4 right=4", "RGB", W - 12, H - 4);
  check_label (frame);
  if (gst_infer_find_object (frame, 1) != NULL) {
    check_results (
        "videocrop", frame, (GstInferMap){ -8, -4, 1, 1 }, W - 12, H - 4);
  } else {
    fail_unless_equals_int (test_count_regions (frame), 0);
    fail_unless (gst_buffer_get_infer_keypoints_meta (frame, 1) == NULL);
    fail_unless (
        gst_buffer_get_meta (frame, GST_INFER_MASK_META_API_TYPE) == NULL);
  }
}
GST_END_TEST

/* A crop of nothing drops nothing. */
GST_START_TEST (test_no_crop)
{
  if (!test_load_plugin ("videocrop"))
    return;
  g_autoptr (GstBuffer) frame = through ("videocrop", "RGB", W, H);
  check_results ("videocrop", frame, GST_INFER_MAP_IDENTITY, W, H);
}
GST_END_TEST

static Suite *
neighbours_suite (void)
{
  return test_suite (
      "neighbours", NULL, NULL, test_scale, test_crop, test_no_crop, NULL);
}

GST_CHECK_MAIN (neighbours)
