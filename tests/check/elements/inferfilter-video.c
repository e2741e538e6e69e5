/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Video input: formats, strides, keys of model_info. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define W 6
#define H 4

/* A different value for each pixel, for formats without subsampling. */
static void
fill_pixels (guint8 *rgb, int n)
{
  for (int i = 0; i < 3 * n; i++)
    rgb[i] = (guint8) (i * 3 + i / 7);
}

static void
fill_colour (guint8 *rgb, int n, guint8 r, guint8 g, guint8 b)
{
  for (int i = 0; i < n; i++) {
    rgb[3 * i] = r;
    rgb[3 * i + 1] = g;
    rgb[3 * i + 2] = b;
  }
}

static void
assert_near (const GArray *a, const GArray *b, float tolerance)
{
  fail_unless_equals_int (a->len, b->len);
  for (guint i = 0; i < a->len; i++)
    fail_unless (
        fabsf (g_array_index (a, float, i) - g_array_index (b, float, i))
            <= tolerance,
        "value %u: %f, not %f", i, g_array_index (a, float, i),
        g_array_index (b, float, i));
}

/* The planes red, green, blue of @rgb. */
static GArray *
planes_of (const guint8 *rgb, int n)
{
  GArray *floats = g_array_new (FALSE, FALSE, sizeof (float));

  for (int c = 0; c < 3; c++)
    for (int i = 0; i < n; i++) {
      float value = rgb[3 * i + c];
      g_array_append_val (floats, value);
    }
  return floats;
}

static const GstVideoFormat exact_formats[] = { GST_VIDEO_FORMAT_RGB,
  GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx,
  GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_RGBA,
  GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ABGR,
  GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_RGBP, GST_VIDEO_FORMAT_BGRP };

static const GstVideoFormat yuv_formats[] = { GST_VIDEO_FORMAT_I420,
  GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_NV21,
  GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_NV16,
  GST_VIDEO_FORMAT_NV24, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY,
  GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_VUYA, GST_VIDEO_FORMAT_v308,
  GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_I422_10LE,
  GST_VIDEO_FORMAT_Y444_10LE, GST_VIDEO_FORMAT_I420_12LE,
  GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_GBR_10LE };

/* Every pixel, in every format without subsampling, dense and padded. */
GST_START_TEST (test_exact_formats)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  guint8 rgb[3 * W * H];

  fill_pixels (rgb, W * H);
  g_autoptr (GArray) want = planes_of (rgb, W * H);
  for (guint i = 0; i < G_N_ELEMENTS (exact_formats); i++) {
    GstVideoFormat format = exact_formats[i];
    GstBuffer *frame = picture_frame (format, W, H, rgb);
    GstBuffer *padded = picture_pad (frame, format, W, H);
    g_autoptr (TestHarness) h = picture_harness (model, "");

    picture_set_caps (h, format, W, H);
    g_autoptr (GArray) got = picture_push (h, frame);
    g_autoptr (GArray) again = picture_push (h, padded);
    GST_INFO ("%s", gst_video_format_to_string (format));
    assert_near (got, want, 0);
    assert_near (again, want, 0);
  }
}
GST_END_TEST

/* One colour, so that subsampling does not matter; then different pixels,
 * which must give the same padded or not. */
GST_START_TEST (test_yuv_formats)
{
  static const guint8 colours[][3] = { { 200, 100, 50 }, { 10, 250, 90 },
    { 0, 0, 0 }, { 255, 255, 255 }, { 30, 60, 220 } };
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  guint8 rgb[3 * W * H];

  for (guint i = 0; i < G_N_ELEMENTS (yuv_formats); i++) {
    GstVideoFormat format = yuv_formats[i];
    g_autoptr (TestHarness) h = picture_harness (model, "nireq=2");

    picture_set_caps (h, format, W, H);
    for (guint k = 0; k < G_N_ELEMENTS (colours); k++) {
      fill_colour (rgb, W * H, colours[k][0], colours[k][1], colours[k][2]);
      g_autoptr (GArray) want = planes_of (rgb, W * H);
      g_autoptr (GArray) got =
          picture_push (h, picture_frame (format, W, H, rgb));
      assert_near (got, want, 3);
    }
    fill_pixels (rgb, W * H);
    GstBuffer *frame = picture_frame (format, W, H, rgb);
    g_autoptr (GArray) padded =
        picture_push (h, picture_pad (frame, format, W, H));
    g_autoptr (GArray) dense = picture_push (h, frame);
    assert_near (padded, dense, 0);
  }
}
GST_END_TEST

/* Every format offered exists and can be taken. */
GST_START_TEST (test_every_format)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s", model);
  g_autoptr (TestHarness) h = test_harness (description);
  g_autoptr (GstCaps) all = gst_pad_peer_query_caps (h->srcpad, NULL);
  const GValue *formats = NULL;
  guint8 rgb[3 * W * H];

  /* The last video structure has any size and format. */
  for (guint i = 0; i < gst_caps_get_size (all); i++)
    if (gst_structure_has_name (gst_caps_get_structure (all, i), "video/x-raw"))
      formats =
          gst_structure_get_value (gst_caps_get_structure (all, i), "format");
  fail_unless (gst_value_list_get_size (formats) >= 40);
  fill_colour (rgb, W * H, 99, 99, 99);
  for (guint i = 0; i < gst_value_list_get_size (formats); i++) {
    const char *name =
        g_value_get_string (gst_value_list_get_value (formats, i));
    GstVideoFormat format = gst_video_format_from_string (name);

    fail_unless (format != GST_VIDEO_FORMAT_UNKNOWN, "%s", name);
    picture_set_caps (h, format, W, H);
    g_autoptr (GArray) got =
        picture_push (h, picture_frame (format, W, H, rgb));
    for (guint k = 0; k < got->len; k++)
      fail_unless (fabsf (g_array_index (got, float, k) - 99) < 2.5f, "%s: %f",
          name, g_array_index (got, float, k));
  }
}
GST_END_TEST

/* The caps of high definition have its matrix and range. */
GST_START_TEST (test_colorimetry)
{
  static const char *const colorimetries[] = { "bt601", "bt709", "1:4:0:0",
    "1:3:0:0", "bt2020" };
  g_autofree char *model = picture_model_copy ("dot", "f32", "1,3,2,2");
  guint8 rgb[3 * 4];

  fill_colour (rgb, 4, 200, 100, 50);
  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++) {
    g_autofree char *text = g_strdup_printf (
        "video/x-raw, format=Y444, width=2, height=2, framerate=25/1, "
        "colorimetry=%s",
        colorimetries[i]);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    g_autoptr (GArray) want = planes_of (rgb, 4), got = NULL;
    g_autoptr (TestHarness) h = picture_harness (model, "");
    GstVideoInfo info;
    double kr, kb, y, u, v, wide;
    guint8 bytes[4 * 3];

    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    gst_video_info_from_caps (&info, caps);
    gst_video_color_matrix_get_Kr_Kb (info.colorimetry.matrix, &kr, &kb);
    wide = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
    y = kr * 200 + (1 - kr - kb) * 100 + kb * 50;
    u = (50 - y) / (2 - 2 * kb) * (wide > 0 ? 1 : 224.0 / 255) + 128;
    v = (200 - y) / (2 - 2 * kr) * (wide > 0 ? 1 : 224.0 / 255) + 128;
    if (wide <= 0)
      y = y * 219 / 255 + 16;
    memset (bytes, (int) lround (y), 4);
    memset (bytes + 4, (int) lround (u), 4);
    memset (bytes + 8, (int) lround (v), 4);
    {
      GstBuffer *frame = gst_buffer_new_allocate (NULL, info.size, NULL);

      gst_buffer_memset (frame, 0, 0, info.size);
      for (guint p = 0; p < 3; p++)
        for (guint row = 0; row < 2; row++)
          gst_buffer_fill (frame, info.offset[p] + row * (gsize) info.stride[p],
              bytes + 4 * p, 2);
      got = picture_push (h, frame);
    }
    assert_near (got, want, 2);
  }
}
GST_END_TEST

GST_START_TEST (test_grey)
{
  g_autofree char *grey = picture_model_copy ("grey", "f32", "1,1,4,6");
  g_autofree char *colour = picture_model_copy ("copy", "f32", "1,3,4,6");
  guint8 rgb[3 * W * H];
  GstHarness *h = picture_harness (grey, "");

  fill_colour (rgb, W * H, 100, 50, 10);
  picture_set_caps (h, GST_VIDEO_FORMAT_BGRx, W, H);
  g_autoptr (GArray) one =
      picture_push (h, picture_frame (GST_VIDEO_FORMAT_BGRx, W, H, rgb));
  fail_unless_equals_int (one->len, W * H);
  fail_unless (fabsf (g_array_index (one, float, 5) - 60.39f) < 0.01f);
  picture_set_caps (h, GST_VIDEO_FORMAT_NV12, W, H);
  g_autoptr (GArray) flat =
      picture_push (h, picture_frame (GST_VIDEO_FORMAT_NV12, W, H, rgb));
  fail_unless (fabsf (g_array_index (flat, float, 5) - 60.39f) < 2);
  gst_harness_teardown (h);

  h = picture_harness (colour, "");
  picture_set_caps (h, GST_VIDEO_FORMAT_GRAY8, W, H);
  g_autoptr (GArray) three = picture_push (
      h, gst_buffer_new_memdup ((guint8[32]){ 1, 2, 3, 4, 5, 6 }, 32));
  fail_unless_equals_int (three->len, 3 * W * H);
  for (guint c = 0; c < 3; c++)
    fail_unless_equals_float (g_array_index (three, float, c *W *H + 2), 3);
  gst_harness_teardown (h);
}
GST_END_TEST

/* Keys of model_info, from the property and from files. */
GST_START_TEST (test_keys)
{
  g_autofree char *model = picture_model_copy ("keys", "f32", "1,3,4,6");
  g_autofree char *file = g_strconcat (model, ".modelinfo", NULL);
  g_autofree char *other =
      g_build_filename (picture_folder (), "keys.modelinfo", NULL);
  static const char *const texts[] = {
    "[model_info]\nmean_values=10 20 30\nscale_values=2\n"
    "reverse_input_channels=False\n",
    "[modelinfo]\nversion=1.0\n[x]\ndir=input\nranges=0,1;-1,1;0,255\n",
  };
  guint8 rgb[3 * W * H];
  static const float expected[][3] = { { (50 - 10) / 2.0f, (100 - 20) / 2.0f,
                                           (200 - 30) / 2.0f },
    { 200 / 255.0f, 100 / 127.5f - 1, 50 } };

  fill_colour (rgb, W * H, 200, 100, 50);
  for (guint i = 0; i < 2; i++) {
    const char *path = i == 0 ? file : other;

    fail_unless (g_file_set_contents (path, texts[i], -1, NULL));
    GstHarness *h = picture_harness (model, "");
    picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
    g_autoptr (GArray) got =
        picture_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, W, H, rgb));
    for (guint c = 0; c < 3; c++)
      fail_unless (
          fabsf (g_array_index (got, float, c *W *H + 7) - expected[i][c])
          < 1e-4f);
    gst_harness_teardown (h);
    h = picture_harness (model, "model-info=\"mean_values=0;scale_values=50;"
                                "reverse_input_channels=True\"");
    picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
    g_clear_pointer (&got, g_array_unref);
    got = picture_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, W, H, rgb));
    for (guint c = 0; c < 3; c++)
      fail_unless (
          fabsf (g_array_index (got, float, c *W *H + 7) - rgb[c] / 50.0f)
          < 1e-4f);
    gst_harness_teardown (h);
    fail_unless_equals_int (remove (path), 0);
  }
}
GST_END_TEST

/* A file whose escapes are wrong is refused, not read in part. */
GST_START_TEST (test_escapes)
{
  g_autofree char *model = picture_model_copy ("escapes", "f32", "1,3,4,6");
  g_autofree char *file = g_strconcat (model, ".modelinfo", NULL);
  g_autofree char *line = g_strdup_printf ("inferfilter model=%s", model);

  fail_unless (
      g_file_set_contents (file, "[model_info]\nlabels=a\\qb\\\n", -1, NULL));
  test_start_fails (line, "the value of labels is not UTF-8, or has a "
                          "backslash");
  fail_unless_equals_int (remove (file), 0);
}
GST_END_TEST

/* 12 × 4 into 6 × 4: half the size, one row of padding above and below. */
GST_START_TEST (test_letterbox)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,6");
  guint8 rgb[3 * 12 * 4];
  g_autoptr (TestHarness) h = picture_harness (
      model, "model-info=\"resize_type=fit_to_window_letterbox;pad_value=7\"");

  for (int i = 0; i < 12 * 4; i++)
    rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = (guint8) (i % 12 * 4);
  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, 12, 4);
  g_autoptr (GArray) got =
      picture_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 12, 4, rgb));
  for (guint x = 0; x < W; x++) {
    fail_unless_equals_float (g_array_index (got, float, x), 7);
    fail_unless_equals_float (
        g_array_index (got, float, W + x), (float) x * 8 + 2);
    fail_unless_equals_float (
        g_array_index (got, float, 2 * W + x), (float) x * 8 + 2);
    fail_unless_equals_float (g_array_index (got, float, 3 * W + x), 7);
  }
}
GST_END_TEST

/* Bytes, channels last: rounded, not truncated. */
GST_START_TEST (test_bytes)
{
  g_autofree char *model = picture_model_copy ("bytes", "u8", "1,2,3,3");
  guint8 rgb[3 * W * H], out[18];
  g_autoptr (TestHarness) h = picture_harness (model, "model-info=layout=NHWC");

  for (int i = 0; i < W * H; i++)
    rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = (guint8) (i % W * 7);
  picture_set_caps (h, GST_VIDEO_FORMAT_RGB, W, H);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, W, H, rgb));
  g_autoptr (GstBuffer) result = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_extract (result, 0, out, 18), 18);
  for (int i = 0; i < 18; i++)
    fail_unless_equals_int (out[i], i / 3 % 3 * 14 + 4); /* 3.5 + 0.5 */
}
GST_END_TEST

static Suite *
inferfilter_video_suite (void)
{
  return test_suite ("inferfilter-video", NULL, picture_folder_clear,
      test_exact_formats, test_yuv_formats, test_every_format, test_colorimetry,
      test_grey, test_keys, test_escapes, test_letterbox, test_bytes, NULL);
}

GST_CHECK_MAIN (inferfilter_video)
