/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own analytics elements (1.26) upstream and downstream of ours. */

#include <gst/analytics/analytics.h>
#include <gst/video/video.h>

#include "gst/infer/results.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define W 64
#define H 48
#define CAPS "video/x-raw, format=RGB, width=64, height=48, framerate=25/1"

/* Writes a detector that finds the same two objects on every picture, with the
 * outputs of TensorFlow's.  Returns its path.  (transfer full) */
static char *
write_detector (void)
{
  static const float weights[] = { 0.25f, 0.125f, 0.75f, 0.5f, 0, 0.5f, 0.5f, 1,
    0.875f, 0.125f, 1, 0, 2 };
  static const char xml[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "1,3,48,64") IR_LAYER (1, "boxes", "Const",
          "opset1",
          IR_DATA ("element_type=\"f32\" shape=\"1,2,4\" offset=\"0\" "
                   "size=\"32\""),
          "", IR_NAMED_PORT (0, "detection_boxes")) IR_LAYER (2, "scores",
          "Const", "opset1",
          IR_DATA ("element_type=\"f32\" shape=\"1,2\" offset=\"32\" "
                   "size=\"8\""),
          "", IR_NAMED_PORT (0, "detection_scores"))
          IR_LAYER (3, "classes", "Const", "opset1",
              IR_DATA ("element_type=\"f32\" shape=\"1,2\" "
                       "offset=\"40\" size=\"8\""),
              "", IR_NAMED_PORT (0, "detection_classes"))
              IR_LAYER (4, "number", "Const", "opset1",
                  IR_DATA ("element_type=\"f32\" shape=\"1\" "
                           "offset=\"48\" size=\"4\""),
                  "", IR_NAMED_PORT (0, "num_detections")) IR_RESULT (5, "r0")
                  IR_RESULT (6, "r1") IR_RESULT (7, "r2") IR_RESULT (8, "r3"),
      IR_EDGE (1, 0, 5, 0) IR_EDGE (2, 0, 6, 0) IR_EDGE (3, 0, 7, 0)
          IR_EDGE (4, 0, 8, 0),
      "");
  char *path = g_build_filename (picture_folder (), "detector.xml", NULL);
  g_autofree char *bin =
      g_build_filename (picture_folder (), "detector.bin", NULL);

  fail_unless (g_file_set_contents (path, xml, -1, NULL));
  fail_unless (
      g_file_set_contents (bin, (const char *) weights, sizeof weights, NULL));
  return path;
}

static GstBuffer *
plain (guint8 red, guint8 green, guint8 blue)
{
  guint8 rgb[3 * W * H];

  for (int i = 0; i < W * H; i++) {
    rgb[3 * i] = red;
    rgb[3 * i + 1] = green;
    rgb[3 * i + 2] = blue;
  }
  return picture_frame (GST_VIDEO_FORMAT_RGB, W, H, rgb);
}

/* Pushes a black frame through pipeline @format, whose %s is @path. */
static GstBuffer *
through (const char *format, const char *path, GstBuffer *frame)
{
  g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
  g_autofree char *description = g_strconcat (parts[0], path, parts[1], NULL);
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  GstBuffer *out = gst_harness_push_and_pull (h, frame);
  g_autofree char *error = test_pop_error (h);
  fail_unless (out != NULL && error == NULL, "%s", error);
  return out;
}

static void
check_only_object (GstBuffer *frame, const char *label)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (frame);
  GstAnalyticsMtdType type = gst_analytics_od_mtd_get_mtd_type ();
  GstAnalyticsMtd object;
  gpointer state = NULL;
  int x, y, w, h;
  float confidence;

  fail_unless (meta != NULL);
  fail_unless (
      gst_analytics_relation_meta_iterate (meta, &state, type, &object));
  fail_unless (
      gst_analytics_od_mtd_get_location (&object, &x, &y, &w, &h, &confidence));
  fail_unless_equals_int (x, 8);
  fail_unless_equals_int (y, 12);
  fail_unless_equals_int (w, 24);
  fail_unless_equals_int (h, 24);
  fail_unless_equals_float (confidence, 0.875f);
  fail_unless_equals_string (
      g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&object)), label);
  fail_if (gst_analytics_relation_meta_iterate (meta, &state, type, &object));
}

/* Our tensors, decoded by GStreamer. */
GST_START_TEST (test_their_decoder)
{
  if (!test_load_plugin ("tensordecoders"))
    return;
  g_autofree char *model = write_detector ();
  g_autofree char *labels =
      g_build_filename (picture_folder (), "labels.txt", NULL);
  fail_unless (g_file_set_contents (labels, "dog\ncat\n", -1, NULL));
  g_autofree char *format =
      g_strdup_printf ("inferfilter output=media-with-meta model=%%s ! "
                       "ssdobjectdetector label-file=%s",
          labels);
  g_autoptr (GstBuffer) out = through (format, model, plain (0, 0, 0));
  check_only_object (out, "cat");
}
GST_END_TEST

static gboolean
is_bright (const GstVideoFrame *frame, int x, int y)
{
  const guint8 *p =
      (const guint8 *) frame->data[0] + y * frame->info.stride[0] + 3 * x;

  return p[0] > 100 && p[1] > 100 && p[2] > 100;
}

/* Our objects, drawn by GStreamer: lines of two pixels around the box. */
GST_START_TEST (test_their_overlay)
{
  GstVideoInfo info;
  GstVideoFrame frame;

  if (!test_load_plugin ("analyticsoverlay"))
    return;
  g_autofree char *model = write_detector ();
  g_autoptr (GstBuffer) out =
      through ("inferfilter output=media-with-meta model=%s ! "
               "inferdecoder labels=dog,cat ! "
               "objectdetectionoverlay draw-labels=false",
          model, plain (0, 0, 0));
  check_only_object (out, "cat");
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, W, H);
  fail_unless (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
  for (int i = 12; i < 36; i++) {
    fail_unless (is_bright (&frame, 8, i), "row %d", i);
    fail_unless (is_bright (&frame, 31, i), "row %d", i);
    fail_unless (is_bright (&frame, i - 4, 12), "column %d", i - 4);
    fail_unless (is_bright (&frame, i - 4, 35), "column %d", i - 4);
    fail_if (is_bright (&frame, 4, i));
    fail_if (is_bright (&frame, 36, i));
    fail_if (i > 14 && i < 33 && is_bright (&frame, 20, i));
  }
  gst_video_frame_unmap (&frame);
}
GST_END_TEST

static void
check_class (const char *settings, gboolean kept)
{
  g_autoptr (GBytes) onnx = onnx_text_bytes (ONNX_MEANS (H, W));
  g_autofree char *path = g_build_filename (picture_folder (), "m.onnx", NULL);
  g_autofree char *format = g_strdup_printf (
      "onnxinference model-file=%%s input-image-format=chw "
      "input-tensor-scale=255 ! inferdecoder labels=red,green,blue %s",
      settings);

  fail_unless (g_file_set_contents (path, g_bytes_get_data (onnx, NULL),
      (gssize) g_bytes_get_size (onnx), NULL));
  g_autoptr (GstBuffer) out = through (format, path, plain (51, 153, 51));
  GstCustomMeta *meta = gst_buffer_get_custom_meta (out, GST_INFER_LABEL_META);
  fail_unless (meta != NULL);
  GstInferLabel label =
      gst_infer_read_label (gst_custom_meta_get_structure (meta));
  fail_unless_equals_string (label.label, "green");
  fail_unless_equals_string (label.layer_name, "the-means");
  fail_unless (ABS (label.confidence - 0.6) < 1e-5, "%g", label.confidence);
  fail_unless ((gst_buffer_get_tensor_meta (out) != NULL) == kept);
}

/* Their tensors, decoded by ours. */
GST_START_TEST (test_their_inference)
{
  if (!test_load_plugin ("onnx"))
    return;
  check_class ("", FALSE);
  check_class ("keep-tensors=true", TRUE);
  check_class ("mode=classification ! inferdecoder", FALSE);
}
GST_END_TEST

static Suite *
upstream_suite (void)
{
  return test_suite ("upstream", NULL, picture_folder_clear, test_their_decoder,
      test_their_overlay, test_their_inference, NULL);
}

GST_CHECK_MAIN (upstream)
