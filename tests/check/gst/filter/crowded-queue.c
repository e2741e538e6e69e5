/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ordered queue of a stream beside many others: its two threads are woken
 * for several jobs at a time, and for anything else at once. */

#include "gst/filter/ordered-queue.h"

#define SHORT_WAIT_US 5000
#define LONGEST_WAIT_US 40000 /* the streaming thread waits a little longer */
#define ATTEMPTS 100
#define N_JOBS 3

/* A job whose callback stage the test submits. */
typedef struct
{
  InferTask task;
  GstInferQueue *queue;
} Job;

static void
run_callback (InferTask *task)
{
  Job *job = (Job *) task;

  gst_infer_queue_finish_job (job->queue, job, TRUE);
}

/* A queue, its jobs, and a source-pad task that takes all that leaves. */
typedef struct
{
  GstInferQueue *queue;
  Job jobs[N_JOBS];
  GThread *task;
  gint taken; /* jobs */
} Rig;

static void
rig_init (Rig *rig)
{
  *rig = (Rig){ .queue = gst_infer_queue_new () };
  for (guint i = 0; i < N_JOBS; i++) {
    rig->jobs[i] = (Job){ .task.run = run_callback, .queue = rig->queue };
    gst_infer_queue_give_idle (rig->queue, &rig->jobs[i]);
  }
  gst_infer_queue_set_flow (rig->queue, GST_FLOW_OK);
}

static void
rig_clear (Rig *rig)
{
  gst_infer_queue_set_flow (rig->queue, GST_FLOW_FLUSHING);
  if (rig->task != NULL)
    g_thread_join (rig->task);
  gst_infer_queue_clear (rig->queue, NULL);
  gst_infer_queue_free (rig->queue);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Rig, rig_clear)

static Job *
put_job (Rig *rig)
{
  Job *job = gst_infer_queue_wait_idle (rig->queue);

  gst_infer_queue_put_job (rig->queue, job);
  return job;
}

static void
submit (Job *job)
{
  gst_infer_queue_submit (&job->task, job->queue);
}

static gpointer
take_all (gpointer data)
{
  Rig *rig = data;
  GstInferItem item;

  while (gst_infer_queue_take (rig->queue, &item)) {
    if (item.kind == GST_INFER_ITEM_EVENT) {
      gst_event_unref (item.object);
      continue;
    }
    gst_infer_queue_give_idle (rig->queue, item.object);
    g_atomic_int_inc (&rig->taken);
  }
  return NULL;
}

/* Two jobs of a crowded stream, of which the first is computed while the task
 * waits. */
static void
begin_two (Rig *rig, Job **first, Job **second)
{
  rig_init (rig);
  *first = put_job (rig);
  rig->task = g_thread_new ("task", take_all, rig);
  while (!gst_infer_queue_may_host (rig->queue, TRUE, FALSE))
    g_usleep (100);
  *second = put_job (rig);
  gst_infer_queue_set_crowded (rig->queue, TRUE);
  submit (*first);
  g_usleep (4 * SHORT_WAIT_US);
  g_assert_cmpint (g_atomic_int_get (&rig->taken), ==, 0);
}

static void
await_taken (Rig *rig, gint n)
{
  while (g_atomic_int_get (&rig->taken) < n)
    g_usleep (100);
  g_assert_cmpint (g_atomic_int_get (&rig->taken), ==, n);
}

/* A stream lacks jobs if it is crowded and all are under way. */
static void
test_lack (void)
{
  g_auto (Rig) rig = { 0 };
  Job *jobs[N_JOBS];

  rig_init (&rig);
  for (guint i = 0; i < N_JOBS; i++) {
    jobs[i] = put_job (&rig);
    g_assert_true (
        gst_infer_queue_set_crowded (rig.queue, TRUE) == (i == N_JOBS - 1));
    g_assert_false (gst_infer_queue_set_crowded (rig.queue, FALSE));
  }
  for (guint i = 0; i < N_JOBS; i++)
    submit (jobs[i]);
}

/* The last job under way that is computed wakes the task for all. */
static void
test_results (void)
{
  g_auto (Rig) rig = { 0 };
  Job *first, *second;

  begin_two (&rig, &first, &second);
  submit (second);
  await_taken (&rig, 2);
  submit (put_job (&rig)); /* the only one */
  await_taken (&rig, 3);
}

static void
test_failed_start (void)
{
  g_auto (Rig) rig = { 0 };
  Job *first, *second;

  begin_two (&rig, &first, &second);
  gst_infer_queue_finish_job (rig.queue, second, FALSE);
  await_taken (&rig, 2);
}

/* An event lets all leave that is computed. */
static void
test_event (void)
{
  g_auto (Rig) rig = { 0 };
  Job *first, *second;
  gboolean replaced;

  begin_two (&rig, &first, &second);
  g_assert_true (gst_infer_queue_put_event (
      rig.queue, gst_event_new_gap (0, GST_CLOCK_TIME_NONE), &replaced));
  await_taken (&rig, 1);
  submit (second);
  await_taken (&rig, 2);
}

static gpointer
query (gpointer data)
{
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  gst_infer_queue_put_query (data, drain);
  return NULL;
}

static void
test_query (void)
{
  g_auto (Rig) rig = { 0 };
  Job *first, *second;

  begin_two (&rig, &first, &second);
  GThread *thread = g_thread_new ("streaming", query, rig.queue);
  await_taken (&rig, 1);
  gst_infer_queue_set_flow (rig.queue, GST_FLOW_NOT_LINKED);
  g_thread_join (thread);
  submit (second);
}

/* A stop ends the task although no further job is computed. */
static void
test_stop (void)
{
  g_auto (Rig) rig = { 0 };
  Job *first, *second;

  begin_two (&rig, &first, &second);
  gst_infer_queue_set_flow (rig.queue, GST_FLOW_FLUSHING);
  g_thread_join (g_steal_pointer (&rig.task));
  submit (second);
}

/* --- the streaming thread --- */

typedef struct
{
  Rig *rig;
  gint waits, got;
  GThread *thread;
} Streaming;

static gpointer
put_one (gpointer data)
{
  Streaming *streaming = data;

  g_atomic_int_set (&streaming->waits, TRUE);
  Job *job = put_job (streaming->rig);
  g_atomic_int_set (&streaming->got, TRUE);
  submit (job);
  return NULL;
}

static Job *
take_job (Rig *rig)
{
  GstInferItem item;

  g_assert_true (gst_infer_queue_take (rig->queue, &item));
  g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_JOB);
  return item.object;
}

/* The test is the task: it has pushed one of three jobs quickly, pushes the
 * second, and the third is computed; the streaming thread waits for room. */
static Job *
begin_three (Rig *rig, Streaming *streaming)
{
  gboolean quick = FALSE;
  Job *job = NULL;

  rig_init (rig);
  while (!quick) { /* on a busy machine it may take a few attempts */
    for (guint i = 0; i < N_JOBS; i++)
      submit (put_job (rig));
    gst_infer_queue_give_idle (rig->queue, take_job (rig));
    job = take_job (rig);
    submit (put_job (rig));
    quick = gst_infer_queue_may_host (rig->queue, FALSE, TRUE);
    if (quick)
      break;
    gst_infer_queue_give_idle (rig->queue, job);
    for (guint i = 1; i < N_JOBS; i++)
      gst_infer_queue_give_idle (rig->queue, take_job (rig));
  }
  gst_infer_queue_set_crowded (rig->queue, TRUE);
  *streaming = (Streaming){ .rig = rig };
  streaming->thread = g_thread_new ("streaming", put_one, streaming);
  while (!g_atomic_int_get (&streaming->waits))
    g_usleep (100);
  g_usleep (SHORT_WAIT_US);
  g_assert_false (g_atomic_int_get (&streaming->got));
  return job;
}

/* The task wakes it when nothing more is computed, not for the first job.  The
 * streaming thread may find the idle job by itself if it comes late, or has
 * waited for long. */
static gboolean
try_gather (void)
{
  g_auto (Rig) rig = { 0 };
  Streaming streaming;
  Job *job = begin_three (&rig, &streaming);

  gst_infer_queue_give_idle (rig.queue, job);
  gint64 given = g_get_monotonic_time ();
  g_usleep (SHORT_WAIT_US);
  gboolean gathered = !g_atomic_int_get (&streaming.got)
                      && g_get_monotonic_time () < given + LONGEST_WAIT_US;
  for (guint i = 1; i < N_JOBS; i++)
    gst_infer_queue_give_idle (rig.queue, take_job (&rig));
  gst_infer_queue_give_idle (rig.queue, take_job (&rig));
  g_thread_join (streaming.thread);
  return gathered;
}

static void
test_idle (void)
{
  gboolean gathered = FALSE;

  for (guint i = 0; i < ATTEMPTS && !gathered; i++)
    gathered = try_gather ();
  g_assert_true (gathered);
}

/* Downstream blocks the task: the streaming thread finds the idle job. */
static void
test_blocked_push (void)
{
  g_auto (Rig) rig = { 0 };
  Streaming streaming;
  Job *job = begin_three (&rig, &streaming);

  gst_infer_queue_give_idle (rig.queue, job);
  g_thread_join (streaming.thread);
  g_assert_true (streaming.got);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/crowded-queue/lack", test_lack);
  g_test_add_func ("/crowded-queue/results", test_results);
  g_test_add_func ("/crowded-queue/failed-start", test_failed_start);
  g_test_add_func ("/crowded-queue/event", test_event);
  g_test_add_func ("/crowded-queue/query", test_query);
  g_test_add_func ("/crowded-queue/stop", test_stop);
  g_test_add_func ("/crowded-queue/idle", test_idle);
  g_test_add_func ("/crowded-queue/blocked-push", test_blocked_push);
  return g_test_run ();
}
