/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The queue between an element's sink pad and its source-pad task: jobs
 * (inferences under way), serialized events and queries, in the order they
 * came; with the jobs that are idle and the callback stages that the task is to
 * run. One lock guards it all; it is not held while other code is called.
 *
 * The streaming thread puts in, the task takes out, any thread may stop it.
 * A job is an opaque pointer: idle → taken → put → finished → taken out →
 * given back.  A guest is an inference that the source-pad task computes. */

#pragma once

#include <gst/gst.h>

#include "infer/executor.h"

typedef struct _GstInferQueue GstInferQueue;

typedef enum
{
  GST_INFER_ITEM_JOB,
  GST_INFER_ITEM_EVENT,
  GST_INFER_ITEM_QUERY,
} GstInferItemKind;

/* A job (transfer none) is to be given back, a query to be answered; an event
 * is (transfer full). */
typedef struct
{
  GstInferItemKind kind;
  gpointer object;
  guint64 took; /* ns from put_job until the job was finished, and all before
                   it; whatever downstream did meanwhile */
} GstInferItem;

/* Stopped, with GST_FLOW_FLUSHING, and without jobs. */
GstInferQueue *gst_infer_queue_new (void);
/* Every job must be idle. */
void gst_infer_queue_free (GstInferQueue *queue); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferQueue, gst_infer_queue_free)

/* GST_FLOW_OK starts the queue; anything else stops it and ends every wait, but
 * with GST_FLOW_EOS take goes on: jobs are to be dropped, events still leave.
 * That ends with the next STREAM_START or SEGMENT; where one is in the queue,
 * it does not begin.  GST_FLOW_FLUSHING stays until GST_FLOW_OK. */
void gst_infer_queue_set_flow (GstInferQueue *queue, GstFlowReturn flow);
/* Starts a queue that GST_FLOW_NOT_LINKED has stopped; FALSE: it is not, or
 * somebody has stopped it for good meanwhile. */
gboolean gst_infer_queue_relink (GstInferQueue *queue);
GstFlowReturn gst_infer_queue_get_flow (GstInferQueue *queue);
/* TRUE: an EOS event waits to be taken out. */
gboolean gst_infer_queue_has_eos (GstInferQueue *queue);

/* While stopped and the task does not run: runs the callback stages until no
 * job is under way, then drops all items; their jobs are idle again.  Events
 * among them are appended to @events (element-type GstEvent, transfer full)
 * (nullable). */
void gst_infer_queue_clear (GstInferQueue *queue, GQueue *events);

/* --- streaming thread --- */

/* Waits for an idle job, which must then be put; NULL: stopped. */
gpointer gst_infer_queue_wait_idle (GstInferQueue *queue);
/* Gives a job back that was taken out, or a new one for the first time. */
void gst_infer_queue_give_idle (GstInferQueue *queue, gpointer job);
/* Waits until @n jobs are idle; FALSE: stopped. */
gboolean gst_infer_queue_wait_all_idle (GstInferQueue *queue, guint n);
/* Takes all idle jobs out for good; call while all are idle.  (transfer
 * container) */
GPtrArray *gst_infer_queue_remove_jobs (GstInferQueue *queue);

/* Appends @job, not finished; start it right after.  Never fails: clear drops a
 * job put while stopped.  Returns how many others of the queue are started and
 * not computed yet. */
guint gst_infer_queue_put_job (GstInferQueue *queue, gpointer job);
/* Takes the event in any case.  A sticky one waits in a stopped queue until it
 * is started, or until clear; it may replace an older one (*@replaced), as on a
 * pad.  FALSE: stopped, and the event is EOS or not sticky. */
gboolean gst_infer_queue_put_event (
    GstInferQueue *queue, GstEvent *event, gboolean *replaced);
/* Waits for the answer; FALSE also when stopped. */
gboolean gst_infer_queue_put_query (GstInferQueue *queue, GstQuery *query);

/* --- executors --- */

/* For infer_executor_new_custom, with the queue as data: a job is computed, and
 * the task is to run its callback stage. */
void gst_infer_queue_submit (InferTask *task, gpointer queue);
/* From the callback (@computed), or instead of it where a job was not started.
 */
void gst_infer_queue_finish_job (
    GstInferQueue *queue, gpointer job, gboolean computed);

/* Streaming thread: whether the task would compute the job put last sooner than
 * a thread that has to be woken for it and then wakes the task.  @first: it may
 * if it waits for just that job; @behind: it may take one behind others if its
 * pushes are quick. */
gboolean gst_infer_queue_may_host (
    GstInferQueue *queue, gboolean first, gboolean behind);
/* Streaming thread: TRUE while the executor has more to do than this stream's
 * jobs.  Then the task is woken for all jobs under way once the last of them is
 * computed, and wakes the streaming thread once it has pushed what is computed:
 * fewer switches between threads.  Anything else than jobs wakes at once.
 * Returns TRUE if so and no job is idle. */
gboolean gst_infer_queue_set_crowded (GstInferQueue *queue, gboolean crowded);
/* Whether the task computes a guest, or one waits for it. */
gboolean gst_infer_queue_hosts (GstInferQueue *queue);
/* For infer_executor_new_custom, with the queue as data: @task is a guest; a
 * thread that waits for the job computes it if the source-pad task is busy. */
void gst_infer_queue_host (InferTask *task, gpointer queue);

/* --- source-pad task --- */

/* Runs guests and callback stages until the first item can leave; FALSE:
 * stopped. */
gboolean gst_infer_queue_take (GstInferQueue *queue, GstInferItem *item);
void gst_infer_queue_answer (
    GstInferQueue *queue, GstQuery *query, gboolean result);

/* --- any thread --- */

/* Waits until nothing computes, and lets nothing be started until release. */
void gst_infer_queue_hold (GstInferQueue *queue);
void gst_infer_queue_release (GstInferQueue *queue);

/* Items waiting, and jobs put but not finished. */
void gst_infer_queue_get_depth (
    GstInferQueue *queue, guint *items, guint *running);
/* The last put first: where @func cancels, the jobs that still run are the
 * oldest ones. */
void gst_infer_queue_foreach_running (
    GstInferQueue *queue, GFunc func, gpointer data);
