/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches are recorded in the second run with the same buffers, and later runs
 * enqueue one command buffer.
 *
 * Argument: "gpu", a device that records; "required", one whose command buffers
 * need queues unlike ours; "cpu", one that reports to be a processor. */

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/ocl/faulty-opencl.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <stdio.h>
#include <string.h>

#define OUT_OF_ORDER 1 /* CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE */

static gboolean records;

static InferModel *
make_model (void)
{
  return net_of ("x = Parameter ?,4; s = SoftMax x axis=1; axis = i64 1; "
                 "m = ReduceMax s axis keep_dims=true; d = Subtract s m; "
                 "t = SoftMax d axis=1; y = Result t");
}

/* A variable, which is an output as well. */
static InferModel *
make_stateful (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "1,4");
  net_read (net, "sum", "1,4", NULL);
  net_build (net, "s = SoftMax x axis=1; total = Add s sum; "
                  "assign-sum = Assign total variable_id=sum; "
                  "t = SoftMax total axis=1; y = Result t; z = Result total");
  net_settle (net);
  return net;
}

/* A step on both devices, with equal results. */
static void
step (TestSession *device, TestSession *cpu, gint64 rows, guint seed)
{
  TestSession *sessions[] = { cpu, device };
  g_autoptr (GError) error = NULL;

  faulty_opencl_set (0, FALSE);
  for (guint i = 0; i < 2; i++) {
    net_fill (sessions[i]->request, rows, seed, &error);
    g_assert_no_error (error);
    infer_request_infer (sessions[i]->request, &error);
    g_assert_no_error (error);
  }
  const InferTensor *want = infer_request_get_output (cpu->request, 0, NULL);
  const InferTensor *got = infer_request_get_output (device->request, 0, NULL);
  g_assert_cmpuint (want->size, ==, got->size);
  for (gsize i = 0; i < want->size / sizeof (float); i++)
    g_assert_cmpfloat_with_epsilon (
        ((const float *) got->data)[i], ((const float *) want->data)[i], 1e-5f);
}

typedef enum
{
  LAUNCHES, /* one by one */
  RECORDS,  /* and enqueues what it recorded */
  REPLAYS,
} How;

/* How the last step was enqueued. */
static void
assert_how (How how)
{
  if (!records)
    how = LAUNCHES;
  g_assert_cmpuint (faulty_opencl_n_recordings (), ==, how == RECORDS);
  g_assert_cmpuint (faulty_opencl_n_replays (), ==, how != LAUNCHES);
  if (how == LAUNCHES)
    g_assert_cmpuint (faulty_opencl_n_launches (), >=, 1);
  else
    g_assert_cmpuint (faulty_opencl_n_launches (), ==, 0);
}

static void
open_both (TestSession *device, TestSession *cpu, InferModel *model,
    const char *config)
{
  test_session_open (device, model, NULL, "OPENCL", config);
  test_session_open (cpu, model, NULL, "CPU", NULL);
}

static void
close_both (TestSession *device, TestSession *cpu)
{
  test_session_close (device);
  test_session_close (cpu);
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
}

static void
test_again (void)
{
  g_autoptr (InferModel) model = make_model ();
  TestSession device, cpu;

  open_both (&device, &cpu, model, NULL);
  for (guint i = 0; i < 20; i++) {
    step (&device, &cpu, 3, i);
    assert_how (i == 0 ? LAUNCHES : i == 1 ? RECORDS : REPLAYS);
  }
  const guint calls = faulty_opencl_n_calls ();
  step (&device, &cpu, 3, 20);
  g_assert_cmpuint (faulty_opencl_n_calls (), ==, calls);
  close_both (&device, &cpu);
}

/* Each number of rows has its plan and its buffers. */
static void
test_shapes (void)
{
  g_autoptr (InferModel) model = make_model ();
  TestSession device, cpu;

  open_both (&device, &cpu, model, NULL);
  /* Memory of the largest comes first, since growing replaces it. */
  for (guint i = 0; i < 30; i++) {
    step (&device, &cpu, 5 - i % 3, i);
    assert_how (i < 3 ? LAUNCHES : i < 6 ? RECORDS : REPLAYS);
  }
  /* The arena and the output are replaced: all are recorded again. */
  step (&device, &cpu, 5000, 30);
  assert_how (LAUNCHES);
  for (guint i = 0; i < 30; i++)
    step (&device, &cpu, 5 - i % 3, i);
  assert_how (REPLAYS);
  close_both (&device, &cpu);
}

/* The first step initialises; then two buffers take turns. */
static void
test_variable (void)
{
  g_autoptr (InferModel) model = make_stateful ();
  TestSession device, cpu;

  open_both (&device, &cpu, model, NULL);
  for (guint sequence = 0; sequence < 2; sequence++) {
    for (guint i = 0; i < 100; i++) {
      step (&device, &cpu, 0, i);
      if (sequence == 0)
        assert_how (i < 3 ? LAUNCHES : i < 5 ? RECORDS : REPLAYS);
    }
    assert_how (REPLAYS);
    infer_state_set_reset (infer_request_get_states (device.request));
    infer_state_set_reset (infer_request_get_states (cpu.request));
  }
  close_both (&device, &cpu);
}

/* Requests of one sequence run in turns: the buffers of the variable go round.
 */
static void
test_requests (void)
{
  g_autoptr (InferModel) model = make_stateful ();
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  g_autoptr (GError) error = NULL;
  InferRequest *requests[4];
  TestSession device, cpu;

  open_both (&device, &cpu, model, NULL);
  requests[0] = device.request;
  for (guint r = 1; r < G_N_ELEMENTS (requests); r++)
    requests[r] = infer_request_new (device.executable, &error);
  g_assert_no_error (error);
  for (guint r = 0; r < G_N_ELEMENTS (requests); r++)
    infer_request_bind_states (requests[r], set);
  for (guint i = 0; i < 100; i++) {
    device.request = requests[i % G_N_ELEMENTS (requests)];
    step (&device, &cpu, 0, i);
    if (i > 60)
      assert_how (REPLAYS);
  }
  for (guint r = 1; r < G_N_ELEMENTS (requests); r++)
    infer_request_free (requests[r]);
  device.request = requests[0];
  g_clear_pointer (&set, infer_state_set_unref);
  close_both (&device, &cpu);
}

/* Outputs in memory that another request allocated are written in place. */
static void
test_outputs (void)
{
  g_autoptr (InferModel) model = make_model ();
  g_autoptr (GError) error = NULL;
  InferRequest *others[12];
  TestSession device, cpu;

  open_both (&device, &cpu, model, NULL);
  for (guint r = 0; r < G_N_ELEMENTS (others); r++) {
    others[r] = infer_request_new (device.executable, &error);
    g_assert_no_error (error);
    net_fill (others[r], 3, r, &error);
    infer_request_infer (others[r], &error);
    g_assert_no_error (error);
  }
  /* Too many to be remembered; then two. */
  for (guint i = 0; i < 50; i++) {
    const guint r = i % (i < 24 ? G_N_ELEMENTS (others) : 2);

    infer_request_set_output (device.request, 0,
        infer_request_get_output (others[r], 0, NULL), &error);
    g_assert_no_error (error);
    step (&device, &cpu, 3, i);
    assert_how (i < 26 ? LAUNCHES : i < 28 ? RECORDS : REPLAYS);
  }
  /* Memory of the user is copied to: the device's own buffer stays. */
  for (guint i = 0; i < 10; i++) {
    g_autoptr (InferTensor) out = test_tensor (INFER_TYPE_F32, "3,4");

    infer_request_set_output (device.request, 0, out, &error);
    g_assert_no_error (error);
    step (&device, &cpu, 3, i);
    assert_how (i < 1 ? LAUNCHES : i < 2 ? RECORDS : REPLAYS);
    infer_request_set_output (device.request, 0, NULL, NULL);
  }
  for (guint r = 0; r < G_N_ELEMENTS (others); r++)
    infer_request_free (others[r]);
  close_both (&device, &cpu);
}

/* Timings are those of single launches. */
static void
test_timed (void)
{
  g_autoptr (InferModel) model = make_model ();
  TestSession device, cpu;

  open_both (&device, &cpu, model, "PERF_COUNT=YES");
  for (guint i = 0; i < 5; i++) {
    step (&device, &cpu, 3, i);
    assert_how (LAUNCHES);
  }
  close_both (&device, &cpu);
}

int
main (int argc, char **argv)
{
  records = strcmp (argv[1], "gpu") == 0;
  if (strcmp (argv[1], "cpu") != 0)
    faulty_opencl_announce_gpu (records ? 0 : OUT_OF_ORDER);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);
  if (runtime == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  g_clear_pointer (&runtime, infer_runtime_unref);
  test_again ();
  test_shapes ();
  test_variable ();
  test_requests ();
  test_outputs ();
  test_timed ();
  return 0;
}
