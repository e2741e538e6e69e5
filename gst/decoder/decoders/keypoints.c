/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keypoints of the only body, face or hand on the frame or in the region. */

#include "inference/media/vision/keypoints.h"

#include "gst/decoder/decoders/decoder.h"
#include "gst/infer/keypoints-meta.h"

typedef struct
{
  double threshold; /* of presence */
  GArray *points;   /* scratch */
} Keypoints;

static GstInferFit
keypoints_fit (const GstInferDecoderConfig *config)
{
  InferView views[GST_INFER_MAX_TENSORS];
  guint n = gst_infer_views_describe (config, views);

  return infer_keypoints_suit (views, n) ? GST_INFER_FIT_POINTS
                                         : GST_INFER_FIT_NONE;
}

static gpointer
keypoints_create (const GstInferDecoderConfig *config, GError **error)
{
  Keypoints *self = g_new0 (Keypoints, 1);

  self->threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_keypoints);
  self->points = g_array_new (FALSE, FALSE, sizeof (InferPoint));
  return self;
}

static void
keypoints_free (gpointer decoder)
{
  Keypoints *self = decoder;

  g_array_unref (self->points);
  g_free (self);
}

static gboolean
keypoints_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  Keypoints *self = decoder;
  g_auto (GstInferViews) views = { 0 };
  float presence;

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  g_array_set_size (self->points, 0);
  if (!infer_keypoints_find (views.views, views.n, frame->meta->input_width,
          frame->meta->input_height, self->points, &presence, error))
    return FALSE;
  if (presence >= self->threshold)
    gst_infer_frame_add_keypoints (frame,
        gst_infer_keypoints_kind (self->points->len),
        (const InferPoint *) (gpointer) self->points->data, self->points->len,
        frame->meta->roi_id);
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_keypoints = {
  .name = "keypoints",
  .description = "Points of a body, a face or a hand",
  .model_types = (const char *const[]){ "keypoints", "keypoint_detection",
      "keypoints_hrnet", "keypoints_3d", "landmarks", NULL },
  .threshold = 0.5,
  .fit = keypoints_fit,
  .create = keypoints_create,
  .free = keypoints_free,
  .decode_frame = keypoints_decode_frame,
};
