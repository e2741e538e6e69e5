/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of inferdecoder: gstinferdecoder.c (pads, events, caps),
 * settings.c (properties, choice of the decoder), stream.c (tensors in, text
 * out) and video.c (frames in, frames with results out).  Streaming thread
 * unless said otherwise. */

#pragma once

#include <gst/video/video.h>

#include "gst/common/reversed.h"
#include "gst/decoder/decoders/decoder.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_decoder_debug);

#define GST_TYPE_INFER_DECODER (gst_infer_decoder_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferDecoder, gst_infer_decoder, GST, INFER_DECODER, GstElement)

typedef struct
{
  int mode; /* of decoder-list.h, or GST_INFER_DECODER_AUTO */
  char *labels, *labels_file, *separator, *model_type, *model_instance_id;
  guint beam_width, max_results, top_k;
  double threshold, iou_threshold, neg_threshold; /* < 0: not set */
  int min_speech, min_silence, speech_pad;        /* ms; < 0: not set */
  gboolean keep_tensors;
} GstInferDecoderSettings;

struct _GstInferDecoder
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GstInferDecoderSettings settings; /* guarded by the object lock */
  /* Guarded by the object lock, written by the streaming thread: how long a
   * result is behind the data that decides it, as far as known; and whether a
   * live pipeline was told. */
  GstClockTime latency;
  gboolean latency_told;

  GstSegment segment;
  gboolean have_caps, is_video;

  /* Input of tensors. */
  GstStructure *info; /* model-info; NULL: none came */
  GstInferTensors tensors;
  gboolean discont;     /* of the next buffer: the first after a segment */
  GstClockTime next;    /* end of the last buffer */
  GstClockTime reached; /* timestamp of what came last */
  const GstInferDecoderKind *kind; /* NULL: not chosen; caps not sent */
  gpointer decoder;                /* NULL: not created */
  gboolean json;                   /* what the caps that were sent say */
  GQueue held;                     /* events that wait for the caps */
  GstInferReversal reversal;

  /* Input of video. */
  GstVideoInfo video;
  GPtrArray *models; /* (element-type Model) of video.c */
  GstEvent *foreign; /* names of another element's tensors; nullable */
};

/* --- settings.c --- */

/* Strings that a GstInferDecoderConfig borrows. */
typedef struct
{
  GStrv labels;
  char *separator, *type;
} GstInferDecoderStrings;

void gst_infer_decoder_install_properties (GObjectClass *klass);
void gst_infer_decoder_clear_settings (GstInferDecoder *self);
/* Fills @config from the properties and @info (nullable); @keep owns its
 * strings. */
gboolean gst_infer_decoder_read_settings (GstInferDecoder *self,
    const GstStructure *info, GstInferDecoderConfig *config,
    GstInferDecoderStrings *keep, GError **error);
void gst_infer_decoder_strings_clear (GstInferDecoderStrings *keep);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    GstInferDecoderStrings, gst_infer_decoder_strings_clear)

/* Chooses by the property `mode`, else by model_type, else (video only) by the
 * shapes of the tensors. */
const GstInferDecoderKind *gst_infer_decoder_choose (GstInferDecoder *self,
    const GstInferDecoderConfig *config, gboolean for_video, GError **error);

/* --- stream.c --- */

/* Adds the decoder's own latency to the answer of upstream.  Any thread. */
gboolean gst_infer_decoder_answer_latency (
    GstInferDecoder *self, GstQuery *query);

/* Chooses the decoder, which fixes the source caps, and sends these. */
gboolean gst_infer_decoder_begin (GstInferDecoder *self, GError **error);
/* Frees the decoder; its state is lost. */
void gst_infer_decoder_drop (GstInferDecoder *self);
void gst_infer_decoder_push_held (GstInferDecoder *self);
/* Ends the sequence: pushes what the decoder still has.  @why: for the log. */
GstFlowReturn gst_infer_decoder_finish (GstInferDecoder *self, const char *why);
/* Reverse playback: decodes what was collected; results leave last first. */
GstFlowReturn gst_infer_decoder_run_unit (GstInferDecoder *self);
/* Ends the sequence and discards what the decoder still has. */
void gst_infer_decoder_forget (GstInferDecoder *self);
/* @buffer: (transfer full) */
GstFlowReturn gst_infer_decoder_stream (
    GstInferDecoder *self, GstBuffer *buffer);

/* --- video.c --- */

/* @buffer: (transfer full) */
GstFlowReturn gst_infer_decoder_frame (
    GstInferDecoder *self, GstBuffer *buffer);
void gst_infer_decoder_forget_models (GstInferDecoder *self);
