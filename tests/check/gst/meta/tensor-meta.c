/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/infer/tensor-meta.h"
#include "gst/meta/meta.h"

static GstEvent *
model_info (void)
{
  static const char *const outputs[] = { "boxes", "scores", NULL };
  GstStructure *s = gst_structure_new (
      "inferfilter/model-info", "model_type", G_TYPE_STRING, "ssd", NULL);

  gst_structure_set (s, "outputs", G_TYPE_STRV, outputs, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

static GstBuffer *
frame_with_meta (void)
{
  InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 4);
  g_autoptr (InferTensor) boxes =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_autoptr (InferTensor) scores =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  InferTensor *tensors[] = { boxes, scores };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);
  g_autoptr (GstEvent) info = model_info ();
  GstInferTensorMeta *meta =
      gst_buffer_add_infer_tensor_meta (buffer, 2, tensors, info);

  ((float *) boxes->data)[3] = 42;
  g_assert_cmpfloat (meta->map.scale_x, ==, 1);
  g_assert_cmpint (meta->roi_id, ==, -1);
  /* 640x480 letterboxed to 320x320: 80 input rows are padding. */
  meta->map = (GstInferMap){ 0, -80, 2, 2 };
  meta->input_width = meta->input_height = 320;
  meta->roi_id = 7;
  meta->age = 3;
  meta->model_instance_id = g_strdup ("one");
  return buffer;
}

static void
check (const GstInferTensorMeta *meta, GstInferMap map)
{
  g_assert_nonnull (meta);
  g_assert_cmpuint (meta->n, ==, 2);
  g_assert_cmpfloat (((const float *) meta->tensors[0]->data)[3], ==, 42);
  g_assert_cmpstr (gst_infer_tensor_meta_name (meta, 1), ==, "scores");
  g_assert_null (gst_infer_tensor_meta_name (meta, 2));
  g_assert_cmpstr (gst_structure_get_string (
                       gst_infer_tensor_meta_model_info (meta), "model_type"),
      ==, "ssd");
  g_assert_cmpstr (meta->model_instance_id, ==, "one");
  g_assert_cmpint (meta->roi_id, ==, 7);
  g_assert_cmpuint (meta->age, ==, 3);
  g_assert_cmpuint (meta->input_width, ==, 320);
  g_assert_cmpfloat_with_epsilon (meta->map.x, map.x, 1e-9);
  g_assert_cmpfloat_with_epsilon (meta->map.y, map.y, 1e-9);
  g_assert_cmpfloat_with_epsilon (meta->map.scale_x, map.scale_x, 1e-9);
  g_assert_cmpfloat_with_epsilon (meta->map.scale_y, map.scale_y, 1e-9);
}

static void
test_copy (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_meta ();
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  g_autoptr (GstBuffer) part =
      gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 4, 8);

  g_clear_pointer (&buffer, gst_buffer_unref);
  check (
      gst_buffer_get_infer_tensor_meta (copy), (GstInferMap){ 0, -80, 2, 2 });
  /* Nobody knows which pixels a part of the bytes are. */
  g_assert_null (gst_buffer_get_infer_tensor_meta (part));
}

static void
test_scale (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_meta ();
  g_autoptr (GstBuffer) target = gst_buffer_new ();
  GstInferTensorMeta *meta = gst_buffer_get_infer_tensor_meta (buffer);
  GstVideoInfo from, to;
  GstVideoMetaTransform scale = { &from, &to };

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGB, 640, 480);
  gst_video_info_set_format (&to, GST_VIDEO_FORMAT_I420, 320, 720);
  g_assert_true (meta->meta.info->transform_func (target, &meta->meta, buffer,
      gst_video_meta_transform_scale_get_quark (), &scale));
  check (gst_buffer_get_infer_tensor_meta (target),
      (GstInferMap){ 0, -120, 1, 3 });
}

/* As GStreamer tells of a crop and of borders from 1.28 on. */
static void
test_matrix (void)
{
  GstVideoInfo from, to;
  GstInferMatrix m = { &from, { 40, 20, 280, 220 }, &to, { 0, 10, 560, 220 },
    { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  GQuark quark = g_quark_from_static_string (GST_INFER_MATRIX_TRANSFORM);
  GstInferMap map;

  g_assert_true (gst_infer_map_of_transform (quark, &m, &map));
  /* (100, 50) is (60, 30) of the crop, → (120, 30 + 10). */
  g_assert_cmpfloat (map.x + 100 * map.scale_x, ==, 120);
  g_assert_cmpfloat (map.y + 50 * map.scale_y, ==, 40);
  m.matrix[0][1] = 1; /* leaning: no box stays a box */
  g_assert_false (gst_infer_map_of_transform (quark, &m, &map));
}

static void
test_unknown_transform (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_meta ();
  g_autoptr (GstBuffer) target = gst_buffer_new ();
  GstInferTensorMeta *meta = gst_buffer_get_infer_tensor_meta (buffer);

  g_assert_false (meta->meta.info->transform_func (
      target, &meta->meta, buffer, g_quark_from_static_string ("?"), NULL));
  g_assert_null (gst_buffer_get_infer_tensor_meta (target));
}

static void
test_several (void)
{
  g_autoptr (GstBuffer) buffer = frame_with_meta ();
  gpointer state = NULL;
  guint n = 0, tensors = 0;
  GstMeta *meta;

  gst_buffer_add_infer_tensor_meta (buffer, 0, NULL, NULL);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  while ((meta = gst_buffer_iterate_meta_filtered (
              copy, &state, GST_INFER_TENSOR_META_API_TYPE))) {
    tensors += ((GstInferTensorMeta *) meta)->n;
    n++;
  }
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (tensors, ==, 2);
}

static void
test_chain (void)
{
  GstInferMap first = { 10, 20, 2, 3 }, second = { 1, -1, 0.5, 4 };
  GstInferMap both = gst_infer_map_chain (first, second);

  /* (7, 5) → (24, 35) → (13, 139) */
  g_assert_cmpfloat (both.x + 7 * both.scale_x, ==, 13);
  g_assert_cmpfloat (both.y + 5 * both.scale_y, ==, 139);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor-meta/copy", test_copy);
  g_test_add_func ("/tensor-meta/scale", test_scale);
  g_test_add_func ("/tensor-meta/unknown-transform", test_unknown_transform);
  g_test_add_func ("/tensor-meta/matrix", test_matrix);
  g_test_add_func ("/tensor-meta/several", test_several);
  g_test_add_func ("/tensor-meta/chain", test_chain);
  return g_test_run ();
}
