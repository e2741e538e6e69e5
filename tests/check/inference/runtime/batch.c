/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/batch.h"

#include <math.h>
#include <string.h>

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"
#include "tests/check/support/ir.h"

#define FOR_EVER (-1)

static InferExecutable *
batched (const char *shape, const char *state, guint size, gint64 timeout_us)
{
  g_autoptr (InferModel) model = fake_model (shape, state);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  InferExecutable *executable =
      infer_executable_new_batched (model, runtime, size, timeout_us, &error);

  g_assert_no_error (error);
  return executable;
}

static InferAsyncRequest *
request_new (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, &error);

  g_assert_no_error (error);
  return async;
}

static void
start (InferAsyncRequest *async, float value)
{
  InferRequest *request = infer_async_request_get_request (async);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 3);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);

  for (guint i = 0; i < 3; i++)
    ((float *) in->data)[i] = value + (float) i;
  g_assert_true (infer_async_request_start (async, INFER_START_DEFAULT, NULL));
}

static void
assert_result (InferAsyncRequest *async, float value)
{
  g_autoptr (GError) error = NULL;

  infer_async_request_wait (async, -1, &error);
  g_assert_no_error (error);
  const InferTensor *out = infer_request_get_output (
      infer_async_request_get_request (async), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (out->shape.rank, ==, 2);
  g_assert_cmpint (out->shape.dims[0], ==, 1);
  g_assert_cmpfloat (((const float *) out->data)[0], ==, value);
}

/* Three sequences, one of which is reset now and then: one device step for all,
 * separate sums. */
static void
test_rows (void)
{
  fake_reset ();
  InferExecutable *executable = batched ("1,3", "1,3", 3, FOR_EVER);
  InferAsyncRequest *requests[3];
  float sums[3] = { 0 };

  g_assert_cmpuint (infer_executable_get_batch_size (executable), ==, 3);
  for (guint i = 0; i < 3; i++)
    requests[i] = request_new (executable);
  for (guint step = 0; step < 20; step++) {
    if (step % 7 == 3) {
      infer_state_set_reset (infer_request_get_states (
          infer_async_request_get_request (requests[1])));
      sums[1] = 0;
    }
    for (guint i = 0; i < 3; i++) {
      float value = (float) (100 * i + step);

      sums[i] += value;
      start (requests[i], value);
    }
    for (guint i = 0; i < 3; i++)
      assert_result (requests[i], sums[i]);
  }
  g_assert_cmpuint (fake_n_steps (), ==, 20);
  for (guint i = 0; i < 3; i++)
    infer_async_request_free (requests[i]);
  infer_executable_unref (executable);
  g_assert_cmpint (fake_n_objects (), ==, 0);
}

/* The waits of a batch use no thread of their own; a row's duration is the
 * batch's. */
static void
test_duration (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", NULL, 2, FOR_EVER);
  InferAsyncRequest *requests[2];

  settings->delay_us[INFER_STAGE_START] = 20000;
  for (guint i = 0; i < 2; i++) {
    requests[i] = request_new (executable);
    start (requests[i], (float) i);
    g_usleep (5000); /* waits for the other row */
  }
  for (guint i = 0; i < 2; i++) {
    assert_result (requests[i], (float) i);
    guint64 ns = infer_count_from_stages (INFER_COUNT_EXECUTE,
        infer_request_get_timings (
            infer_async_request_get_request (requests[i])));
    g_assert_cmpuint (ns, >=, 20000000);
    g_assert_cmpuint (ns, <, 2000000000);
  }
  for (guint i = 0; i < 2; i++)
    infer_async_request_free (requests[i]);
}

static void
test_synchronous (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", NULL, 4, 1000);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  InferTensor *in = infer_request_get_input (request, 0, NULL);

  ((float *) in->data)[1] = 5;
  g_assert_true (infer_request_infer (request, NULL));
  in = infer_request_get_output (request, 0, NULL);
  g_assert_cmpfloat (((const float *) in->data)[1], ==, 5);
}

static void
test_timeout (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", NULL, 4, 30000);
  g_autoptr (InferAsyncRequest) request = request_new (executable);
  gint64 before = g_get_monotonic_time (), took;

  start (request, 1);
  assert_result (request, 1);
  took = g_get_monotonic_time () - before;
  g_assert_cmpint (took, >=, 30000);
  g_assert_cmpint (took, <, 1000000);
}

/* A batch with the rows of all streams does not wait. */
static void
test_streams (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", "1,3", 8, FOR_EVER);
  g_autoptr (InferAsyncRequest) a = request_new (executable);
  g_autoptr (InferAsyncRequest) b = request_new (executable);

  infer_executable_add_stream (executable, 1);
  start (a, 1);
  assert_result (a, 1);
  infer_executable_add_stream (executable, 1);
  start (a, 2);
  g_usleep (20000);
  g_assert_false (infer_async_request_wait (a, 0, NULL));
  start (b, 5);
  assert_result (a, 3);
  assert_result (b, 5);
  start (a, 3);
  g_usleep (20000);
  infer_executable_remove_stream (executable, 1);
  assert_result (a, 6);
  infer_executable_add_stream (executable, 1);
  start (b, 5);
  infer_executable_begin_flush (executable);
  assert_result (b, 10);
  infer_executable_end_flush (executable);
}

static void
test_cancel (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", "1,3", 2, FOR_EVER);
  g_autoptr (InferAsyncRequest) a = request_new (executable);
  g_autoptr (InferAsyncRequest) b = request_new (executable);
  g_autoptr (InferAsyncRequest) freed = request_new (executable);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 100; i++) {
    start (a, 1);
    if (i % 3 == 0)
      g_usleep (300);
    infer_async_request_cancel (a);
    g_assert_false (infer_async_request_wait (a, -1, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
    g_clear_error (&error);
  }
  start (freed, 1);
  g_clear_pointer (&freed, infer_async_request_free);
  start (a, 1);
  start (b, 2);
  assert_result (a, 1);
  assert_result (b, 2);
}

/* A failing row leaves its states unchanged; the other rows succeed. */
static void
test_failure (void)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", "1,3", 2, FOR_EVER);
  g_autoptr (InferAsyncRequest) a = request_new (executable);
  g_autoptr (InferAsyncRequest) b = request_new (executable);
  g_autoptr (GError) error = NULL;

  start (a, 1);
  start (b, 2);
  assert_result (a, 1);
  assert_result (b, 2);
  settings->fail_stage = INFER_STAGE_START;
  start (a, 1);
  start (b, 2);
  g_assert_false (infer_async_request_wait (a, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
  g_assert_false (infer_async_request_wait (b, -1, NULL));
  settings->fail_stage = FAKE_NEVER;
  settings->fail_value = 100;
  start (a, 100);
  start (b, 3);
  g_assert_false (infer_async_request_wait (a, -1, NULL));
  assert_result (b, 5);
  start (a, 1);
  start (b, 2);
  assert_result (a, 2);
  assert_result (b, 7);
}

/* Steps of one sequence over several requests: one row at a time. */
static void
test_one_sequence (void)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable = batched ("1,3", "1,3", 8, 500);
  g_autoptr (InferStateSet) states =
      infer_state_set_new (infer_executable_get_model (executable));
  InferAsyncRequest *requests[4];

  for (guint i = 0; i < 4; i++) {
    requests[i] = request_new (executable);
    infer_request_bind_states (
        infer_async_request_get_request (requests[i]), states);
  }
  for (guint round = 0; round < 5; round++) {
    for (guint i = 0; i < 4; i++)
      start (requests[i], 1);
    for (guint i = 0; i < 4; i++)
      assert_result (requests[i], (float) (4 * round + i + 1));
  }
  g_assert_cmpuint (fake_n_steps (), ==, 20);
  for (guint i = 0; i < 4; i++)
    infer_async_request_free (requests[i]);
}

/* --- refusals --- */

static void
assert_refused (InferModel *model, const char *part)
{
  g_autoptr (InferModel) owned G_GNUC_UNUSED = model;
  g_autoptr (InferRuntime) runtime = infer_runtime_new (NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_executable_new_batched (model, runtime, 4, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in: %s", part, error->message);
}

static void
test_refused (void)
{
  static const gint64 one_three[] = { 1, 3 };

  assert_refused (fake_model ("2,3", NULL), "input 'in' is [2,3]");
  assert_refused (fake_model ("1,3", "2,3"), "variable 'sum' is [2,3]");
  assert_refused (
      ir_load_good (
          IR_NET ("11",
              IR_PARAMETER (0, "x", "f32", "1,3") IR_CONST (1, "to", "i64", "2",
                  "0", "16") IR_LAYER (2, "flat", "Reshape", "opset1",
                  IR_DATA ("special_zero=\"false\""), IR_PORT (0) IR_PORT (1),
                  IR_NAMED_PORT (2, "flat")) IR_RESULT (3, "y"),
              IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0),
              ""),
          one_three, sizeof one_three),
      "'flat' (Reshape opset1)");
}

/* --- a real model --- */

#define N_STREAMS 3
#define N_STEPS 8
#define N_BANDS 40

typedef InferExecutable *NewBatched (
    InferModel *, InferRuntime *, guint, gint64, GError **);

/* @make: NULL: without batches. */
static InferExecutable *
load_digits (NewBatched *make)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (
      SOURCE_ROOT "/pipelines/models/digits/digits.xml", NULL, &error);
  g_autoptr (InferRuntime) runtime = infer_runtime_new (NULL, NULL, NULL);

  g_assert_no_error (error);
  InferExecutable *executable =
      make != NULL ? make (model, runtime, N_STREAMS, FOR_EVER, &error)
                   : infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

static void
fill (InferRequest *request, guint stream, guint step)
{
  InferShape shape =
      infer_shape_make (3, (gint64) 1, (gint64) 8, (gint64) N_BANDS);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (stream * 1000 + step);

  for (guint i = 0; i < 8 * N_BANDS; i++)
    ((float *) in->data)[i] = (float) g_rand_double_range (random, -12, 2);
}

static void
assert_same (const InferTensor *a, const InferTensor *b)
{
  g_assert_true (infer_shape_equal (&a->shape, &b->shape));
  g_assert_cmpmem (a->data, a->size, b->data, b->size);
}

static void
assert_close (const InferTensor *a, const InferTensor *b)
{
  gsize n = infer_shape_count (&a->shape);
  const float *x = a->data, *y = b->data;
  float scale = 0;

  g_assert_true (infer_shape_equal (&a->shape, &b->shape));
  for (gsize i = 0; i < n; i++)
    scale = MAX (scale, fabsf (x[i]));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (fabsf (x[i] - y[i]), <=, 1e-5f * scale);
}

/* Streams, one of which restarts in the middle: the same results as each alone.
 */
static void
run_digits (NewBatched *make,
    void (*compare) (const InferTensor *, const InferTensor *))
{
  g_autoptr (InferExecutable) single = load_digits (NULL);
  g_autoptr (InferExecutable) batch = load_digits (make);
  InferRequest *alone[N_STREAMS];
  InferAsyncRequest *rows[N_STREAMS];

  for (guint i = 0; i < N_STREAMS; i++) {
    alone[i] = infer_request_new (single, NULL);
    rows[i] = request_new (batch);
  }
  for (guint step = 0; step < N_STEPS; step++) {
    if (step == 4) {
      infer_state_set_reset (infer_request_get_states (alone[1]));
      infer_state_set_reset (
          infer_request_get_states (infer_async_request_get_request (rows[1])));
    }
    for (guint i = 0; i < N_STREAMS; i++) {
      fill (alone[i], i, step);
      fill (infer_async_request_get_request (rows[i]), i, step);
      g_assert_true (infer_request_infer (alone[i], NULL));
      g_assert_true (
          infer_async_request_start (rows[i], INFER_START_DEFAULT, NULL));
    }
    for (guint i = 0; i < N_STREAMS; i++) {
      g_autoptr (GError) error = NULL;

      infer_async_request_wait (rows[i], -1, &error);
      g_assert_no_error (error);
      compare (infer_request_get_output (alone[i], 0, NULL),
          infer_request_get_output (
              infer_async_request_get_request (rows[i]), 0, NULL));
    }
  }
  for (guint i = 0; i < N_STREAMS; i++) {
    infer_request_free (alone[i]);
    infer_async_request_free (rows[i]);
  }
}

static void
test_digits (void)
{
  run_digits (infer_executable_new_batched, assert_close);
}

/* --- operation by operation --- */

static void
test_joint (void)
{
  run_digits (infer_executable_new_joint, assert_same);
}

/* A row that cannot be computed fails alone and leaves its states; the batch's
 * other row has the bits that it has alone. */
static void
test_joint_failure (void)
{
  g_autoptr (InferExecutable) single = load_digits (NULL);
  g_autoptr (InferExecutable) joint = load_digits (infer_executable_new_joint);
  g_autoptr (InferRequest) alone = infer_request_new (single, NULL);
  g_autoptr (InferAsyncRequest) a = request_new (joint);
  g_autoptr (InferAsyncRequest) b = request_new (joint);
  InferRequest *rows[] = { infer_async_request_get_request (a),
    infer_async_request_get_request (b) };
  const InferShape bad =
      infer_shape_make (3, (gint64) 1, (gint64) 0, (gint64) 40);

  infer_executable_add_stream (joint, 2);
  for (guint step = 0; step < N_STEPS; step++) {
    g_autoptr (GError) error = NULL;
    const gboolean fails = step % 3 == 1;

    fill (alone, 0, step);
    fill (rows[0], 0, step);
    if (fails)
      infer_request_set_input_shape (rows[1], 0, &bad, NULL);
    else
      fill (rows[1], 0, step);
    g_assert_true (infer_request_infer (alone, NULL));
    g_assert_true (infer_async_request_start (a, INFER_START_DEFAULT, NULL));
    g_assert_true (infer_async_request_start (b, INFER_START_DEFAULT, NULL));
    infer_async_request_wait (a, -1, &error);
    g_assert_no_error (error);
    assert_same (infer_request_get_output (alone, 0, NULL),
        infer_request_get_output (rows[0], 0, NULL));
    g_assert_true (infer_async_request_wait (b, -1, NULL) == !fails);
  }
}

static void
test_joint_cancel (void)
{
  g_autoptr (InferExecutable) joint = load_digits (infer_executable_new_joint);
  g_autoptr (InferAsyncRequest) request = request_new (joint);

  for (guint i = 0; i < 100; i++) {
    g_autoptr (GError) error = NULL;

    fill (infer_async_request_get_request (request), 0, i);
    infer_async_request_start (request, INFER_START_DEFAULT, &error);
    g_assert_no_error (error);
    if (i % 3 == 0)
      g_usleep (300);
    infer_async_request_cancel (request);
    g_assert_false (infer_async_request_wait (request, -1, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  }
}

/* A device that computes each request by itself is named. */
static void
test_joint_refused (void)
{
  fake_reset ();
  g_autoptr (InferModel) model = fake_model ("1,3", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_executable_new_joint (model, runtime, 4, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "by itself"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch/rows", test_rows);
  g_test_add_func ("/batch/duration", test_duration);
  g_test_add_func ("/batch/synchronous", test_synchronous);
  g_test_add_func ("/batch/timeout", test_timeout);
  g_test_add_func ("/batch/streams", test_streams);
  g_test_add_func ("/batch/cancel", test_cancel);
  g_test_add_func ("/batch/failure", test_failure);
  g_test_add_func ("/batch/one-sequence", test_one_sequence);
  g_test_add_func ("/batch/refused", test_refused);
  g_test_add_func ("/batch/digits", test_digits);
  g_test_add_func ("/batch/joint", test_joint);
  g_test_add_func ("/batch/joint-failure", test_joint_failure);
  g_test_add_func ("/batch/joint-cancel", test_joint_cancel);
  g_test_add_func ("/batch/joint-refused", test_joint_refused);
  return g_test_run ();
}
