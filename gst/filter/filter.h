/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter: the element is its pads and the objects below, each of which has
 * a header that says which thread or lock may touch it.  They know nothing of
 * the element; the files whose functions follow connect them. */

#pragma once

#include "gst/filter/gstinferfilter.h"
#include "gst/filter/model/loader.h"
#include "gst/filter/model/model-use.h"
#include "gst/filter/negotiated.h"
#include "gst/filter/ordered-queue.h"
#include "gst/filter/settings.h"
#include "gst/filter/source-task.h"
#include "gst/filter/stream/batch.h"
#include "gst/filter/stream/latency.h"
#include "gst/filter/stream/position.h"
#include "gst/filter/stream/qos.h"
#include "gst/filter/stream/states.h"
#include "gst/filter/stream/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_filter_debug);

struct _GstInferFilter
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* Guarded by the object lock. */
  GstInferSettings settings; /* as set */
  GstInferSettings active; /* as used, from READY → PAUSED; written only while
                              nothing is under way */
  GstInferModelUse use;
  GstInferLoader loader;
  GstInferQos qos;
  char *unmet; /* why the stream has no caps: gst_infer_note_offer */

  /* Any thread: they have locks of their own. */
  GstInferQueue *queue;
  InferExecutor *host; /* computes on the queue's task */
  GstInferBatch batch;
  GstInferLatency latency;
  GstInferStates states;
  GstInferStats stats;

  /* Streaming thread. */
  GstInferNegotiated negotiated;
  GstInferPosition position;

  /* Source-pad task. */
  GstInferSourceTask task;
};

/* An image for the model: a mapped frame, and the region of it that is next. */
typedef struct
{
  GstBuffer *buffer; /* mapped; NULL once the frame's last job has it */
  GstVideoFrame mapped;
  InferImage image;
  InferBox box; /* width 0: nothing to infer */
  int roi_id;
  gboolean last, skipped;
} GstInferFrameRegion;

/* --- properties.c --- */

void gst_infer_filter_install_properties (GObjectClass *klass);

/* --- model.c --- */

/* READY → PAUSED and back.  Errors are for gst_infer_post_error. */
gboolean gst_infer_filter_open (GstInferFilter *self, GError **error);
void gst_infer_filter_close (GstInferFilter *self);
/* Loads the model of @settings.  Any thread; its current GCancellable ends it.
 * (transfer full) */
GstInferShared *gst_infer_filter_load (
    const GstInferSettings *settings, GError **error);
void gst_infer_filter_post_progress (GstInferFilter *self, GstProgressType type,
    const GstInferSettings *settings);
/* Streaming thread with nothing under way, or no streaming thread.  use takes
 * @shared, on failure too; stop_using moves all of it to @use. */
gboolean gst_infer_filter_use (
    GstInferFilter *self, GstInferShared *shared, GError **error);
void gst_infer_filter_stop_using (GstInferFilter *self, GstInferModelUse *use);
void gst_infer_filter_use_again (GstInferFilter *self, GstInferModelUse *use);

/* --- load.c --- */

/* Starts to load the model that the settings name now, to be used when it is
 * there.  No lock held. */
gboolean gst_infer_filter_start_loading (GstInferFilter *self, GError **error);
/* The same where `model` was set, from the time that models can be used. */
void gst_infer_filter_load_requested (GstInferFilter *self);
/* Waits for nothing.  A model that is not in use yet is released. */
void gst_infer_filter_stop_loading (GstInferFilter *self);
/* Waits while the first model is being loaded; FALSE: there is none, or
 * stopped. */
gboolean gst_infer_filter_await_model (GstInferFilter *self);
/* The model in use or about to be, and the form of output asked for; NULL:
 * none.  Any thread.  (transfer full) */
InferModel *gst_infer_filter_ref_model (
    GstInferFilter *self, GstInferOutput *output);

/* --- swap.c --- */

/* The model of @failed cannot be used because of @error: an error where there
 * is no other, else a warning, and the properties name the one in use again. */
void gst_infer_filter_report_failure (
    GstInferFilter *self, const GstInferSettings *failed, const GError *error);
/* Streaming thread, between two buffers: switches to a model that is loaded. */
GstFlowReturn gst_infer_filter_switch_model (GstInferFilter *self);
/* The same while nothing is under way, if another model is in use. */
void gst_infer_filter_switch_idle_model (GstInferFilter *self);

/* --- signals.c --- */

void gst_infer_filter_install_signals (GObjectClass *klass);
/* Writes what set-state stored before there was a model. */
void gst_infer_filter_restore_states (GstInferFilter *self);

/* --- negotiate.c --- */

/* Streaming thread: replaces what is negotiated by @caps; puts the
 * model-info and CAPS events into the queue. */
gboolean gst_infer_filter_negotiate (
    GstInferFilter *self, GstCaps *caps, GError **error);
/* Streaming thread: takes @caps without a break where they only say that
 * another number of rows is in a buffer; FALSE: they say more. */
gboolean gst_infer_filter_continue_caps (GstInferFilter *self, GstCaps *caps);
/* Posts @error of @caps, once: upstream sends refused caps again with every
 * event and buffer that follows. */
void gst_infer_filter_refuse (
    GstInferFilter *self, const GstCaps *caps, const GError *error);
/* Streaming thread: what follows has changed, and so has perhaps its pool, and
 * with output=auto the form of output. */
GstFlowReturn gst_infer_filter_reconfigure (GstInferFilter *self);
/* All caps that can enter or leave.  Any thread.  (transfer full) */
GstCaps *gst_infer_filter_sink_caps (GstInferFilter *self);
GstCaps *gst_infer_filter_src_caps (GstInferFilter *self);

/* --- sink.c: streaming thread --- */

gboolean gst_infer_filter_sink_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_filter_sink_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
gboolean gst_infer_filter_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
GstFlowReturn gst_infer_filter_chain (
    GstPad *pad, GstObject *parent, GstBuffer *buffer);
/* Into the queue; no batch waits until it has left.  FALSE: stopped, and the
 * event is EOS or not sticky. */
gboolean gst_infer_filter_queue_event (GstInferFilter *self, GstEvent *event);
/* Any thread: @qos is what downstream says now. */
void gst_infer_filter_set_qos (GstInferFilter *self, GstInferQos qos);
/* Any thread: cancels what runs, and ends every wait. */
void gst_infer_filter_interrupt (GstInferFilter *self);
/* Task and streaming thread stand still: drops all that is under way, but for
 * the sticky events that a flush leaves valid. */
void gst_infer_filter_forget (GstInferFilter *self);
/* Before a buffer or a gap: switches to a model that is loaded. */
GstFlowReturn gst_infer_filter_begin_data (GstInferFilter *self);
/* Returns @flow, which data met: where it is lost, that is as if it were
 * missing upstream.  After a flush, all begins anew anyway. */
GstFlowReturn gst_infer_filter_note_loss (
    GstInferFilter *self, GstFlowReturn flow);
/* Runs the tail; the next row is the first of a sequence, with fresh states if
 * @reset.  @why: for the log (nullable). */
GstFlowReturn gst_infer_filter_end_sequence (
    GstInferFilter *self, gboolean reset, const char *why);
/* Reverse playback: computes what was collected; its results leave last first.
 */
GstFlowReturn gst_infer_filter_run_unit (GstInferFilter *self);
/* TRUE: qos is on and downstream would get it too late; a QOS message says so.
 */
gboolean gst_infer_filter_is_late (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration);

/* --- windows.c: streaming thread, audio and rows --- */

GstFlowReturn gst_infer_filter_run_rows (
    GstInferFilter *self, GstBuffer *buffer);
/* As many missing rows as @duration has. */
GstFlowReturn gst_infer_filter_run_gap (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration);
/* The last, incomplete window of a sequence. */
GstFlowReturn gst_infer_filter_run_tail (GstInferFilter *self);

/* --- frames.c: streaming thread, video --- */

/* Takes @buffer. */
GstFlowReturn gst_infer_filter_run_frame (
    GstInferFilter *self, GstBuffer *buffer, gboolean skip);
/* @region into the request's input. */
gboolean gst_infer_filter_fill_region (GstInferFilter *self,
    InferRequest *request, const GstInferFrameRegion *region, GError **error);
/* Stores in the job what its result needs; the job gets the frame with its last
 * region. */
void gst_infer_filter_note_region (
    GstInferFilter *self, GstInferJob *job, GstInferFrameRegion *region);

/* --- run.c: streaming thread, one inference --- */

/* On `span->rows` rows; @skip, @keep: as in the job. */
GstFlowReturn gst_infer_filter_run_window (GstInferFilter *self,
    const float *rows, const GstInferSpan *span, gsize skip, gsize keep);
GstFlowReturn gst_infer_filter_run_tensors (
    GstInferFilter *self, GstBuffer *buffer);
GstFlowReturn gst_infer_filter_run_region (
    GstInferFilter *self, GstInferFrameRegion *region);

/* --- source.c: source-pad task --- */

gboolean gst_infer_filter_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active);
gboolean gst_infer_filter_src_event (
    GstPad *pad, GstObject *parent, GstEvent *event);
gboolean gst_infer_filter_src_query (
    GstPad *pad, GstObject *parent, GstQuery *query);
/* FALSE: there is no thread for it, which was posted. */
gboolean gst_infer_filter_start_task (GstInferFilter *self);
/* The callback stage of a request; @job: a GstInferJob. */
void gst_infer_filter_done (
    InferAsyncRequest *request, const GError *error, gpointer job);
/* The structure @name of property `stats`.  Any thread.  (transfer full) */
GstStructure *gst_infer_filter_make_stats (
    GstInferFilter *self, const char *name);
