/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several requests at a time: hosts, streams, devices, sequences. */

#include "infer/request.h"

#include "inference/base/clock.h"
#include "inference/runtime/executor-private.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/async-run.h"
#include "tests/check/support/fake-backend.h"

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

/* A host runs the stages itself if a thread of the executable is free, else the
 * task executor does. */
static void
test_host (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (&fake_cpu, 0, NULL, "1,1", NULL);
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  g_autoptr (InferExecutor) host =
      infer_executor_new_custom (collect, tasks, NULL);
  InferExecutor *pool = infer_executable_get_task_executor (executable, NULL);
  g_auto (AsyncRun) run = { 0 };

  g_assert_cmpint (infer_executable_guest_room (executable), ==, 1);
  g_assert_cmpuint (infer_executable_get_backlog (executable, 0), ==, 0);
  async_run_init (&run, executable, NULL);
  for (guint i = 0; i < 2; i++) {
    async_run_set (&run, (float) i + 1);
    g_assert_true (infer_async_request_start_at (
        run.async, host, INFER_START_DEFAULT, NULL));
    g_assert_cmpint (run.calls, ==, (gint) i);
    if (i == 1)
      g_assert_true (infer_executor_try_enter (pool));
    run_collected (tasks, i);
    if (i == 1)
      infer_executor_leave (pool);
    async_run_finish (&run);
    g_assert_cmpint (run.calls, ==, (gint) i + 1);
    g_assert_no_error (run.error);
    g_assert_true ((run.thread == g_thread_self ()) == (i == 0));
    g_assert_cmpfloat (async_run_get (&run), ==, (float) i + 1);
  }
}

/* Whichever request gets a host first, steps run in the order of the starts. */
static void
test_host_sequence (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (&fake_cpu, 0, NULL, "1,1", "1,1");
  g_autoptr (InferStateSet) states =
      infer_state_set_new (infer_executable_get_model (executable));
  g_autoptr (GPtrArray) tasks = g_ptr_array_new ();
  g_autoptr (InferExecutor) host =
      infer_executor_new_custom (collect, tasks, NULL);
  AsyncRun runs[2];

  for (guint i = 0; i < 2; i++) {
    async_run_init (&runs[i], executable, NULL);
    async_run_bind (&runs[i], states);
    async_run_set (&runs[i], (float) i + 1);
    g_assert_true (infer_async_request_start_at (
        runs[i].async, host, INFER_START_DEFAULT, NULL));
  }
  run_collected (tasks, 1);
  g_assert_false (infer_async_request_wait (runs[1].async, 20000, NULL));
  run_collected (tasks, 0);
  for (guint i = 0; i < 2; i++)
    async_run_finish (&runs[i]);
  g_assert_cmpfloat (async_run_get (&runs[0]), ==, 1);
  g_assert_cmpfloat (async_run_get (&runs[1]), ==, 3);
  for (guint i = 0; i < 2; i++)
    async_run_clear (&runs[i]);
}

/* Pre- and postprocessing overlap the device's work: four requests take little
 * longer than the device alone. */
/* Returns the wall time in ns. */
static guint64
time_all (AsyncRun *runs, guint n)
{
  guint64 begin = infer_clock_ns ();

  for (guint i = 0; i < n; i++)
    async_run_start (&runs[i], INFER_START_DEFAULT);
  for (guint i = 0; i < n; i++)
    async_run_finish (&runs[i]);
  return infer_clock_ns () - begin;
}

static void
test_overlap (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (&fake_device, 0, NULL, "1,1", NULL);
  const guint n = 4, wait_us = 50000;
  guint64 longest = n * wait_us * 1000ull, wall = G_MAXUINT64;
  AsyncRun runs[4];

  settings->delay_us[INFER_STAGE_UPLOAD] = 10000;
  settings->delay_us[INFER_STAGE_WAIT] = wait_us;
  settings->delay_us[INFER_STAGE_DOWNLOAD] = 10000;
  for (guint i = 0; i < n; i++)
    async_run_init (&runs[i], executable, NULL);
  /* Sleeps last longer on a busy machine: several attempts. */
  for (guint k = 0; k < 10 && wall > longest * 12 / 10; k++) {
    wall = time_all (runs, n);
    g_test_message ("wall %.1f ms, longest stage %.1f ms", (double) wall / 1e6,
        (double) longest / 1e6);
    g_assert_cmpuint (wall, >=, longest);
  }
  g_assert_cmpuint (wall, <=, longest * 12 / 10);
  for (guint i = 0; i < n; i++)
    async_run_clear (&runs[i]);
}

/* Streams compute at the same time; preprocessing of one sequence's requests
 * overlaps, their steps do not. */
static void
test_streams (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (&fake_cpu, 0, "NUM_STREAMS=4", "1,1", NULL);
  AsyncRun runs[4];

  settings->delay_us[INFER_STAGE_START] = 50000;
  for (guint i = 0; i < 4; i++)
    async_run_init (&runs[i], executable, NULL);
  guint64 begin = infer_clock_ns ();
  for (guint i = 0; i < 4; i++)
    async_run_start (&runs[i], INFER_START_DEFAULT);
  for (guint i = 0; i < 4; i++)
    async_run_finish (&runs[i]);
  g_assert_cmpuint (infer_clock_ns () - begin, <, 100000000);
  g_assert_cmpint (fake_max_steps_at_once (), ==, 4);
  for (guint i = 0; i < 4; i++)
    async_run_clear (&runs[i]);
}

/* Each device has its own wait executor: two wait at the same time. */
static void
test_two_devices (void)
{
  FakeSettings *settings = fake_reset ();
  AsyncRun runs[2];
  g_autoptr (InferExecutable) one =
      fake_executable (&fake_device, 0, NULL, "1,1", NULL);
  g_autoptr (InferExecutable) two =
      fake_executable (&fake_device, 1, NULL, "1,1", NULL);

  settings->delay_us[INFER_STAGE_WAIT] = 60000;
  async_run_init (&runs[0], one, NULL);
  async_run_init (&runs[1], two, NULL);
  guint64 begin = infer_clock_ns ();
  async_run_start (&runs[0], INFER_START_DEFAULT);
  async_run_start (&runs[1], INFER_START_DEFAULT);
  async_run_finish (&runs[0]);
  async_run_finish (&runs[1]);
  g_assert_cmpuint (infer_clock_ns () - begin, <, 110000000);
  g_assert_true (
      fake_thread (0, INFER_STAGE_WAIT) != fake_thread (1, INFER_STAGE_WAIT));
  g_assert_true (
      fake_thread (0, INFER_STAGE_WAIT) != fake_thread (0, INFER_STAGE_START));
  async_run_clear (&runs[0]);
  async_run_clear (&runs[1]);
}

#define N_SEQUENCE 12

/* One sequence, many requests and streams: the same results as one request.
 * Every fifth step resets. */
static void
test_sequence (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, "NUM_STREAMS=4", "1,1", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  AsyncRun runs[N_SEQUENCE];
  float sum = 0;

  settings->delay_us[INFER_STAGE_START] = 100;
  for (guint i = 0; i < N_SEQUENCE; i++) {
    async_run_init (&runs[i], executable, NULL);
    async_run_bind (&runs[i], set);
  }
  for (guint round = 0; round < 20; round++) {
    for (guint i = 0; i < N_SEQUENCE; i++) {
      async_run_set (&runs[i], (float) (1 + round * N_SEQUENCE + i));
      async_run_start (&runs[i],
          i % 5 == 4 ? INFER_START_RESET_STATES : INFER_START_DEFAULT);
    }
    for (guint i = 0; i < N_SEQUENCE; i++) {
      float value = (float) (1 + round * N_SEQUENCE + i);

      async_run_finish (&runs[i]);
      sum = value + (i % 5 == 4 ? 0 : sum);
      g_assert_cmpfloat (async_run_get (&runs[i]), ==, sum);
      g_assert_cmpfloat (fake_step (round * N_SEQUENCE + i), ==, value);
    }
  }
  g_assert_cmpint (fake_max_steps_at_once (), ==, 1);
  for (guint i = 0; i < N_SEQUENCE; i++)
    async_run_clear (&runs[i]);
}

/* A reset does not affect steps that are already queued. */
static void
test_reset_while_queued (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, "NUM_STREAMS=2", "1,1", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  static const float expected[] = { 1, 3, 6, 4 };
  AsyncRun runs[4];

  settings->hang_stage = INFER_STAGE_START;
  for (guint i = 0; i < 4; i++) {
    async_run_init (&runs[i], executable, NULL);
    async_run_bind (&runs[i], set);
    async_run_set (&runs[i], 1 + (float) i);
    if (i == 3)
      infer_state_set_reset (set);
    async_run_start (&runs[i], INFER_START_DEFAULT);
  }
  fake_await_hanging ();
  fake_release ();
  for (guint i = 0; i < 4; i++) {
    async_run_finish (&runs[i]);
    g_assert_cmpfloat (async_run_get (&runs[i]), ==, expected[i]);
  }
  for (guint i = 0; i < 4; i++)
    async_run_clear (&runs[i]);
}

int
main (int argc, char **argv)
{
  static const FakeCase cases[] = { { "sequence", test_sequence },
    { "reset-while-queued", test_reset_while_queued } };

  g_test_init (&argc, &argv, NULL);
  fake_add_cases ("/async-streams", cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/async-streams/host", test_host);
  g_test_add_func ("/async-streams/host-sequence", test_host_sequence);
  g_test_add_func ("/async-streams/overlap", test_overlap);
  g_test_add_func ("/async-streams/streams", test_streams);
  g_test_add_func ("/async-streams/two-devices", test_two_devices);
  return g_test_run ();
}
