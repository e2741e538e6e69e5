/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of inferdecoder: gstinferdecoder.c (pads, events, caps),
 * decoder-settings.c (properties), decoder-stream.c (tensors in, text out) and
 * decoder-video.c (frames in, frames with results out). */

#pragma once

#include <gst/video/video.h>

#include "gst/decoder/decoders/decoder.h"
#include "gst/decoder/gstinferdecoder.h"

G_BEGIN_DECLS

#define GST_INFER_DECODER_AUTO (-1)

typedef struct
{
  int mode; /* index into gst_infer_decoders () */
  char *labels, *labels_file, *separator, *model_type, *model_instance_id;
  guint beam_width, max_results, top_k;
  double threshold, iou_threshold; /* < 0: as the model says */
  gboolean keep_tensors;
} GstInferDecoderSettings;

struct _GstInferDecoder
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GstInferDecoderSettings settings; /* guarded by the object lock */

  /* Streaming thread. */
  GstSegment segment;
  gboolean have_caps, is_video;

  /* Of tensors. */
  GstStructure *info; /* NULL: nothing was said of the model */
  GstInferTensors tensors;
  GstClockTime next;               /* end of the last buffer */
  const GstInferDecoderKind *kind; /* NULL: not chosen; caps not sent */
  gpointer decoder;                /* NULL: not made */
  GQueue held;                     /* events that wait for the caps */

  /* Of video. */
  GstVideoInfo video;
  GPtrArray *models; /* (element-type Model) of decoder-video.c */
  GstEvent *foreign; /* names of another element's tensors; nullable */
};

/* decoder-settings.c.  The class's properties; the labels of either property
 * (NULL: neither is set) and the rest of what decoders are made with.  The
 * strings of @config are kept by @keep. */
typedef struct
{
  GStrv labels;
  char *separator, *type;
} GstInferDecoderStrings;

void gst_infer_decoder_install_properties (GObjectClass *klass);
void gst_infer_decoder_clear_settings (GstInferDecoder *self);
gboolean gst_infer_decoder_read_settings (GstInferDecoder *self,
    const GstStructure *info, GstInferDecoderConfig *config,
    GstInferDecoderStrings *keep, GError **error);
void gst_infer_decoder_strings_clear (GstInferDecoderStrings *keep);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    GstInferDecoderStrings, gst_infer_decoder_strings_clear)

/* The decoder that the property, the model_type or (@by_shape) the tensors
 * choose. */
const GstInferDecoderKind *gst_infer_decoder_choose (GstInferDecoder *self,
    const GstInferDecoderConfig *config, gboolean for_video, GError **error);

/* decoder-stream.c: the sequence. */
gboolean gst_infer_decoder_begin (GstInferDecoder *self, GError **error);
void gst_infer_decoder_drop (GstInferDecoder *self);
void gst_infer_decoder_push_held (GstInferDecoder *self);
GstFlowReturn gst_infer_decoder_finish (GstInferDecoder *self);
void gst_infer_decoder_forget (GstInferDecoder *self);
/* @buffer: (transfer full) */
GstFlowReturn gst_infer_decoder_stream (
    GstInferDecoder *self, GstBuffer *buffer);

/* decoder-video.c.  @buffer: (transfer full) */
GstFlowReturn gst_infer_decoder_frame (
    GstInferDecoder *self, GstBuffer *buffer);
void gst_infer_decoder_forget_models (GstInferDecoder *self);

G_END_DECLS
