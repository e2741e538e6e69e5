/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a frame or a region is as it should be, and where it is not, as
 * Anomalib exports its models: a score and a map, of which either may be
 * missing.  The label is "Normal" or "Anomaly" unless `labels` names both in
 * this order; the map becomes a mask.
 *
 * With image_threshold, pixel_threshold and normalization_scale in the model's
 * model_info (OpenVINO's Model API), the outputs are distances; a distance that
 * equals the threshold means 0.5.  Without, they are probabilities. */

#include "gst/decoder/decoders/decoder.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"

#include <math.h>
#include <string.h>

#define MOST_PIXELS ((gsize) 1 << 28)

typedef struct
{
  GPtrArray *labels;
  double threshold;
  double image, pixel, scale; /* scale 0: the outputs are probabilities */
} Anomaly;

typedef struct
{
  const InferView *map; /* nullable */
  float score;
} Found;

static gboolean
is_map (const InferShape *shape)
{
  const int rank = shape->rank;

  return rank >= 2 && shape->dims[rank - 1] > 1 && shape->dims[rank - 2] > 1
         && infer_shape_count (shape) <= MOST_PIXELS
         && infer_shape_count (shape)
                == (gsize) (shape->dims[rank - 1] * shape->dims[rank - 2]);
}

static gboolean
is_score (const InferView *view)
{
  return infer_shape_count (&view->shape) == 1
         && (view->name == NULL || strstr (view->name, "label") == NULL);
}

static gpointer
anomaly_create (const GstInferDecoderConfig *config, GError **error)
{
  const GstStructure *info = config->info;
  Anomaly *self = g_new0 (Anomaly, 1);

  self->labels = gst_infer_decoder_labels (config);
  self->threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_anomaly);
  self->scale = gst_infer_decoder_number (info, "normalization_scale", 0);
  self->image = gst_infer_decoder_number (info, "image_threshold", 0.5);
  self->pixel = gst_infer_decoder_number (info, "pixel_threshold", self->image);
  return self;
}

static void
anomaly_free (gpointer decoder)
{
  Anomaly *self = decoder;

  g_clear_pointer (&self->labels, g_ptr_array_unref);
  g_free (self);
}

static float
probability (const Anomaly *self, float value, double threshold)
{
  const double p =
      self->scale > 0 ? (value - threshold) / self->scale + 0.5 : value;

  /* Not a number is no anomaly. */
  return p > 0 ? (float) MIN (p, 1) : 0;
}

static gboolean
find (const Anomaly *self, const GstInferViews *views, Found *found)
{
  const InferView *score = NULL;

  *found = (Found){ 0 };
  for (guint i = 0; i < views->n; i++) {
    const InferView *view = &views->views[i];
    const gboolean mask = view->name != NULL && strstr (view->name, "mask");

    if (score == NULL && is_score (view))
      score = view;
    else if (found->map == NULL && !mask && is_map (&view->shape))
      found->map = view;
  }
  if (score == NULL && found->map == NULL)
    return FALSE;
  float value = score != NULL ? score->data[0] : found->map->data[0];
  const gsize n = score != NULL ? 0 : infer_shape_count (&found->map->shape);
  for (gsize i = 1; i < n; i++)
    value = MAX (value, found->map->data[i]);
  found->score = probability (self, value, self->image);
  return TRUE;
}

static gboolean
add_mask (const Anomaly *self, const GstInferDecoderFrame *frame,
    const InferView *map, GError **error)
{
  const GstInferTensorMeta *meta = frame->meta;
  const guint width = (guint) infer_view_dim (map, 1);
  const guint height = (guint) infer_view_dim (map, 2);
  const gsize n = (gsize) width * height;
  guint8 *data = gst_infer_mask_new (n, error);
  if (data == NULL)
    return FALSE;
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n);

  for (gsize i = 0; i < n; i++)
    data[i] =
        (guint8) lrintf (255 * probability (self, map->data[i], self->pixel));
  gst_infer_add_mask (frame->buffer, meta->roi_id, GST_INFER_MASK_SOFT, width,
      height, bytes,
      gst_infer_map_chain (
          (GstInferMap){ 0, 0, (double) meta->input_width / width,
              (double) meta->input_height / height },
          meta->map),
      NULL);
  return TRUE;
}

static gboolean
anomaly_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  static const char *const names[] = { "Normal", "Anomaly" };
  const Anomaly *self = decoder;
  g_auto (GstInferViews) views = { 0 };
  Found found;

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  if (!find (self, &views, &found))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "anomaly: none of the %u outputs is a score or a map [1,1,H,W]",
        frame->meta->n);
  const int which = found.score >= self->threshold;
  const GstInferLabel label = { self->labels != NULL && self->labels->len == 2
                                    ? self->labels->pdata[which]
                                    : names[which],
    which, which ? found.score : 1 - found.score, frame->model_name, NULL };
  gst_infer_add_label (frame->buffer, frame->roi, "classification", &label);
  return found.map == NULL || add_mask (self, frame, found.map, error);
}

const GstInferDecoderKind gst_infer_decoder_anomaly = {
  .name = "anomaly",
  .description = "Whether something is as it should be, and where it is not",
  .model_types =
      (const char *const[]){ "anomaly", "anomalydetection", "anomalib", NULL },
  .threshold = 0.5,
  .create = anomaly_create,
  .free = anomaly_free,
  .decode_frame = anomaly_decode_frame,
};
