/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How the data at the sink pad becomes a model's input: the caps it can have,
 * and how the time axis is cut. */

#pragma once

#include "gst/common/audio-caps.h"
#include "gst/common/tensor-caps.h"
#include "gst/filter/input/video-input.h"
#include "infer/model.h"

#define GST_INFER_AUDIO_OUT_CAPS                                               \
  "audio/x-raw, format = (string) " GST_AUDIO_NE (                             \
      F32) ", layout = (string) interleaved, rate = [ 1, max ], channels = [ 1, max ]"

typedef enum
{
  GST_INFER_INPUT_AUDIO,   /* rows are frames of audio */
  GST_INFER_INPUT_ROWS,    /* rows are vectors of one tensor [1, T, width] */
  GST_INFER_INPUT_TENSORS, /* a buffer is one inference */
  GST_INFER_INPUT_VIDEO,   /* a buffer is a frame */
} GstInferInputKind;

typedef struct
{
  GstInferInputKind kind;
  GstInferTensors tensors; /* as the caps say; for video the frame rate */
  GstInferVideo video;
  /* For audio and rows: */
  GstAudioInfo audio; /* of audio */
  gboolean planar;    /* the model wants channel after channel */
  guint width;        /* floats in a row */
  gsize length, hop;  /* rows */
  gsize context;      /* rows of length that are those before the window */
  gsize multiple;     /* divides length; the length itself if fixed */
  float pad;          /* value of missing rows */
  guint64 row_num, row_den; /* nanoseconds of a row; 0: not known */
  int axis;                 /* of time in the model's shape */
} GstInferInput;

/* The caps that @model can take; empty: none.  @native: prefer video of the
 * size that the model computes with.  (transfer full) */
GstCaps *gst_infer_input_caps (const InferModel *model, gboolean native);

/* Why @model takes nothing of the kind of media that @offer is, and what would
 * help; NULL: it takes that kind.  (transfer full) */
char *gst_infer_input_advise (const InferModel *model, const GstCaps *offer);

/* @window, @hop: milliseconds, used where the model leaves the length open;
 * @hop 0: equal to the window.  @context: rows; < 0: as the model says.  @crop:
 * for video (nullable).  Errors name the value that does not fit. */
gboolean gst_infer_input_negotiate (GstInferInput *input,
    const InferModel *model, const GstCaps *caps, guint window, guint hop,
    int context, const char *crop, GError **error);

/* TRUE where rows of @next follow those of @input: the same vectors at the same
 * pace, only another number of them in a buffer. */
gboolean gst_infer_input_continues (
    const GstInferInput *input, const GstInferInput *next);

/* The model's shape of input @index for @rows rows (or the caps' tensor). */
InferShape gst_infer_input_shape (const GstInferInput *input,
    const InferModel *model, guint index, gsize rows);

/* Copies @rows rows of the stream to the dense tensor of the above shape. */
void gst_infer_input_copy (
    const GstInferInput *input, const float *from, gsize rows, float *to);
