/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/request.h"

#include <pthread.h>

#include "inference/clock.h"
#include "inference/error.h"
#include "inference/runtime-private.h"
#include "tests/check/support/fake-backend.h"

typedef struct
{
  InferAsyncRequest *async;
  gint calls;
  GError *error; /* of the last call */
  GThread *thread;
  guint restarts; /* how often the callback starts it again */
  GArray *order;  /* of callbacks; nullable */
  guint number;
} Run;

static void
called_back (InferAsyncRequest *async, const GError *error, gpointer data)
{
  Run *run = data;

  g_assert_true (async == run->async);
  g_clear_error (&run->error);
  if (error)
    run->error = g_error_copy (error);
  run->thread = g_thread_self ();
  if (run->order)
    g_array_append_val (run->order, run->number);
  g_atomic_int_inc (&run->calls);
  if (run->restarts > 0) {
    run->restarts--;
    g_assert_true (
        infer_async_request_start (async, INFER_START_DEFAULT, NULL));
  }
}

static InferExecutable *
make_executable (const InferBackend *backend, guint device, const char *config,
    const char *state)
{
  g_autoptr (InferModel) model = fake_model ("1,1", state);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (backend, device, config, &error);
  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

static void
run_init (Run *run, InferExecutable *executable, InferExecutor *callbacks)
{
  g_autoptr (GError) error = NULL;

  *run = (Run){ .async = NULL };
  run->async = infer_async_request_new (executable, callbacks, &error);
  g_assert_no_error (error);
  infer_async_request_set_callback (run->async, called_back, run);
}

static void
run_clear (Run *run)
{
  infer_async_request_free (run->async);
  g_clear_error (&run->error);
}

static void
set_value (Run *run, float value)
{
  InferRequest *request = infer_async_request_get_request (run->async);

  *(float *) infer_request_get_input (request, 0, NULL)->data = value;
}

static float
get_value (Run *run)
{
  InferRequest *request = infer_async_request_get_request (run->async);

  return *(float *) infer_request_get_output (request, 0, NULL)->data;
}

static void
start (Run *run, InferStartFlags flags)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_start (run->async, flags, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
finish (Run *run)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_wait (run->async, -1, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
test_simple (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  Run run;

  run_init (&run, executable, NULL);
  g_assert_true (infer_async_request_wait (run.async, -1, NULL));
  for (guint i = 1; i <= 100; i++) {
    set_value (&run, (float) i);
    start (&run, INFER_START_DEFAULT);
    finish (&run);
    g_assert_cmpint (run.calls, ==, i);
    g_assert_no_error (run.error);
    g_assert_cmpfloat (get_value (&run), ==, (float) i);
    g_assert_true (run.thread != g_thread_self ());
  }
  run_clear (&run);
}

static void
test_preprocessed (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, "1,1");
  Run run;

  run_init (&run, executable, NULL);
  InferRequest *request = infer_async_request_get_request (run.async);
  set_value (&run, 4);
  g_assert_true (infer_request_preprocess (request, NULL));
  guint64 ns = infer_request_get_timings (request)[INFER_STAGE_PREPROCESS];
  start (&run, INFER_START_PREPROCESSED);
  finish (&run);
  g_assert_cmpfloat (get_value (&run), ==, 4);
  g_assert_cmpuint (
      infer_request_get_timings (request)[INFER_STAGE_PREPROCESS], ==, ns);
  run_clear (&run);
}

static void
test_fail (gconstpointer data)
{
  const InferBackend *backend = data;
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, "1,1");
  Run run;

  run_init (&run, executable, NULL);
  set_value (&run, 1);
  start (&run, INFER_START_DEFAULT);
  finish (&run);
  for (InferStage stage = INFER_STAGE_UPLOAD; stage <= INFER_STAGE_DOWNLOAD;
       stage++) {
    g_autoptr (GError) error = NULL;

    if (!backend->wait && stage != INFER_STAGE_START)
      continue;
    settings->fail_stage = (int) stage;
    start (&run, INFER_START_DEFAULT);
    g_assert_false (infer_async_request_wait (run.async, -1, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
    g_assert_error (run.error, INFER_ERROR, INFER_ERROR_DEVICE);
    g_assert_cmpstr (run.error->message, ==, error->message);
    g_autofree char *expected = g_strdup_printf (
        "fake.xml: told to fail in %s", infer_stage_name (stage));
    g_assert_cmpstr (error->message, ==, expected);
  }
  /* Only the step whose download failed has left a trace. */
  settings->fail_stage = FAKE_NEVER;
  start (&run, INFER_START_DEFAULT);
  finish (&run);
  g_assert_cmpfloat (get_value (&run), ==, backend->wait ? 3 : 2);
  run_clear (&run);
}

/* The input is wrong, which is found on the executor. */
static void
test_fail_preprocess (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferModel) model = fake_model ("?,1", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (backend, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  g_autoptr (GError) error = NULL;
  Run run;

  run_init (&run, executable, NULL);
  start (&run, INFER_START_DEFAULT);
  g_assert_false (infer_async_request_wait (run.async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (fake_count (INFER_STAGE_START), ==, 0);
  run_clear (&run);
}

static void
test_busy_and_timeout (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  Run run;

  settings->hang_stage = INFER_STAGE_START;
  run_init (&run, executable, NULL);
  start (&run, INFER_START_DEFAULT);
  g_assert_false (infer_async_request_start (run.async, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_BUSY);
  g_clear_error (&error);
  fake_await_hanging ();
  guint64 begin = infer_clock_ns ();
  g_assert_false (infer_async_request_wait (run.async, 20000, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (infer_clock_ns () - begin, >=, 20000000);
  g_assert_false (infer_async_request_wait (run.async, 0, &error));
  g_assert_no_error (error);
  fake_release ();
  finish (&run);
  run_clear (&run);
}

/* Two are queued behind one that hangs: the cancelled one never starts. */
static void
test_cancel (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, "NUM_STREAMS=3", "1,1");
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  Run runs[3];

  settings->hang_stage = INFER_STAGE_START;
  for (guint i = 0; i < 3; i++) {
    run_init (&runs[i], executable, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (runs[i].async), set);
    set_value (&runs[i], 1 + (float) i);
    start (&runs[i], INFER_START_DEFAULT);
  }
  fake_await_hanging ();
  infer_async_request_cancel (runs[1].async);
  fake_release ();
  finish (&runs[0]);
  finish (&runs[2]);
  g_assert_false (infer_async_request_wait (runs[1].async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_error (runs[1].error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpuint (fake_n_steps (), ==, 2);
  g_assert_cmpfloat (get_value (&runs[0]), ==, 1);
  g_assert_cmpfloat (get_value (&runs[2]), ==, 4);
  /* No trace of the cancel in the next run. */
  start (&runs[1], INFER_START_DEFAULT);
  finish (&runs[1]);
  g_assert_cmpfloat (get_value (&runs[1]), ==, 6);
  for (guint i = 0; i < 3; i++)
    run_clear (&runs[i]);
}

/* What a device has begun is waited for, though it was cancelled. */
static void
test_cancel_begun (gconstpointer data)
{
  const InferBackend *backend = data;
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  Run run;

  settings->hang_stage = backend->wait ? INFER_STAGE_WAIT : INFER_STAGE_START;
  run_init (&run, executable, NULL);
  start (&run, INFER_START_DEFAULT);
  fake_await_hanging ();
  infer_async_request_cancel (run.async);
  fake_release ();
  infer_async_request_wait (run.async, -1, NULL);
  g_assert_error (run.error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpuint (fake_count (INFER_STAGE_WAIT), ==, backend->wait != NULL);
  g_assert_cmpuint (fake_count (INFER_STAGE_DOWNLOAD), ==, 0);
  run_clear (&run);
}

static gpointer
release_soon (gpointer data)
{
  g_usleep (20000);
  fake_release ();
  return NULL;
}

/* Freeing a running request waits for it and its callback, and leaves the
 * executors to the others. */
static void
test_free_running (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  Run run, other;

  settings->hang_stage = INFER_STAGE_START;
  run_init (&run, executable, NULL);
  run_init (&other, executable, NULL);
  run.restarts = 0;
  start (&run, INFER_START_DEFAULT);
  fake_await_hanging ();
  GThread *thread = g_thread_new ("release", release_soon, NULL);
  run_clear (&run);
  g_assert_cmpint (run.calls, ==, 1);
  g_thread_join (thread);
  set_value (&other, 3);
  start (&other, INFER_START_DEFAULT);
  finish (&other);
  g_assert_cmpfloat (get_value (&other), ==, 3);
  run_clear (&other);
}

static void
refused_restart (InferAsyncRequest *async, const GError *error, gpointer data)
{
  g_autoptr (GError) refused = NULL;

  if (!infer_async_request_start (async, INFER_START_DEFAULT, &refused)) {
    g_assert_error (refused, INFER_ERROR, INFER_ERROR_CANCELLED);
    g_atomic_int_inc ((gint *) data);
  }
}

/* A callback that always starts again does not keep a free waiting. */
static void
test_free_restarting (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, NULL);
  gint refused = 0;

  infer_async_request_set_callback (async, refused_restart, &refused);
  g_assert_true (infer_async_request_start (async, 0, NULL));
  g_usleep (5000);
  infer_async_request_free (async);
  g_assert_cmpint (refused, ==, 1);
}

static void
test_restart (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, "NUM_STREAMS=3", "1,1");
  Run run;

  run_init (&run, executable, NULL);
  set_value (&run, 1);
  run.restarts = 1000;
  start (&run, INFER_START_DEFAULT);
  while (g_atomic_int_get (&run.calls) < 1001)
    finish (&run);
  g_assert_cmpint (run.calls, ==, 1001);
  g_assert_cmpfloat (get_value (&run), ==, 1001);
  run_clear (&run);
}

typedef struct
{
  pthread_mutex_t lock;
  pthread_cond_t filled;
  InferTask *task;
} Mailbox;

static void
mailbox_put (InferTask *task, gpointer data)
{
  Mailbox *box = data;

  pthread_mutex_lock (&box->lock);
  box->task = task;
  pthread_cond_signal (&box->filled);
  pthread_mutex_unlock (&box->lock);
}

static InferTask *
mailbox_take (Mailbox *box)
{
  pthread_mutex_lock (&box->lock);
  while (!box->task)
    pthread_cond_wait (&box->filled, &box->lock);
  InferTask *task = g_steal_pointer (&box->task);
  pthread_mutex_unlock (&box->lock);
  return task;
}

/* The callback stage waits for its executor, and so does the request. */
static void
test_callback_executor (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, NULL, NULL);
  Mailbox box = { .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER };
  g_autoptr (InferExecutor) executor =
      infer_executor_new_custom (mailbox_put, &box, NULL);
  Run run;

  run_init (&run, executable, executor);
  start (&run, INFER_START_DEFAULT);
  InferTask *task = mailbox_take (&box);
  g_assert_cmpint (run.calls, ==, 0);
  g_assert_false (infer_async_request_wait (run.async, 1000, NULL));
  task->run (task);
  g_assert_cmpint (run.calls, ==, 1);
  g_assert_true (run.thread == g_thread_self ());
  finish (&run);
  run_clear (&run);
}

static void
collect (InferTask *task, gpointer data)
{
  g_ptr_array_add (data, task);
}

static void
run_collected (GPtrArray *tasks, guint index)
{
  InferTask *task = tasks->pdata[index];

  task->run (task);
}

/* A host computes by itself where a thread of the executable's is free, and
 * passes the request on where none is. */
static void
test_host (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (&fake_cpu, 0, NULL, NULL);
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  g_autoptr (InferExecutor) host =
      infer_executor_new_custom (collect, tasks, NULL);
  InferExecutor *pool = infer_executable_get_task_executor (executable);
  Run run;

  g_assert_cmpint (infer_executable_guest_room (executable), ==, 1);
  run_init (&run, executable, NULL);
  for (guint i = 0; i < 2; i++) {
    set_value (&run, (float) i + 1);
    g_assert_true (infer_async_request_start_at (
        run.async, host, INFER_START_DEFAULT, NULL));
    g_assert_cmpint (run.calls, ==, (gint) i);
    if (i == 1)
      g_assert_true (infer_executor_try_enter (pool));
    run_collected (tasks, i);
    if (i == 1)
      infer_executor_leave (pool);
    finish (&run);
    g_assert_cmpint (run.calls, ==, (gint) i + 1);
    g_assert_no_error (run.error);
    g_assert_true ((run.thread == g_thread_self ()) == (i == 0));
    g_assert_cmpfloat (get_value (&run), ==, (float) i + 1);
  }
  run_clear (&run);
}

/* Whoever is hosted first: steps come in the order of the starts. */
static void
test_host_sequence (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (&fake_cpu, 0, NULL, "1,1");
  g_autoptr (InferStateSet) states =
      infer_state_set_new (infer_executable_get_model (executable));
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  g_autoptr (InferExecutor) host =
      infer_executor_new_custom (collect, tasks, NULL);
  Run runs[2];

  for (guint i = 0; i < 2; i++) {
    run_init (&runs[i], executable, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (runs[i].async), states);
    set_value (&runs[i], (float) i + 1);
    g_assert_true (infer_async_request_start_at (
        runs[i].async, host, INFER_START_DEFAULT, NULL));
  }
  run_collected (tasks, 1);
  g_assert_false (infer_async_request_wait (runs[1].async, 20000, NULL));
  run_collected (tasks, 0);
  for (guint i = 0; i < 2; i++)
    finish (&runs[i]);
  g_assert_cmpfloat (get_value (&runs[0]), ==, 1);
  g_assert_cmpfloat (get_value (&runs[1]), ==, 3);
  for (guint i = 0; i < 2; i++)
    run_clear (&runs[i]);
}

/* Preparing and delivering of some overlaps the device's work for others: four
 * requests take hardly longer than the device alone. */
/* Returns the wall time of all, in ns. */
static guint64
time_all (Run *runs, guint n)
{
  guint64 begin = infer_clock_ns ();

  for (guint i = 0; i < n; i++)
    start (&runs[i], INFER_START_DEFAULT);
  for (guint i = 0; i < n; i++)
    finish (&runs[i]);
  return infer_clock_ns () - begin;
}

static void
test_overlap (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (&fake_device, 0, NULL, NULL);
  const guint n = 4, wait_us = 50000;
  guint64 longest = n * wait_us * 1000ull, wall = G_MAXUINT64;
  Run runs[4];

  settings->delay_us[INFER_STAGE_UPLOAD] = 10000;
  settings->delay_us[INFER_STAGE_WAIT] = wait_us;
  settings->delay_us[INFER_STAGE_DOWNLOAD] = 10000;
  for (guint i = 0; i < n; i++)
    run_init (&runs[i], executable, NULL);
  /* Sleeps last longer on a busy machine, hence some attempts. */
  for (guint k = 0; k < 10 && wall > longest * 12 / 10; k++) {
    wall = time_all (runs, n);
    g_test_message ("wall %.1f ms, longest stage %.1f ms", (double) wall / 1e6,
        (double) longest / 1e6);
    g_assert_cmpuint (wall, >=, longest);
  }
  g_assert_cmpuint (wall, <=, longest * 12 / 10);
  for (guint i = 0; i < n; i++)
    run_clear (&runs[i]);
}

/* Streams compute at the same time; preparing steps of one sequence overlaps
 * though the steps themselves do not. */
static void
test_streams (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (&fake_cpu, 0, "NUM_STREAMS=4", NULL);
  Run runs[4];

  settings->delay_us[INFER_STAGE_START] = 50000;
  for (guint i = 0; i < 4; i++)
    run_init (&runs[i], executable, NULL);
  guint64 begin = infer_clock_ns ();
  for (guint i = 0; i < 4; i++)
    start (&runs[i], INFER_START_DEFAULT);
  for (guint i = 0; i < 4; i++)
    finish (&runs[i]);
  g_assert_cmpuint (infer_clock_ns () - begin, <, 100000000);
  g_assert_cmpint (fake_max_steps_at_once (), ==, 4);
  for (guint i = 0; i < 4; i++)
    run_clear (&runs[i]);
}

/* Each device has its own wait executor: two wait at the same time. */
static void
test_two_devices (void)
{
  FakeSettings *settings = fake_reset ();
  Run runs[2];
  g_autoptr (InferExecutable) one =
      make_executable (&fake_device, 0, NULL, NULL);
  g_autoptr (InferExecutable) two =
      make_executable (&fake_device, 1, NULL, NULL);

  settings->delay_us[INFER_STAGE_WAIT] = 60000;
  run_init (&runs[0], one, NULL);
  run_init (&runs[1], two, NULL);
  guint64 begin = infer_clock_ns ();
  start (&runs[0], INFER_START_DEFAULT);
  start (&runs[1], INFER_START_DEFAULT);
  finish (&runs[0]);
  finish (&runs[1]);
  g_assert_cmpuint (infer_clock_ns () - begin, <, 110000000);
  g_assert_true (
      fake_thread (0, INFER_STAGE_WAIT) != fake_thread (1, INFER_STAGE_WAIT));
  g_assert_true (
      fake_thread (0, INFER_STAGE_WAIT) != fake_thread (0, INFER_STAGE_START));
  run_clear (&runs[0]);
  run_clear (&runs[1]);
}

#define N_SEQUENCE 12

/* One sequence, many requests and streams: the result is that of one request.
 * Every fifth step resets. */
static void
test_sequence (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, "NUM_STREAMS=4", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  Run runs[N_SEQUENCE];
  float sum = 0;

  settings->delay_us[INFER_STAGE_START] = 100;
  for (guint i = 0; i < N_SEQUENCE; i++) {
    run_init (&runs[i], executable, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (runs[i].async), set);
  }
  for (guint round = 0; round < 20; round++) {
    for (guint i = 0; i < N_SEQUENCE; i++) {
      set_value (&runs[i], (float) (1 + round * N_SEQUENCE + i));
      start (&runs[i],
          i % 5 == 4 ? INFER_START_RESET_STATES : INFER_START_DEFAULT);
    }
    for (guint i = 0; i < N_SEQUENCE; i++) {
      float value = (float) (1 + round * N_SEQUENCE + i);

      finish (&runs[i]);
      sum = value + (i % 5 == 4 ? 0 : sum);
      g_assert_cmpfloat (get_value (&runs[i]), ==, sum);
      g_assert_cmpfloat (fake_step (round * N_SEQUENCE + i), ==, value);
    }
  }
  g_assert_cmpint (fake_max_steps_at_once (), ==, 1);
  for (guint i = 0; i < N_SEQUENCE; i++)
    run_clear (&runs[i]);
}

/* A reset asked for while steps are queued spares those. */
static void
test_reset_while_queued (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      make_executable (backend, 0, "NUM_STREAMS=2", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  static const float expected[] = { 1, 3, 6, 4 };
  Run runs[4];

  settings->hang_stage = INFER_STAGE_START;
  for (guint i = 0; i < 4; i++) {
    run_init (&runs[i], executable, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (runs[i].async), set);
    set_value (&runs[i], 1 + (float) i);
    if (i == 3)
      infer_state_set_reset (set);
    start (&runs[i], INFER_START_DEFAULT);
  }
  fake_await_hanging ();
  fake_release ();
  for (guint i = 0; i < 4; i++) {
    finish (&runs[i]);
    g_assert_cmpfloat (get_value (&runs[i]), ==, expected[i]);
  }
  for (guint i = 0; i < 4; i++)
    run_clear (&runs[i]);
}

/* Whatever stage fails or hangs, of stateful models too, with others queued
 * behind it: every callback is called once, frees return as soon as the device
 * does, and nothing is left. */
static void
check_trouble (const InferBackend *backend, InferStage stage, gboolean hangs,
    const char *state)
{
  FakeSettings *settings = fake_reset ();
  InferExecutable *executable =
      make_executable (backend, 0, "NUM_STREAMS=2", state);
  g_autoptr (InferStateSet) states =
      state ? infer_state_set_new (infer_executable_get_model (executable))
            : NULL;
  GThread *thread = NULL;
  Run runs[5];

  if (hangs)
    settings->hang_stage = (int) stage;
  else
    settings->fail_stage = (int) stage;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    run_init (&runs[i], executable, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (runs[i].async), states);
    start (&runs[i], INFER_START_DEFAULT);
  }
  infer_executable_unref (executable);
  if (hangs) {
    fake_await_hanging ();
    g_assert_false (infer_async_request_wait (runs[0].async, 2000, NULL)
                    && infer_async_request_wait (runs[4].async, 2000, NULL));
    infer_async_request_cancel (runs[1].async);
    thread = g_thread_new ("release", release_soon, NULL);
  }
  run_clear (&runs[2]);
  run_clear (&runs[0]);
  for (guint i = 1; i < G_N_ELEMENTS (runs); i++) {
    if (i == 2)
      continue;
    g_autoptr (GError) error = NULL;
    gboolean ok = infer_async_request_wait (runs[i].async, -1, &error);
    g_assert_true (ok == (hangs && !error));
  }
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    if (i != 0 && i != 2)
      run_clear (&runs[i]);
    g_assert_cmpint (runs[i].calls, ==, 1);
  }
  if (thread)
    g_thread_join (thread);
  g_assert_cmpint (fake_n_objects (), ==, 0);
}

static void
test_trouble (gconstpointer data)
{
  const InferBackend *backend = data;
  static const InferStage stages[] = { INFER_STAGE_UPLOAD, INFER_STAGE_START,
    INFER_STAGE_WAIT, INFER_STAGE_DOWNLOAD };

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    if (!backend->wait && stages[i] != INFER_STAGE_START)
      continue;
    for (guint way = 0; way < 4; way++)
      check_trouble (backend, stages[i], way % 2 == 1, way < 2 ? NULL : "1,1");
  }
}

/* The user lets go of everything while requests run. */
static void
test_lifetimes (gconstpointer backend)
{
  for (guint round = 0; round < 50; round++) {
    fake_reset ();
    InferExecutable *executable =
        make_executable (backend, 0, "NUM_STREAMS=2", "1,1");
    Run runs[2];

    run_init (&runs[0], executable, NULL);
    run_init (&runs[1], executable, NULL);
    infer_executable_unref (executable);
    start (&runs[0], INFER_START_DEFAULT);
    start (&runs[1], INFER_START_DEFAULT);
    run_clear (&runs[0]);
    run_clear (&runs[1]);
    g_assert_cmpint (fake_n_objects (), ==, 0);
  }
}

typedef struct
{
  const char *name;
  GTestDataFunc func;
} Case;

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "simple", test_simple },
    { "preprocessed", test_preprocessed },
    { "fail", test_fail },
    { "fail-preprocess", test_fail_preprocess },
    { "busy-and-timeout", test_busy_and_timeout },
    { "cancel", test_cancel },
    { "cancel-begun", test_cancel_begun },
    { "free-running", test_free_running },
    { "free-restarting", test_free_restarting },
    { "restart", test_restart },
    { "callback-executor", test_callback_executor },
    { "sequence", test_sequence },
    { "reset-while-queued", test_reset_while_queued },
    { "trouble", test_trouble },
    { "lifetimes", test_lifetimes },
  };
  static const InferBackend *const backends[] = { &fake_cpu, &fake_device };

  g_test_init (&argc, &argv, NULL);
  for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      g_autofree char *path = g_strdup_printf (
          "/async-request/%s/%s", backends[b]->name, cases[i].name);
      g_test_add_data_func (path, backends[b], cases[i].func);
    }
  }
  g_test_add_func ("/async-request/host", test_host);
  g_test_add_func ("/async-request/host-sequence", test_host_sequence);
  g_test_add_func ("/async-request/overlap", test_overlap);
  g_test_add_func ("/async-request/streams", test_streams);
  g_test_add_func ("/async-request/two-devices", test_two_devices);
  return g_test_run ();
}
