/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells the executable's batches how many rows this stream can still send, and
 * when it cannot wait for others.  Any thread. */

#pragma once

#include "infer/request.h"

typedef struct
{
  /* Guards all.  Held as well while an inference starts and while running ones
   * are cancelled: it starts before that, and is cancelled, or not at all. */
  GMutex lock;
  InferExecutable *executable; /* NULL: no model */
  guint requests;              /* of the stream */
  gboolean stateful;           /* inferences of the stream go one by one */
  gboolean enabled;            /* batch-size > 1 */
  gboolean joined;             /* batches expect rows of this stream */
  gboolean stopped;            /* no queued event can leave */
  gboolean paused;             /* the element is not PLAYING */
  guint unreleased; /* requests done or failed, but not yet idle again */
  guint flushes;    /* calls of begin_flush without end_flush */
  guint barriers;   /* queued events, each of which is such a call */
} GstInferBatch;

/* Before there is an executable. */
void gst_infer_batch_enable (GstInferBatch *batch, gboolean enabled);
/* @executable (nullable) is flushed as often as the previous one was. */
void gst_infer_batch_set_executable (GstInferBatch *batch,
    InferExecutable *executable, guint requests, gboolean stateful);

/* In PAUSED buffers may come, but no batch waits for them. */
void gst_infer_batch_set_paused (GstInferBatch *batch, gboolean paused);
/* Batches wait for rows of this stream, or no longer.  join: locked; TRUE:
 * since now. */
gboolean gst_infer_batch_join (GstInferBatch *batch);
void gst_infer_batch_leave (GstInferBatch *batch);
void gst_infer_batch_leave_locked (GstInferBatch *batch);

/* A request is done but cannot send another row until it is idle again. */
void gst_infer_batch_hold_request (GstInferBatch *batch);
void gst_infer_batch_release_request (GstInferBatch *batch);

/* From begin to end the executable's batches wait for no stream. */
void gst_infer_batch_begin_flush (GstInferBatch *batch);
void gst_infer_batch_end_flush (GstInferBatch *batch);
/* The same while an event is in the queue. */
void gst_infer_batch_add_barrier (GstInferBatch *batch);
void gst_infer_batch_remove_barrier (GstInferBatch *batch);
/* Downstream takes nothing: the stream leaves, and its events urge no batch
 * until resume. */
void gst_infer_batch_stop (GstInferBatch *batch);
void gst_infer_batch_resume (GstInferBatch *batch);
/* The queue is empty and all requests are idle. */
void gst_infer_batch_reset (GstInferBatch *batch);
