/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inputs and outputs in memory that host and device share: nothing is copied,
 * and the host reads what kernels wrote.
 *
 * Argument: the kind of shared memory that the device reports. */

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/ocl/faulty-opencl.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *kind;
static InferModel *model;

/* y = tanh (x), z = x + y, for any number of rows of four. */
static InferModel *
make_model (void)
{
  InferModel *net =
      net_of ("x = Parameter ?,4; t = Tanh x; sum = Add x t; y = Result t; "
              "z = Result sum");

  return net;
}

static void
fill (InferTensor *tensor, float scale)
{
  for (gsize i = 0; i < tensor->size / sizeof (float); i++)
    ((float *) tensor->data)[i] = scale * (float) (i % 17);
}

static void
assert_tensor (
    const InferTensor *tensor, gint64 rows, float scale, gboolean sum)
{
  const float *data = tensor->data;

  g_assert_cmpint (tensor->shape.dims[0], ==, rows);
  for (gsize i = 0; i < tensor->size / sizeof *data; i++) {
    const float x = scale * (float) (i % 17);

    g_assert_cmpfloat_with_epsilon (
        data[i], tanhf (x) + (sum ? x : 0), 2e-6f + 1e-5f * fabsf (x));
  }
}

static void
assert_outputs (InferRequest *request, gint64 rows, float scale)
{
  assert_tensor (
      infer_request_get_output (request, 0, NULL), rows, scale, FALSE);
  assert_tensor (
      infer_request_get_output (request, 1, NULL), rows, scale, TRUE);
}

static void
infer (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
}

static InferTensor *
own_input (InferRequest *request, gint64 rows)
{
  const InferShape shape = infer_shape_make (2, rows, (gint64) 4);
  g_autoptr (GError) error = NULL;
  InferTensor *tensor =
      infer_request_set_input_shape (request, 0, &shape, &error);

  g_assert_no_error (error);
  return tensor;
}

/* Maps and transfers of a run with @given tensors, @shared of them shared. */
static void
assert_counts (guint given, guint shared)
{
  const gboolean maps =
      strcmp (kind, "svm-coarse") == 0 || strcmp (kind, "pinned") == 0;
  const gboolean copies = strcmp (kind, "discrete") == 0;

  g_assert_cmpuint (
      faulty_opencl_n_transfers (), ==, given + (copies ? shared : 0));
  g_assert_cmpuint (faulty_opencl_n_maps (), ==, maps ? shared : 0);
}

static void
test_in_place (void)
{
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  fill (own_input (device.request, 2), 0.5f);
  infer (device.request);
  faulty_opencl_set (0, FALSE);
  for (guint i = 0; i < 10; i++) {
    fill (infer_request_get_input (device.request, 0, NULL), (float) i / 8);
    infer (device.request);
    assert_outputs (device.request, 2, (float) i / 8);
  }
  assert_counts (0, 30);
  test_session_close (&device);
}

static void
test_grows (void)
{
  static const gint64 rows[] = { 1, 300, 2, 5000, 0, 5000, 7 };
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    fill (own_input (device.request, rows[i]), 0.25f);
    infer (device.request);
    assert_outputs (device.request, rows[i], 0.25f);
  }
  test_session_close (&device);
}

/* Memory of the user is copied. */
static void
test_given (void)
{
  g_autoptr (InferTensor) in = test_tensor (INFER_TYPE_F32, "3,4");
  g_autoptr (InferTensor) out = test_tensor (INFER_TYPE_F32, "3,4");
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  infer_request_set_input (device.request, 0, in, NULL);
  infer_request_set_output (device.request, 1, out, NULL);
  fill (in, 0.125f);
  infer (device.request);
  faulty_opencl_set (0, FALSE);
  fill (in, 0.75f);
  infer (device.request);
  /* The device writes to the tensor that is given, though its shape was open.
   */
  assert_counts (2, 1);
  assert_outputs (device.request, 3, 0.75f);
  assert_tensor (out, 3, 0.75f, TRUE);
  test_session_close (&device);
}

/* One tensor is both input and output, set in either order. */
static void
test_aliased (void)
{
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  InferTensor *in = own_input (device.request, 3);
  fill (in, 0.5f);
  infer_request_set_output (device.request, 0, in, NULL);
  infer (device.request);
  assert_tensor (in, 3, 0.5f, FALSE);
  infer_request_set_output (device.request, 0, NULL, NULL);
  fill (in, 1);
  infer (device.request);
  InferTensor *out = infer_request_get_output (device.request, 1, NULL);
  fill (out, 0.25f);
  infer_request_set_input (device.request, 0, out, NULL);
  infer (device.request);
  assert_outputs (device.request, 3, 0.25f);
  test_session_close (&device);
}

/* The output of one request is the input of the next. */
static void
test_chained (void)
{
  g_autoptr (GError) error = NULL;
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  InferRequest *next = infer_request_new (device.executable, &error);
  g_assert_no_error (error);
  fill (own_input (device.request, 3), 0.5f);
  infer (device.request);
  infer_request_set_input (
      next, 0, infer_request_get_output (device.request, 0, NULL), NULL);
  infer (next);
  faulty_opencl_set (0, FALSE);
  infer (next);
  assert_counts (0, 3);
  const float *in = infer_request_get_output (device.request, 0, NULL)->data;
  const float *out = infer_request_get_output (next, 0, NULL)->data;
  for (guint i = 0; i < 12; i++)
    g_assert_cmpfloat_with_epsilon (out[i], tanhf (in[i]), 1e-6f);
  infer_request_free (next);
  test_session_close (&device);
}

/* A tensor outlives the runtime, and can still grow. */
static void
test_outlives (void)
{
  const InferShape larger = infer_shape_make (2, (gint64) 9000, (gint64) 4);
  g_autoptr (GError) error = NULL;
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  fill (own_input (device.request, 3), 2);
  infer (device.request);
  g_autoptr (InferTensor) out =
      infer_tensor_ref (infer_request_get_output (device.request, 1, NULL));
  test_session_close (&device);
  assert_tensor (out, 3, 2, TRUE);
  infer_tensor_reshape (out, INFER_TYPE_F32, &larger, &error);
  g_assert_no_error (error);
  fill (out, 1);
  g_clear_pointer (&out, infer_tensor_unref);
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
}

/* Several requests read one tensor at a time. */
static void
test_shared (void)
{
  InferAsyncRequest *requests[3];
  g_autoptr (GError) error = NULL;
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", "NUM_STREAMS=2");
  InferTensor *in = own_input (device.request, 50);
  fill (in, 0.125f);
  for (guint r = 0; r < 3; r++) {
    requests[r] = infer_async_request_new (device.executable, NULL, &error);
    g_assert_no_error (error);
    infer_request_set_input (
        infer_async_request_get_request (requests[r]), 0, in, &error);
    g_assert_no_error (error);
  }
  for (guint i = 0; i < 100; i++) {
    for (guint r = 0; r < 3; r++)
      g_assert_true (infer_async_request_start (requests[r], 0, NULL));
    for (guint r = 0; r < 3; r++) {
      g_assert_true (infer_async_request_wait (requests[r], -1, NULL));
      assert_outputs (
          infer_async_request_get_request (requests[r]), 50, 0.125f);
    }
  }
  for (guint r = 0; r < 3; r++)
    infer_async_request_free (requests[r]);
  g_assert_cmpfloat (((float *) in->data)[1], ==, 0.125f);
  test_session_close (&device);
}

int
main (int argc, char **argv)
{
  kind = argv[1];
  faulty_opencl_announce (kind);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);
  if (runtime == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  g_clear_pointer (&runtime, infer_runtime_unref);
  model = make_model ();
  test_in_place ();
  test_grows ();
  test_given ();
  test_aliased ();
  test_chained ();
  test_outlives ();
  test_shared ();
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
  infer_model_unref (model);
  return 0;
}
