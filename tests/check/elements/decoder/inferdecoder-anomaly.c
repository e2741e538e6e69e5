/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferdecoder on video: anomalies, and objects with an outline. */

#include <math.h>
#include <string.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

static GstVideoInfo video;

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=RGB, width=640, height=480, framerate=30/1");
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_RGB, 640, 480);
  return h;
}

static void
assert_label (GstBuffer *frame, const char *label, double confidence)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (frame, GST_INFER_LABEL_META);
  double value;

  fail_unless (meta != NULL);
  const GstStructure *s = gst_custom_meta_get_structure (meta);
  fail_unless_equals_string (gst_structure_get_string (s, "label"), label);
  fail_unless (gst_structure_get_double (s, "confidence", &value));
  fail_unless (ABS (value - confidence) < 1e-6, "%g", value);
}

static const GstInferMaskMeta *
get_mask (GstBuffer *frame)
{
  return (const GstInferMaskMeta *) gst_buffer_get_meta (
      frame, GST_INFER_MASK_META_API_TYPE);
}

static GstBuffer *
decode (
    GstHarness *h, const char *const info[3], guint n, InferTensor **tensors)
{
  GstBuffer *frame = test_frame (&video);

  test_add_tensors (frame, &video, 64, 64,
      test_model_info (
          "model_type=AnomalyDetection", info[0], info[1], info[2], NULL),
      n, tensors);
  GstBuffer *out = gst_harness_push_and_pull (h, frame);
  fail_unless (out != NULL);
  return out;
}

/* Distances, as OpenVINO's Model API has them: the score is the map's largest;
 * (30 - 20) / 40 + 0.5 = 0.75, (12 - 8) / 40 + 0.5 = 0.6 of the pixel. */
GST_START_TEST (test_distances)
{
  static const char *const info[] = { "image_threshold=20", "pixel_threshold=8",
    "normalization_scale=40" };
  static const float far[] = { 30, 12, -100, 8 }, near[] = { 10, 0, 0, 0 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 2, 2), far);
  GstBuffer *out = decode (h, info, 1, &t);

  assert_label (out, "Anomaly", 0.75);
  const GstInferMaskMeta *mask = get_mask (out);
  fail_unless (mask != NULL);
  fail_unless_equals_int (mask->kind, GST_INFER_MASK_SOFT);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 0, 0), 255);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 639, 0), 153);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 0, 479), 0);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 639, 479), 128);
  gst_buffer_unref (out);

  t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 2, 2), near);
  out = decode (h, info, 1, &t);
  assert_label (out, "Normal", 0.75);
  gst_buffer_unref (out);
}
GST_END_TEST

/* Probabilities, as Anomalib exports them with its last steps: a score, a label
 * and a mask that say nothing new. */
GST_START_TEST (test_probabilities)
{
  static const char *const info[] = { "labels=good bad",
    "outputs=anomaly_map,pred_label,pred_mask,pred_score", NULL };
  static const float score[] = { 0.9f };
  static const float map[] = { 0, 0.2f, 0.4f, 0.6f, 0.8f, 1 };
  static const float mask[] = { 0, 0, 0, 1, 1, 1 }, label[] = { 1 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  InferTensor *t[] = { test_tensor (
                           INFER_TYPE_F32, TEST_SHAPE (1, 1, 2, 3), map),
    test_tensor (INFER_TYPE_F32, TEST_SHAPE (1), label),
    test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 2, 3), mask),
    test_tensor (INFER_TYPE_F32, TEST_SHAPE (1), score) };
  GstBuffer *out = decode (h, info, 4, t);

  assert_label (out, "bad", 0.9f);
  fail_unless_equals_int (get_mask (out)->width, 3);
  fail_unless_equals_int (gst_infer_mask_meta_at (get_mask (out), 639, 0), 102);
  gst_buffer_unref (out);
}
GST_END_TEST

/* A score alone has no mask; one above 1 or not a number is bounded. */
GST_START_TEST (test_score)
{
  static const char *const info[] = { NULL, NULL, NULL };
  static const struct
  {
    float score;
    const char *label;
    double confidence;
  } cases[] = { { 0.25f, "Normal", 0.75 }, { 7, "Anomaly", 1 },
    { (float) NAN, "Normal", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (TestHarness) h = start ("inferdecoder");
    InferTensor *t =
        test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1), &cases[i].score);
    GstBuffer *out = decode (h, info, 1, &t);

    assert_label (out, cases[i].label, cases[i].confidence);
    fail_unless (get_mask (out) == NULL);
    gst_buffer_unref (out);
  }
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  static const float four[64] = { 0 };
  g_autoptr (TestHarness) h = start ("inferdecoder mode=anomaly");
  GstBuffer *frame = test_frame (&video);
  InferTensor *t =
      test_tensor (INFER_TYPE_F32, TEST_SHAPE (2, 2, 2, 2, 2, 2), four);

  test_add_tensors (
      frame, &video, 64, 64, test_model_info ("model=x.xml", NULL), 1, &t);
  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_ERROR);
  g_autofree char *error = test_pop_error (h);
  fail_unless (
      error != NULL && strstr (error, "score or a map") != NULL, "%s", error);
}
GST_END_TEST

/* A rotated box: the region is upright, the outline has its corners. */
GST_START_TEST (test_outline)
{
  static const float row[] = { 32, 32, 16, 16, 0.9f, 0, (float) G_PI_4 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstBuffer *frame = test_frame (&video);
  InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 7), row);

  test_add_tensors (frame, &video, 64, 64,
      test_model_info ("model_type=yolo26-obb", "labels=ship", NULL), 1, &t);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, frame);
  const GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
  fail_unless_equals_string (g_quark_to_string (roi->roi_type), "ship");
  fail_unless (ABS ((int) roi->w - 226) <= 1, "%u", roi->w);
  fail_unless (ABS ((int) roi->h - 170) <= 1, "%u", roi->h);
  const GstInferKeypointsMeta *corners =
      (const GstInferKeypointsMeta *) gst_buffer_get_meta (
          out, GST_INFER_KEYPOINTS_META_API_TYPE);
  fail_unless (corners != NULL);
  fail_unless_equals_int (corners->kind, GST_INFER_KEYPOINTS_POLYGON);
  fail_unless_equals_int (corners->roi_id, roi->id);
  fail_unless_equals_int (corners->n, 4);
}
GST_END_TEST

static Suite *
inferdecoder_anomaly_suite (void)
{
  return test_suite ("inferdecoder-anomaly", NULL, NULL, test_distances,
      test_probabilities, test_score, test_refused, test_outline, NULL);
}

GST_CHECK_MAIN (inferdecoder_anomaly)
