/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The best classes of each output with more than one score: params of a region,
 * or metas of the frame; of tensors without video (sounds, say) a buffer of
 * text or JSON.  There a tensor of several rows, one for each part of the time,
 * is their mean. */

#include "gst/common/json-text.h"
#include "gst/decoder/decoders/decoder.h"
#include "inference/media/vision/classify.h"

#define MAX_CLASSES 100

typedef struct
{
  GPtrArray *labels;
  double threshold;
  guint top_k;
  gboolean json;
  char *separator;
  GstInferFloats scores; /* scratch of tensors */
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
  self->json = config->json;
  self->separator = g_strdup (config->separator);
  self->threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_classification);
  return self;
}

static void
classification_free (gpointer decoder)
{
  Classification *self = decoder;

  g_clear_pointer (&self->labels, g_ptr_array_unref);
  gst_infer_floats_clear (&self->scores);
  g_free (self->separator);
  g_free (self);
}

/* u8 scores are multiples of 1/255. */
static gboolean
read_scores (
    Classification *self, const InferView *view, InferType type, GError **error)
{
  const InferDesc desc = { INFER_TYPE_F32, view->shape };
  const gsize n = infer_shape_count (&view->shape);

  if (!gst_infer_floats_read (
          &self->scores, &desc, view->data, "classification", error))
    return FALSE;
  for (gsize i = 0; i < n && type == INFER_TYPE_U8; i++)
    self->scores.values[i] /= 255;
  return TRUE;
}

static gboolean
classify (Classification *self, const GstInferDecoderFrame *frame,
    const InferView *view, InferType type, GError **error)
{
  const guint classes = (guint) infer_shape_count (&view->shape);
  InferClass best[MAX_CLASSES];

  if (!read_scores (self, view, type, error))
    return FALSE;
  infer_classify_normalize (self->scores.values, classes);
  guint n =
      infer_classify_top (self->scores.values, classes, self->top_k, best);
  for (guint i = 0; i < n && best[i].score >= self->threshold; i++) {
    /* Fewer labels than classes belong to another output. */
    gboolean ours = self->labels != NULL && self->labels->len >= classes;
    GstInferLabel label = { gst_infer_label_of (
                                ours ? self->labels : NULL, best[i].label),
      best[i].label, best[i].score, frame->model_name, view->name };

    gst_infer_add_label (frame->buffer, frame->roi, "classification", &label);
  }
  return TRUE;
}

static gboolean
classification_decode_frame (
    gpointer decoder, const GstInferDecoderFrame *frame, GError **error)
{
  g_auto (GstInferViews) views = { 0 };

  if (!gst_infer_views_init (&views, frame->meta, error))
    return FALSE;
  for (guint i = 0; i < views.n; i++)
    if (infer_shape_count (&views.views[i].shape) > 1
        && !classify (decoder, frame, &views.views[i],
            frame->meta->tensors[i]->type, error))
      return FALSE;
  return TRUE;
}

/* --- tensors --- */

/* The mean of the rows of a tensor [..., classes], each normalized, in the
 * first row of self->scores.  Returns the number of classes. */
static gboolean
mean_scores (Classification *self, const InferDesc *desc, gconstpointer data,
    guint *classes, GError **error)
{
  guint n = (guint) infer_shape_count (&desc->shape);
  int rank = desc->shape.rank;

  if (n == 0 || rank == 0)
    *classes = n;
  else
    *classes =
        is_vector (&desc->shape) ? n : (guint) desc->shape.dims[rank - 1];
  if (!gst_infer_floats_read (
          &self->scores, desc, data, "classification", error))
    return FALSE;
  float *scores = self->scores.values;
  for (guint i = 0; i < n && desc->type == INFER_TYPE_U8; i++)
    scores[i] /= 255;
  for (guint at = 0; *classes > 0 && at < n; at += *classes) {
    infer_classify_normalize (scores + at, *classes);
    for (guint i = 0; i < *classes && at > 0; i++)
      scores[i] += scores[at + i];
  }
  for (guint i = 0; i < *classes && n > *classes; i++)
    scores[i] /= (float) (n / *classes);
  return TRUE;
}

static void
append_class (const Classification *self, GString *text,
    const InferClass *class, const char *label)
{
  if (self->json) {
    gst_infer_json_begin_item (text, '{');
    gst_infer_json_add_real (text, "confidence", class->score);
    gst_infer_json_add_string (text, "label", label);
    gst_infer_json_add_int (text, "label_id", class->label);
    g_string_append_c (text, '}');
    return;
  }
  if (label != NULL)
    g_string_append (text, label);
  else
    g_string_append_printf (text, "%d", class->label);
  g_string_append_c (text, ' ');
  gst_infer_json_real (text, class->score, "%.2f");
  g_string_append (text, self->separator);
}

/* Appends the best classes of a tensor.  Returns how many there are. */
static guint
append_best (const Classification *self, GString *text, guint classes)
{
  gboolean ours = self->labels != NULL && self->labels->len >= classes;
  InferClass best[MAX_CLASSES];
  guint n =
      infer_classify_top (self->scores.values, classes, self->top_k, best);
  guint good = 0;

  for (; good < n && best[good].score >= self->threshold; good++)
    append_class (self, text, &best[good],
        gst_infer_label_of (ours ? self->labels : NULL, best[good].label));
  return good;
}

static void
give_text (const Classification *self, const GstInferDecoderInput *input,
    GString *text, guint found, GstInferDecoderOutput *output)
{
  gsize size = text->len;

  if (found == 0 && !self->json) {
    if (GST_CLOCK_TIME_IS_VALID (input->pts))
      g_queue_push_tail (
          output, gst_event_new_gap (input->pts, input->duration));
    g_string_free (text, TRUE);
    return;
  }
  GstBuffer *buffer =
      gst_buffer_new_wrapped (g_string_free (text, FALSE), size);
  GST_BUFFER_PTS (buffer) = input->pts;
  GST_BUFFER_DURATION (buffer) = input->duration;
  g_queue_push_tail (output, buffer);
}

static GString *
begin_text (const Classification *self, const GstInferDecoderInput *input)
{
  GString *text = g_string_new (NULL);

  if (!self->json)
    return text;
  g_string_append_c (text, '{');
  gst_infer_json_key (text, "pts");
  gst_infer_json_time (text, input->pts);
  gst_infer_json_key (text, "duration");
  gst_infer_json_time (text, input->duration);
  gst_infer_json_begin (text, "classes", '[');
  return text;
}

static gboolean
classification_decode (gpointer decoder, const GstInferDecoderInput *input,
    GstInferDecoderOutput *output, GError **error)
{
  Classification *self = decoder;
  GString *text = begin_text (self, input);
  guint found = 0, classes;

  for (guint i = 0; i < input->tensors->n; i++) {
    if (!mean_scores (
            self, &input->tensors->descs[i], input->data[i], &classes, error)) {
      g_string_free (text, TRUE);
      return FALSE;
    }
    if (classes > 1)
      found += append_best (self, text, classes);
  }
  if (self->json)
    g_string_append (text, "]}\n");
  give_text (self, input, text, found, output);
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_classification = {
  .name = "classification",
  .description = "The best classes of a frame, of its regions, or of sounds",
  .caps = "text/x-raw, format = (string) utf8; application/json",
  .model_types = (const char *const[]){ "classification", "label", NULL },
  .fit = classification_fit,
  .create = classification_create,
  .free = classification_free,
  .decode = classification_decode,
  .decode_frame = classification_decode_frame,
};
