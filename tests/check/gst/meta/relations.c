/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Results as GStreamer's own GstAnalyticsRelationMeta: written by ours, read by
 * its library. */

#include "gst/meta/relations.h"

#include <gst/analytics/analytics.h>

static GstVideoRegionOfInterestMeta *
add_cat (GstBuffer *buffer)
{
  const GstInferBox box = { 32.25f, 24, 64, 48 };
  const GstInferLabel label = { "cat", 3, 0.75, "m", "l" };

  return gst_infer_add_object (buffer, 320, 240, &box, &label, -1);
}

/* The only thing of @type that has the relation from @id. */
static GstAnalyticsMtd
related (GstBuffer *buffer, guint id, GstAnalyticsRelTypes relation,
    GstAnalyticsMtdType type)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd found, more;
  gpointer state = NULL;

  g_assert_true (gst_analytics_relation_meta_get_direct_related (
      meta, id, relation, type, &state, &found));
  g_assert_false (gst_analytics_relation_meta_get_direct_related (
      meta, id, relation, type, &state, &more));
  return found;
}

static GstAnalyticsMtd
first (GstBuffer *buffer, GstAnalyticsMtdType type)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd found;
  gpointer state = NULL;

  g_assert_nonnull (meta);
  g_assert_true (
      gst_analytics_relation_meta_iterate (meta, &state, type, &found));
  return found;
}

static GstAnalyticsMtd
check_object (GstBuffer *buffer, int factor)
{
  GstAnalyticsMtd object = first (buffer, gst_analytics_od_mtd_get_mtd_type ());
  int x, y, w, h;
  float confidence;

  g_assert_true (
      gst_analytics_od_mtd_get_location (&object, &x, &y, &w, &h, &confidence));
  g_assert_cmpstr (
      g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&object)), ==,
      "cat");
  g_assert_cmpint (x, ==, 32 * factor);
  g_assert_cmpint (y, ==, 24 * factor);
  g_assert_cmpint (w, ==, 32 * factor);
  g_assert_cmpint (h, ==, 24 * factor);
  g_assert_cmpfloat (confidence, ==, 0.75f);
  return object;
}

static void
test_object (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstVideoRegionOfInterestMeta *roi = add_cat (buffer);
  const GstInferLabel tabby = { "tabby", 7, 0.5, "m", "l" };
  const GstInferLabel text = { "a name", -1, 0.5, "m", "l" };
  GstAnalyticsMtd object, class, track;
  GstClockTime seen_first, seen_last;
  gboolean lost;
  guint64 id;

  gst_infer_add_label (buffer, roi, "classification", &tabby);
  gst_infer_add_label (buffer, roi, "text", &text);
  gst_infer_relate_track (buffer, roi, 5, 100, 300, TRUE);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  g_clear_pointer (&buffer, gst_buffer_unref);

  object = check_object (copy, 1);
  class = related (copy, object.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
      gst_analytics_cls_mtd_get_mtd_type ());
  g_assert_cmpuint (gst_analytics_cls_mtd_get_length (&class), ==, 1);
  g_assert_cmpstr (
      g_quark_to_string (gst_analytics_cls_mtd_get_quark (&class, 0)), ==,
      "tabby");
  g_assert_cmpfloat (gst_analytics_cls_mtd_get_level (&class, 0), ==, 0.5f);
  track = related (copy, object.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
      gst_analytics_tracking_mtd_get_mtd_type ());
  g_assert_true (gst_analytics_tracking_mtd_get_info (
      &track, &id, &seen_first, &seen_last, &lost));
  g_assert_cmpuint (id, ==, 5);
  g_assert_cmpuint (seen_first, ==, 100);
  g_assert_cmpuint (seen_last, ==, 300);
  g_assert_true (lost);
}

/* Of the whole frame. */
static void
test_class (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  const GstInferLabel label = { "indoors", 1, 0.25, NULL, NULL };

  gst_infer_add_label (buffer, NULL, "classification", &label);
  GstAnalyticsMtd class = first (buffer, gst_analytics_cls_mtd_get_mtd_type ());
  g_assert_cmpint (gst_analytics_cls_mtd_get_index_by_quark (
                       &class, g_quark_from_string ("indoors")),
      ==, 0);
  g_assert_cmpfloat (gst_analytics_cls_mtd_get_level (&class, 0), ==, 0.25f);
}

typedef struct
{
  GstBuffer *target;
  gpointer data;
} Scale;

static gboolean
scale_one (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  Scale *scale = data;

  (*meta)->info->transform_func (scale->target, *meta, buffer,
      gst_video_meta_transform_scale_get_quark (), scale->data);
  return TRUE;
}

static GstBuffer *
doubled (GstBuffer *buffer)
{
  GstVideoInfo from, to;
  GstVideoMetaTransform sizes = { &from, &to };
  Scale scale = { gst_buffer_new (), &sizes };

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGB, 320, 240);
  gst_video_info_set_format (&to, GST_VIDEO_FORMAT_RGB, 640, 480);
  gst_buffer_foreach_meta (buffer, scale_one, &scale);
  return scale.target;
}

static GstInferMaskMeta *
add_mask (GstBuffer *buffer, GstInferMaskKind kind, const guint8 *values,
    GPtrArray *labels, int roi_id)
{
  g_autoptr (GBytes) bytes = g_bytes_new (values, 6);
  GstInferMaskMeta *mask = gst_buffer_add_infer_mask_meta (
      buffer, kind, 3, 2, bytes, (GstInferMap){ 10, 20, 4, 8 }, labels);

  mask->roi_id = roi_id;
  gst_infer_relate_mask (buffer, mask);
  return mask;
}

static void
check_mask (const GstAnalyticsMtd *mask, const guint8 *values, int factor)
{
  guint8 bytes[6];
  int x, y;
  guint w, h;

  g_autoptr (GstBuffer) picture =
      gst_analytics_segmentation_mtd_get_mask (mask, &x, &y, &w, &h);
  g_assert_cmpint (x, ==, 10 * factor);
  g_assert_cmpint (y, ==, 20 * factor);
  g_assert_cmpuint (w, ==, 12 * factor);
  g_assert_cmpuint (h, ==, 16 * factor);
  GstVideoMeta *meta = gst_buffer_get_video_meta (picture);
  g_assert_true (meta->format == GST_VIDEO_FORMAT_GRAY8);
  g_assert_cmpuint (meta->width, ==, 3);
  g_assert_cmpuint (meta->height, ==, 2);
  g_assert_cmpint (meta->stride[0], ==, 3);
  g_assert_cmpuint (gst_buffer_extract (picture, 0, bytes, 6), ==, 6);
  g_assert_cmpmem (bytes, 6, values, 6);
}

static void
test_classes_mask (void)
{
  static const guint8 values[] = { 0, 2, 2, 0, 9, 2 };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  GstAnalyticsMtd mask, names;
  gsize index;

  g_ptr_array_add (labels, (gpointer) "nothing");
  g_ptr_array_add (labels, (gpointer) "sky");
  g_ptr_array_add (labels, (gpointer) "sea");
  add_mask (buffer, GST_INFER_MASK_CLASSES, values, labels, -1);
  g_autoptr (GstBuffer) scaled = doubled (buffer);
  g_clear_pointer (&buffer, gst_buffer_unref);

  mask = first (scaled, gst_analytics_segmentation_mtd_get_mtd_type ());
  check_mask (&mask, values, 2);
  g_assert_cmpuint (
      gst_analytics_segmentation_mtd_get_region_count (&mask), ==, 3);
  g_assert_true (
      gst_analytics_segmentation_mtd_get_region_index (&mask, &index, 2));
  names = related (scaled, mask.id, GST_ANALYTICS_REL_TYPE_N_TO_N,
      gst_analytics_cls_mtd_get_mtd_type ());
  g_assert_cmpuint (gst_analytics_cls_mtd_get_length (&names), ==, 3);
  g_assert_cmpstr (
      g_quark_to_string (gst_analytics_cls_mtd_get_quark (&names, index)), ==,
      "sea");
  g_assert_true (
      gst_analytics_segmentation_mtd_get_region_index (&mask, &index, 9));
  g_assert_cmpuint (gst_analytics_cls_mtd_get_quark (&names, index), ==, 0);
}

static void
test_soft_mask (void)
{
  static const guint8 values[] = { 0, 127, 128, 255, 1, 200 };
  static const guint8 parts[] = { 0, 0, 1, 1, 0, 1 };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstVideoRegionOfInterestMeta *roi = add_cat (buffer);
  GstAnalyticsMtd object, mask;

  add_mask (buffer, GST_INFER_MASK_SOFT, values, NULL, roi->id);
  object = check_object (buffer, 1);
  mask = related (buffer, object.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
      gst_analytics_segmentation_mtd_get_mtd_type ());
  check_mask (&mask, parts, 1);
  g_assert_cmpuint (
      gst_analytics_segmentation_mtd_get_region_count (&mask), ==, 2);
}

static void
test_scaled_object (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  add_cat (buffer);
  g_autoptr (GstBuffer) scaled = doubled (buffer);
  check_object (scaled, 2);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relations/object", test_object);
  g_test_add_func ("/relations/class", test_class);
  g_test_add_func ("/relations/mask-of-classes", test_classes_mask);
  g_test_add_func ("/relations/mask-of-an-object", test_soft_mask);
  g_test_add_func ("/relations/scaled", test_scaled_object);
  return g_test_run ();
}
