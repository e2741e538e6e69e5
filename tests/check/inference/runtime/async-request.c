/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/request.h"

#include <pthread.h>

#include "inference/base/clock.h"
#include "infer/error.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/async-run.h"
#include "tests/check/support/fake-backend.h"

static void
test_simple (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, NULL);
  g_assert_true (infer_async_request_wait (run.async, -1, NULL));
  for (guint i = 1; i <= 100; i++) {
    async_run_set (&run, (float) i);
    async_run_start (&run, INFER_START_DEFAULT);
    async_run_finish (&run);
    g_assert_cmpint (run.calls, ==, i);
    g_assert_no_error (run.error);
    g_assert_cmpfloat (async_run_get (&run), ==, (float) i);
    g_assert_true (run.thread != g_thread_self ());
  }
}

static void
test_preprocessed (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", "1,1");
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, NULL);
  InferRequest *request = infer_async_request_get_request (run.async);
  async_run_set (&run, 4);
  g_assert_true (infer_request_preprocess (request, NULL));
  guint64 ns = infer_request_get_timings (request)[INFER_STAGE_PREPROCESS];
  async_run_start (&run, INFER_START_PREPROCESSED);
  async_run_finish (&run);
  g_assert_cmpfloat (async_run_get (&run), ==, 4);
  g_assert_cmpuint (
      infer_request_get_timings (request)[INFER_STAGE_PREPROCESS], ==, ns);
}

static void
test_fail (gconstpointer data)
{
  const InferBackend *backend = data;
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", "1,1");
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, NULL);
  async_run_set (&run, 1);
  async_run_start (&run, INFER_START_DEFAULT);
  async_run_finish (&run);
  for (InferStage stage = INFER_STAGE_UPLOAD; stage <= INFER_STAGE_DOWNLOAD;
       stage++) {
    g_autoptr (GError) error = NULL;

    if (backend->wait == NULL && stage != INFER_STAGE_START)
      continue;
    settings->fail_stage = (int) stage;
    async_run_start (&run, INFER_START_DEFAULT);
    g_assert_false (infer_async_request_wait (run.async, -1, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
    g_assert_error (run.error, INFER_ERROR, INFER_ERROR_DEVICE);
    g_assert_cmpstr (run.error->message, ==, error->message);
    g_autofree char *expected = g_strdup_printf (
        "fake.xml: told to fail in %s", infer_stage_name (stage));
    g_assert_cmpstr (error->message, ==, expected);
  }
  /* Only the step whose download failed has changed the state. */
  settings->fail_stage = FAKE_NEVER;
  async_run_start (&run, INFER_START_DEFAULT);
  async_run_finish (&run);
  g_assert_cmpfloat (async_run_get (&run), ==, backend->wait != NULL ? 3 : 2);
}

/* A wrong input, detected on the executor. */
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
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, NULL);
  async_run_start (&run, INFER_START_DEFAULT);
  g_assert_false (infer_async_request_wait (run.async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpuint (fake_count (INFER_STAGE_START), ==, 0);
}

static void
test_busy_and_timeout (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
  g_autoptr (GError) error = NULL;
  g_auto (AsyncRun) run = { 0 };

  settings->hang_stage = INFER_STAGE_START;
  async_run_init (&run, executable, NULL);
  async_run_start (&run, INFER_START_DEFAULT);
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
  async_run_finish (&run);
}

/* Two requests queue behind a hanging one; the cancelled one never starts. */
static void
test_cancel (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, "NUM_STREAMS=3", "1,1", "1,1");
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  AsyncRun runs[3];

  settings->hang_stage = INFER_STAGE_START;
  for (guint i = 0; i < 3; i++) {
    async_run_init (&runs[i], executable, NULL);
    async_run_bind (&runs[i], set);
    async_run_set (&runs[i], 1 + (float) i);
    async_run_start (&runs[i], INFER_START_DEFAULT);
  }
  fake_await_hanging ();
  infer_async_request_cancel (runs[1].async);
  fake_release ();
  async_run_finish (&runs[0]);
  async_run_finish (&runs[2]);
  g_assert_false (infer_async_request_wait (runs[1].async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_error (runs[1].error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpuint (fake_n_steps (), ==, 2);
  g_assert_cmpfloat (async_run_get (&runs[0]), ==, 1);
  g_assert_cmpfloat (async_run_get (&runs[2]), ==, 4);
  /* The next run is not cancelled. */
  async_run_start (&runs[1], INFER_START_DEFAULT);
  async_run_finish (&runs[1]);
  g_assert_cmpfloat (async_run_get (&runs[1]), ==, 6);
  for (guint i = 0; i < 3; i++)
    async_run_clear (&runs[i]);
}

/* A step that has started on the device is waited for even if cancelled. */
static void
test_cancel_begun (gconstpointer data)
{
  const InferBackend *backend = data;
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
  g_auto (AsyncRun) run = { 0 };

  settings->hang_stage =
      backend->wait != NULL ? INFER_STAGE_WAIT : INFER_STAGE_START;
  async_run_init (&run, executable, NULL);
  async_run_start (&run, INFER_START_DEFAULT);
  fake_await_hanging ();
  infer_async_request_cancel (run.async);
  fake_release ();
  infer_async_request_wait (run.async, -1, NULL);
  g_assert_error (run.error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpuint (fake_count (INFER_STAGE_WAIT), ==, backend->wait != NULL);
  g_assert_cmpuint (fake_count (INFER_STAGE_DOWNLOAD), ==, 0);
}

static gpointer
release_soon (gpointer data)
{
  g_usleep (20000);
  fake_release ();
  return NULL;
}

/* Freeing a running request waits for it and its callback; the executors keep
 * running for others. */
static void
test_free_running (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
  AsyncRun run, other;

  settings->hang_stage = INFER_STAGE_START;
  async_run_init (&run, executable, NULL);
  async_run_init (&other, executable, NULL);
  run.restarts = 0;
  async_run_start (&run, INFER_START_DEFAULT);
  fake_await_hanging ();
  GThread *thread = g_thread_new ("release", release_soon, NULL);
  async_run_clear (&run);
  g_assert_cmpint (run.calls, ==, 1);
  g_thread_join (thread);
  async_run_set (&other, 3);
  async_run_start (&other, INFER_START_DEFAULT);
  async_run_finish (&other);
  g_assert_cmpfloat (async_run_get (&other), ==, 3);
  async_run_clear (&other);
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

/* Freeing returns although the callback always restarts the request. */
static void
test_free_restarting (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
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
      fake_executable (backend, 0, "NUM_STREAMS=3", "1,1", "1,1");
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, NULL);
  async_run_set (&run, 1);
  run.restarts = 1000;
  async_run_start (&run, INFER_START_DEFAULT);
  while (g_atomic_int_get (&run.calls) < 1001)
    async_run_finish (&run);
  g_assert_cmpint (run.calls, ==, 1001);
  g_assert_cmpfloat (async_run_get (&run), ==, 1001);
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
  while (box->task == NULL)
    pthread_cond_wait (&box->filled, &box->lock);
  InferTask *task = g_steal_pointer (&box->task);
  pthread_mutex_unlock (&box->lock);
  return task;
}

/* The callback waits for its executor, and the end of the request for the
 * callback. */
static void
test_callback_executor (gconstpointer backend)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, "1,1", NULL);
  Mailbox box = { .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER };
  g_autoptr (InferExecutor) executor =
      infer_executor_new_custom (mailbox_put, &box, NULL);
  g_auto (AsyncRun) run = { 0 };

  async_run_init (&run, executable, executor);
  async_run_start (&run, INFER_START_DEFAULT);
  InferTask *task = mailbox_take (&box);
  g_assert_cmpint (run.calls, ==, 0);
  g_assert_false (infer_async_request_wait (run.async, 1000, NULL));
  task->run (task);
  g_assert_cmpint (run.calls, ==, 1);
  g_assert_true (run.thread == g_thread_self ());
  async_run_finish (&run);
}

/* Any stage fails or hangs, with and without states, with other requests
 * queued: every callback is called once, frees return as soon as the device
 * does, nothing leaks. */
static void
check_trouble (const InferBackend *backend, InferStage stage, gboolean hangs,
    const char *state)
{
  FakeSettings *settings = fake_reset ();
  InferExecutable *executable =
      fake_executable (backend, 0, "NUM_STREAMS=2", "1,1", state);
  g_autoptr (InferStateSet) states =
      state != NULL
          ? infer_state_set_new (infer_executable_get_model (executable))
          : NULL;
  GThread *thread = NULL;
  AsyncRun runs[5];

  if (hangs)
    settings->hang_stage = (int) stage;
  else
    settings->fail_stage = (int) stage;
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    async_run_init (&runs[i], executable, NULL);
    async_run_bind (&runs[i], states);
    async_run_start (&runs[i], INFER_START_DEFAULT);
  }
  infer_executable_unref (executable);
  if (hangs) {
    fake_await_hanging ();
    g_assert_false (infer_async_request_wait (runs[0].async, 2000, NULL)
                    && infer_async_request_wait (runs[4].async, 2000, NULL));
    infer_async_request_cancel (runs[1].async);
    thread = g_thread_new ("release", release_soon, NULL);
  }
  async_run_clear (&runs[2]);
  async_run_clear (&runs[0]);
  for (guint i = 1; i < G_N_ELEMENTS (runs); i++) {
    if (i == 2)
      continue;
    g_autoptr (GError) error = NULL;
    gboolean ok = infer_async_request_wait (runs[i].async, -1, &error);
    g_assert_true (ok == (hangs && error == NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    if (i != 0 && i != 2)
      async_run_clear (&runs[i]);
    g_assert_cmpint (runs[i].calls, ==, 1);
  }
  if (thread != NULL)
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
    if (backend->wait == NULL && stages[i] != INFER_STAGE_START)
      continue;
    for (guint way = 0; way < 4; way++)
      check_trouble (backend, stages[i], way % 2 == 1, way < 2 ? NULL : "1,1");
  }
}

/* The user drops all references while requests run. */
static void
test_lifetimes (gconstpointer backend)
{
  for (guint round = 0; round < 50; round++) {
    fake_reset ();
    InferExecutable *executable =
        fake_executable (backend, 0, "NUM_STREAMS=2", "1,1", "1,1");
    AsyncRun runs[2];

    async_run_init (&runs[0], executable, NULL);
    async_run_init (&runs[1], executable, NULL);
    infer_executable_unref (executable);
    async_run_start (&runs[0], INFER_START_DEFAULT);
    async_run_start (&runs[1], INFER_START_DEFAULT);
    async_run_clear (&runs[0]);
    async_run_clear (&runs[1]);
    g_assert_cmpint (fake_n_objects (), ==, 0);
  }
}

int
main (int argc, char **argv)
{
  static const FakeCase cases[] = { { "simple", test_simple },
    { "preprocessed", test_preprocessed }, { "fail", test_fail },
    { "fail-preprocess", test_fail_preprocess },
    { "busy-and-timeout", test_busy_and_timeout }, { "cancel", test_cancel },
    { "cancel-begun", test_cancel_begun },
    { "free-running", test_free_running },
    { "free-restarting", test_free_restarting }, { "restart", test_restart },
    { "callback-executor", test_callback_executor },
    { "trouble", test_trouble }, { "lifetimes", test_lifetimes } };

  g_test_init (&argc, &argv, NULL);
  fake_add_cases ("/async-request", cases, G_N_ELEMENTS (cases));
  return g_test_run ();
}
