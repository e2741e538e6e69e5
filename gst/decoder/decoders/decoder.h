/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of decoders: what inferdecoder passes to them and expects of
 * them.  Everything runs on the streaming thread. */

#pragma once

#include <gst/gst.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/tensor-meta.h"
#include "gst/infer/results.h"
#include "gst/common/tensor-caps.h"
#include "infer/error.h"
#include "inference/media/vision/detect.h"

#define GST_INFER_DECODER_AUTO (-1)

/* Input of `fit` and `create`, borrowed for the call. */
typedef struct
{
  const GstStructure *info; /* model-info; nullable */
  const char *type;         /* the property, else model_type; nullable */
  GStrv labels;             /* from properties; nullable */
  guint beam_width;
  const char *separator;
  double threshold, iou_threshold;         /* from properties; < 0: not set */
  double neg_threshold;                    /* < 0: not set */
  int min_speech, min_silence, speech_pad; /* ms; < 0: not set */
  gboolean json;                           /* the source caps are JSON */
  guint max_results, top_k;
  const GstInferTensors *tensors;
  guint input_width, input_height; /* of the model's picture; 0: none */
} GstInferDecoderConfig;

/* A buffer of `tensors->n` dense tensors. */
typedef struct
{
  const GstInferTensors *tensors;
  gconstpointer data[GST_INFER_MAX_TENSORS];
  GstClockTime pts, duration; /* may be NONE */
} GstInferDecoderInput;

/* Buffers and GAP events to push, and element messages to post, in this order.
 * Messages have no source; one with a "timestamp" gets "running-time" and
 * "stream-time" as well.  (element-type GstMiniObject, transfer full) */
typedef GQueue GstInferDecoderOutput;

/* A video frame and the tensors of one inference on it.  Results become metas
 * of the buffer (gst/infer/results.h). */
typedef struct
{
  GstBuffer *buffer; /* writable */
  const GstVideoInfo *video;
  const GstInferTensorMeta *meta;
  GstVideoRegionOfInterestMeta *roi; /* the model's input; NULL: the frame */
  const char *model_name;            /* nullable */
} GstInferDecoderFrame;

/* How well a decoder fits the tensors.  Without `mode`, the greatest wins: a
 * form that few models have before one that many have. */
typedef enum
{
  GST_INFER_FIT_NONE,
  GST_INFER_FIT_TYPE,    /* model_type names it, but the tensors do not fit:
                          * "YOLO" may be a classifier too */
  GST_INFER_FIT_VECTORS, /* vectors of scores */
  GST_INFER_FIT_MAP,     /* a map of pixels */
  GST_INFER_FIT_POINTS,
  GST_INFER_FIT_BOXES,
  GST_INFER_FIT_LABELS, /* as many scores as labels in each of several rows */
  GST_INFER_FIT_BOTH,   /* model_type names it and the tensors fit */
} GstInferFit;

typedef struct
{
  const char *name; /* the nick of `mode` */
  const char *description;
  const char *const *model_types; /* NULL-terminated; values of model_type */
  /* Source caps for input of tensors, of which downstream chooses; NULL:
   * decodes video only. */
  const char *caps;
  /* Least confidence of a result if neither the property `threshold` nor the
   * model's confidence_threshold is set. */
  double threshold;

  /* Asked for video whose model has no model_type of a decoder.  NULL: never
   * chosen by the tensors. */
  GstInferFit (*fit) (const GstInferDecoderConfig *config);

  gpointer (*create) (const GstInferDecoderConfig *config, GError **error);
  void (*free) (gpointer decoder);
  /* Decodes a buffer of tensors.  NULL if `caps` is. */
  gboolean (*decode) (gpointer decoder, const GstInferDecoderInput *input,
      GstInferDecoderOutput *output, GError **error);
  /* Ends the sequence: gives out what is pending and resets the decoder.
   * NULL: nothing is ever pending. */
  void (*finish) (gpointer decoder, GstInferDecoderOutput *output);
  /* Discards what is pending.  NULL: nothing ever is. */
  void (*reset) (gpointer decoder);
  /* Returns how long a result is behind the data that decides it, at least:
   * what is longer is observed.  NULL: 0. */
  GstClockTime (*latency) (gpointer decoder);
  /* Decodes the tensors of a video frame, independently of other frames.  NULL:
   * decodes tensors only. */
  gboolean (*decode_frame) (
      gpointer decoder, const GstInferDecoderFrame *frame, GError **error);
} GstInferDecoderKind;

#define DECODER(id, mode)                                                      \
  extern const GstInferDecoderKind gst_infer_decoder_##id;
#include "gst/decoder/decoders/decoder-list.h"
#undef DECODER

/* NULL-terminated, in the order of decoder-list.h. */
const GstInferDecoderKind *const *gst_infer_decoders (void);
/* NULL: no decoder has this value of `mode`. */
const GstInferDecoderKind *gst_infer_decoder_of_mode (int mode);

/* Returns number @key of @info, @fallback if it is absent or no number. */
double gst_infer_decoder_number (
    const GstStructure *info, const char *key, double fallback);

/* Returns the property, else the model's confidence_threshold, else
 * kind->threshold. */
double gst_infer_decoder_threshold (
    const GstInferDecoderConfig *config, const GstInferDecoderKind *kind);

/* Returns the labels of the properties, else of the model; NULL if neither has
 * any.  (transfer full) (element-type utf8) */
GPtrArray *gst_infer_decoder_labels (const GstInferDecoderConfig *config);
/* NULL if @labels is or has no @index. */
const char *gst_infer_label_of (const GPtrArray *labels, int index);

/* Room for the numbers of a tensor, kept from one to the next. */
typedef struct
{
  float *values;
  gsize n;
} GstInferFloats;

void gst_infer_floats_clear (GstInferFloats *floats);
/* Reads the tensor @data of @desc.  @who: the decoder, for the error. */
gboolean gst_infer_floats_read (GstInferFloats *floats, const InferDesc *desc,
    gconstpointer data, const char *who, GError **error);

/* --- for decoders of video --- */

/* Room for a mask of @size bytes.  (transfer full) */
guint8 *gst_infer_mask_new (gsize size, GError **error);

/* The tensors of a meta as floats, converted if they have another type. */
typedef struct
{
  guint n;
  InferView views[GST_INFER_MAX_TENSORS];
  InferTensor *copies[GST_INFER_MAX_TENSORS]; /* NULL: read in place */
} GstInferViews;

gboolean gst_infer_views_init (
    GstInferViews *views, const GstInferTensorMeta *meta, GError **error);
void gst_infer_views_clear (GstInferViews *views);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstInferViews, gst_infer_views_clear)

/* Fills names and shapes of @views, for `fit`.  Returns how many there are. */
guint gst_infer_views_describe (
    const GstInferDecoderConfig *config, InferView *views);

/* Adds @d, which is in pixels of the model's input, to the frame.  Returns NULL
 * if it is outside the frame. */
GstVideoRegionOfInterestMeta *gst_infer_frame_add_object (
    const GstInferDecoderFrame *frame, const InferDetection *d,
    const GstInferLabel *label);
/* Makes @d the region of @roi that a further model should see. */
void gst_infer_frame_set_region (const GstInferDecoderFrame *frame,
    GstVideoRegionOfInterestMeta *roi, const InferDetection *d);

/* GST_INFER_KEYPOINTS_BODY for the numbers of points of known bodies, otherwise
 * GST_INFER_KEYPOINTS_LOOSE. */
GstInferKeypointsKind gst_infer_keypoints_kind (guint n);

/* Adds @points [n], which are in pixels of the model's input, to the frame. */
void gst_infer_frame_add_keypoints (const GstInferDecoderFrame *frame,
    GstInferKeypointsKind kind, const InferPoint *points, guint n, int roi_id);
