/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models on one runtime hold equal constants once, packed ones too, and run at
 * the same time from many threads. */

#include "cpu/scope.h"
#include "inference/request.h"
#include "inference/runtime-private.h"

#define N 64
#define N_THREADS 4
#define N_RUNS 200

static const char product[] =
    "<?xml version=\"1.0\"?>\n"
    "<net name=\"product\" version=\"11\"><layers>"
    "<layer id=\"0\" name=\"in\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"1,64\" element_type=\"f32\"/><output><port id=\"0\" "
    "precision=\"FP32\"><dim>1</dim><dim>64</dim></port></output></layer>"
    "<layer id=\"1\" name=\"weights\" type=\"Const\" version=\"opset1\">"
    "<data element_type=\"f32\" shape=\"64,64\" offset=\"0\" size=\"16384\"/>"
    "<output><port id=\"0\" precision=\"FP32\"><dim>64</dim><dim>64</dim>"
    "</port></output></layer>"
    "<layer id=\"2\" name=\"product\" type=\"MatMul\" version=\"opset1\">"
    "<data transpose_a=\"false\" transpose_b=\"true\"/><input>"
    "<port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>64</dim></port>"
    "<port id=\"1\" precision=\"FP32\"><dim>64</dim><dim>64</dim></port>"
    "</input><output><port id=\"2\" precision=\"FP32\"><dim>1</dim>"
    "<dim>64</dim></port></output></layer>"
    "<layer id=\"3\" name=\"out\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>64</dim>"
    "</port></input></layer></layers><edges>"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>"
    "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>"
    "</edges></net>\n";

/* Row i of the weights is i everywhere: out[i] = i · sum (in). */
static InferExecutable *
make_executable (InferRuntime *runtime)
{
  g_autofree float *weights = g_new (float, N *N);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < N * N; i++)
    weights[i] = (float) (i / N);
  g_autoptr (GBytes) xml = g_bytes_new_static (product, sizeof product - 1);
  g_autoptr (GBytes) bin = g_bytes_new (weights, N * N * sizeof *weights);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, bin, "product.xml", &error);
  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

static void
run (InferRequest *request, float value)
{
  g_autoptr (GError) error = NULL;
  float *in = infer_request_get_input (request, 0, NULL)->data;

  for (guint i = 0; i < N; i++)
    in[i] = value;
  gboolean ok = infer_request_infer (request, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  const float *out = infer_request_get_output (request, 0, NULL)->data;
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat (out[i], ==, (float) i * N * value);
}

static void
test_packed_once (void)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferExecutable) a = make_executable (runtime);
  g_autoptr (InferExecutable) b = make_executable (runtime);
  g_autoptr (InferRequest) one = infer_request_new (a, NULL);
  g_autoptr (InferRequest) two = infer_request_new (a, NULL);
  g_autoptr (InferRequest) other = infer_request_new (b, NULL);

  run (one, 1);
  gsize bytes = cpu_scope_packed_bytes (runtime->scope);
  g_test_message ("%" G_GSIZE_FORMAT " packed bytes", bytes);
  run (two, 2);
  run (other, 3);
  g_assert_cmpuint (cpu_scope_packed_bytes (runtime->scope), ==, bytes);
}

static gpointer
run_often (gpointer executable)
{
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);

  for (guint i = 0; i < N_RUNS; i++)
    run (request, (float) (i % 5));
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferExecutable) a = make_executable (runtime);
  g_autoptr (InferExecutable) b = make_executable (runtime);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("run", run_often, i % 2 ? a : b);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sharing/packed-once", test_packed_once);
  g_test_add_func ("/sharing/threads", test_threads);
  return g_test_run ();
}
