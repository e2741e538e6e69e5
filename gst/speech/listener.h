/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where utterances begin and end in a stream of samples: by a voice activity
 * detector, or, without one, at digital silence and where one becomes too long.
 * One thread, unless stated. */

#pragma once

#include "infer/voice.h"
#include "inference/media/speech/segmenter.h"

typedef struct
{
  InferVoiceDetector *voice; /* NULL: all is speech but digital silence */
  InferSegmenter *segmenter;
  GArray *windows; /* of InferVoiceWindow: judged, and not yet taken */
  guint taken;
  GArray *events; /* of InferSegmentEvent: what the last step decided */

  double threshold;
  guint64 voiced; /* speech has been heard until here */

  guint step; /* samples of a window */
  /* The window that is not complete. */
  guint64 begin, end;
  double sum; /* of squares, without a detector */
} GstInferListener;

/* @voice NULL: all is speech but digital silence, in steps of @step samples. */
gboolean gst_infer_listener_open (GstInferListener *listener,
    InferVoiceModel *voice, const InferSegmenterConfig *config, guint step,
    GError **error);
void gst_infer_listener_close (GstInferListener *listener);
/* The next sample is number 0. */
void gst_infer_listener_reset (GstInferListener *listener);
/* Any thread.  TRUE: push and finish fail until FALSE is set and the listener
 * is reset. */
void gst_infer_listener_set_cancelled (
    GstInferListener *listener, gboolean cancelled);

/* Samples that complete the next window. */
guint64 gst_infer_listener_wanted (const GstInferListener *listener);
gboolean gst_infer_listener_push (
    GstInferListener *listener, const float *samples, gsize n, GError **error);
/* No samples follow. */
gboolean gst_infer_listener_finish (GstInferListener *listener, GError **error);
/* The next window that was judged: fills `events`.  Returns its last sample +
 * 1; 0: there is none. */
guint64 gst_infer_listener_next (GstInferListener *listener);
/* After finish and all windows: fills `events`. */
void gst_infer_listener_end (GstInferListener *listener);
/* Where the utterance ends if the silence in which it is goes on; 0: it is in
 * none. */
guint64 gst_infer_listener_expected_end (const GstInferListener *listener);
/* Nothing that is still to be decided begins before this. */
guint64 gst_infer_listener_decided (const GstInferListener *listener);
