/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events and results on their way through the source pad.  Source-pad task
 * only, or while it stands, unless stated. */

#pragma once

#include "gst/common/reversed.h"
#include "gst/common/tensor-caps.h"
#include "gst/filter/output/allocation.h"
#include "gst/filter/output/frame-results.h"

typedef struct
{
  GstPad *pad;          /* (transfer none) */
  gboolean caps_sent;   /* since READY → PAUSED */
  GstInferTensors sent; /* what those caps say, if tensors */
  GQueue held;          /* (element-type GstEvent) waiting for the caps */
  GstInferFrameResults results;
  GstInferAllocation allocation;
  int output; /* atomic, set by the streaming thread: GstInferOutput chosen */
  GstInferReversed reversed; /* results of a unit of reverse playback */
  gboolean eos;  /* downstream wants no buffers until STREAM_START or SEGMENT */
  gboolean lost; /* a buffer was not taken: the next one has DISCONT */
  int links;     /* atomic: RECONFIGURE events */
  int links_seen;   /* before the last push */
  int execution_us; /* atomic: of a typical inference */
  int marks;        /* atomic: frames leave with gst/common/timing/arrival.h */
} GstInferSourceTask;

void gst_infer_source_task_init (GstInferSourceTask *task, GstPad *pad);
/* READY → PAUSED. */
void gst_infer_source_task_start (GstInferSourceTask *task);
/* PAUSED → READY: events that still wait are lost. */
void gst_infer_source_task_stop (GstInferSourceTask *task);

/* Event that ends a unit; it stays inside the element.  (transfer full) */
GstEvent *gst_infer_source_task_unit_end (void);
gboolean gst_infer_source_task_is_unit_end (GstEvent *event);

/* Pushes @event (transfer full), or holds it until the caps have left.  Caps
 * and model info that have left before are not sent again. */
void gst_infer_source_task_push_event (
    GstInferSourceTask *task, GstEvent *event);
/* The results of a unit of reverse playback are lost, with the caps that they
 * would have brought. */
void gst_infer_source_task_drop_unit (GstInferSourceTask *task);
/* After a flush: the sticky ones of @events (transfer full; emptied), and of
 * those held, stay valid.  Nobody sends them again, so they are stored in the
 * pad, or held. */
void gst_infer_source_task_flush (GstInferSourceTask *task, GQueue *events);
