/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber: the element is its pads and the objects below, each of
 * which says which thread or lock may touch it.
 *
 *   sink.c     buffers → samples, events, queries             streaming thread
 *   worker.c   samples → utterances → the model               worker
 *   words.c    transcripts → buffers, gaps, messages          worker
 *   source.c   buffers and events in order, upstream          source-pad task
 */

#pragma once

#include <gst/audio/audio.h>

#include "gst/speech/delays.h"
#include "gst/speech/format/cue.h"
#include "gst/speech/gstinfertranscriber.h"
#include "gst/speech/history.h"
#include "gst/speech/listener.h"
#include "gst/speech/queue.h"
#include "gst/speech/sample-clock.h"
#include "gst/speech/settings.h"
#include "gst/speech/speech-model.h"
#include "gst/speech/stats.h"
#include "inference/media/speech/agree.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_transcriber_debug);

/* Streaming thread. */
typedef struct
{
  GstAudioInfo audio;
  gboolean have_caps;
  gboolean discont;  /* the next samples begin a sequence */
  gboolean backward; /* the segment's rate is negative */
  gboolean failed;   /* upstream has seen an error */
} GstInferIntake;

/* When the samples from number `sample` on came. */
typedef struct
{
  guint64 sample;
  gint64 time; /* monotonic, µs */
} GstInferArrival;

/* An event, and the sample before which it came. */
typedef struct
{
  GstEvent *event;
  guint64 sample;
} GstInferWaiting;

/* The sequence of samples that is being heard, counted from 0.  Worker, or
 * while it stands. */
typedef struct
{
  InferSpeechStream *stream;
  InferSpeechInfo info;
  GstInferListener listener;
  InferSegmenterConfig rules;
  GstInferHistory history;
  GstInferSampleClock clock;
  GArray *arrivals;   /* of GstInferArrival, in order */
  GstSegment segment; /* of the input */

  gboolean speaking; /* an utterance has begun */
  guint64 begin;     /* its first sample */
  guint64 pushed;    /* what the model has of it ends here */
  guint64 next_partial;
  guint64 prepared; /* the model has prepared for this end; 0: for none */
  InferAgreement *agreement;
  guint utterance, revision; /* numbers for messages */

  /* Words of an utterance that was cut, within what it has in common with the
   * next one, which go in front of that one's. */
  GPtrArray *tail; /* of InferWord */
  InferSegmentEvent cut;

  guint64 out;           /* text or gaps until here have left */
  GstClockTime out_time; /* the same in time; never goes back */
  GQueue waiting; /* of GstInferWaiting: until the text before them left */
  guint settings_serial;               /* of the settings that the stream has */
  GstInferTranscriberSettings applied; /* these */
  gboolean overload_told, late_told;
} GstInferHearing;

/* Source-pad task, unless stated. */
typedef struct
{
  gboolean caps_sent;
  gboolean eos;  /* downstream wants no buffers until STREAM_START or SEGMENT
                  */
  gboolean lost; /* a buffer was not taken, or a segment came: the next one has
                    DISCONT */
  gboolean separate;        /* texts end with a newline */
  GstInferCueFormat format; /* of the caps that were sent */
  guint64 n_cues;           /* since then */
  GstSegment segment;
  int links;      /* atomic: RECONFIGURE events */
  int links_seen; /* before the last push */
} GstInferOutlet;

struct _GstInferTranscriber
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* Guarded by the object lock. */
  GstInferTranscriberSettings settings; /* as set */
  GstPad *partialpad;                   /* nullable */
  guint rate;  /* of the model, from READY → PAUSED; 0: none */
  char *unmet; /* why the stream has no caps: gst_infer_note_offer */

  /* Written only while nothing is under way. */
  GstInferTranscriberSettings active; /* as used, from READY → PAUSED */
  GstInferSpeechModel *model;
  InferVoiceModel *voice; /* NULL: no voice activity detector */

  /* Any thread: they have locks of their own. */
  GstInferSpeechQueue *input; /* streaming thread → worker; weights: samples */
  GstInferSpeechQueue *output; /* worker → source-pad task; weights: 1 */
  GstInferDelays delays;
  GstInferSpeechStats stats;
  GstTask *worker;
  GRecMutex worker_lock; /* held while the worker works */

  GstInferIntake intake;
  GstInferHearing hearing;
  GstInferOutlet outlet;
};

/* --- properties.c --- */

void gst_infer_transcriber_install_properties (GObjectClass *klass);

/* --- load.c: READY → PAUSED and back --- */

gboolean gst_infer_transcriber_open (GstInferTranscriber *self, GError **error);
void gst_infer_transcriber_close (GstInferTranscriber *self);
/* Gives the settings that may change at any time to the stream.  Worker,
 * between utterances. */
gboolean gst_infer_transcriber_configure (
    GstInferTranscriber *self, GError **error);

/* --- sink.c: streaming thread --- */

gboolean gst_infer_transcriber_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_transcriber_sink_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_infer_transcriber_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
GstFlowReturn gst_infer_transcriber_chain (
    GstPad *pad, GstObject *parent, GstBuffer *buffer);
/* Any thread: cancels what runs, and ends every wait. */
void gst_infer_transcriber_interrupt (GstInferTranscriber *self);
/* Worker, task and streaming thread stand still: drops all that is under way,
 * but for the sticky events that a flush leaves valid. */
void gst_infer_transcriber_forget (GstInferTranscriber *self);

/* --- worker.c --- */

/* GstTaskFunction. */
void gst_infer_transcriber_work (gpointer self);
/* The next sample is the first of a sequence. */
void gst_infer_transcriber_begin_sequence (GstInferTranscriber *self);
/* Downstream, or the worker, has failed with @flow. */
void gst_infer_transcriber_stop_flow (
    GstInferTranscriber *self, GstFlowReturn flow);

/* --- words.c: worker --- */

/* (element-type InferWord) (transfer full) */
GPtrArray *gst_infer_transcriber_new_words (void);
/* The final transcripts that the stream has leave.  @cut (nullable): words
 * within it stay for the next utterance. */
void gst_infer_transcriber_emit_finals (
    GstInferTranscriber *self, const InferSegmentEvent *cut);
/* A partial result, of the samples before number @heard. */
void gst_infer_transcriber_emit_partial (GstInferTranscriber *self,
    const InferTranscript *transcript, guint64 heard);
/* Nothing was said until @sample: gaps leave, the last, short one if @all. */
void gst_infer_transcriber_emit_silence (
    GstInferTranscriber *self, guint64 sample, gboolean all);
/* Into the output, in order; waits for room if @weight > 0. */
void gst_infer_transcriber_put_event (
    GstInferTranscriber *self, GstEvent *event, guint64 weight);

/* --- source.c: source-pad task --- */

gboolean gst_infer_transcriber_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
gboolean gst_infer_transcriber_src_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_transcriber_src_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
/* Starts worker and task.  FALSE: there is no thread for them, which was
 * posted.
 */
gboolean gst_infer_transcriber_start_tasks (GstInferTranscriber *self);
/* A flush has dropped @events (element-type GstEvent, transfer full; emptied):
 * those that stay valid are stored in the pad. */
void gst_infer_transcriber_restore_events (
    GstInferTranscriber *self, GQueue *events);
/* The pad `partial`; NULL: not requested.  Any thread.  (transfer full) */
GstPad *gst_infer_transcriber_ref_partial (GstInferTranscriber *self);
