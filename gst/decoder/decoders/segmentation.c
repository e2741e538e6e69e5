/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A segmentation mask of the frame or of the region: the class of each pixel,
 * or the probability that it belongs to the only class. */

#include "gst/decoder/decoders/decoder.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "inference/media/vision/mask.h"

typedef struct
{
  GPtrArray *labels;
} Segmentation;

/* Returns the index of the first output that is a mask, -1 if none is. */
static int
find_mask (const GstInferTensors *tensors, InferMaskInfo *info)
{
  for (guint i = 0; i < tensors->n; i++)
    if (infer_mask_describe (
            &tensors->descs[i].shape, tensors->descs[i].type, info))
      return (int) i;
  return -1;
}

static GstInferFit
segmentation_fit (const GstInferDecoderConfig *config)
{
  InferMaskInfo info;

  return find_mask (config->tensors, &info) >= 0 ? GST_INFER_FIT_MAP
                                                 : GST_INFER_FIT_NONE;
}

static gpointer
segmentation_create (const GstInferDecoderConfig *config, GError **error)
{
  Segmentation *self = g_new0 (Segmentation, 1);

  self->labels = gst_infer_decoder_labels (config);
  return self;
}

static void
segmentation_free (gpointer decoder)
{
  Segmentation *self = decoder;

  g_clear_pointer (&self->labels, g_ptr_array_unref);
  g_free (self);
}

static gboolean
segmentation_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  Segmentation *self = decoder;
  const GstInferTensorMeta *meta = frame->meta;

  for (guint i = 0; i < meta->n; i++) {
    const InferTensor *tensor = meta->tensors[i];
    InferMaskInfo info;

    if (!infer_mask_describe (&tensor->shape, tensor->type, &info))
      continue;
    gsize size = (gsize) info.width * info.height;
    guint8 *data = gst_infer_mask_new (size, error);
    if (data == NULL)
      return FALSE;
    g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
    if (!infer_mask_fill (tensor, data, error))
      return FALSE;
    /* The mask covers the model's input. */
    GstInferMap map = gst_infer_map_chain (
        (GstInferMap){ 0, 0, (double) meta->input_width / info.width,
            (double) meta->input_height / info.height },
        meta->map);
    gst_infer_add_mask (frame->buffer, meta->roi_id,
        info.kind == INFER_MASK_SOFT ? GST_INFER_MASK_SOFT
                                     : GST_INFER_MASK_CLASSES,
        info.width, info.height, bytes, map, self->labels);
    return TRUE;
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "segmentation: none of the %u outputs is a mask", meta->n);
}

const GstInferDecoderKind gst_infer_decoder_segmentation = {
  .name = "segmentation",
  .description = "Which pixels belong to what",
  .model_types = (const char *const[]){ "segmentation", "semantic_mask", NULL },
  .fit = segmentation_fit,
  .create = segmentation_create,
  .free = segmentation_free,
  .decode_frame = segmentation_decode_frame,
};
