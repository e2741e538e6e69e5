/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Metas of any content: JSON of them, scaled, drawn, tracked.  The bytes are a
 * series of metas; numbers are any numbers, texts any bytes. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/results.h"

#include "gst/common/json-check.h"
#include "gst/infer/infer.h"
#include "gst/publish/results-json.h"
#include "inference/media/track/track.h"

#include <math.h>

/* Ordinary numbers more often than any. */
static double
number (FuzzBytes *bytes)
{
  switch (fuzz_below (bytes, 6)) {
    case 0:
      return fuzz_double (bytes);
    case 1:
      return (double) NAN;
    case 2:
      return (double) INFINITY;
    case 3:
      return -1e30;
    default:
      return fuzz_u8 (bytes) / 3.0 - 10;
  }
}

/* Strings in structures are UTF-8. */
static char *
valid_text (FuzzBytes *bytes)
{
  g_autofree char *text = fuzz_text (bytes, 40);

  return g_utf8_make_valid (text, -1);
}

static GstVideoRegionOfInterestMeta *
add_object (GstBuffer *buffer, FuzzBytes *bytes)
{
  const GstInferBox box = { (float) number (bytes), (float) number (bytes),
    (float) number (bytes), (float) number (bytes) };
  g_autofree char *text = valid_text (bytes);
  const GstInferLabel label = { text, (int) fuzz_i64 (bytes), number (bytes),
    fuzz_below (bytes, 2) ? text : NULL, NULL };

  return gst_infer_add_object (
      buffer, 64, 48, &box, &label, (int) fuzz_below (bytes, 4) - 1);
}

/* As another element could have added it. */
static GstVideoRegionOfInterestMeta *
add_foreign (GstBuffer *buffer, FuzzBytes *bytes)
{
  g_autofree char *text = fuzz_text (bytes, 20);
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer, text,
          (guint) fuzz_i64 (bytes), (guint) fuzz_i64 (bytes),
          (guint) fuzz_i64 (bytes), (guint) fuzz_i64 (bytes));
  static const char *const names[] = { "detection", "classification", "text",
    "region", "object_id" };

  roi->id = (gint) fuzz_below (bytes, 4);
  if (fuzz_below (bytes, 2))
    gst_video_region_of_interest_meta_add_param (
        roi, gst_structure_new (names[fuzz_below (bytes, G_N_ELEMENTS (names))],
                 "x_min", G_TYPE_DOUBLE, number (bytes), "x_max", G_TYPE_DOUBLE,
                 number (bytes), "y_min", G_TYPE_DOUBLE, number (bytes),
                 "y_max", G_TYPE_DOUBLE, number (bytes), "confidence",
                 G_TYPE_DOUBLE, number (bytes), "label", G_TYPE_STRING,
                 g_utf8_validate (text, -1, NULL) ? text : "x", "label_id",
                 G_TYPE_INT, (int) fuzz_i64 (bytes), "id", G_TYPE_INT,
                 (int) fuzz_i64 (bytes), NULL));
  return roi;
}

static void
add_keypoints (GstBuffer *buffer, FuzzBytes *bytes)
{
  GstInferKeypoint points[33];
  const guint n = fuzz_below (bytes, 2) ? 17 : fuzz_below (bytes, 34);

  for (guint i = 0; i < n; i++)
    points[i] =
        (GstInferKeypoint){ number (bytes), number (bytes), number (bytes) };
  GstInferKeypointsMeta *meta = gst_buffer_add_infer_keypoints_meta (
      buffer, (GstInferKeypointsKind) fuzz_below (bytes, 3), n, points);
  meta->roi_id = (int) fuzz_below (bytes, 4) - 1;
}

static void
add_mask (GstBuffer *buffer, FuzzBytes *bytes)
{
  const guint width = fuzz_below (bytes, 20), height = fuzz_below (bytes, 20);
  g_autofree guint8 *data = g_malloc0 (width * height + 1);
  g_autofree char *text = fuzz_text (bytes, 20);
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  const GstInferMap map = { number (bytes), number (bytes), number (bytes),
    number (bytes) };

  fuzz_take (bytes, data, MIN (width * height, 64));
  g_autoptr (GBytes) mask = g_bytes_new (data, width * height);
  g_ptr_array_add (labels, text);
  gst_infer_add_mask (buffer, (int) fuzz_below (bytes, 4) - 1,
      (GstInferMaskKind) fuzz_below (bytes, 2), width, height, mask, map, NULL);
}

static void
add_label (GstBuffer *buffer, FuzzBytes *bytes)
{
  g_autofree char *text = valid_text (bytes);
  const GstInferLabel label = { text, (int) fuzz_i64 (bytes), number (bytes),
    text, text };

  gst_infer_add_label (buffer,
      gst_infer_find_object (buffer, (int) fuzz_below (bytes, 3)),
      fuzz_below (bytes, 2) ? "classification" : "text", &label);
}

static void
add_meta (GstBuffer *buffer, FuzzBytes *bytes)
{
  GstVideoRegionOfInterestMeta *roi = NULL;

  switch (fuzz_below (bytes, 6)) {
    case 0:
      roi = add_object (buffer, bytes);
      break;
    case 1:
      roi = add_foreign (buffer, bytes);
      break;
    case 2:
      add_keypoints (buffer, bytes);
      break;
    case 3:
      add_mask (buffer, bytes);
      break;
    default:
      add_label (buffer, bytes);
      break;
  }
  if (roi == NULL)
    return;
  const GstInferBox box = { (float) number (bytes), (float) number (bytes),
    (float) number (bytes), (float) number (bytes) };
  InferBox region;
  if (fuzz_below (bytes, 2))
    gst_infer_set_object_region (buffer, roi, 64, 48, &box);
  if (gst_infer_object_region (roi, 64, 48, &region))
    g_assert_true (region.width > 0 && region.height > 0);
  if (fuzz_below (bytes, 2))
    gst_infer_set_object_id (buffer, roi, (int) fuzz_i64 (bytes),
        (GstClockTime) fuzz_i64 (bytes), 5, fuzz_below (bytes, 2) != 0);
}

static void
track (FuzzBytes *bytes)
{
  InferTrackSettings settings = INFER_TRACK_DEFAULTS;
  settings.max_tracks = 1 + fuzz_below (bytes, 8);
  g_autoptr (InferTracker) tracker = infer_tracker_new (&settings);

  for (guint frame = 0; frame < 4; frame++) {
    InferDetection boxes[6] = { 0 };
    const InferTrack *tracks[6];
    const guint n = fuzz_below (bytes, 7);

    for (guint i = 0; i < n; i++) {
      boxes[i].x0 = (float) number (bytes);
      boxes[i].y0 = (float) number (bytes);
      boxes[i].x1 = (float) number (bytes);
      boxes[i].y1 = (float) number (bytes);
      boxes[i].score = (float) number (bytes);
      boxes[i].label = (int) fuzz_below (bytes, 3);
    }
    infer_tracker_update (tracker, fuzz_u8 (bytes) / 16.0f,
        (guint64) fuzz_i64 (bytes), boxes, n, tracks);
  }
}

/* Lines of other inputs of inferpublish. */
static void
publish (FuzzBytes *bytes)
{
  const GstInferLineInfo info = { GST_CLOCK_TIME_NONE, NULL, NULL };
  gboolean empty;
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, bytes->left, NULL);

  gst_buffer_fill (buffer, 0, bytes->data, bytes->left);
  GString *text = gst_infer_text_to_json (buffer, &info, &empty, NULL);
  GString *object = gst_infer_object_to_json (buffer, &info, NULL);

  if (text != NULL) {
    g_assert_true (gst_infer_json_is_valid (text->str));
    g_string_free (text, TRUE);
  }
  if (object != NULL) {
    g_assert_true (gst_infer_json_is_valid (object->str));
    g_string_free (object, TRUE);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_ARGB };
  FuzzBytes bytes = { data, size };
  GstVideoInfo video;

  if (!gst_is_initialized ()) {
    gst_init (NULL, NULL);
    gst_infer_results_init ();
  }
  switch (fuzz_below (&bytes, 4)) {
    case 0:
      track (&bytes);
      return 0;
    case 1:
      publish (&bytes);
      return 0;
    default:
      break;
  }
  gst_video_info_set_format (
      &video, formats[fuzz_below (&bytes, G_N_ELEMENTS (formats))], 64, 48);
  g_autoptr (GstBuffer) buffer = fuzz_new_frame (&video);
  for (guint n = fuzz_below (&bytes, 8); n > 0 && bytes.left > 0; n--)
    add_meta (buffer, &bytes);
  fuzz_use_results (buffer, &video);
  return 0;
}
