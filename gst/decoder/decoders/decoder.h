/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of decoders: what inferdecoder gives them and wants.  All
 * on the streaming thread. */

#pragma once

#include <gst/gst.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/tensor-meta.h"
#include "gst/infer/results.h"
#include "gst/common/tensor-caps.h"
#include "infer/error.h"
#include "inference/media/vision/detect.h"

G_BEGIN_DECLS

/* How a decoder is made.  Borrowed, for the time of `suits` and `create`. */
typedef struct
{
  const GstStructure *info; /* model-info; NULL: nothing is known */
  const char *type;         /* model_type: the property's, else the model's */
  GStrv labels;             /* from properties; NULL: not given */
  guint beam_width;
  const char *separator;
  double threshold, iou_threshold; /* from properties; < 0: not given */
  guint max_results, top_k;
  const GstInferTensors *tensors;
  guint input_width, input_height; /* of the model's picture; 0: none */
} GstInferDecoderConfig;

/* A buffer: `tensors.n` dense tensors. */
typedef struct
{
  const GstInferTensors *tensors;
  gconstpointer data[GST_INFER_MAX_TENSORS];
  GstClockTime pts, duration; /* may be NONE */
} GstInferDecoderInput;

/* Buffers and GAP events to push, in this order.  (element-type
 * GstMiniObject, transfer full) */
typedef GQueue GstInferDecoderOutput;

/* A video frame and what a model gave for it; results become metas of the
 * buffer (include/gst/infer/results.h). */
typedef struct
{
  GstBuffer *buffer; /* writable */
  const GstVideoInfo *video;
  const GstInferTensorMeta *meta;
  GstVideoRegionOfInterestMeta *roi; /* what it was made of; NULL: all */
  const char *model_name;            /* nullable */
} GstInferFrame;

typedef struct
{
  const char *name;
  const char *description;
  const char *const *model_types; /* NULL-terminated; those it is chosen for */
  const char *caps; /* of what it gives for tensors; NULL: only for video */

  /* How sure it is that these tensors are for it, where no model_type says;
   * 0: they are not.  Nullable: never. */
  guint (*suits) (const GstInferDecoderConfig *config);

  gpointer (*create) (const GstInferDecoderConfig *config, GError **error);
  void (*free) (gpointer decoder);
  /* NULL where caps is. */
  gboolean (*decode) (gpointer decoder, const GstInferDecoderInput *input,
      GstInferDecoderOutput *output, GError **error);
  /* The sequence ends: what is still open becomes final, and the decoder is as
   * new.  Nullable: nothing is ever open. */
  void (*finish) (gpointer decoder, GstInferDecoderOutput *output);
  /* Forgets what is open.  Nullable. */
  void (*reset) (gpointer decoder);
  /* Of each frame by itself.  Nullable: not for video. */
  gboolean (*decode_frame) (
      gpointer decoder, const GstInferFrame *frame, GError **error);
} GstInferDecoderKind;

#define DECODER(name) extern const GstInferDecoderKind gst_infer_decoder_##name;
#include "gst/decoder/decoders/decoder-list.h"
#undef DECODER

/* NULL-terminated, in the order of decoder-list.h. */
const GstInferDecoderKind *const *gst_infer_decoders (void);

/* Number @key of @info; @fallback where absent or no number. */
double gst_infer_decoder_number (
    const GstStructure *info, const char *key, double fallback);

/* The property's, else confidence_threshold of the model, else @fallback. */
double gst_infer_decoder_threshold (
    const GstInferDecoderConfig *config, double fallback);

/* Labels: the properties', else the model's; NULL: none.  (transfer full)
 * (element-type utf8) */
GPtrArray *gst_infer_decoder_labels (const GstInferDecoderConfig *config);
/* NULL where there are fewer. */
const char *gst_infer_label_of (const GPtrArray *labels, int index);

/* --- for decoders of frames --- */

/* Tensors as floats; converted where they are not. */
typedef struct
{
  guint n;
  InferView views[GST_INFER_MAX_TENSORS];
  gpointer copies[GST_INFER_MAX_TENSORS];
} GstInferViews;

gboolean gst_infer_views_init (
    GstInferViews *views, const GstInferTensorMeta *meta, GError **error);
void gst_infer_views_clear (GstInferViews *views);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstInferViews, gst_infer_views_clear)

/* Only names, shapes: what `suits` is asked with.  Returns how many. */
guint gst_infer_views_describe (
    const GstInferDecoderConfig *config, InferView *views);

/* Adds @d, which is in pixels of the model's input, to the frame.  NULL: it is
 * outside the frame. */
GstVideoRegionOfInterestMeta *gst_infer_frame_add_object (
    const GstInferFrame *frame, const InferDetection *d,
    const GstInferLabel *label);
/* Makes @d the region of @roi that a further model should see. */
void gst_infer_frame_set_region (const GstInferFrame *frame,
    GstVideoRegionOfInterestMeta *roi, const InferDetection *d);

/* GST_INFER_KEYPOINTS_BODY for the numbers of points of known bodies, otherwise
 * GST_INFER_KEYPOINTS_LOOSE. */
GstInferKeypointsKind gst_infer_keypoints_kind (guint n);

/* Adds @points [n], which are in pixels of the model's input, to the frame. */
void gst_infer_frame_add_keypoints (const GstInferFrame *frame,
    GstInferKeypointsKind kind, const InferPoint *points, guint n, int roi_id);

G_END_DECLS
