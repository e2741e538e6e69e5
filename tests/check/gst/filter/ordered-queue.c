/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/ordered-queue.h"

/* A job whose callback stage the test submits. */
typedef struct
{
  InferTask task;
  GstInferQueue *queue;
  int id;
} Job;

static void
run_callback (InferTask *task)
{
  Job *job = (Job *) task;

  gst_infer_queue_finish_job (job->queue, job, TRUE);
}

static void
init_jobs (GstInferQueue *queue, Job *jobs, guint n)
{
  for (guint i = 0; i < n; i++) {
    jobs[i] = (Job){ .task.run = run_callback, .queue = queue, .id = (int) i };
    gst_infer_queue_give_idle (queue, &jobs[i]);
  }
}

static void
put_event (GstInferQueue *queue, GstEvent *event)
{
  gboolean replaced;

  g_assert_true (gst_infer_queue_put_event (queue, event, &replaced));
  g_assert_false (replaced);
}

/* Jobs finish in reverse order; all items leave in the order they came. */
static void
test_order (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Job jobs[3], *put[3];
  GstInferItem item;

  init_jobs (queue, jobs, 3);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  for (guint i = 0; i < 3; i++) {
    put[i] = gst_infer_queue_wait_idle (queue);
    g_assert_cmpuint (gst_infer_queue_put_job (queue, put[i]), ==, i);
    put_event (queue, gst_event_new_gap (i, GST_CLOCK_TIME_NONE));
  }
  for (int i = 2; i >= 0; i--)
    gst_infer_queue_submit (&put[i]->task, queue);
  for (guint i = 0; i < 3; i++) {
    GstClockTime pts;

    g_assert_true (gst_infer_queue_take (queue, &item));
    g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_JOB);
    g_assert_true (item.object == put[i]);
    gst_infer_queue_give_idle (queue, item.object);
    g_assert_true (gst_infer_queue_take (queue, &item));
    g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_EVENT);
    gst_event_parse_gap (item.object, &pts, NULL);
    g_assert_cmpuint (pts, ==, i);
    gst_event_unref (item.object);
  }
}

static gpointer
stop_later (gpointer queue)
{
  g_usleep (20000);
  gst_infer_queue_set_flow (queue, GST_FLOW_NOT_LINKED);
  return NULL;
}

/* A stop ends every wait. */
static void
test_stop (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  g_autoptr (GstQuery) query = gst_query_new_drain ();
  gboolean replaced;
  GstInferItem item;

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  GThread *thread = g_thread_new ("stop", stop_later, queue);
  g_assert_null (gst_infer_queue_wait_idle (queue));
  g_thread_join (thread);
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_NOT_LINKED);
  g_assert_false (gst_infer_queue_take (queue, &item));
  g_assert_false (
      gst_infer_queue_put_event (queue, gst_event_new_eos (), &replaced));

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  thread = g_thread_new ("stop", stop_later, queue);
  g_assert_false (gst_infer_queue_put_query (queue, query));
  g_thread_join (thread);

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  thread = g_thread_new ("stop", stop_later, queue);
  g_assert_false (gst_infer_queue_take (queue, &item));
  g_thread_join (thread);
}

/* The next item must be a title with this text. */
static void
take_tag (GstInferQueue *queue, const char *want)
{
  g_autofree char *title = NULL;
  GstInferItem item;
  GstTagList *tags;

  g_assert_true (gst_infer_queue_take (queue, &item));
  g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_EVENT);
  gst_event_parse_tag (item.object, &tags);
  gst_tag_list_get_string (tags, GST_TAG_TITLE, &title);
  g_assert_cmpstr (title, ==, want);
  gst_event_unref (item.object);
}

static GstEvent *
new_tag (const char *title, GstTagScope scope)
{
  GstTagList *tags = gst_tag_list_new (GST_TAG_TITLE, title, NULL);

  gst_tag_list_set_scope (tags, scope);
  return gst_event_new_tag (tags);
}

/* A stopped queue keeps sticky events, of each kind the last. */
static void
test_sticky (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  gboolean replaced;
  guint depth, running;
  GstInferItem item;

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  put_event (queue, new_tag ("before", GST_TAG_SCOPE_STREAM));
  gst_infer_queue_set_flow (queue, GST_FLOW_NOT_LINKED);
  g_assert_false (gst_infer_queue_take (queue, &item));
  g_assert_false (gst_infer_queue_put_event (
      queue, gst_event_new_gap (0, GST_CLOCK_TIME_NONE), &replaced));
  put_event (queue, new_tag ("all", GST_TAG_SCOPE_GLOBAL));
  for (guint i = 0; i < 1000; i++) {
    g_autofree char *title = g_strdup_printf ("%u", i);

    g_assert_true (gst_infer_queue_put_event (
        queue, new_tag (title, GST_TAG_SCOPE_STREAM), &replaced));
    g_assert_true (replaced);
  }
  gst_infer_queue_get_depth (queue, &depth, &running);
  g_assert_cmpuint (depth, ==, 2);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  take_tag (queue, "all");
  take_tag (queue, "999");
}

/* Neither another flow return nor a new link ends a flush. */
static void
test_flushing (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  g_assert_false (gst_infer_queue_relink (queue));
  gst_infer_queue_set_flow (queue, GST_FLOW_NOT_LINKED);
  g_assert_true (gst_infer_queue_relink (queue));
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_OK);
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_set_flow (queue, GST_FLOW_NOT_LINKED);
  g_assert_false (gst_infer_queue_relink (queue));
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_FLUSHING);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_OK);
}

/* After EOS from downstream events leave, and with a segment buffers can. */
static void
test_eos (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  GstSegment segment;
  GstInferItem item;
  Job jobs[1];

  gst_segment_init (&segment, GST_FORMAT_TIME);
  init_jobs (queue, jobs, 1);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  gst_infer_queue_set_flow (queue, GST_FLOW_EOS);
  g_assert_null (gst_infer_queue_wait_idle (queue));
  put_event (queue, new_tag ("x", GST_TAG_SCOPE_STREAM));
  put_event (queue, gst_event_new_eos ());
  g_assert_true (gst_infer_queue_has_eos (queue));
  take_tag (queue, "x");
  g_assert_true (gst_infer_queue_take (queue, &item));
  gst_event_unref (item.object);
  g_assert_false (gst_infer_queue_has_eos (queue));
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_EOS);
  put_event (queue, gst_event_new_segment (&segment));
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_OK);
  gst_infer_queue_set_flow (queue, GST_FLOW_EOS); /* for buffers before it */
  g_assert_cmpint (gst_infer_queue_get_flow (queue), ==, GST_FLOW_OK);
  gst_infer_queue_give_idle (queue, gst_infer_queue_wait_idle (queue));
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_clear (queue, NULL);
}

static gpointer
submit_later (gpointer data)
{
  Job *job = data;

  g_usleep (20000);
  gst_infer_queue_submit (&job->task, job->queue);
  return NULL;
}

/* Clear waits for jobs under way and leaves every job idle. */
static void
test_clear (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  guint depth, running;
  Job jobs[2];

  init_jobs (queue, jobs, 2);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  Job *job = gst_infer_queue_wait_idle (queue);
  gst_infer_queue_put_job (queue, job);
  put_event (queue, gst_event_new_eos ());
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  GThread *thread = g_thread_new ("submit", submit_later, job);
  gst_infer_queue_clear (queue, NULL);
  g_thread_join (thread);
  gst_infer_queue_get_depth (queue, &depth, &running);
  g_assert_cmpuint (depth, ==, 0);
  g_assert_cmpuint (running, ==, 0);
  g_autoptr (GPtrArray) left = gst_infer_queue_remove_jobs (queue);
  g_assert_cmpuint (left->len, ==, 2);
}

static gpointer
answer_query (gpointer data)
{
  GstInferQueue *queue = data;
  GstInferItem item;

  g_assert_true (gst_infer_queue_take (queue, &item));
  g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_QUERY);
  gst_infer_queue_answer (queue, item.object, TRUE);
  return NULL;
}

static void
test_query (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  GThread *thread = g_thread_new ("answer", answer_query, queue);
  g_assert_true (gst_infer_queue_put_query (queue, query));
  g_thread_join (thread);
}

/* Hold waits for jobs that compute and lets none begin. */
static void
test_hold (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Job jobs[2];

  init_jobs (queue, jobs, 2);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  Job *job = gst_infer_queue_wait_idle (queue);
  gst_infer_queue_put_job (queue, job);
  GThread *thread = g_thread_new ("submit", submit_later, job);
  gst_infer_queue_hold (queue);
  g_thread_join (thread);

  thread = g_thread_new ("stop", stop_later, queue);
  g_assert_null (gst_infer_queue_wait_idle (queue));
  g_thread_join (thread);
  gst_infer_queue_release (queue);
  gst_infer_queue_clear (queue, NULL);
}

/* The computing part of a job, in any thread. */
typedef struct
{
  InferTask task;
  Job *job;
  GThread *thread;
} Guest;

static void
compute (InferTask *task)
{
  Guest *guest = (Guest *) task;

  guest->thread = g_thread_self ();
  gst_infer_queue_submit (&guest->job->task, guest->job->queue);
}

static gpointer
take_job (gpointer data)
{
  GstInferQueue *queue = data;
  GstInferItem item;

  g_assert_true (gst_infer_queue_take (queue, &item));
  g_assert_cmpint (item.kind, ==, GST_INFER_ITEM_JOB);
  gst_infer_queue_give_idle (queue, item.object);
  return g_thread_self ();
}

/* The task computes the job that it waits for; while it is busy, a thread
 * that waits for the job does. */
static void
test_host (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Job jobs[2], *job;
  Guest guest = { .task.run = compute };

  init_jobs (queue, jobs, 2);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  guest.job = job = gst_infer_queue_wait_idle (queue);
  gst_infer_queue_put_job (queue, job);
  g_assert_false (gst_infer_queue_may_host (queue, TRUE, TRUE));
  GThread *thread = g_thread_new ("task", take_job, queue);
  while (!gst_infer_queue_may_host (queue, TRUE, FALSE))
    g_usleep (100);
  g_assert_false (gst_infer_queue_may_host (queue, FALSE, FALSE));
  gst_infer_queue_host (&guest.task, queue);
  g_assert_true (g_thread_join (thread) == guest.thread);
  g_assert_false (gst_infer_queue_hosts (queue));

  guest.job = job = gst_infer_queue_wait_idle (queue);
  gst_infer_queue_put_job (queue, job);
  gst_infer_queue_host (&guest.task, queue);
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_hold (queue);
  g_assert_true (guest.thread == g_thread_self ());
  gst_infer_queue_release (queue);
  gst_infer_queue_clear (queue, NULL);
}

typedef struct
{
  GstInferQueue *queue;
  int slow; /* the next push is long, and the last */
} Pusher;

static gpointer
push_until_slow (gpointer data)
{
  Pusher *pusher = data;

  for (gboolean slow = FALSE; !slow;) {
    GstInferItem item;

    g_assert_true (gst_infer_queue_take (pusher->queue, &item));
    slow = g_atomic_int_get (&pusher->slow);
    if (slow)
      g_usleep (200000);
    gst_infer_queue_give_idle (pusher->queue, item.object);
  }
  return NULL;
}

static void
submit_next (GstInferQueue *queue)
{
  Job *job = gst_infer_queue_wait_idle (queue);

  gst_infer_queue_put_job (queue, job);
  gst_infer_queue_submit (&job->task, queue);
}

/* Jobs until a push was quick: on a busy machine the first may not be. */
static void
push_quickly (GstInferQueue *queue)
{
  gboolean quick = FALSE;

  while (!quick) {
    submit_next (queue);
    for (guint i = 0; i < 1000 && !quick; i++) {
      g_usleep (10);
      quick = gst_infer_queue_may_host (queue, FALSE, TRUE);
    }
  }
}

/* The task was quick and then is not: the thread that waits for an idle job
 * computes. */
static void
test_relief (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Guest guest = { .task.run = compute };
  guint depth, running;
  Job jobs[1];

  init_jobs (queue, jobs, 1);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  Pusher pusher = { queue, FALSE };
  GThread *thread = g_thread_new ("task", push_until_slow, &pusher);
  push_quickly (queue);
  g_atomic_int_set (&pusher.slow, TRUE);
  submit_next (queue);
  do
    gst_infer_queue_get_depth (queue, &depth, &running);
  while (depth > 0);
  /* A new job while the other is being pushed. */
  Job other = { .task.run = run_callback, .queue = queue };
  gst_infer_queue_give_idle (queue, &other);
  guest.job = gst_infer_queue_wait_idle (queue);
  g_assert_true (guest.job == &other);
  gst_infer_queue_put_job (queue, &other);
  gst_infer_queue_host (&guest.task, queue);
  g_assert_nonnull (gst_infer_queue_wait_idle (queue));
  g_assert_true (guest.thread == g_thread_self ());
  g_thread_join (thread);
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_clear (queue, NULL);
}

#define LONG_PUSH_US 100000

/* Takes the next item, which must be @job; how long it took, in µs. */
static guint64
take_time (GstInferQueue *queue, const Job *job)
{
  GstInferItem item;

  g_assert_true (gst_infer_queue_take (queue, &item));
  g_assert_true (item.object == job);
  gst_infer_queue_give_idle (queue, item.object);
  return item.took / 1000;
}

/* A result that waits for downstream to take another has not taken longer for
 * that: neither one that is there, nor one that the task was to compute. */
static void
test_took (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Job jobs[3], *put[3];
  Guest guest = { .task.run = compute };

  init_jobs (queue, jobs, 3);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  for (guint i = 0; i < 3; i++) {
    put[i] = gst_infer_queue_wait_idle (queue);
    gst_infer_queue_put_job (queue, put[i]);
    if (i == 0)
      g_usleep (LONG_PUSH_US); /* it computes */
    if (i < 2)
      gst_infer_queue_submit (&put[i]->task, queue);
  }
  g_assert_cmpuint (take_time (queue, put[0]), >=, LONG_PUSH_US);
  guest.job = put[2];
  gst_infer_queue_host (&guest.task, queue);
  g_usleep (LONG_PUSH_US); /* downstream has put[0] */
  g_assert_cmpuint (take_time (queue, put[1]), <, LONG_PUSH_US / 2);
  g_assert_null (guest.thread);
  g_usleep (LONG_PUSH_US); /* downstream has put[1] */
  g_assert_cmpuint (take_time (queue, put[2]), <, LONG_PUSH_US / 2);
  g_assert_nonnull (guest.thread);
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_clear (queue, NULL);
}

/* A result is not there before all earlier ones are. */
static void
test_took_in_order (void)
{
  g_autoptr (GstInferQueue) queue = gst_infer_queue_new ();
  Job jobs[2], *put[2];

  init_jobs (queue, jobs, 2);
  gst_infer_queue_set_flow (queue, GST_FLOW_OK);
  for (guint i = 0; i < 2; i++) {
    put[i] = gst_infer_queue_wait_idle (queue);
    gst_infer_queue_put_job (queue, put[i]);
  }
  gst_infer_queue_submit (&put[1]->task, queue);
  g_usleep (LONG_PUSH_US);
  gst_infer_queue_submit (&put[0]->task, queue);
  g_assert_cmpuint (take_time (queue, put[0]), >=, LONG_PUSH_US);
  g_assert_cmpuint (take_time (queue, put[1]), >=, LONG_PUSH_US);
  gst_infer_queue_set_flow (queue, GST_FLOW_FLUSHING);
  gst_infer_queue_clear (queue, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/ordered-queue/order", test_order);
  g_test_add_func ("/ordered-queue/stop", test_stop);
  g_test_add_func ("/ordered-queue/sticky", test_sticky);
  g_test_add_func ("/ordered-queue/flushing", test_flushing);
  g_test_add_func ("/ordered-queue/eos", test_eos);
  g_test_add_func ("/ordered-queue/clear", test_clear);
  g_test_add_func ("/ordered-queue/query", test_query);
  g_test_add_func ("/ordered-queue/hold", test_hold);
  g_test_add_func ("/ordered-queue/host", test_host);
  g_test_add_func ("/ordered-queue/relief", test_relief);
  g_test_add_func ("/ordered-queue/took", test_took);
  g_test_add_func ("/ordered-queue/took-in-order", test_took_in_order);
  return g_test_run ();
}
