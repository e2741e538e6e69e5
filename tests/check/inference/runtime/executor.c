/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE
#include "inference/runtime/executor-private.h"

#include <sched.h>

#define N_TASKS 1000

typedef struct
{
  InferTask task;
  guint number;
  gint *runs;                  /* total number of runs */
  guint *order;                /* numbers in execution order; nullable */
  GThread *thread;             /* it ran on */
  InferExecutor *again, *drop; /* executor to resubmit to; executor to unref */
  gint *ended; /* counted after the last access to the job; nullable */
} Job;

static void
job_run (InferTask *task)
{
  Job *job = (Job *) task;
  int position = g_atomic_int_add (job->runs, 1);

  if (job->order != NULL)
    job->order[position] = job->number;
  job->thread = g_thread_self ();
  gint *ended = job->ended;
  if (job->again != NULL)
    infer_executor_submit (g_steal_pointer (&job->again), task);
  else if (job->drop != NULL)
    infer_executor_unref (g_steal_pointer (&job->drop));
  if (ended != NULL)
    g_atomic_int_inc (ended);
}

static Job *
jobs_new (guint n, gint *runs, guint *order)
{
  Job *jobs = g_new0 (Job, n);

  for (guint i = 0; i < n; i++)
    jobs[i] =
        (Job){ .task.run = job_run, .number = i, .runs = runs, .order = order };
  return jobs;
}

static void
test_immediate (void)
{
  gint runs = 0;
  g_autoptr (InferExecutor) executor = infer_executor_new_immediate ();
  g_autofree Job *job = jobs_new (1, &runs, NULL);

  infer_executor_submit (executor, &job->task);
  g_assert_cmpint (runs, ==, 1);
  g_assert_true (job->thread == g_thread_self ());
}

static void
test_pool_order (void)
{
  gint runs = 0;
  g_autofree guint *order = g_new0 (guint, N_TASKS);
  InferExecutor *pool = infer_executor_new_pool ("one", 1);
  g_autofree Job *jobs = jobs_new (N_TASKS, &runs, order);

  for (guint i = 0; i < N_TASKS; i++)
    infer_executor_submit (pool, &jobs[i].task);
  infer_executor_unref (pool); /* waits for the threads */
  g_assert_cmpint (runs, ==, N_TASKS);
  for (guint i = 0; i < N_TASKS; i++) {
    g_assert_cmpuint (order[i], ==, i);
    g_assert_true (jobs[i].thread != g_thread_self ());
  }
}

static void
test_pool_threads (void)
{
  gint runs = 0;
  InferExecutor *pool = infer_executor_new_pool ("four", 4);
  g_autofree Job *jobs = jobs_new (N_TASKS, &runs, NULL);

  for (guint i = 0; i < N_TASKS; i++) {
    jobs[i].again = pool;
    infer_executor_submit (pool, &jobs[i].task);
  }
  infer_executor_unref (pool);
  g_assert_cmpint (runs, ==, 2 * N_TASKS);
}

/* A task of the pool drops the last reference while others are queued. */
static void
test_pool_unref_inside (void)
{
  for (guint round = 0; round < 50; round++) {
    gint runs = 0, ended = 0;
    guint n = 20;
    InferExecutor *pool = infer_executor_new_pool ("own", 1 + round % 3);
    g_autofree Job *jobs = jobs_new (n, &runs, NULL);

    jobs[n / 2].drop = pool;
    infer_executor_ref (pool);
    for (guint i = 0; i < n; i++) {
      jobs[i].ended = &ended;
      infer_executor_submit (pool, &jobs[i].task);
    }
    infer_executor_unref (pool);
    while (g_atomic_int_get (&ended) < (gint) n)
      g_usleep (100);
    g_assert_cmpint (runs, ==, n);
  }
}

typedef struct
{
  InferTask task;
  gint *arrived; /* both threads must be in a task at once */
  cpu_set_t processors;
} Look;

static void
look_run (InferTask *task)
{
  Look *look = (Look *) task;

  g_assert_cmpint (
      sched_getaffinity (0, sizeof look->processors, &look->processors), ==, 0);
  g_atomic_int_inc (look->arrived);
  while (g_atomic_int_get (look->arrived) < 2)
    g_thread_yield ();
}

/* Threads are pinned to separate processors as far as there are enough; the
 * creating thread is not. */
static void
test_pinned (void)
{
  gint arrived = 0;
  cpu_set_t before, after, both;
  InferExecutor *pool = infer_executor_new_pinned_pool ("pinned", 1, 1);
  Look looks[2];

  g_assert_cmpint (sched_getaffinity (0, sizeof before, &before), ==, 0);
  infer_executor_grow_pool (pool, "pinned", 2);
  for (guint i = 0; i < 2; i++) {
    looks[i] = (Look){ .task.run = look_run, .arrived = &arrived };
    infer_executor_submit (pool, &looks[i].task);
  }
  infer_executor_unref (pool);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (CPU_COUNT (&looks[i].processors), ==, 1);
  CPU_OR (&both, &looks[0].processors, &looks[1].processors);
  g_assert_cmpint (CPU_COUNT (&both), ==, MIN (2, CPU_COUNT (&before)));
  g_assert_cmpint (sched_getaffinity (0, sizeof after, &after), ==, 0);
  g_assert_true (CPU_EQUAL (&before, &after));
}

/* A guest thread takes one of the pool's places: never more tasks at once than
 * the pool has threads. */
static void
test_guests (void)
{
  gint runs = 0;
  InferExecutor *pool = infer_executor_new_pool ("one", 1);
  g_autoptr (InferExecutor) pinned =
      infer_executor_new_pinned_pool ("pinned", 1, 1);
  g_autoptr (InferExecutor) immediate = infer_executor_new_immediate ();
  g_autofree Job *jobs = jobs_new (2, &runs, NULL);

  g_assert_cmpint (infer_executor_get_room (pinned), <, 0);
  g_assert_cmpint (infer_executor_get_room (immediate), <, 0);
  g_assert_false (infer_executor_try_enter (pinned));
  g_assert_false (infer_executor_try_enter (immediate));
  g_assert_cmpuint (infer_executor_get_backlog (immediate, 0), ==, 0);

  g_assert_cmpint (infer_executor_get_room (pool), ==, 1);
  g_assert_true (infer_executor_try_enter (pool));
  g_assert_cmpint (infer_executor_get_room (pool), ==, 0);
  g_assert_false (infer_executor_try_enter (pool));
  infer_executor_submit (pool, &jobs[0].task);
  g_assert_cmpuint (infer_executor_get_backlog (pool, 0), ==, 1);
  infer_executor_submit_ahead (pool, &jobs[1].task);
  g_usleep (20000);
  g_assert_cmpint (g_atomic_int_get (&runs), ==, 0);
  g_assert_cmpuint (infer_executor_get_backlog (pool, 0), ==, 2);
  g_assert_cmpuint (infer_executor_get_backlog (pool, 1), ==, 1);
  g_assert_cmpuint (infer_executor_get_backlog (pool, 3), ==, 0);
  g_assert_cmpuint (infer_executor_grow_pool (pool, "two", 2), ==, 2);
  while (g_atomic_int_get (&runs) < 2)
    g_usleep (100);
  g_assert_cmpuint (infer_executor_get_backlog (pool, 0), ==, 0);
  infer_executor_leave (pool);
  infer_executor_unref (pool);
  g_assert_cmpint (runs, ==, 2);
}

static void
collect (InferTask *task, gpointer data)
{
  g_ptr_array_add (data, task);
}

static void
count_destroy (gpointer data)
{
  g_ptr_array_set_free_func (data, NULL);
  g_ptr_array_add (data, NULL);
}

/* Those that are submitted ahead go first, but not all of many. */
static void
test_ahead (void)
{
  gint runs = 0;
  guint order[20];
  InferExecutor *pool = infer_executor_new_pool ("one", 1);
  g_autofree Job *jobs = jobs_new (20, &runs, order);
  static const guint wanted[20] = { 19, 17, 16, 15, 14, 13, 12, 11, 10, 0, 1, 2,
    3, 4, 5, 6, 7, 8, 9, 18 };

  g_assert_true (infer_executor_try_enter (pool));
  for (guint i = 0; i < 10; i++)
    infer_executor_submit (pool, &jobs[i].task);
  for (guint i = 10; i < 20; i++)
    infer_executor_submit_ahead (pool, &jobs[i].task);
  infer_executor_leave (pool);
  infer_executor_unref (pool); /* waits for the thread */
  g_assert_cmpmem (order, sizeof order, wanted, sizeof wanted);
}

static void
test_custom (void)
{
  gint runs = 0;
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  InferExecutor *custom =
      infer_executor_new_custom (collect, tasks, count_destroy);
  g_autofree Job *jobs = jobs_new (2, &runs, NULL);

  infer_executor_submit (custom, &jobs[1].task);
  infer_executor_submit (custom, &jobs[0].task);
  g_assert_cmpint (runs, ==, 0);
  g_assert_cmpuint (tasks->len, ==, 2);
  g_assert_true (g_ptr_array_index (tasks, 0) == &jobs[1].task);
  for (guint i = 0; i < tasks->len; i++) {
    InferTask *task = g_ptr_array_index (tasks, i);
    task->run (task);
  }
  g_assert_cmpint (runs, ==, 2);
  infer_executor_unref (custom);
  g_assert_cmpuint (tasks->len, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/executor/pinned", test_pinned);
  g_test_add_func ("/executor/immediate", test_immediate);
  g_test_add_func ("/executor/pool/order", test_pool_order);
  g_test_add_func ("/executor/pool/threads", test_pool_threads);
  g_test_add_func ("/executor/pool/unref-inside", test_pool_unref_inside);
  g_test_add_func ("/executor/pool/guests", test_guests);
  g_test_add_func ("/executor/pool/ahead", test_ahead);
  g_test_add_func ("/executor/custom", test_custom);
  return g_test_run ();
}
