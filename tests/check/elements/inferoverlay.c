/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pixels that inferoverlay draws, in every format. */

#include <stdlib.h>
#include <string.h>

#include "gst/draw/canvas.h"
#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define WIDTH 320
#define HEIGHT 240
#define GREY 100

static GstVideoInfo video;

static GstHarness *
start (const char *description, GstVideoFormat format)
{
  GstHarness *h = test_harness (description);

  gst_video_info_set_format (&video, format, WIDTH, HEIGHT);
  gst_harness_set_src_caps (h, gst_video_info_to_caps (&video));
  return h;
}

/* A frame with every byte GREY and rows @padding bytes longer. */
static GstBuffer *
grey_frame (int padding)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 0 }, size = 0;
  int strides[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (&video); i++) {
    gsize rows = (gsize) GST_VIDEO_SUB_SCALE (
        GST_VIDEO_FORMAT_INFO_H_SUB (video.finfo, i), HEIGHT);

    if (GST_VIDEO_FORMAT_INFO_IS_RGB (video.finfo))
      rows = HEIGHT;
    offsets[i] = size;
    strides[i] = GST_VIDEO_INFO_PLANE_STRIDE (&video, i) + padding;
    size += (gsize) strides[i] * rows;
  }
  GstBuffer *frame = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (frame, 0, GREY, size);
  if (padding > 0)
    gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (&video), WIDTH, HEIGHT,
        GST_VIDEO_INFO_N_PLANES (&video), offsets, strides);
  return frame;
}

static guint8
component (GstVideoFrame *f, guint c, int x, int y)
{
  const GstVideoFormatInfo *info = f->info.finfo;
  int sx = x >> GST_VIDEO_FORMAT_INFO_W_SUB (info, c);
  int sy = y >> GST_VIDEO_FORMAT_INFO_H_SUB (info, c);

  return *(GST_VIDEO_FRAME_COMP_DATA (f, c)
           + sy * GST_VIDEO_FRAME_COMP_STRIDE (f, c)
           + sx * GST_VIDEO_FRAME_COMP_PSTRIDE (f, c));
}

/* Compares with a pixel that the canvas drew in @color. */
static gboolean
is_color (GstVideoFrame *f, GstInferColor color, int x, int y)
{
  GstInferCanvas canvas;

  gst_infer_canvas_init (&canvas, f);
  gst_infer_canvas_set_color (&canvas, color);
  for (guint c = 0; c < MIN (canvas.n, 3); c++)
    if (component (f, c, x, y) != canvas.ink[c])
      return FALSE;
  return TRUE;
}

static gboolean
is_untouched (GstVideoFrame *f, int x, int y)
{
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (f); c++)
    if (component (f, c, x, y) != GREY)
      return FALSE;
  return TRUE;
}

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,
  GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR,
  GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY,
  GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_GRAY8 };

GST_START_TEST (test_boxes)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h =
        start ("inferoverlay scale=2 draw-labels=false", formats[i / 2]);
    GstBuffer *frame = grey_frame (i % 2 == 0 ? 0 : 36);
    const GstInferBox box = { 40, 60, 120, 100 };
    const GstInferLabel label = { "x", 3, 0.5, NULL, NULL };
    GstInferColor color = gst_infer_palette (3);
    GstVideoFrame f;

    gst_infer_add_object (frame, WIDTH, HEIGHT, &box, &label, -1);
    frame = gst_harness_push_and_pull (h, frame);
    fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
    fail_unless (is_color (&f, color, 40, 60), "format %d", formats[i / 2]);
    fail_unless (is_color (&f, color, 80, 60));
    fail_unless (is_color (&f, color, 80, 98));
    fail_unless (is_color (&f, color, 118, 80));
    fail_unless (is_untouched (&f, 80, 80));
    fail_unless (is_untouched (&f, 36, 60));
    fail_unless (is_untouched (&f, 124, 60));
    fail_unless (is_untouched (&f, 80, 106));
    gst_video_frame_unmap (&f);
    gst_buffer_unref (frame);
  }
}
GST_END_TEST

/* White points with a black edge, on any background. */
GST_START_TEST (test_text)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h = start ("inferoverlay scale=2", formats[i]);
    GstBuffer *frame = grey_frame (0);
    const GstInferLabel label = { "I", -1, 0, NULL, NULL };
    GstVideoFrame f;

    gst_infer_add_label (frame, NULL, "text", &label);
    frame = gst_harness_push_and_pull (h, frame);
    fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
    /* Letters begin at (4 + 1, 4 + 1); the stem of an I is column 2: 9, 10. */
    fail_unless (
        is_color (&f, GST_INFER_WHITE, 10, 10), "format %d", formats[i]);
    /* Its edge: black, one pixel. */
    fail_unless (component (&f, 0, 11, 11) <= 16, "format %d", formats[i]);
    fail_unless (is_untouched (&f, 40, 10));
    gst_video_frame_unmap (&f);
    gst_buffer_unref (frame);
  }
}
GST_END_TEST

/* Counts the white and black pixels of @text, and sums their places. */
static void
draw_text (const char *text, guint *white, guint *black, guint *sum)
{
  g_autoptr (TestHarness) h =
      start ("inferoverlay scale=3", GST_VIDEO_FORMAT_GRAY8);
  const GstInferLabel label = { text, -1, 0, NULL, NULL };
  GstBuffer *frame = grey_frame (0);
  GstVideoFrame f;

  gst_infer_add_label (frame, NULL, "text", &label);
  frame = gst_harness_push_and_pull (h, frame);
  fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
  *white = *black = *sum = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      guint8 value = component (&f, 0, x, y);

      *white += value > 220;
      *black += value < 30;
      *sum += value > 220 ? (guint) (x + WIDTH * y) : 0;
    }
  gst_video_frame_unmap (&f);
  gst_buffer_unref (frame);
}

/* Letters beyond ASCII differ if the build can render them, otherwise they are
 * boxes; they are always visible. */
GST_START_TEST (test_scripts)
{
  guint white[2], black[2], sum[2];

  draw_text ("\xc3\xa9", &white[0], &black[0], &sum[0]);
  draw_text ("\xc3\x9f", &white[1], &black[1], &sum[1]);
  for (guint i = 0; i < 2; i++) {
    fail_unless (white[i] > 20, "%u", white[i]);
    fail_unless (black[i] > 20, "%u", black[i]);
  }
#ifdef INFER_HAVE_PANGO
  fail_unless (sum[0] != sum[1]);
#else
  fail_unless_equals_int (sum[0], sum[1]);
#endif
}
GST_END_TEST

static void
check_masks_and_points (GstVideoFormat format)
{
  static const guint8 classes[] = { 0, 2, 0, 0 };
  static const GstInferKeypoint points[] = { { 200, 200, 1 }, { 260, 200, 1 },
    { 10, 10, 0.1 } };
  static const GstInferKeypoint corners[] = { { 100, 120, 1 }, { 160, 120, 1 },
    { 160, 160, 1 } };
  g_autoptr (GBytes) bytes = g_bytes_new_static (classes, sizeof classes);
  g_autoptr (TestHarness) h =
      start ("inferoverlay scale=2 mask-alpha=1", format);
  GstBuffer *frame = grey_frame (0);
  GstVideoFrame f;

  gst_buffer_add_infer_mask_meta (frame, GST_INFER_MASK_CLASSES, 2, 2, bytes,
      (GstInferMap){ 0, 0, 40, 30 }, NULL);
  gst_buffer_add_infer_keypoints_meta (
      frame, GST_INFER_KEYPOINTS_LOOSE, 3, points);
  gst_buffer_add_infer_keypoints_meta (
      frame, GST_INFER_KEYPOINTS_POLYGON, 3, corners);
  frame = gst_harness_push_and_pull (h, frame);
  fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
  fail_unless (
      is_color (&f, gst_infer_palette (1), 40, 0), "format %d", format);
  fail_unless (is_color (&f, gst_infer_palette (1), 79, 29));
  fail_unless (is_untouched (&f, 38, 0));
  fail_unless (is_untouched (&f, 80, 0));
  fail_unless (is_untouched (&f, 40, 30));
  fail_unless (is_color (&f, gst_infer_palette (2), 200, 201));
  fail_unless (is_color (&f, gst_infer_palette (2), 258, 200));
  fail_unless (component (&f, 0, 200, 203) <= 16); /* its black edge */
  fail_unless (is_untouched (&f, 230, 200));
  fail_unless (is_untouched (&f, 10, 10)); /* outside the model's input */
  fail_unless (is_color (&f, gst_infer_palette (2), 130, 120));
  fail_unless (is_color (&f, gst_infer_palette (2), 160, 140));
  fail_unless (component (&f, 0, 130, 117 + 1) <= 16);
  fail_unless (is_untouched (&f, 150, 130));
  gst_video_frame_unmap (&f);
  gst_buffer_unref (frame);
}

GST_START_TEST (test_masks_and_points)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_masks_and_points (formats[i]);
}
GST_END_TEST

/* The limbs of a body, only between points with enough score. */
GST_START_TEST (test_bodies)
{
  static const guint counts[] = { 17, 33 };
  static const guint arms[][3] = { { 5, 7, 9 }, { 11, 13, 15 } };

  for (guint i = 0; i < 2; i++) {
    GstInferKeypoint points[33] = { 0 };
    g_autoptr (TestHarness) h =
        start ("inferoverlay scale=2", GST_VIDEO_FORMAT_I420);
    GstBuffer *frame = grey_frame (0);
    GstVideoFrame f;

    points[arms[i][0]] = (GstInferKeypoint){ 100, 100, 1 };
    points[arms[i][1]] = (GstInferKeypoint){ 160, 100, 1 };
    points[arms[i][2]] = (GstInferKeypoint){ 160, 180, 0.1 };
    gst_buffer_add_infer_keypoints_meta (
        frame, GST_INFER_KEYPOINTS_BODY, counts[i], points);
    frame = gst_harness_push_and_pull (h, frame);
    fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
    fail_unless (is_color (&f, gst_infer_palette (2), 130, 100));
    fail_unless (is_untouched (&f, 160, 140));
    gst_video_frame_unmap (&f);
    gst_buffer_unref (frame);
  }
}
GST_END_TEST

/* A line of one pixel has its colour also if pixels share samples. */
GST_START_TEST (test_thin_lines)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint at = 50; at < 52; at++) {
      g_autoptr (TestHarness) h =
          start ("inferoverlay scale=1 draw-labels=false", formats[i]);
      GstBuffer *frame = grey_frame (0);
      const GstInferBox box = { (float) at, (float) at, (float) at + 41,
        (float) at + 41 };
      const GstInferLabel label = { "x", 0, 0.5, NULL, NULL };
      GstInferColor color = gst_infer_palette (0);
      GstVideoFrame f;

      gst_infer_add_object (frame, WIDTH, HEIGHT, &box, &label, -1);
      frame = gst_harness_push_and_pull (h, frame);
      fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
      fail_unless (is_color (&f, color, (int) at, 70), "%d", formats[i]);
      fail_unless (is_color (&f, color, 70, (int) at));
      fail_unless (is_color (&f, color, (int) at + 40, 70));
      fail_unless (is_color (&f, color, 70, (int) at + 40));
      gst_video_frame_unmap (&f);
      gst_buffer_unref (frame);
    }
}
GST_END_TEST

static void
fill (GstBuffer *frame, guint background, GRand *rand)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = background < 256 ? (guint8) background
                                   : (guint8) g_rand_int_range (rand, 0, 256);
  gst_buffer_unmap (frame, &map);
}

/* The labels of two objects in one place do not overlap: above and below. */
GST_START_TEST (test_labels_apart)
{
  g_autoptr (TestHarness) h =
      start ("inferoverlay scale=2 draw-boxes=false", GST_VIDEO_FORMAT_RGB);
  const GstInferBox box = { 100, 100, 160, 140 };
  const GstInferLabel label = { "A", 0, 0.5, NULL, NULL };
  GstBuffer *frame = grey_frame (0);
  GstVideoFrame f;

  for (guint i = 0; i < 2; i++)
    gst_infer_add_object (frame, WIDTH, HEIGHT, &box, &label, -1);
  frame = gst_harness_push_and_pull (h, frame);
  fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
  fail_unless (!is_untouched (&f, 101, 95));
  fail_unless (!is_untouched (&f, 101, 145));
  fail_unless (is_untouched (&f, 101, 75));
  fail_unless (is_untouched (&f, 101, 120));
  gst_video_frame_unmap (&f);
  gst_buffer_unref (frame);
}
GST_END_TEST

/* On black, white, grey and noise the white and black pixels of a text are the
 * same. */
GST_START_TEST (test_any_background)
{
  static const guint backgrounds[] = { 0, 255, 128, 256 };
  const GstInferLabel label = { "readable 0.87", -1, 0, NULL, NULL };
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    guint8 *first = NULL;

    for (guint b = 0; b < G_N_ELEMENTS (backgrounds); b++) {
      g_autoptr (TestHarness) h = start ("inferoverlay scale=2", formats[i]);
      GstBuffer *frame = grey_frame (0);
      guint8 *letters = g_malloc0 (200 * 30);
      guint n = 0;
      GstVideoFrame f;

      fill (frame, backgrounds[b], rand);
      gst_infer_add_label (frame, NULL, "text", &label);
      frame = gst_harness_push_and_pull (h, frame);
      fail_unless (gst_video_frame_map (&f, &video, frame, GST_MAP_READ));
      /* Next to white there is black: letters have edges, also where the
       * background shows through the plate. */
      for (int y = 6; y < 22; y++)
        for (int x = 6; x < 160; x++)
          if (is_color (&f, GST_INFER_WHITE, x, y)
              && (component (&f, 0, x + 1, y) <= 16
                  || component (&f, 0, x - 1, y) <= 16)) {
            letters[y * 200 + x] = 1;
            n++;
          }
      fail_unless (n > 100, "%u of format %d", n, formats[i]);
      if (first == NULL)
        first = letters;
      else
        fail_unless (memcmp (first, letters, 200 * 30) == 0);
      if (first != letters)
        g_free (letters);
      gst_video_frame_unmap (&f);
      gst_buffer_unref (frame);
    }
    g_free (first);
  }
}
GST_END_TEST

/* Boxes and labels beyond the frame, of any size, in the smallest frames. */
GST_START_TEST (test_edges)
{
  static const int sizes[][2] = { { 1, 1 }, { 3, 2 }, { 17, 5 }, { 64, 64 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 4 * G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h = test_harness ("inferoverlay");
    GstVideoInfo info;

    gst_video_info_set_format (&info, formats[i / 4], (guint) sizes[i % 4][0],
        (guint) sizes[i % 4][1]);
    gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
    GstBuffer *frame = test_frame (&info);
    for (guint k = 0; k < 20; k++) {
      GstInferKeypoint points[2] = { { g_rand_double_range (rand, -1e6, 1e6), 5,
                                         1 },
        { g_rand_double_range (rand, -50, 90), -1e9, 1 } };

      gst_buffer_add_video_region_of_interest_meta (frame,
          "a label \xe6\x96\x87", g_rand_int_range (rand, 0, 100),
          g_rand_int_range (rand, 0, 100), g_rand_int_range (rand, 0, 200),
          g_rand_int_range (rand, 0, 200));
      gst_buffer_add_infer_keypoints_meta (
          frame, GST_INFER_KEYPOINTS_POLYGON, 2, points);
    }
    gst_buffer_unref (gst_harness_push_and_pull (h, frame));
  }
}
GST_END_TEST

/* Nothing to draw: the same buffer, not mapped. */
GST_START_TEST (test_nothing)
{
  g_autoptr (TestHarness) h =
      start ("inferoverlay draw-keypoints=false", GST_VIDEO_FORMAT_I420);
  static const GstInferKeypoint point = { 100, 100, 1 };
  g_autoptr (GstBuffer) frame = grey_frame (0), out = NULL;

  gst_buffer_add_infer_keypoints_meta (
      frame, GST_INFER_KEYPOINTS_LOOSE, 1, &point);
  gst_buffer_ref (frame);
  out = gst_harness_push_and_pull (h, frame);
  fail_unless (out == frame);
}
GST_END_TEST

static Suite *
inferoverlay_suite (void)
{
  return test_suite ("inferoverlay", NULL, NULL, test_boxes, test_text,
      test_scripts, test_labels_apart, test_any_background,
      test_masks_and_points, test_bodies, test_thin_lines, test_edges,
      test_nothing, NULL);
}

GST_CHECK_MAIN (inferoverlay)
