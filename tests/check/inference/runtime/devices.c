/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AUTO and MULTI: where runs go, and that sequences are not disturbed. */

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/net.h"
#include "tests/check/support/part-backend.h"

/* y = tanh (x + v), v' = x + v; and a cache that grows along its second
 * dimension, so it is strided on the CPU. */
static InferModel *
sequence_net (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "2,1,4");
  net_read (net, "v", "2,1,4", NULL);
  net_build (
      net, "sum = Add x v; assign-v = Assign sum variable_id=v; t = Tanh sum");
  net_read (net, "cache", "2,?,4", NULL);
  net_build (net,
      "longer = Concat cache x axis=1; "
      "assign-cache = Assign longer variable_id=cache; s = Sigmoid longer; "
      "y = Result t; all = Result s");
  net_settle (net);
  return net;
}

static InferModel *
plain_net (void)
{
  InferModel *net = net_of ("x = Parameter 1; a = Add x x; y = Result a");

  return net;
}

static InferExecutable *
compile (InferModel *net, const char *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new (device, "PERF_COUNT=YES,NUM_STREAMS=2", &error);

  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (net, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

static void
set_input (InferRequest *request, guint step)
{
  const InferTensor *x = infer_request_get_input (request, 0, NULL);

  for (gsize i = 0; i < x->size / sizeof (float); i++)
    ((float *) x->data)[i] = (float) ((step * 7 + i * 3) % 11) / 8 - 0.5f;
}

static void
assert_equal (const InferTensor *a, const InferTensor *b)
{
  g_assert_true (infer_shape_equal (&a->shape, &b->shape));
  g_assert_cmpmem (a->data, a->size, b->data, b->size);
}

static void
assert_same_step (InferRequest *alone, InferRequest *other, guint step)
{
  g_autoptr (GError) error = NULL;

  set_input (alone, step);
  infer_request_infer (alone, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++)
    assert_equal (infer_request_get_output (alone, k, NULL),
        infer_request_get_output (other, k, NULL));
}

static void
run_both (InferRequest *alone, InferRequest *other, guint step)
{
  g_autoptr (GError) error = NULL;

  set_input (other, step);
  infer_request_infer (other, &error);
  g_assert_no_error (error);
  assert_same_step (alone, other, step);
  for (guint v = 0; v < 2; v++) {
    g_autoptr (InferTensor) a = infer_state_get_value (
        infer_state_set_get (infer_request_get_states (alone), v), NULL);
    g_autoptr (InferTensor) b = infer_state_get_value (
        infer_state_set_get (infer_request_get_states (other), v), NULL);

    assert_equal (a, b);
  }
}

static const char *
timed_device (InferRequest *request)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  return g_array_index (timings, InferOpTiming, 0).device;
}

static void
expect_warning (const char *pattern)
{
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, pattern);
}

/* --- AUTO --- */

static void
test_auto_switch (void)
{
  PartSettings *settings = part_reset ();

  settings[0].hold_compile = TRUE;
  {
    g_autoptr (InferModel) net = sequence_net ();
    g_autoptr (InferExecutable) cpu = compile (net, "CPU");
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");
    g_autoptr (InferRequest) alone = infer_request_new (cpu, NULL);
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
    guint step = 0;

    g_assert_cmpuint (infer_executable_optimal_requests (executable), ==, 3);
    for (; step < 5; step++)
      run_both (alone, request, step);
    g_assert_cmpstr (infer_executable_get_device (executable), ==, "CPU");
    g_assert_cmpstr (timed_device (request), ==, "CPU");
    g_assert_cmpuint (part_n_starts (0), ==, 0);
    part_release_compile ();
    infer_executable_settle (executable);
    g_assert_cmpstr (infer_executable_get_device (executable), ==, "PART_A");
    for (; step < 10; step++)
      run_both (alone, request, step);
    g_assert_cmpuint (part_n_starts (0), ==, 5);
    g_assert_cmpstr (timed_device (request), ==, "PART_A");
    g_assert_cmpuint (infer_executable_n_requests (executable), ==, 1);
  }
  g_assert_cmpint (part_n_objects (), ==, 0);
}

#define N_REQUESTS 4

static void
start_step (InferAsyncRequest *async, guint step)
{
  g_autoptr (GError) error = NULL;

  set_input (infer_async_request_get_request (async), step);
  infer_async_request_start (async, INFER_START_DEFAULT, &error);
  g_assert_no_error (error);
}

/* One sequence through requests that change device while others are running. */
static void
run_sequence (InferModel *net, InferExecutable *executable, guint n_steps,
    guint release_at)
{
  g_autoptr (InferExecutable) cpu = compile (net, "CPU");
  g_autoptr (InferRequest) alone = infer_request_new (cpu, NULL);
  g_autoptr (InferStateSet) set = infer_state_set_new (net);
  InferAsyncRequest *requests[N_REQUESTS];

  for (guint i = 0; i < N_REQUESTS; i++) {
    requests[i] = infer_async_request_new (executable, NULL, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (requests[i]), set);
  }
  for (guint step = 0; step < n_steps + N_REQUESTS; step++) {
    InferAsyncRequest *async = requests[step % N_REQUESTS];
    g_autoptr (GError) error = NULL;

    if (step == release_at)
      part_release_compile ();
    if (step >= N_REQUESTS) {
      infer_async_request_wait (async, -1, &error);
      g_assert_no_error (error);
      assert_same_step (
          alone, infer_async_request_get_request (async), step - N_REQUESTS);
    }
    if (step < n_steps)
      start_step (async, step);
  }
  for (guint i = 0; i < N_REQUESTS; i++)
    infer_async_request_free (requests[i]);
}

static void
test_auto_running (void)
{
  g_autoptr (InferModel) net = sequence_net ();
  PartSettings *settings = part_reset ();

  settings[0].hold_compile = TRUE;
  {
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");
    run_sequence (net, executable, 40, 10);
    infer_executable_settle (executable);
    run_sequence (net, executable, 10, 0);
    g_assert_cmpuint (part_n_starts (0), >=, 10);
  }
  g_assert_cmpint (part_n_objects (), ==, 0);
}

/* A device is lost at a stage before the step changes states. */
static void
test_auto_lost (void)
{
  static const InferStage stages[] = { INFER_STAGE_UPLOAD, INFER_STAGE_START,
    INFER_STAGE_WAIT };
  g_autoptr (InferModel) net = sequence_net ();

  for (guint i = 0; i < 2 * G_N_ELEMENTS (stages); i++) {
    PartSettings *settings = part_reset ();
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");

    infer_executable_settle (executable);
    settings[0].fail_stage = (int) stages[i / 2];
    settings[0].fail_after = 5;
    expect_warning ("AUTO:PART_A,CPU: back to CPU: *the device was lost");
    if (i % 2 == 0) {
      g_autoptr (InferExecutable) cpu = compile (net, "CPU");
      g_autoptr (InferRequest) alone = infer_request_new (cpu, NULL);
      g_autoptr (InferRequest) request = infer_request_new (executable, NULL);

      for (guint step = 0; step < 12; step++)
        run_both (alone, request, step);
    } else {
      run_sequence (net, executable, 20, 0);
    }
    g_test_assert_expected_messages ();
    g_assert_cmpstr (infer_executable_get_device (executable), ==, "CPU");
  }
}

/* Lost after a sequence's step has changed states: the step fails, the next
 * does not.  A model without states repeats it. */
static void
test_auto_lost_download (void)
{
  g_autoptr (GError) error = NULL;

  for (guint stateful = 0; stateful < 2; stateful++) {
    g_autoptr (InferModel) net = stateful ? sequence_net () : plain_net ();
    PartSettings *settings = part_reset ();
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);

    infer_executable_settle (executable);
    settings[0].fail_stage = INFER_STAGE_DOWNLOAD;
    set_input (request, 3);
    expect_warning ("AUTO:PART_A,CPU: back to CPU: *the device was lost");
    g_assert_true (infer_request_infer (request, &error) == !stateful);
    g_test_assert_expected_messages ();
    if (stateful)
      g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
    else
      g_assert_cmpfloat (
          *(float *) infer_request_get_output (request, 0, NULL)->data, ==,
          2 * (21 % 11 / 8.0f - 0.5f));
    g_clear_error (&error);
    g_assert_true (infer_request_infer (request, NULL));
  }
}

static void
test_auto_fails (void)
{
  g_autoptr (InferModel) net = plain_net ();
  PartSettings *settings = part_reset ();

  settings[0].fail_compile = settings[0].hold_compile = TRUE;
  {
    /* Compiled here, so that the message is expected by now. */
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");
    expect_warning ("AUTO:PART_A,CPU: PART_A is not used: told not to compile");
    part_release_compile ();
    infer_executable_settle (executable);
    g_test_assert_expected_messages ();
    g_assert_cmpstr (infer_executable_get_device (executable), ==, "CPU");
  }
  /* A request created on the CPU before the failed compilation, and one created
   * after it. */
  for (guint after = 0; after < 2; after++) {
    settings = part_reset ();
    settings[0].fail_context = settings[0].hold_compile = TRUE;
    g_autoptr (InferExecutable) executable = compile (net, "AUTO:PART_A,CPU");
    g_autoptr (InferRequest) request =
        after ? NULL : infer_request_new (executable, NULL);

    part_release_compile ();
    infer_executable_settle (executable);
    expect_warning ("AUTO:PART_A,CPU: back to CPU: told to make no context");
    if (after)
      request = infer_request_new (executable, NULL);
    g_assert_true (infer_request_infer (request, NULL));
    g_test_assert_expected_messages ();
    g_assert_true (infer_request_infer (request, NULL));
    g_assert_cmpuint (part_n_starts (0), ==, 0);
  }
  /* Freed while it compiles. */
  settings = part_reset ();
  settings[0].hold_compile = TRUE;
  {
    g_autoptr (InferExecutable) executable G_GNUC_UNUSED =
        compile (net, "AUTO:PART_A,CPU");
    part_release_compile ();
  }
  g_assert_cmpint (part_n_objects (), ==, 0);
}

/* AUTO does without a device that cannot be opened; others fail. */
static void
test_open_fails (void)
{
  g_autoptr (GError) error = NULL;
  PartSettings *settings = part_reset ();

  settings[0].fail_open = TRUE;
  expect_warning ("AUTO:PART_A,CPU: device PART_A: told not to open");
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("AUTO:PART_A,CPU", NULL, &error);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_nonnull (runtime);
  g_assert_null (infer_runtime_new ("AUTO:PART_A", NULL, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
  g_clear_error (&error);
  g_assert_null (infer_runtime_new ("MULTI:CPU,PART_A", NULL, &error));
  g_assert_cmpstr (
      error->message, ==, "MULTI:CPU,PART_A: device PART_A: told not to open");
}

/* The best device that runs the whole model: perhaps the CPU, perhaps none. */
static void
test_auto_choice (void)
{
  g_autoptr (InferModel) net = plain_net ();
  PartSettings *settings = part_reset ();
  g_autoptr (GError) error = NULL;

  settings[0].runs = "Tanh";
  {
    g_autoptr (InferExecutable) a = compile (net, "AUTO:PART_A,CPU");
    g_autoptr (InferExecutable) b = compile (net, "AUTO:PART_A,PART_B");
    g_autoptr (InferExecutable) c = compile (net, "AUTO:PART_A,CPU,PART_B");
    g_autoptr (InferExecutable) d = compile (net, "AUTO:PART_A,PART_B,CPU");

    g_assert_cmpstr (infer_executable_get_device (a), ==, "CPU");
    g_assert_cmpstr (infer_executable_get_device (b), ==, "PART_B");
    g_assert_cmpstr (infer_executable_get_device (c), ==, "CPU");
    infer_executable_settle (d);
    g_assert_cmpstr (infer_executable_get_device (d), ==, "PART_B");
  }
  settings[1].runs = "";
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("AUTO:PART_A,PART_B", NULL, &error);
  g_assert_no_error (error);
  g_assert_null (infer_executable_new (net, runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
      "net.xml: none of the devices of AUTO:PART_A,PART_B runs the whole "
      "model; operations that none knows: Add opset1 (PART_A: not known here; "
      "PART_B: not known here)");
}

/* --- MULTI --- */

static void
test_multi_spread (void)
{
  g_autoptr (InferModel) net = plain_net ();
  InferRequest *requests[12];
  guint on_cpu = 0;

  part_reset ();
  g_autoptr (InferExecutable) executable = compile (net, "MULTI:CPU,PART_A");
  /* Two streams each: three requests at a time. */
  g_assert_cmpuint (infer_executable_optimal_requests (executable), ==, 6);
  g_assert_cmpstr (
      infer_executable_get_device (executable), ==, "MULTI:CPU,PART_A");
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    requests[i] = infer_request_new (executable, NULL);
    set_input (requests[i], i);
    g_assert_true (infer_request_infer (requests[i], NULL));
    g_assert_cmpfloat (
        *(float *) infer_request_get_output (requests[i], 0, NULL)->data, ==,
        2 * *(float *) infer_request_get_input (requests[i], 0, NULL)->data);
    on_cpu += g_str_equal (timed_device (requests[i]), "CPU");
  }
  g_assert_cmpuint (on_cpu, ==, 6);
  g_assert_cmpuint (part_n_starts (0), ==, 6);
  g_assert_cmpuint (infer_executable_n_requests (executable), ==, 12);
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    infer_request_free (requests[i]);
  g_assert_cmpuint (infer_executable_n_requests (executable), ==, 0);
}

static void
test_multi_sequence (void)
{
  g_autoptr (InferModel) net = sequence_net ();
  PartSettings *settings = part_reset ();

  settings[1].delay_us = 500;
  g_autoptr (InferExecutable) executable =
      compile (net, "MULTI:PART_A,CPU,PART_B");
  run_sequence (net, executable, 60, 0);
  g_assert_cmpuint (part_n_starts (0), >=, 15);
  g_assert_cmpuint (part_n_starts (1), >=, 15);
}

static void
test_multi_parallel (void)
{
  g_autoptr (InferModel) net = plain_net ();
  PartSettings *settings = part_reset ();
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("MULTI:PART_A,PART_B", NULL, NULL);
  InferAsyncRequest *requests[2];

  settings[0].delay_us = settings[1].delay_us = 100000;
  g_autoptr (InferExecutable) executable =
      infer_executable_new (net, runtime, NULL);
  for (guint i = 0; i < 2; i++) {
    requests[i] = infer_async_request_new (executable, NULL, NULL);
    start_step (requests[i], i);
  }
  for (guint i = 0; i < 2; i++) {
    g_assert_true (infer_async_request_wait (requests[i], -1, NULL));
    infer_async_request_free (requests[i]);
  }
  g_assert_cmpint (part_max_at_once (), ==, 2);
}

static void
test_multi_fails (void)
{
  g_autoptr (InferModel) net = plain_net ();
  PartSettings *settings = part_reset ();
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("MULTI:CPU,PART_A", NULL, NULL);
  g_autoptr (GError) error = NULL;

  settings[0].fail_compile = TRUE;
  g_assert_null (infer_executable_new (net, runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
  g_assert_cmpstr (error->message, ==, "net.xml: PART_A: told not to compile");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/devices/auto-switch", test_auto_switch);
  g_test_add_func ("/devices/auto-running", test_auto_running);
  g_test_add_func ("/devices/auto-lost", test_auto_lost);
  g_test_add_func ("/devices/auto-lost-download", test_auto_lost_download);
  g_test_add_func ("/devices/auto-fails", test_auto_fails);
  g_test_add_func ("/devices/open-fails", test_open_fails);
  g_test_add_func ("/devices/auto-choice", test_auto_choice);
  g_test_add_func ("/devices/multi-spread", test_multi_spread);
  g_test_add_func ("/devices/multi-sequence", test_multi_sequence);
  g_test_add_func ("/devices/multi-parallel", test_multi_parallel);
  g_test_add_func ("/devices/multi-fails", test_multi_fails);
  return g_test_run ();
}
