/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/decoder/decoders/decoder.h"

#include "gst/infer/keypoints-meta.h"
#include "gst/common/model-info.h"

#define COCO_BODY 17 /* points */
#define BLAZE_BODY 33

const GstInferDecoderKind *const *
gst_infer_decoders (void)
{
  static const GstInferDecoderKind *const decoders[] = {
#define DECODER(id, mode) &gst_infer_decoder_##id,
#include "gst/decoder/decoders/decoder-list.h"
#undef DECODER
    NULL,
  };

  return decoders;
}

const GstInferDecoderKind *
gst_infer_decoder_of_mode (int mode)
{
  switch (mode) {
#define DECODER(id, value)                                                     \
  case value:                                                                  \
    return &gst_infer_decoder_##id;
#include "gst/decoder/decoders/decoder-list.h"
#undef DECODER
    default:
      return NULL;
  }
}

double
gst_infer_decoder_number (
    const GstStructure *info, const char *key, double fallback)
{
  return gst_infer_number_parse (
      info != NULL ? gst_structure_get_string (info, key) : NULL, fallback);
}

double
gst_infer_decoder_threshold (
    const GstInferDecoderConfig *config, const GstInferDecoderKind *kind)
{
  return config->threshold >= 0 ? config->threshold
                                : gst_infer_decoder_number (config->info,
                                    "confidence_threshold", kind->threshold);
}

GPtrArray *
gst_infer_decoder_labels (const GstInferDecoderConfig *config)
{
  const char *own = config->info != NULL
                        ? gst_structure_get_string (config->info, "labels")
                        : NULL;
  g_auto (GStrv) parsed = NULL;
  GStrv from = config->labels;

  if (from == NULL && own != NULL)
    from = parsed = gst_infer_labels_parse (own);
  if (from == NULL)
    return NULL;
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; from[i] != NULL; i++)
    g_ptr_array_add (labels, g_strdup (from[i]));
  return labels;
}

const char *
gst_infer_label_of (const GPtrArray *labels, int index)
{
  return labels != NULL && index >= 0 && (guint) index < labels->len
             ? g_ptr_array_index (labels, index)
             : NULL;
}

gboolean
gst_infer_views_init (
    GstInferViews *self, const GstInferTensorMeta *meta, GError **error)
{
  *self = (GstInferViews){ .n = MIN (meta->n, GST_INFER_MAX_TENSORS) };
  for (guint i = 0; i < self->n; i++) {
    const InferTensor *tensor = meta->tensors[i];

    self->views[i].name = gst_infer_tensor_meta_name (meta, i);
    self->views[i].shape = tensor->shape;
    self->views[i].data = tensor->data;
    if (tensor->type == INFER_TYPE_F32 && tensor->dense
        && (gsize) tensor->data % sizeof (float) == 0)
      continue;
    self->copies[i] = infer_tensor_new (INFER_TYPE_F32, &tensor->shape, error);
    if (self->copies[i] == NULL
        || !infer_tensor_copy (self->copies[i], tensor, error)) {
      g_prefix_error (error, "Result %u cannot be decoded: ", i);
      gst_infer_views_clear (self);
      return FALSE;
    }
    self->views[i].data = self->copies[i]->data;
  }
  return TRUE;
}

void
gst_infer_views_clear (GstInferViews *self)
{
  for (guint i = 0; i < self->n; i++)
    g_clear_pointer (&self->copies[i], infer_tensor_unref);
}

guint
gst_infer_views_describe (const GstInferDecoderConfig *config, InferView *views)
{
  const GValue *value = config->info != NULL
                            ? gst_structure_get_value (config->info, "outputs")
                            : NULL;
  GStrv names = value != NULL && G_VALUE_HOLDS (value, G_TYPE_STRV)
                    ? g_value_get_boxed (value)
                    : NULL;
  guint n_names = names != NULL ? g_strv_length (names) : 0;

  for (guint i = 0; i < config->tensors->n; i++)
    views[i] = (InferView){ i < n_names ? names[i] : NULL,
      config->tensors->descs[i].shape, NULL };
  return config->tensors->n;
}

static GstInferBox
box_on_frame (const GstInferDecoderFrame *frame, const InferDetection *d)
{
  const GstInferMap *map = &frame->meta->map;

  return (GstInferBox){
    .x0 = (float) (map->x + d->x0 * map->scale_x),
    .y0 = (float) (map->y + d->y0 * map->scale_y),
    .x1 = (float) (map->x + d->x1 * map->scale_x),
    .y1 = (float) (map->y + d->y1 * map->scale_y),
  };
}

GstVideoRegionOfInterestMeta *
gst_infer_frame_add_object (const GstInferDecoderFrame *frame,
    const InferDetection *d, const GstInferLabel *label)
{
  const GstInferBox box = box_on_frame (frame, d);

  return gst_infer_add_object (frame->buffer,
      (guint) GST_VIDEO_INFO_WIDTH (frame->video),
      (guint) GST_VIDEO_INFO_HEIGHT (frame->video), &box, label,
      frame->meta->roi_id);
}

void
gst_infer_frame_set_region (const GstInferDecoderFrame *frame,
    GstVideoRegionOfInterestMeta *roi, const InferDetection *d)
{
  const GstInferBox box = box_on_frame (frame, d);

  gst_infer_set_object_region (frame->buffer, roi,
      (guint) GST_VIDEO_INFO_WIDTH (frame->video),
      (guint) GST_VIDEO_INFO_HEIGHT (frame->video), &box);
}

GstInferKeypointsKind
gst_infer_keypoints_kind (guint n)
{
  return n == COCO_BODY || n == BLAZE_BODY ? GST_INFER_KEYPOINTS_BODY
                                           : GST_INFER_KEYPOINTS_LOOSE;
}

void
gst_infer_frame_add_keypoints (const GstInferDecoderFrame *frame,
    GstInferKeypointsKind kind, const InferPoint *points, guint n, int roi_id)
{
  const GstInferMap *map = &frame->meta->map;
  g_autofree GstInferKeypoint *moved = g_new (GstInferKeypoint, n);

  for (guint i = 0; i < n; i++)
    moved[i] = (GstInferKeypoint){ map->x + points[i].x * map->scale_x,
      map->y + points[i].y * map->scale_y, points[i].score };
  gst_buffer_add_infer_keypoints_meta (frame->buffer, kind, n, moved)->roi_id =
      roi_id;
}

/* --- room of a tensor's size --- */

void
gst_infer_floats_clear (GstInferFloats *floats)
{
  g_clear_pointer (&floats->values, g_free);
  floats->n = 0;
}

gboolean
gst_infer_floats_read (GstInferFloats *floats, const InferDesc *desc,
    gconstpointer data, const char *who, GError **error)
{
  const gsize n = infer_shape_count (&desc->shape);

  if (n > floats->n) {
    gst_infer_floats_clear (floats);
    floats->values = g_try_new (float, n);
    if (floats->values == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "%s: no memory for %" G_GSIZE_FORMAT " scores", who, n);
    floats->n = n;
  }
  if (!infer_convert (floats->values, INFER_TYPE_F32, data, desc->type, n))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "%s: scores of type %s",
        who, infer_type_name (desc->type));
  return TRUE;
}

guint8 *
gst_infer_mask_new (gsize size, GError **error)
{
  guint8 *mask = g_try_malloc (size);

  if (mask == NULL)
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a mask of %" G_GSIZE_FORMAT " bytes", size);
  return mask;
}
