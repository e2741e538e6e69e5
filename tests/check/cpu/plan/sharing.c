/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models on one runtime share equal constants, including packed ones, and run
 * at the same time on many threads. */

#include "cpu/base/scope.h"
#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/ir.h"

#include <glib/gstdio.h>

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

/* --- decompressed weights --- */

#define N_EXECUTABLES 32
#define SIZE 256

/* y = x w, w = f32 (u8) * scale: packed as stored. */
static const char compressed[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,256") IR_CONST (
        1, "w", "u8", "256,256", "0", "65536") IR_CONST (2, "scale", "f32",
        "1,256", "65536", "1024") IR_LAYER (3, "float", "Convert", "opset1",
        IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))
        IR_BINARY (4, "times", "Multiply") IR_LAYER (5, "product", "MatMul",
            "opset1", IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),
            IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (6, "y"),
    IR_EDGE (1, 0, 3, 0) IR_EDGE (3, 1, 4, 0) IR_EDGE (2, 0, 4, 1)
        IR_EDGE (0, 0, 5, 0) IR_EDGE (4, 2, 5, 1) IR_EDGE (5, 2, 6, 0),
    "");

typedef struct
{
  InferRuntime *runtime;
  const char *path;
  InferExecutable *executable;
  InferRequest *request;
} User;

/* Loads its own model from the file, as an element does. */
static gpointer
load_and_run (gpointer data)
{
  User *user = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (user->path, NULL, &error);
  g_assert_no_error (error);

  user->executable = infer_executable_new (model, user->runtime, &error);
  g_assert_no_error (error);
  user->request = infer_request_new (user->executable, &error);
  g_assert_no_error (error);
  float *x = infer_request_get_input (user->request, 0, NULL)->data;
  for (guint i = 0; i < SIZE; i++)
    x[i] = 1;
  infer_request_infer (user->request, &error);
  g_assert_no_error (error);
  const float *y = infer_request_get_output (user->request, 0, NULL)->data;
  for (guint i = 0; i < SIZE; i++)
    g_assert_cmpfloat (y[i], ==, (float) (SIZE * (i % 7)));
  return NULL;
}

static void
free_user (User *user)
{
  infer_request_free (user->request);
  infer_executable_unref (user->executable);
}

static char *
write_compressed (const char *folder)
{
  char *xml = g_build_filename (folder, "model.xml", NULL);
  g_autofree char *bin = g_build_filename (folder, "model.bin", NULL);
  g_autofree guint8 *weights = g_malloc (SIZE * SIZE + SIZE * sizeof (float));
  float *scale = (float *) (gpointer) (weights + SIZE * SIZE);

  for (guint i = 0; i < SIZE * SIZE; i++)
    weights[i] = (guint8) (i % SIZE % 7);
  for (guint i = 0; i < SIZE; i++)
    scale[i] = 1;
  g_assert_true (g_file_set_contents (xml, compressed, -1, NULL));
  g_assert_true (g_file_set_contents (
      bin, (const char *) weights, SIZE * SIZE + SIZE * sizeof (float), NULL));
  return xml;
}

static void
remove_model (const char *folder, const char *xml)
{
  g_autofree char *bin = g_build_filename (folder, "model.bin", NULL);

  g_remove (xml);
  g_remove (bin);
  g_rmdir (folder);
}

/* Thirty-two executables of one model, each loaded separately, on eight
 * threads: raw, decompressed and packed weights exist once. */
static void
test_bytes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("infer-sharing-XXXXXX", NULL);
  g_autofree char *path = write_compressed (folder);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  User users[N_EXECUTABLES];
  GThread *threads[8];

  for (guint i = 0; i < N_EXECUTABLES; i++)
    users[i] = (User){ .runtime = runtime, .path = path };
  load_and_run (&users[0]);
  gsize constants = infer_constants_bytes (runtime->constants);
  gsize packed = cpu_scope_packed_bytes (runtime->scope);
  g_test_message ("%" G_GSIZE_FORMAT " bytes of constants, %" G_GSIZE_FORMAT
                  " packed",
      constants, packed);
  g_assert_cmpuint (constants, >=, SIZE * SIZE);
  g_assert_cmpuint (constants, <, 2 * SIZE * SIZE);
  g_assert_cmpuint (packed, >=, SIZE * SIZE);
  /* Processors without fast integer kernels pack f32. */
  if (cpu_scope_isa (runtime->scope) >= CPU_ISA_AVX2)
    g_assert_cmpuint (packed, <, 2 * SIZE * SIZE);
  for (guint i = 1; i < N_EXECUTABLES;) {
    guint n = 0;

    for (; n < G_N_ELEMENTS (threads) && i < N_EXECUTABLES; n++, i++)
      threads[n] = g_thread_new ("load", load_and_run, &users[i]);
    for (guint k = 0; k < n; k++)
      g_thread_join (threads[k]);
  }
  g_assert_cmpuint (infer_constants_bytes (runtime->constants), ==, constants);
  g_assert_cmpuint (cpu_scope_packed_bytes (runtime->scope), ==, packed);
  for (guint i = 0; i < N_EXECUTABLES; i++)
    free_user (&users[i]);
  g_assert_cmpuint (infer_constants_bytes (runtime->constants), ==, 0);
  g_assert_cmpuint (cpu_scope_packed_bytes (runtime->scope), ==, 0);
  remove_model (folder, path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sharing/packed-once", test_packed_once);
  g_test_add_func ("/sharing/threads", test_threads);
  g_test_add_func ("/sharing/bytes", test_bytes);
  return g_test_run ();
}
