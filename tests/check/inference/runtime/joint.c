/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps of several streams that are computed together give the bits of each
 * alone, and end alone. */

#include "inference/runtime/batch/joint.h"

#include <string.h>

#include "inference/base/cancel.h"
#include "inference/base/small-float.h"
#include "inference/runtime/request-private.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/net.h"

#define DEPTH 256
#define COLUMNS 300
#define FAR_COLUMNS 4096
#define STREAMS 4
#define STEPS 40
#define LONG_US (60 * G_USEC_PER_SEC)

/* --- models --- */

typedef enum
{
  WEIGHTS_F32,
  WEIGHTS_F16,      /* as f32 that f16 holds */
  WEIGHTS_INTEGERS, /* integers times a scale */
  WEIGHTS_FAR,      /* f32, with more that exceed a second-level cache */
  N_WEIGHTS
} Weights;

static float
weight (Weights kind, GRand *random)
{
  float value = (float) g_rand_double_range (random, -1, 1);

  switch (kind) {
    case WEIGHTS_INTEGERS:
      return (float) g_rand_int_range (random, -127, 128) / 128;
    case WEIGHTS_F16:
      return infer_f16_to_f32 (infer_f32_to_f16 (value));
    default:
      return value;
  }
}

static void
add_weights (InferModel *net, const char *name, Weights kind, gsize rows,
    gsize columns, GRand *random)
{
  InferShape shape = infer_shape_make (2, (gint64) rows, (gint64) columns);
  g_autoptr (InferTensor) weights =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

  for (gsize i = 0; i < rows * columns; i++)
    ((float *) weights->data)[i] = weight (kind, random);
  infer_graph_add (
      net->graph, infer_operation_make_const (name, weights, NULL));
}

/* out = x · w + sum, the sum of all rows so far; with WEIGHTS_FAR the mean of
 * its product with w2 is added to x · w. */
static InferModel *
make_model (Weights kind)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  InferModel *net = net_new ();

  net_parameter (net, "x", "?,256");
  add_weights (net, "w", kind, DEPTH, COLUMNS, random);
  if (kind == WEIGHTS_FAR) {
    add_weights (net, "w2", kind, COLUMNS, FAR_COLUMNS, random);
    net_build (net, "near = MatMul x w; wide = MatMul near w2; "
                    "last = i64 1; mean = ReduceMean wide last keep_dims=true; "
                    "product = Add near mean; first = i64 0");
  } else {
    net_build (net, "product = MatMul x w; first = i64 0");
  }
  net_read (net, "sum", "1,300", NULL);
  net_build (net, "out = Add product sum; "
                  "rows = ReduceSum out first keep_dims=true");
  net_assign (net, "sum", "rows");
  net_result (net, "result", "out");
  net_settle (net);
  return net;
}

static InferExecutable *
compile (Weights kind)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = make_model (kind);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("CPU", "INFERENCE_NUM_THREADS=1", &error);

  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

/* --- steps --- */

static void
fill (InferRequest *request, guint stream, guint step)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (100 * stream + step);
  InferShape shape = infer_shape_make (
      2, (gint64) (1 + (stream + step / 7) % 3), (gint64) DEPTH);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);

  for (gint64 i = 0; i < shape.dims[0] * DEPTH; i++)
    ((float *) in->data)[i] = (float) g_rand_double_range (random, -0.1, 0.1);
}

static InferTensor *
result_of (InferRequest *request)
{
  g_autoptr (GError) error = NULL;
  const InferTensor *out = infer_request_get_output (request, 0, &error);

  g_assert_no_error (error);
  InferTensor *copy = infer_tensor_new (out->type, &out->shape, NULL);
  infer_tensor_copy (copy, out, &error);
  g_assert_no_error (error);
  return copy;
}

static InferRequest *
request_new (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = infer_request_new (executable, &error);

  g_assert_no_error (error);
  return request;
}

static void
assert_equal (InferTensor *expected, InferRequest *request)
{
  g_autoptr (InferTensor) out = result_of (request);

  g_assert_true (infer_shape_equal (&out->shape, &expected->shape));
  g_assert_cmpmem (out->data, out->size, expected->data, expected->size);
}

/* The outputs of each step of each stream when it runs alone:
 * [STREAMS * STEPS]. */
static GPtrArray *
run_alone (InferExecutable *executable)
{
  GPtrArray *all =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);

  for (guint stream = 0; stream < STREAMS; stream++) {
    g_autoptr (InferRequest) request = request_new (executable);

    for (guint step = 0; step < STEPS; step++) {
      g_autoptr (GError) error = NULL;

      fill (request, stream, step);
      infer_request_infer (request, &error);
      g_assert_no_error (error);
      g_ptr_array_add (all, result_of (request));
    }
  }
  return all;
}

/* --- threads --- */

typedef struct
{
  InferJoint *joint;
  InferRequest *request;
  const GPtrArray *expected;
  guint stream, steps;
} Stream;

/* It was entered before. */
static gpointer
run_stream (gpointer data)
{
  const Stream *s = data;

  for (guint step = 0; step < s->steps; step++) {
    g_autoptr (GError) error = NULL;

    fill (s->request, s->stream, step);
    infer_joint_infer (s->joint, s->request, &error);
    g_assert_no_error (error);
    assert_equal (s->expected->pdata[s->stream * STEPS + step], s->request);
  }
  infer_joint_leave (s->joint);
  return NULL;
}

/* Streams begin together, and each ends after more steps than the one before.
 */
static void
test_streams (gconstpointer data)
{
  g_autoptr (InferExecutable) executable =
      compile ((Weights) GPOINTER_TO_UINT (data));
  g_autoptr (GPtrArray) expected = run_alone (executable);
  InferJoint *joint = infer_joint_new (LONG_US);
  Stream streams[STREAMS];
  GThread *threads[STREAMS];
  guint64 steps, runs, expected_steps = 0;

  for (guint i = 0; i < STREAMS; i++) {
    streams[i] = (Stream){ joint, request_new (executable), expected, i,
      STEPS - 10 * (STREAMS - 1 - i) };
    expected_steps += streams[i].steps;
    infer_joint_enter (joint);
  }
  for (guint i = 0; i < STREAMS; i++)
    threads[i] = g_thread_new ("stream", run_stream, &streams[i]);
  for (guint i = 0; i < STREAMS; i++) {
    g_thread_join (threads[i]);
    infer_request_free (streams[i].request);
  }
  infer_joint_count (joint, &steps, &runs);
  g_assert_cmpuint (steps, ==, expected_steps);
  g_assert_cmpuint (runs, ==, STEPS);
  infer_joint_free (joint);
}

/* A stream alone waits for nobody, whether it was announced or not; and for one
 * that brings no steps only a moment. */
static void
test_alone (void)
{
  g_autoptr (InferExecutable) executable = compile (WEIGHTS_F32);
  g_autoptr (GPtrArray) expected = run_alone (executable);
  InferJoint *joint = infer_joint_new (100);
  guint64 steps, runs;

  for (guint others = 0; others < 3; others++) {
    g_autoptr (InferRequest) request = request_new (executable);
    Stream s = { joint, request, expected, 1, STEPS };

    for (guint i = 0; i <= others; i++)
      infer_joint_enter (joint);
    run_stream (&s);
    for (guint i = 0; i < others; i++)
      infer_joint_leave (joint);
  }
  infer_joint_count (joint, &steps, &runs);
  g_assert_cmpuint (steps, ==, 3 * STEPS);
  g_assert_cmpuint (runs, ==, steps);
  infer_joint_free (joint);
}

/* --- one call --- */

/* One of the steps is cancelled, one was never prepared: the others give what
 * they give alone, and the next step of the cancelled one does as if it had not
 * been. */
static void
test_failures (void)
{
  g_autoptr (InferExecutable) executable = compile (WEIGHTS_INTEGERS);
  g_autoptr (GPtrArray) expected = run_alone (executable);
  InferRequest *requests[STREAMS];
  InferJointStep steps[STREAMS] = { { .context = NULL } };
  InferJointStep begun[STREAMS];
  static const gint cancelled = TRUE;
  guint n = 0;

  for (guint i = 0; i < STREAMS; i++) {
    g_autoptr (GError) error = NULL;

    requests[i] = request_new (executable);
    if (i == 3) {
      g_assert_false (infer_request_begin_joint (requests[i], &steps[i]));
      infer_request_end_joint (requests[i], &steps[i], 0, 1);
      g_assert_error (
          steps[i].error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
      g_clear_error (&steps[i].error);
      continue;
    }
    fill (requests[i], i, 0);
    infer_request_preprocess (requests[i], &error);
    g_assert_no_error (error);
    steps[i].cancelled = i == 1 ? &cancelled : NULL;
    g_assert_true (infer_request_begin_joint (requests[i], &steps[i]));
    begun[n++] = steps[i];
  }
  executable->backend->start_joint (begun, n);
  for (guint i = 0; i < n; i++)
    infer_request_end_joint (requests[i], &begun[i], 0, 1);
  g_assert_error (begun[1].error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&begun[1].error);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;

    if (i == 1) {
      infer_request_infer (requests[i], &error);
    } else {
      g_assert_no_error (begun[i].error);
      infer_request_postprocess (requests[i], &error);
    }
    g_assert_no_error (error);
    assert_equal (expected->pdata[i * STEPS], requests[i]);
  }
  for (guint i = 0; i < STREAMS; i++)
    infer_request_free (requests[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < N_WEIGHTS; i++) {
    static const char *const names[] = { "f32", "f16", "integers", "far" };
    g_autofree char *path = g_strconcat ("/joint/streams/", names[i], NULL);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_streams);
  }
  g_test_add_func ("/joint/alone", test_alone);
  g_test_add_func ("/joint/failures", test_failures);
  return g_test_run ();
}
