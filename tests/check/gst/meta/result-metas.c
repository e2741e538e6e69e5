/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results on a frame, when the frame is copied, scaled and cropped. */

#include <math.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "gst/meta/meta.h"

static GstBuffer *
frame_with_results (void)
{
  static const GstInferKeypoint points[] = { { 10, 20, 0.5 }, { 30, 40, 1 } };
  static const guint8 classes[] = { 0, 1, 2, 3 };
  const GstInferBox box = { 32.25f, 24, 64, 48 };
  const GstInferLabel label = { "cat", 3, 0.9, "m", "l" };
  g_autoptr (GBytes) bytes = g_bytes_new_static (classes, 4);
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  GstBuffer *buffer = gst_buffer_new ();
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, 320, 240, &box, &label, -1);

  g_ptr_array_add (labels, g_strdup ("nothing"));
  gst_infer_add_label (buffer, roi, "classification", &label);
  gst_infer_add_label (buffer, NULL, "text", &label);
  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_BODY, 2, points)
      ->roi_id = roi->id;
  gst_buffer_add_infer_mask_meta (buffer, GST_INFER_MASK_CLASSES, 2, 2, bytes,
      (GstInferMap){ 0, 0, 160, 120 }, labels);
  return buffer;
}

typedef struct
{
  GstBuffer *target;
  GQuark type;
  gpointer data;
} Transform;

static gboolean
transform_one (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  Transform *t = data;

  (*meta)->info->transform_func (t->target, *meta, buffer, t->type, t->data);
  return TRUE;
}

static GstBuffer *
transformed (GstBuffer *buffer, GQuark type, gpointer data)
{
  Transform t = { gst_buffer_new (), type, data };

  gst_buffer_foreach_meta (buffer, transform_one, &t);
  return t.target;
}

/* Results are the same after a copy or transform; positions follow @map. */
static void
check (GstBuffer *buffer, GstInferMap map, guint width, guint height)
{
  GstVideoRegionOfInterestMeta *roi = gst_infer_find_object (buffer, 1);
  GstInferKeypointsMeta *points =
      gst_buffer_get_infer_keypoints_meta (buffer, 1);
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      buffer, GST_INFER_MASK_META_API_TYPE);
  GstCustomMeta *text =
      gst_buffer_get_custom_meta (buffer, GST_INFER_LABEL_META);

  g_assert_nonnull (roi);
  g_assert_cmpuint (g_list_length (roi->params), ==, 2);
  GstInferLabel label = gst_infer_read_label (
      gst_video_region_of_interest_meta_get_param (roi, "classification"));
  g_assert_cmpstr (label.label, ==, "cat");
  g_assert_cmpstr (label.layer_name, ==, "l");
  g_assert_cmpint (label.label_id, ==, 3);
  GstInferBox box = gst_infer_object_box (roi, width, height);
  g_assert_cmpfloat_with_epsilon (box.x0, map.x + 32.25 * map.scale_x, 1e-3);
  g_assert_cmpfloat_with_epsilon (box.y1, map.y + 48 * map.scale_y, 1e-3);

  g_assert_nonnull (points);
  g_assert_cmpint (points->kind, ==, GST_INFER_KEYPOINTS_BODY);
  g_assert_cmpfloat_with_epsilon (
      points->points[1].x, map.x + 30 * map.scale_x, 1e-6);
  g_assert_cmpfloat_with_epsilon (
      points->points[1].y, map.y + 40 * map.scale_y, 1e-6);
  g_assert_cmpfloat (points->points[0].score, ==, 0.5);

  g_assert_nonnull (mask);
  g_assert_cmpuint (mask->labels->len, ==, 1);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (gst_infer_mask_meta_at (mask,
                         (int) (map.x + (i % 2 ? 200 : 100) * map.scale_x),
                         (int) (map.y + (i / 2 ? 200 : 100) * map.scale_y)),
        ==, i);

  g_assert_nonnull (text);
  g_assert_cmpstr (
      gst_structure_get_string (gst_custom_meta_get_structure (text), "label"),
      ==, "cat");
}

static void
test_copy (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_results ();
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);

  g_clear_pointer (&buffer, gst_buffer_unref);
  check (copy, GST_INFER_MAP_IDENTITY, 320, 240);
}

static void
test_scale (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_results ();
  GstVideoInfo from, to;
  GstVideoMetaTransform scale = { &from, &to };
  GQuark type = gst_video_meta_transform_scale_get_quark ();

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGB, 320, 240);
  gst_video_info_set_format (&to, GST_VIDEO_FORMAT_RGB, 640, 720);
  g_autoptr (GstBuffer) target = transformed (buffer, type, &scale);
  check (target, (GstInferMap){ 0, 0, 2, 3 }, 640, 720);
  /* Twice is no different. */
  scale = (GstVideoMetaTransform){ &to, &from };
  g_autoptr (GstBuffer) again = transformed (target, type, &scale);
  check (again, GST_INFER_MAP_IDENTITY, 320, 240);
}

/* Metas of our own follow a crop, too, where GStreamer tells of it. */
static void
test_crop (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_results ();
  GstVideoInfo from, to;
  GstInferMatrix crop = { &from, { 8, 4, 300, 200 }, &to, { 0, 0, 300, 200 },
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

  g_autoptr (GstBuffer) target = transformed (
      buffer, g_quark_from_static_string (GST_INFER_MATRIX_TRANSFORM), &crop);
  GstInferKeypointsMeta *points =
      gst_buffer_get_infer_keypoints_meta (target, 1);
  g_assert_cmpfloat (points->points[0].x, ==, 2);
  g_assert_cmpfloat (points->points[0].y, ==, 16);
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      target, GST_INFER_MASK_META_API_TYPE);
  g_assert_cmpint (gst_infer_mask_meta_at (mask, 151, 0), ==, 0);
  g_assert_cmpint (gst_infer_mask_meta_at (mask, 152, 0), ==, 1);
  g_assert_cmpint (gst_infer_mask_meta_at (mask, 152, 116), ==, 3);
}

/* Beside the frame there is nothing; ids are unique. */
static void
test_objects (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  const GstInferLabel label = { NULL, -1, 0.5, NULL, NULL };
  const float boxes[][4] = { { -10, -10, 0, 0 }, { 320, 0, 330, 10 },
    { 5, 5, 5, 9 }, { NAN, 0, 10, 10 }, { -1e30f, -1e30f, 1e30f, 1e30f },
    { 319.9f, 239.9f, 400, 400 } };
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++) {
    const GstInferBox box = { boxes[i][0], boxes[i][1], boxes[i][2],
      boxes[i][3] };
    GstVideoRegionOfInterestMeta *roi =
        gst_infer_add_object (buffer, 320, 240, &box, &label, 7);

    g_assert_cmpint (roi != NULL, ==, i >= 4);
    if (roi == NULL)
      continue;
    g_assert_cmpint (roi->id, ==, (int) ++n);
    g_assert_cmpint (roi->parent_id, ==, 7);
    g_assert_cmpuint (roi->w, >=, 1);
    g_assert_cmpuint (roi->x + roi->w, <=, 320);
    g_assert_cmpuint (roi->y + roi->h, <=, 240);
  }
}

/* A region for a further model may reach beyond the frame, at any scale. */
static void
test_region (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  const GstInferLabel label = { "person", 0, 0.5, NULL, NULL };
  const GstInferBox d = { -32, 24, 64, 264 };
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, 320, 240, &d, &label, -1);
  GstVideoInfo from, to;
  GstVideoMetaTransform scale = { &from, &to };
  InferBox box;

  g_assert_true (gst_infer_object_region (roi, 320, 240, &box));
  g_assert_cmpint (box.x, ==, 0);
  g_assert_cmpint (box.width, ==, 64);
  gst_infer_set_object_region (buffer, roi, 320, 240, &d);
  g_assert_true (gst_infer_object_region (roi, 320, 240, &box));
  g_assert_cmpint (box.x, ==, -32);
  g_assert_cmpint (box.width, ==, 96);
  g_assert_cmpint (box.y, ==, 24);
  g_assert_cmpint (box.height, ==, 240);

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGB, 320, 240);
  gst_video_info_set_format (&to, GST_VIDEO_FORMAT_RGB, 640, 720);
  g_autoptr (GstBuffer) target =
      transformed (buffer, gst_video_meta_transform_scale_get_quark (), &scale);
  roi = gst_infer_find_object (target, 1);
  g_assert_true (gst_infer_object_region (roi, 640, 720, &box));
  g_assert_cmpint (box.x, ==, -64);
  g_assert_cmpint (box.height, ==, 720);
  /* Moved, or cut: the parts are those of another frame. */
  roi->x = 40;
  g_assert_true (gst_infer_object_region (roi, 640, 720, &box));
  g_assert_cmpint (box.x, ==, 40);
  roi->x = 1000;
  g_assert_false (gst_infer_object_region (roi, 640, 720, &box));
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/result-metas/copy", test_copy);
  g_test_add_func ("/result-metas/scale", test_scale);
  g_test_add_func ("/result-metas/crop", test_crop);
  g_test_add_func ("/result-metas/objects", test_objects);
  g_test_add_func ("/result-metas/region", test_region);
  return g_test_run ();
}
