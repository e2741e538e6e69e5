/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferdecoder on video: metas from hand-made tensors. */

#include <math.h>
#include <string.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define CAPS "video/x-raw, format=RGB, width=640, height=480, framerate=30/1"

static GstVideoInfo video;

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_RGB, 640, 480);
  return h;
}

static GstBuffer *
through (GstHarness *h, GstBuffer *frame)
{
  GstBuffer *out = gst_harness_push_and_pull (h, frame);

  fail_unless (out != NULL);
  return out;
}

static double
field (const GstStructure *s, const char *name)
{
  double value = NAN;

  fail_unless (gst_structure_get_double (s, name, &value), "%s", name);
  return value;
}

static GstBuffer *
detections_of (const char *model, const char *labels)
{
  static const float rows[] = {
    0,
    1,
    0.75f,
    0.25f,
    0.5f,
    0.5f,
    1.25f, /* reaches below the frame */
    0,
    0,
    0.9f,
    0,
    0,
    0.1f,
    0.1f, //
    0,
    1,
    0.6f,
    2,
    2,
    3,
    3, /* outside the frame */
    -1,
    0,
    0,
    0,
    0,
    0,
    0,
  };
  GstBuffer *frame = test_frame (&video);
  InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 4, 7), rows);

  test_add_tensors (frame, &video, 300, 300,
      test_model_info (model, "outputs=out", labels, NULL), 1, &t);
  return frame;
}

static GstBuffer *
detections (const char *labels)
{
  return detections_of ("model=/tmp/find.xml", labels);
}

/* Chosen by its shape; the frame's bytes are unchanged. */
GST_START_TEST (test_detection)
{
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstBuffer *frame = detections ("labels=cat dog");
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);
  g_autoptr (GstBuffer) out = through (h, frame);
  GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
  const GstStructure *s =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  int id = -1;

  fail_unless (gst_buffer_peek_memory (out, 0) == memory);
  fail_unless_equals_int (test_count_regions (out), 2);
  fail_unless_equals_string (g_quark_to_string (roi->roi_type), "cat");
  fail_unless_equals_int (roi->id, 1);
  fail_unless_equals_int (roi->parent_id, -1);
  fail_unless_equals_int (roi->w, 64);
  fail_unless_equals_int (roi->h, 48);
  fail_unless_equals_float ((float) field (s, "confidence"), 0.9f);
  fail_unless_equals_string (
      gst_structure_get_string (s, "model_name"), "find");

  roi = test_region (out, 1);
  s = gst_video_region_of_interest_meta_get_param (roi, "detection");
  fail_unless_equals_int (roi->id, 2);
  fail_unless_equals_int (roi->x, 160);
  fail_unless_equals_int (roi->y, 240);
  fail_unless_equals_int (roi->w, 160);
  fail_unless_equals_int (roi->h, 240); /* clipped */
  fail_unless_equals_float (field (s, "x_min"), 0.25);
  fail_unless_equals_float (field (s, "y_max"), 1);
  fail_unless (gst_structure_get_int (s, "label_id", &id) && id == 1);
  fail_unless_equals_string (gst_structure_get_string (s, "label"), "dog");
  /* Decoded tensors are gone. */
  fail_unless (gst_buffer_get_infer_tensor_meta (out) == NULL);
}
GST_END_TEST

/* The model is called as its file is, or its folder. */
GST_START_TEST (test_model_name)
{
  static const char *const models[][2] = {
    { "model=/tmp/find.xml", "find" },
    { "model=/tmp/find.onnx", "find" },
    { "model=/tmp/find.onnx.xml", "find.onnx" },
    { "model=/tmp/cars/model.xml", "cars" },
    { "model=/tmp/cars/model.onnx", "cars" },
    { "model=model.onnx", "model" },
    { "model=find", "find" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autoptr (TestHarness) h = start ("inferdecoder");
    g_autoptr (GstBuffer) out =
        through (h, detections_of (models[i][0], "labels=cat dog"));
    const GstStructure *s = gst_video_region_of_interest_meta_get_param (
        test_region (out, 0), "detection");

    fail_unless_equals_string (
        gst_structure_get_string (s, "model_name"), models[i][1]);
  }
}
GST_END_TEST

GST_START_TEST (test_settings)
{
  static const struct
  {
    const char *element;
    guint regions;
    gboolean tensors;
  } cases[] = {
    { "inferdecoder threshold=0.8", 1, FALSE },
    { "inferdecoder threshold=0", 2, FALSE },
    { "inferdecoder max-results=1", 1, FALSE },
    { "inferdecoder keep-tensors=true", 2, TRUE },
    { "inferdecoder mode=detection model-type=ssd", 2, FALSE },
    { "inferdecoder model-instance-id=other", 0, TRUE },
    { "inferdecoder labels=a,b", 2, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (TestHarness) h = start (cases[i].element);
    g_autoptr (GstBuffer) out = through (h, detections ("labels=cat dog"));

    fail_unless_equals_int (test_count_regions (out), cases[i].regions);
    fail_unless_equals_int (
        gst_buffer_get_infer_tensor_meta (out) != NULL, cases[i].tensors);
    if (i == 6)
      fail_unless_equals_string (
          g_quark_to_string (test_region (out, 0)->roi_type), "a");
  }
}
GST_END_TEST

/* The threshold of model_info applies if the property is not set. */
GST_START_TEST (test_model_threshold)
{
  g_autoptr (TestHarness) h = start ("inferdecoder");
  g_autoptr (GstBuffer) out =
      through (h, detections ("confidence_threshold=0.8"));

  fail_unless_equals_int (test_count_regions (out), 1);
}
GST_END_TEST

/* Letterboxed, and of a region: boxes are mapped back to the frame. */
GST_START_TEST (test_map)
{
  static const float row[] = { 100, 100, 200, 150, 0.9f, 0 };
  float rows[6 * 8] = { 0 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstBuffer *frame = test_frame (&video), *out;

  memcpy (rows, row, sizeof row);
  InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 8, 6), rows);
  GstInferTensorMeta *meta =
      test_add_tensors (frame, &video, 320, 320, NULL, 1, &t);
  meta->map = (GstInferMap){ 10, -80, 2, 2 };
  meta->roi_id = 5;
  out = through (h, frame);
  GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
  fail_unless_equals_int (roi->x, 210);
  fail_unless_equals_int (roi->y, 120);
  fail_unless_equals_int (roi->w, 200);
  fail_unless_equals_int (roi->h, 100);
  fail_unless_equals_int (roi->parent_id, 5);
  gst_buffer_unref (out);
}
GST_END_TEST

static GstStructure *
frame_label (GstBuffer *buffer)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (buffer, GST_INFER_LABEL_META);

  fail_unless (meta != NULL);
  return gst_custom_meta_get_structure (meta);
}

GST_START_TEST (test_classification)
{
  static const float logits[] = { 1, 3, 2 };
  static const guint8 bytes[] = { 0, 51, 204 };
  g_autoptr (TestHarness) h = start ("inferdecoder top-k=2");
  GstBuffer *frame = test_frame (&video), *out;
  InferTensor *t =
      test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 3, 1, 1), logits);

  test_add_tensors (frame, &video, 224, 224,
      test_model_info ("labels=red green blue", "outputs=prob", NULL), 1, &t);
  out = through (h, frame);
  GstStructure *s = frame_label (out);
  fail_unless_equals_string (gst_structure_get_string (s, "label"), "green");
  fail_unless_equals_string (
      gst_structure_get_string (s, "name"), "classification");
  fail_unless_equals_string (
      gst_structure_get_string (s, "layer_name"), "prob");
  fail_unless (fabs (field (s, "confidence") - 0.66524096) < 1e-6);
  fail_unless_equals_int (test_count_regions (out), 0);
  gst_buffer_unref (out);

  /* The results of a region are its params. */
  frame = test_frame (&video);
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (
          frame, "car", 10, 10, 50, 50);
  roi->id = 3;
  t = test_tensor (INFER_TYPE_U8, TEST_SHAPE (1, 3), bytes);
  test_add_tensors (frame, &video, 224, 224,
      test_model_info ("labels=red green blue", NULL), 1, &t)
      ->roi_id = 3;
  out = through (h, frame);
  roi = test_region (out, 0);
  fail_unless_equals_int (g_list_length (roi->params), 2);
  s = gst_video_region_of_interest_meta_get_param (roi, "classification");
  fail_unless_equals_string (gst_structure_get_string (s, "label"), "blue");
  fail_unless (fabs (field (s, "confidence") - 0.8) < 1e-6);
  fail_unless (gst_buffer_get_custom_meta (out, GST_INFER_LABEL_META) == NULL);
  gst_buffer_unref (out);
}
GST_END_TEST

GST_START_TEST (test_segmentation)
{
  static const gint64 classes[] = { 0, 1, 2, 0, 0, 2 };
  g_autoptr (TestHarness) h = start ("inferdecoder labels=sky,sea,land");
  GstBuffer *frame = test_frame (&video), *out;
  InferTensor *t = test_tensor (INFER_TYPE_I64, TEST_SHAPE (1, 2, 3), classes);

  test_add_tensors (frame, &video, 300, 200, NULL, 1, &t);
  out = through (h, frame);
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      out, GST_INFER_MASK_META_API_TYPE);
  fail_unless (mask != NULL);
  fail_unless_equals_int (mask->kind, GST_INFER_MASK_CLASSES);
  fail_unless_equals_int (mask->width, 3);
  fail_unless_equals_string (g_ptr_array_index (mask->labels, 2), "land");
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 0, 0), 0);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 214, 239), 1);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 639, 479), 2);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 640, 479), 0);
  gst_buffer_unref (out);
}
GST_END_TEST

/* The mask of an object: one prototype is its left half, one its right half. */
GST_START_TEST (test_object_masks)
{
  g_autofree float *rows = g_new0 (float, 7 * 84);
  g_autofree float *prototypes = g_new0 (float, 2 * 16 * 16);
  static const float object[] = { 32, 32, 32, 16, 0.9f, 20, -20 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstBuffer *frame = test_frame (&video), *out;
  InferTensor *t[2];

  for (guint i = 0; i < 7; i++)
    rows[i * 84 + 5] = object[i];
  for (guint i = 0; i < 256; i++)
    prototypes[i % 16 < 8 ? i : 256 + i] = 1;
  t[0] = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 7, 84), rows);
  t[1] = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 2, 16, 16), prototypes);
  test_add_tensors (frame, &video, 64, 64,
      test_model_info ("model_type=YOLO", "labels=cat", NULL), 2, t);
  out = through (h, frame);
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      out, GST_INFER_MASK_META_API_TYPE);
  fail_unless (mask != NULL);
  fail_unless_equals_int (mask->roi_id, test_region (out, 0)->id);
  fail_unless_equals_int (mask->width, 8);
  fail_unless_equals_int (mask->height, 4);
  /* The box is 160…480 × 180…300 of the frame. */
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 165, 190), 255);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 315, 295), 255);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 325, 190), 0);
  fail_unless_equals_int (gst_infer_mask_meta_at (mask, 150, 190), 0);
  gst_buffer_unref (out);
}
GST_END_TEST

/* Ultralytics writes model_type "YOLO" for classifiers too. */
GST_START_TEST (test_yolo_classifier)
{
  static const float scores[] = { 0.1f, 0.7f, 0.2f };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstBuffer *frame = test_frame (&video), *out;
  InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 3), scores);

  test_add_tensors (frame, &video, 64, 64,
      test_model_info ("model_type=YOLO", "labels=cat dog bird", NULL), 1, &t);
  out = through (h, frame);
  fail_unless_equals_string (
      gst_structure_get_string (frame_label (out), "label"), "dog");
  gst_buffer_unref (out);
}
GST_END_TEST

GST_START_TEST (test_keypoints)
{
  float points[1404] = { 96, 48, 1 };
  static const float presence[] = { 20 }, absence[] = { -20 };
  g_autoptr (TestHarness) h = start ("inferdecoder");
  GstInferKeypointsMeta *meta;

  for (guint i = 0; i < 2; i++) {
    GstBuffer *frame = test_frame (&video), *out;
    InferTensor *t[] = { test_tensor (INFER_TYPE_F32,
                             TEST_SHAPE (1, 1, 1, 1404), points),
      test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 1, 1),
          i == 0 ? presence : absence) };

    test_add_tensors (frame, &video, 192, 192, NULL, 2, t);
    out = through (h, frame);
    meta = gst_buffer_get_infer_keypoints_meta (out, -1);
    fail_unless_equals_int (meta != NULL, i == 0);
    if (meta != NULL) {
      fail_unless_equals_int (meta->n, 468);
      fail_unless_equals_float (meta->points[0].x, 320);
      fail_unless_equals_float (meta->points[0].y, 120);
    }
    gst_buffer_unref (out);
  }
}
GST_END_TEST

GST_START_TEST (test_text)
{
  g_autofree float *map = g_new0 (float, 160 * 120);
  float steps[6 * 25] = { 0 };
  static const char letters[] = "labels=_,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,"
                                "s,t,u,v,w,x";
  static const guint best[] = { 8, 8, 0, 8, 9, 0 };
  GstHarness *h = start ("inferdecoder mode=text-detection");
  GstBuffer *frame = test_frame (&video), *out;

  for (guint y = 50; y < 61; y++)
    for (guint x = 20; x < 61; x++)
      map[y * 160 + x] = 0.9f;
  InferTensor *t =
      test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 1, 120, 160), map);
  test_add_tensors (frame, &video, 320, 240, NULL, 1, &t);
  out = through (h, frame);
  fail_unless_equals_int (test_count_regions (out), 1);
  GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
  /* (20 − 6.4) · 4, … */
  fail_unless_equals_int (roi->x, 54);
  fail_unless_equals_int (roi->y, 174);
  fail_unless_equals_int (roi->w, 212);
  fail_unless_equals_int (roi->h, 92);
  GstInferKeypointsMeta *corners =
      gst_buffer_get_infer_keypoints_meta (out, roi->id);
  fail_unless_equals_int (corners->n, 4);
  fail_unless_equals_int (corners->kind, GST_INFER_KEYPOINTS_POLYGON);
  gst_harness_teardown (h);

  /* The text of that region. */
  h = start ("inferdecoder");
  for (guint i = 0; i < 6; i++)
    steps[i * 25 + best[i]] = 0.75f;
  t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 6, 25), steps);
  test_add_tensors (
      out, &video, 320, 48, test_model_info (letters, NULL), 1, &t)
      ->roi_id = roi->id;
  out = through (h, out);
  GstStructure *s = gst_video_region_of_interest_meta_get_param (
      test_region (out, 0), "text");
  fail_unless_equals_string (gst_structure_get_string (s, "label"), "hhi");
  fail_unless (fabs (field (s, "confidence") - 0.75) < 1e-6);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}
GST_END_TEST

/* Two models on one buffer, each with its own decoder; frames without tensors
 * pass. */
GST_START_TEST (test_two_models)
{
  static const float scores[] = { 0.1f, 0.9f };
  g_autoptr (TestHarness) h = start ("inferdecoder");

  for (guint i = 0; i < 3; i++) {
    GstBuffer *frame = detections ("labels=cat dog"), *out;
    InferTensor *t = test_tensor (INFER_TYPE_F32, TEST_SHAPE (1, 2), scores);

    test_add_tensors (frame, &video, 64, 64,
        test_model_info ("model=which.xml", "labels=day night", NULL), 1, &t);
    out = through (h, frame);
    fail_unless_equals_int (test_count_regions (out), 2);
    fail_unless_equals_string (
        gst_structure_get_string (frame_label (out), "label"), "night");
    gst_buffer_unref (out);
    gst_buffer_unref (through (h, test_frame (&video)));
  }
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  static const float four[64] = { 0 };
  static const struct
  {
    const char *element, *info, *error;
  } cases[] = {
    { "inferdecoder", "model=x.xml", "set the property 'mode'" },
    { "inferdecoder", "model_type=telepathy", "telepathy" },
    { "inferdecoder mode=json", "model=x.xml", "mode=json is not for video" },
    { "inferdecoder mode=detection", "model=x.xml", "model-type" },
    { "inferdecoder mode=segmentation", "model=x.xml", "mask" },
    { "inferdecoder labels-file=/nowhere", "model=x.xml", "/nowhere" },
    { "inferdecoder labels-file=/dev/zero", "model=x.xml",
        "/dev/zero: it is a device" },
    { "inferdecoder labels-file=/dev", "model=x.xml", "/dev: it is a folder" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (TestHarness) h = start (cases[i].element);
    GstBuffer *frame = test_frame (&video);
    InferTensor *t =
        test_tensor (INFER_TYPE_F32, TEST_SHAPE (2, 2, 2, 2, 2, 2), four);

    test_add_tensors (
        frame, &video, 64, 64, test_model_info (cases[i].info, NULL), 1, &t);
    fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_ERROR);
    g_autofree char *error = test_pop_error (h);
    fail_unless (error != NULL && strstr (error, cases[i].error) != NULL,
        "%u: %s", i, error);
  }
}
GST_END_TEST

/* Caps of downstream reach upstream, and results survive scaling. */
GST_START_TEST (test_negotiation)
{
  g_autoptr (TestHarness) h = gst_harness_new ("inferdecoder");
  g_autoptr (GstCaps) want =
      gst_caps_from_string ("video/x-raw, format=I420, width=64");

  gst_harness_set_sink_caps (h, gst_caps_ref (want));
  g_autoptr (GstCaps) got = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_can_intersect (got, want));
  fail_unless (!gst_caps_is_any (got));
  for (guint i = 0; i < gst_caps_get_size (got); i++) {
    GstStructure *s = gst_caps_get_structure (got, i);

    if (gst_structure_has_name (s, "video/x-raw"))
      fail_unless_equals_string (
          gst_structure_get_string (s, "format"), "I420");
  }
}
GST_END_TEST

/* All elements after inference in one pipeline, while sizes, formats and models
 * change, with flushes and a seek. */
GST_START_TEST (test_chain)
{
  static const struct
  {
    GstVideoFormat format;
    int width, height;
  } formats[] = {
    { GST_VIDEO_FORMAT_RGB, 640, 480 },
    { GST_VIDEO_FORMAT_NV12, 320, 240 },
    { GST_VIDEO_FORMAT_I420, 1280, 720 },
    { GST_VIDEO_FORMAT_GRAY8, 64, 48 },
  };
  g_autoptr (TestHarness) h =
      test_harness ("inferdecoder ! infertrack ! inferoverlay ! "
                    "inferpublish file-path=/dev/null");
  int last_id = 0;

  for (guint i = 0; i < 40; i++) {
    guint k = i / 5 % G_N_ELEMENTS (formats);

    gst_video_info_set_format (&video, formats[k].format,
        (guint) formats[k].width, (guint) formats[k].height);
    if (i % 5 == 0)
      gst_harness_set_src_caps (h, gst_video_info_to_caps (&video));
    if (i % 7 == 6)
      test_flush (h);
    g_autoptr (GstBuffer) out =
        through (h, detections (i % 2 ? "labels=cat dog" : "labels=a b"));
    fail_unless_equals_int (test_count_regions (out), 2);
    GstVideoRegionOfInterestMeta *roi = test_region (out, 1);
    fail_unless_equals_int ((int) roi->x, formats[k].width / 4);
    fail_unless_equals_int ((int) roi->y, formats[k].height / 2);
    fail_unless (gst_infer_object_id (roi) > 0);
    /* The same object as on the previous frame, unless the stream restarted. */
    if (i % 5 != 0 && i % 7 != 6) {
      fail_unless_equals_int (gst_infer_object_id (roi), last_id);
    } else {
      fail_unless (gst_infer_object_id (roi) != last_id);
    }
    last_id = gst_infer_object_id (roi);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
}
GST_END_TEST

static Suite *
inferdecoder_video_suite (void)
{
  return test_suite ("inferdecoder-video", NULL, NULL, test_detection,
      test_model_name, test_settings, test_model_threshold, test_map,
      test_classification, test_segmentation, test_object_masks,
      test_yolo_classifier, test_keypoints, test_text, test_two_models,
      test_refused, test_negotiation, test_chain, NULL);
}

GST_CHECK_MAIN (inferdecoder_video)
