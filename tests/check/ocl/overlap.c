/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* While the device computes one request, others are preprocessed, uploaded and
 * downloaded; durations of operations are by the device's clock. */

#include "infer/request.h"
#include "tests/check/support/net.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define N 256
#define N_LAYERS 6
#define N_RUNS 10

typedef struct
{
  guint request;
  char stage[32];
  double begin, end; /* microseconds */
} Span;

/* Matrix products in sequence: milliseconds. */
static InferModel *
make_model (void)
{
  static const gint64 dims[] = { N, N };
  InferModel *net = net_new ();
  g_autofree float *values = g_new (float, N *N);

  for (guint i = 0; i < N * N; i++)
    values[i] = (i / N + i % N) % N == 0 ? 1 : 0;
  net_build (net, "x0 = Parameter 256,256; z = Parameter 256,256");
  net_const_f32 (net, "flat", N * N, values);
  net_const_i64 (net, "dims", 2, dims);
  net_add (net, "Reshape", "w", "flat dims", 1, "special_zero", "false", NULL);
  for (guint i = 0; i < N_LAYERS; i++) {
    g_autofree char *name = g_strdup_printf ("x%u", i + 1);
    g_autofree char *inputs = g_strdup_printf ("x%u w", i);

    net_add (net, "MatMul", name, inputs, 1, "transpose_a", "false",
        "transpose_b", "false", NULL);
  }
  net_build (net, "y = Add x6 z; out = Result y");
  net_settle (net);
  return net;
}

static GArray *
read_spans (const char *path)
{
  g_autofree char *text = NULL;
  GArray *spans = g_array_new (FALSE, TRUE, sizeof (Span));

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *name = strstr (lines[i], "_Req");
    const char *at = strstr (lines[i], "\"ts\":");
    double duration;
    Span span;

    if (name == NULL || at == NULL
        || sscanf (name, "_Req%u_%31[A-Za-z]", &span.request, span.stage) != 2
        || sscanf (at, "\"ts\":%lf,\"dur\":%lf", &span.begin, &duration) != 2)
      continue;
    span.end = span.begin + duration;
    g_array_append_val (spans, span);
  }
  return spans;
}

/* How often @stage of a request began while another one was computed. */
static guint
count_overlaps (const GArray *spans, const char *stage)
{
  guint n = 0;

  for (guint i = 0; i < spans->len; i++) {
    const Span *span = &g_array_index (spans, Span, i);

    for (guint k = 0; strcmp (span->stage, stage) == 0 && k < spans->len; k++) {
      const Span *other = &g_array_index (spans, Span, k);

      n += strcmp (other->stage, "Wait") == 0 && other->request != span->request
           && span->begin >= other->begin && span->end <= other->end;
    }
  }
  return n;
}

/* Needs conversion, and lies in memory that has to be copied. */
static void
give_tensors (InferRequest *request, float z)
{
  const InferShape shape = infer_shape_make (2, (gint64) N, (gint64) N);
  g_autoptr (InferTensor) x = infer_tensor_new (INFER_TYPE_F64, &shape, NULL);
  g_autoptr (InferTensor) second =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_autoptr (InferTensor) out = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

  for (guint i = 0; i < N * N; i++) {
    ((double *) x->data)[i] = i % 19;
    ((float *) second->data)[i] = z;
  }
  g_assert_true (infer_request_set_input (request, 0, x, NULL));
  g_assert_true (infer_request_set_input (request, 1, second, NULL));
  g_assert_true (infer_request_set_output (request, 0, out, NULL));
}

/* An even number of reflections is the identity. */
static void
assert_output (InferRequest *request, float z)
{
  const float *out = infer_request_get_output (request, 0, NULL)->data;

  for (guint i = 0; i < N * N; i++)
    g_assert_cmpfloat (out[i], ==, (float) (i % 19) + z);
}

static void
run_all (InferExecutable *executable)
{
  InferAsyncRequest *requests[3];
  g_autoptr (GError) error = NULL;

  for (guint r = 0; r < 3; r++) {
    requests[r] = infer_async_request_new (executable, NULL, &error);
    g_assert_no_error (error);
    give_tensors (infer_async_request_get_request (requests[r]), (float) r);
  }
  for (guint i = 0; i < 3 * N_RUNS; i++) {
    if (i >= 3) {
      g_assert_true (infer_async_request_wait (requests[i % 3], -1, NULL));
      assert_output (
          infer_async_request_get_request (requests[i % 3]), (float) (i % 3));
    }
    g_assert_true (
        infer_async_request_start (requests[i % 3], INFER_START_DEFAULT, NULL));
  }
  for (guint r = 0; r < 3; r++)
    infer_async_request_free (requests[r]);
}

/* By the device's clock: in total no longer than the wait. */
static void
check_profile (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  guint64 sum = 0, whole = 0;
  guint products = 0;

  g_assert_no_error (error);
  give_tensors (request, 1);
  g_assert_true (infer_request_infer (request, NULL));
  for (guint s = INFER_STAGE_START; s <= INFER_STAGE_WAIT; s++)
    whole += infer_request_get_timings (request)[s];
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    sum += timing->ns;
    if (strcmp (timing->type, "MatMul") != 0)
      continue;
    g_assert_cmpstr (timing->device, ==, "OPENCL");
    g_assert_cmpuint (timing->ns, >, 0);
    products++;
  }
  g_assert_cmpuint (products, ==, N_LAYERS);
  g_assert_cmpuint (sum, <=, whole);
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("trace-XXXXXX.json", &path, NULL);

  g_assert_cmpint (file, >=, 0);
  g_close (file, NULL);
  g_autofree char *config = g_strdup_printf ("PERF_COUNT=YES,TRACE=%s", path);
  InferRuntime *runtime = infer_runtime_new ("OPENCL", config, &error);
  if (runtime == NULL) {
    g_unlink (path);
    printf ("skipped: %s\n", error->message);
    return 77;
  }
  InferModel *model = make_model ();
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  run_all (executable);
  check_profile (executable);
  infer_executable_unref (executable);
  infer_model_unref (model);
  infer_runtime_unref (runtime); /* completes the trace */
  g_autoptr (GArray) spans = read_spans (path);
  static const char *const stages[] = { "Preprocess", "Upload", "Download" };
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++) {
    guint n = count_overlaps (spans, stages[i]);

    printf ("%s: %u times while another request was computed\n", stages[i], n);
    g_assert_cmpuint (n, >, 0);
  }
  g_unlink (path);
  return 0;
}
