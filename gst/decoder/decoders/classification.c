/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The best classes of each output with more than one score: params of a region,
 * or metas of the frame. */

#include "gst/decoder/decoders/decoder.h"
#include "inference/media/vision/classify.h"

#define MAX_CLASSES 100

typedef struct
{
  GPtrArray *labels;
  double threshold;
  guint top_k;
} Classification;

static gboolean
is_vector (const InferShape *shape)
{
  gsize n = infer_shape_count (shape);

  if (n < 2 || shape->rank < 1)
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if ((gsize) shape->dims[i] == n)
      return TRUE;
  return FALSE;
}

static GstInferFit
classification_fit (const GstInferDecoderConfig *config)
{
  for (guint i = 0; i < config->tensors->n; i++)
    if (!is_vector (&config->tensors->descs[i].shape))
      return GST_INFER_FIT_NONE;
  return config->tensors->n > 0 ? GST_INFER_FIT_VECTORS : GST_INFER_FIT_NONE;
}

static gpointer
classification_create (const GstInferDecoderConfig *config, GError **error)
{
  Classification *self = g_new0 (Classification, 1);

  self->labels = gst_infer_decoder_labels (config);
  self->top_k = MIN (config->top_k, MAX_CLASSES);
  self->threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_classification);
  return self;
}

static void
classification_free (gpointer decoder)
{
  Classification *self = decoder;

  g_clear_pointer (&self->labels, g_ptr_array_unref);
  g_free (self);
}

/* u8 scores are multiples of 1/255. */
static GArray *
read_scores (const InferView *view, InferType type)
{
  gsize n = infer_shape_count (&view->shape);
  GArray *scores = g_array_sized_new (FALSE, FALSE, sizeof (float), (guint) n);

  g_array_append_vals (scores, view->data, (guint) n);
  for (gsize i = 0; i < n && type == INFER_TYPE_U8; i++)
    g_array_index (scores, float, i) /= 255;
  return scores;
}

static void
classify (const Classification *self, const GstInferDecoderFrame *frame,
    const InferView *view, InferType type)
{
  g_autoptr (GArray) scores = read_scores (view, type);
  InferClass best[MAX_CLASSES];
  float *data = (float *) (gpointer) scores->data;

  infer_classify_normalize (data, scores->len);
  guint n = infer_classify_top (data, scores->len, self->top_k, best);
  for (guint i = 0; i < n && best[i].score >= self->threshold; i++) {
    /* Fewer labels than classes belong to another output. */
    gboolean ours = self->labels != NULL && self->labels->len >= scores->len;
    GstInferLabel label = { gst_infer_label_of (
                                ours ? self->labels : NULL, best[i].label),
      best[i].label, best[i].score, frame->model_name, view->name };

    gst_infer_add_label (frame->buffer, frame->roi, "classification", &label);
  }
}

static gboolean
classification_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  g_auto (GstInferViews) views = { 0 };

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  for (guint i = 0; i < views.n; i++)
    if (infer_shape_count (&views.views[i].shape) > 1)
      classify (decoder, frame, &views.views[i], frame->meta->tensors[i]->type);
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_classification = {
  .name = "classification",
  .description = "The best classes of a frame or of its regions",
  .model_types = (const char *const[]){ "classification", "label", NULL },
  .fit = classification_fit,
  .create = classification_create,
  .free = classification_free,
  .decode_frame = classification_decode_frame,
};
