/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* device=REMOTE against a server of others, which check-servers starts.
 *
 * Usage: test-foreign URL same      outputs are the inputs, of any type, to the
 *                                   bit; several requests in flight
 *        test-foreign URL sum       a sequence whose output is the sum of its
 *                                   inputs; several streams
 *        test-foreign URL sum-one-by-one  one stream after the other
 *        test-foreign URL WORDS     loading or running fails with WORDS */

#include <string.h>

#include "infer/request.h"

#define IN_FLIGHT 6
#define RUNS 60
#define STREAMS 8
#define STEPS 25

static InferExecutable *
open_model (const char *url, GError **error)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("REMOTE", NULL, error);
  g_autoptr (InferModel) model =
      runtime != NULL ? infer_model_load (url, NULL, error) : NULL;

  return model != NULL ? infer_executable_new (model, runtime, error) : NULL;
}

/* Input @index, of @open where its metadata leave a dimension open. */
static InferTensor *
shape_input (InferRequest *request, guint index, gint64 open)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));
  InferShape shape = infer_model_input_desc (model, index)->shape;
  g_autoptr (GError) error = NULL;

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = shape.dims[d] < 0 ? open : shape.dims[d];
  InferTensor *in =
      infer_request_set_input_shape (request, index, &shape, &error);
  g_assert_no_error (error);
  return in;
}

static gsize
bytes_of (const InferTensor *tensor)
{
  return infer_shape_count (&tensor->shape) * infer_type_size (tensor->type);
}

/* --- same --- */

static void
fill (InferRequest *request, guint n)
{
  InferTensor *in = shape_input (request, 0, 1 + n % 4);
  guint8 *bytes = in->data;

  /* Values that are not NaN; of a boolean 0 or 1. */
  for (gsize i = 0; i < bytes_of (in); i++)
    bytes[i] = in->type == INFER_TYPE_BOOLEAN
                   ? (guint8) ((i + n) % 2)
                   : (guint8) ((i * 31 + n * 7) % 120);
}

static void
check_same (InferRequest *request)
{
  g_autoptr (GError) error = NULL;
  InferTensor *in = infer_request_get_input (request, 0, &error);
  g_assert_no_error (error);
  InferTensor *out = infer_request_get_output (request, 0, &error);
  g_assert_no_error (error);

  g_assert_true (infer_shape_equal (&in->shape, &out->shape));
  g_assert_cmpmem (in->data, bytes_of (in), out->data, bytes_of (out));
}

static void
run_same (InferExecutable *executable)
{
  InferAsyncRequest *requests[IN_FLIGHT];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < IN_FLIGHT; i++) {
    requests[i] = infer_async_request_new (executable, NULL, &error);
    g_assert_no_error (error);
  }
  for (guint n = 0; n < RUNS + IN_FLIGHT; n++) {
    InferAsyncRequest *async = requests[n % IN_FLIGHT];

    if (n >= IN_FLIGHT) {
      infer_async_request_wait (async, -1, &error);
      g_assert_no_error (error);
      check_same (infer_async_request_get_request (async));
    }
    if (n >= RUNS)
      continue;
    fill (infer_async_request_get_request (async), n);
    infer_async_request_start (async, INFER_START_DEFAULT, &error);
    g_assert_no_error (error);
  }
  for (guint i = 0; i < IN_FLIGHT; i++)
    infer_async_request_free (requests[i]);
}

/* --- sum --- */

typedef struct
{
  InferExecutable *executable;
  guint number;
} Stream;

/* A reset in the middle begins another sequence. */
static gpointer
run_stream (gpointer data)
{
  const Stream *stream = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request =
      infer_request_new (stream->executable, &error);
  float sum = 0;

  g_assert_no_error (error);
  for (guint n = 0; n < STEPS; n++) {
    const float value = (float) (stream->number * 100 + n) + 0.25f;

    if (n == STEPS / 2) {
      infer_state_set_reset (infer_request_get_states (request));
      sum = 0;
    }
    sum += value;
    *(float *) shape_input (request, 0, 1)->data = value;
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    InferTensor *out = infer_request_get_output (request, 0, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (*(const float *) out->data, ==, sum);
  }
  return NULL;
}

static void
run_sums (InferExecutable *executable, gboolean one_by_one)
{
  Stream streams[STREAMS];
  GThread *threads[STREAMS];

  for (guint s = 0; s < STREAMS && one_by_one; s++) {
    streams[s] = (Stream){ executable, s };
    run_stream (&streams[s]);
  }
  if (one_by_one)
    return;
  for (guint s = 0; s < STREAMS; s++) {
    streams[s] = (Stream){ executable, s };
    threads[s] = g_thread_new ("stream", run_stream, &streams[s]);
  }
  for (guint s = 0; s < STREAMS; s++)
    g_thread_join (threads[s]);
}

/* --- errors --- */

static int
fails_with (InferExecutable *executable, GError *loading, const char *words)
{
  g_autoptr (GError) error = loading;

  if (executable != NULL) {
    g_autoptr (InferRequest) request = infer_request_new (executable, &error);

    g_assert_no_error (error);
    InferTensor *in = shape_input (request, 0, 1);
    memset (in->data, 0, bytes_of (in));
    infer_request_infer (request, &error);
  }
  g_printerr ("%s\n", error != NULL ? error->message : "no error");
  return error != NULL && strstr (error->message, words) != NULL ? 0 : 1;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;

  if (argc != 3)
    return 2;
  g_autoptr (InferExecutable) executable = open_model (argv[1], &error);
  const gboolean same = g_str_equal (argv[2], "same"),
                 alone = g_str_equal (argv[2], "sum-one-by-one");
  if (!same && !alone && !g_str_equal (argv[2], "sum"))
    return fails_with (executable, error, argv[2]);
  g_assert_no_error (error);
  if (same)
    run_same (executable);
  else
    run_sums (executable, alone);
  return 0;
}
