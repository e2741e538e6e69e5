/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects, from the detectors of inference/media/vision: a region for each,
 * with its keypoints, outline and mask if the model has them. */

#include <math.h>

#include "gst/decoder/decoders/decoder.h"
#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "inference/media/vision/mask.h"

typedef struct
{
  InferDetectSettings settings;
  char *type;
  GArray *anchors; /* (element-type float) */
  GPtrArray *labels;
  InferDetections found; /* scratch */
} Detection;

/* A single tensor of i32 or i64 has neither scores nor boxes. */
static gboolean
are_floats (const GstInferDecoderConfig *config)
{
  for (guint i = 0; i < config->tensors->n; i++) {
    InferType type = config->tensors->descs[i].type;

    if ((type == INFER_TYPE_I64 || type == INFER_TYPE_I32)
        && config->tensors->n == 1)
      return FALSE;
  }
  return TRUE;
}

static GstInferFit
detection_fit (const GstInferDecoderConfig *config)
{
  InferView views[GST_INFER_MAX_TENSORS];
  guint n = gst_infer_views_describe (config, views);
  InferDetectSettings settings = { .width = config->input_width,
    .height = config->input_height };
  g_autoptr (GPtrArray) labels = gst_infer_decoder_labels (config);

  settings.type = config->type;
  settings.classes = labels != NULL ? labels->len : 0;
  const InferDetector *detector = infer_detector_find (&settings, views, n);
  if (config->type != NULL && infer_detector_knows (config->type))
    return detector->suits (&settings, views, n) ? GST_INFER_FIT_BOTH
                                                 : GST_INFER_FIT_TYPE;
  return are_floats (config) && detector != NULL ? GST_INFER_FIT_BOXES
                                                 : GST_INFER_FIT_NONE;
}

static void
detection_free (gpointer decoder)
{
  Detection *self = decoder;

  infer_detections_clear (&self->found);
  g_clear_pointer (&self->labels, g_ptr_array_unref);
  g_array_unref (self->anchors);
  g_free (self->type);
  g_free (self);
}

/* "10,13,16,30 33 …" */
static void
read_anchors (GArray *anchors, const GstStructure *info)
{
  const char *text =
      info != NULL ? gst_structure_get_string (info, "anchors") : NULL;
  g_auto (GStrv) parts = g_strsplit_set (text != NULL ? text : "", " ,[]", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    float value = (float) g_ascii_strtod (parts[i], NULL);

    if (parts[i][0] != '\0')
      g_array_append_val (anchors, value);
  }
}

static gpointer
detection_create (const GstInferDecoderConfig *config, GError **error)
{
  Detection *self = g_new0 (Detection, 1);
  double threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_detection);
  double iou =
      config->iou_threshold >= 0
          ? config->iou_threshold
          : gst_infer_decoder_number (config->info, "iou_threshold", -1);

  infer_detections_init (&self->found);
  self->type = g_strdup (config->type);
  self->labels = gst_infer_decoder_labels (config);
  self->anchors = g_array_new (FALSE, FALSE, sizeof (float));
  read_anchors (self->anchors, config->info);
  self->settings = (InferDetectSettings){
    .type = self->type,
    .threshold = (float) threshold,
    .iou = (float) iou,
    .max = config->max_results,
    .classes = self->labels != NULL ? self->labels->len : 0,
    .anchors = self->anchors->len >= 2
                   ? (const float *) (gpointer) self->anchors->data
                   : NULL,
    .n_anchors = self->anchors->len / 2,
  };
  return self;
}

/* @at as a column or row of @size; NaN: 0. */
static guint
place (double at, guint size)
{
  return at > 0 ? (guint) MIN (at, (double) size) : 0;
}

/* Adds the object's mask, within its box, from the prototypes in @views. */
static gboolean
add_mask (Detection *self, const GstInferDecoderFrame *frame,
    const GstInferViews *views, const InferDetection *found, int roi_id,
    GError **error)
{
  const InferView *p = &views->views[views->views[0].shape.rank == 4 ? 0 : 1];
  guint width = (guint) p->shape.dims[3], height = (guint) p->shape.dims[2];
  double sx = (double) frame->meta->input_width / width;
  double sy = (double) frame->meta->input_height / height;
  guint x0 = place (floor (found->x0 / sx), width);
  guint y0 = place (floor (found->y0 / sy), height);
  guint x1 = place (ceil (found->x1 / sx), width);
  guint y1 = place (ceil (found->y1 / sy), height);

  if (x0 >= x1 || y0 >= y1)
    return TRUE;
  guint8 *mask = gst_infer_mask_new ((gsize) (x1 - x0) * (y1 - y0), error);
  if (mask == NULL)
    return FALSE;
  g_autoptr (GBytes) bytes =
      g_bytes_new_take (mask, (gsize) (x1 - x0) * (y1 - y0));
  infer_mask_of_prototypes (p->data, self->found.coefficients_per_item, width,
      height, &g_array_index (self->found.coefficients, float, found->points),
      x0, y0, x1, y1, mask);
  gst_infer_add_mask (frame->buffer, roi_id, GST_INFER_MASK_SOFT, x1 - x0,
      y1 - y0, bytes,
      gst_infer_map_chain (
          (GstInferMap){ x0 * sx, y0 * sy, sx, sy }, frame->meta->map),
      NULL);
  return TRUE;
}

static gboolean
add_found (Detection *self, const GstInferDecoderFrame *frame,
    const GstInferViews *views, const InferDetection *found, GError **error)
{
  GstInferLabel label = { gst_infer_label_of (self->labels, found->label),
    found->label, found->score, frame->model_name, NULL };
  guint n = self->found.points_per_item;

  GstVideoRegionOfInterestMeta *roi =
      gst_infer_frame_add_object (frame, found, &label);
  if (roi == NULL)
    return TRUE;
  if (self->found.regions)
    gst_infer_frame_set_region (frame, roi, found);
  if (frame->meta->age > 0)
    gst_structure_set (
        gst_video_region_of_interest_meta_get_param (roi, "detection"), "age",
        G_TYPE_INT, (int) frame->meta->age, NULL);
  if (self->found.coefficients_per_item > 0
      && !add_mask (self, frame, views, found, roi->id, error))
    return FALSE;
  if (n > 0)
    gst_infer_frame_add_keypoints (frame,
        self->found.outlines ? GST_INFER_KEYPOINTS_POLYGON
                             : gst_infer_keypoints_kind (n),
        &g_array_index (self->found.points, InferPoint, found->points), n,
        roi->id);
  return TRUE;
}

static gboolean
detection_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  Detection *self = decoder;
  g_auto (GstInferViews) views = { 0 };

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  self->settings.width = frame->meta->input_width;
  self->settings.height = frame->meta->input_height;
  const InferDetector *detector =
      infer_detector_find (&self->settings, views.views, views.n);
  if (detector == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "detection: no known family of detectors has such outputs: set "
        "'model-type'");
  infer_detections_reset (&self->found);
  if (!infer_detector_run (
          detector, &self->settings, views.views, views.n, &self->found, error))
    return FALSE;
  for (guint i = 0; i < self->found.items->len; i++)
    if (!add_found (
            self, frame, &views, infer_detections_get (&self->found, i), error))
      return FALSE;
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_detection = {
  .name = "detection",
  .description = "Objects and faces with their boxes",
  .model_types = (const char *const[]){ "detection", NULL },
  .threshold = 0.5,
  .fit = detection_fit,
  .create = detection_create,
  .free = detection_free,
  .decode_frame = detection_decode_frame,
};
