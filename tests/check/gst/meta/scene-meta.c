/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The meta of scenes: copied, scaled, and read as other languages do. */

#include "gst/infer/bindings.h"
#include "gst/meta/meta.h"

static GstBuffer *
frame (void)
{
  GRefString *door = g_ref_string_new ("door"), *line = g_ref_string_new ("B");
  GstInferScenePoint zone[] = { { 10, 20 }, { 100, 20 }, { 50, 200 } };
  GstInferScenePoint wire[] = { { 0, 120 }, { 320, 120 } };
  const GstInferSceneShape shapes[] = {
    { GST_INFER_SCENE_ZONE, door, 3, zone, 2, 5, 3, 0.25 },
    { GST_INFER_SCENE_TRIPWIRE, line, 2, wire, 0, 7, 1, -1 },
  };
  const GstInferSceneEvent events[] = {
    { .type = GST_INFER_SCENE_EXIT,
        .id = door,
        .object_id = 7,
        .label = "person",
        .time = GST_SECOND,
        .duration = 5,
        .count = 2,
        .reason = GST_INFER_SCENE_LOST },
    { .type = GST_INFER_SCENE_CROSS,
        .kind = GST_INFER_SCENE_TRIPWIRE,
        .id = line,
        .object_id = 8,
        .time = GST_SECOND,
        .duration = GST_CLOCK_TIME_NONE,
        .direction = -1 },
  };
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_add_infer_scene_meta (buffer, 2, shapes, 2, events);
  g_ref_string_release (door);
  g_ref_string_release (line);
  return buffer;
}

static void
check (GstBuffer *buffer, double scale)
{
  const GstInferSceneMeta *meta = gst_infer_nth_scene_meta (buffer, 0);
  guint64 out;
  guint count;
  double x, y;

  g_assert_nonnull (meta);
  g_assert_true (meta == gst_buffer_get_infer_scene_meta (buffer));
  g_assert_null (gst_infer_nth_scene_meta (buffer, 1));
  g_autoptr (GstStructure) shape = gst_infer_scene_meta_get_shape (meta, 0);
  g_assert_cmpstr (gst_structure_get_string (shape, "id"), ==, "door");
  g_assert_cmpstr (gst_structure_get_string (shape, "kind"), ==, "zone");
  g_assert_true (gst_structure_get (
      shape, "count", G_TYPE_UINT, &count, "out", G_TYPE_UINT64, &out, NULL));
  g_assert_cmpuint (count, ==, 2);
  g_assert_cmpuint (out, ==, 3);
  g_assert_true (gst_infer_scene_meta_get_point (meta, 1, 1, &x, &y));
  g_assert_cmpfloat (x, ==, 320 * scale);
  g_assert_cmpfloat (y, ==, 120 * scale);
  g_assert_false (gst_infer_scene_meta_get_point (meta, 1, 2, &x, &y));
  g_assert_false (gst_infer_scene_meta_get_point (meta, 2, 0, &x, &y));
  g_assert_null (gst_infer_scene_meta_get_shape (meta, 2));
  g_assert_null (gst_infer_scene_meta_get_event (meta, 2));
  g_autoptr (GstStructure) exit = gst_infer_scene_meta_get_event (meta, 0);
  g_autofree char *text = gst_structure_to_string (exit);
  g_assert_cmpstr (text, ==,
      "inferscene, type=(string)exit, kind=(string)zone, id=(string)door, "
      "time=(guint64)1000000000, count=(uint)2, object_id=(int)7, "
      "label=(string)person, duration=(guint64)5, reason=(string)lost;");
  g_autoptr (GstStructure) cross = gst_infer_scene_meta_get_event (meta, 1);
  g_autofree char *other = gst_structure_to_string (cross);
  g_assert_cmpstr (other, ==,
      "inferscene, type=(string)cross, kind=(string)tripwire, id=(string)B, "
      "time=(guint64)1000000000, count=(uint)0, object_id=(int)8, "
      "direction=(int)-1;");
}

static void
test_copy (void)
{
  g_autoptr (GstBuffer) buffer = frame ();
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);

  g_clear_pointer (&buffer, gst_buffer_unref);
  check (copy, 1);
}

static void
test_scale (void)
{
  g_autoptr (GstBuffer) buffer = frame ();
  g_autoptr (GstBuffer) target = gst_buffer_new ();
  GstInferSceneMeta *meta = gst_buffer_get_infer_scene_meta (buffer);
  GstVideoInfo from, to;
  GstVideoMetaTransform scale = { &from, &to };

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGB, 320, 240);
  gst_video_info_set_format (&to, GST_VIDEO_FORMAT_RGB, 640, 480);
  g_assert_true (meta->meta.info->transform_func (target, &meta->meta, buffer,
      gst_video_meta_transform_scale_get_quark (), &scale));
  check (target, 2);
  g_assert_false (meta->meta.info->transform_func (target, &meta->meta, buffer,
      g_quark_from_static_string ("unknown"), &scale));
}

static void
test_names (void)
{
  for (int i = 0; i <= GST_INFER_SCENE_READING; i++)
    g_assert_nonnull (gst_infer_scene_event_name ((GstInferSceneEventType) i));
  for (int i = 0; i <= GST_INFER_SCENE_EOS; i++)
    g_assert_nonnull (gst_infer_scene_reason_name ((GstInferSceneReason) i));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/gst/meta/scene-meta/copy", test_copy);
  g_test_add_func ("/gst/meta/scene-meta/scale", test_scale);
  g_test_add_func ("/gst/meta/scene-meta/names", test_names);
  return g_test_run ();
}
