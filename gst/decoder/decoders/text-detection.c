/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of text, from a map of probabilities: an upright region for each, and
 * the corners of its rotated rectangle as keypoints. */

#include "inference/media/vision/text-map.h"

#include "gst/decoder/decoders/decoder.h"
#include "gst/infer/keypoints-meta.h"

typedef struct
{
  InferTextSettings settings;
  InferDetections found; /* scratch */
} TextDetection;

static gpointer
text_detection_create (const GstInferDecoderConfig *config, GError **error)
{
  TextDetection *self = g_new0 (TextDetection, 1);
  InferTextSettings own = INFER_TEXT_DEFAULTS;
  const GstStructure *info = config->info;

  own.score = (float) gst_infer_decoder_threshold (
      config, &gst_infer_decoder_text_detection);
  own.pixel =
      (float) gst_infer_decoder_number (info, "pixel_threshold", own.pixel);
  own.grow = (float) gst_infer_decoder_number (info, "unclip_ratio", own.grow);
  own.max = config->max_results;
  self->settings = own;
  infer_detections_init (&self->found);
  return self;
}

static void
text_detection_free (gpointer decoder)
{
  TextDetection *self = decoder;

  infer_detections_clear (&self->found);
  g_free (self);
}

static void
to_input (InferDetections *found, float sx, float sy)
{
  for (guint i = 0; i < found->items->len; i++) {
    InferDetection *d = infer_detections_get (found, i);

    d->x0 *= sx, d->x1 *= sx, d->y0 *= sy, d->y1 *= sy;
  }
  for (guint i = 0; i < found->points->len; i++) {
    g_array_index (found->points, InferPoint, i).x *= sx;
    g_array_index (found->points, InferPoint, i).y *= sy;
  }
}

static gboolean
text_detection_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  TextDetection *self = decoder;
  g_auto (GstInferViews) views = { 0 };
  gint64 w, h;

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  w = views.n > 0 ? infer_view_dim (&views.views[0], 1) : 0;
  h = views.n > 0 ? infer_view_dim (&views.views[0], 2) : 0;
  if (w < 2 || h < 2
      || w * h != (gint64) infer_shape_count (&views.views[0].shape))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "text-detection: the first output is not a map [1,1,H,W]");
  infer_detections_reset (&self->found);
  if (!infer_text_find (&self->settings, views.views[0].data, (guint) w,
          (guint) h, &self->found, error))
    return FALSE;
  to_input (&self->found, (float) frame->meta->input_width / (float) w,
      (float) frame->meta->input_height / (float) h);
  for (guint i = 0; i < self->found.items->len; i++) {
    const InferDetection *d = infer_detections_get (&self->found, i);
    GstInferLabel label = { "text", 0, d->score, frame->model_name, NULL };
    GstVideoRegionOfInterestMeta *roi =
        gst_infer_frame_add_object (frame, d, &label);

    if (roi != NULL)
      gst_infer_frame_add_keypoints (frame, GST_INFER_KEYPOINTS_POLYGON,
          &g_array_index (self->found.points, InferPoint, d->points), 4,
          roi->id);
  }
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_text_detection = {
  .name = "text-detection",
  .description = "Where text is",
  .model_types = (const char *const[]){ "text_detection", "text-detection",
      "dbnet", NULL },
  .threshold = INFER_TEXT_SCORE,
  .create = text_detection_create,
  .free = text_detection_free,
  .decode_frame = text_detection_decode_frame,
};
