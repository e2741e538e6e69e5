/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infervad, for its own files. */

#pragma once

#include <gst/audio/audio.h>

#include "gst/common/mono.h"
#include "gst/common/sequence/timeline.h"
#include "gst/speech/vad/gate.h"
#include "infer/voice.h"
#include "inference/media/vad.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_vad_debug);

typedef enum
{
  GST_INFER_VAD_GATE_NONE,
  GST_INFER_VAD_GATE_GAP,
} GstInferVadGateMode;

typedef struct
{
  char *vad_model, *device;
  double threshold, neg_threshold;
  guint min_speech, min_silence, pad; /* ms */
  int gate;
} GstInferVadSettings;

typedef struct
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  GstInferVadSettings settings; /* guarded by the object lock */

  /* Set in READY → PAUSED; `detector` with the object lock. */
  InferVoiceModel *model;
  InferVoiceDetector *detector;
  guint rate;   /* of the model */
  guint64 wait; /* the longest from a sample to the decision */
  GstInferVadGateMode mode;

  /* Streaming thread; `audio` and `delay` also by queries, with the object
   * lock. */
  GstSegment segment;
  GstAudioInfo audio;
  gboolean have_caps;
  guint delay; /* of `mono` */
  GstInferMono *mono;
  InferVad vad;      /* in samples of the model */
  gboolean speaking; /* a start has been told, but no end */
  GstInferVadGate gate;
  GArray *samples; /* (element-type float), scratch */
  GArray *windows; /* (element-type InferVoiceWindow), scratch */
  GArray *told;    /* (element-type InferVadEvent), scratch */

  guint64 frames;         /* of this stream, in all */
  GstInferTimeline times; /* of frames */
} GstInferVad;

typedef struct
{
  GstElementClass parent_class;
} GstInferVadClass;

#define GST_INFER_VAD(object) ((GstInferVad *) (gpointer) (object))

/* --- hearing.c, streaming thread --- */

/* Any thread: a flush may come while the element is being stopped.  Make the
 * source pad flush before: a cancelled detector drops what the gate holds, and
 * events that follow must not leave then. */
void gst_infer_vad_set_cancelled (GstInferVad *self, gboolean cancelled);
/* Drops samples, events and times: the next sample begins a stream. */
void gst_infer_vad_forget (GstInferVad *self);
/* Tells what the end of the stream decides, and forgets it.  @why: for the log.
 */
GstFlowReturn gst_infer_vad_end_stream (GstInferVad *self, const char *why);
GstFlowReturn gst_infer_vad_chain (
    GstPad *pad, GstObject *parent, GstBuffer *buffer);

/* --- pads.c --- */

gboolean gst_infer_vad_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_vad_sink_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_infer_vad_src_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
