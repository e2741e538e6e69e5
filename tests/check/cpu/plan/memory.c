/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that is no longer needed is released; needed data survives changes of
 * the files. */

#include <glib/gstdio.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "infer/request.h"
#include "inference/runtime/rest.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"
#include "tools/usage.h"

/* y = x w in f32: 4 MiB, and 64 KiB. */
#define PRODUCT(k, n, size)                                                    \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1," #k) IR_CONST (                         \
          1, "w", "f32", #k "," #n, "0", #size) IR_LAYER (2, "y", "MatMul",    \
          "opset1", IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),   \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),          \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

#define LARGE 1024
#define SMALL 128

static const char large_net[] = PRODUCT (1024, 1024, 4194304);
static const char small_net[] = PRODUCT (128, 128, 65536);

typedef struct
{
  char *folder, *xml, *bin;
} Files;

static void
set_up (Files *files, gconstpointer net)
{
  gsize size = net == large_net ? LARGE : SMALL;
  g_autofree float *weights = g_new (float, size *size);

  files->folder = g_dir_make_tmp ("infer-memory-XXXXXX", NULL);
  files->xml = g_build_filename (files->folder, "model.xml", NULL);
  files->bin = g_build_filename (files->folder, "model.bin", NULL);
  /* Not representable as integers or f16. */
  for (gsize i = 0; i < size * size; i++)
    weights[i] = 1 + (float) (i % 1009) / 1009;
  g_assert_true (g_file_set_contents (files->xml, net, -1, NULL));
  g_assert_true (g_file_set_contents (files->bin, (const char *) weights,
      (gssize) (size * size * sizeof *weights), NULL));
}

static void
tear_down (Files *files, gconstpointer net)
{
  g_remove (files->xml);
  g_remove (files->bin);
  g_rmdir (files->folder);
  g_free (files->xml);
  g_free (files->bin);
  g_free (files->folder);
}

static InferRequest *
make_request (const Files *files, InferRuntime *runtime)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (files->xml, NULL, &error);
  g_assert_no_error (error);
  InferRequest *request = test_request_on (runtime, model);
  InferTensor *x = infer_request_get_input (request, 0, NULL);
  for (gsize i = 0; i < x->size / sizeof (float); i++)
    ((float *) x->data)[i] = 1;
  return request;
}

static float
run (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return *(const float *) infer_request_get_output (request, 0, NULL)->data;
}

/* Resident kilobytes of a mapped file; -1: not mapped. */
static gint64
resident_kb (const char *path)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/smaps", &text, NULL, NULL));
  gint64 kb = -1;
  for (const char *at = text; (at = strstr (at, path)) != NULL;) {
    at = strstr (at, "\nRss:");
    g_assert_nonnull (at);
    kb = MAX (kb, 0) + g_ascii_strtoll (at + strlen ("\nRss:"), NULL, 10);
  }
  return kb;
}

static void
test_forgotten (Files *files, gconstpointer net)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferRequest) one = make_request (files, runtime);
  g_autoptr (InferRequest) two = make_request (files, runtime);

  float y = run (one);
  gint64 kb = resident_kb (files->bin);
  g_test_message ("%" G_GINT64_FORMAT " kB of 4096 are resident", kb);
  g_assert_cmpint (kb, >=, 0);
  g_assert_cmpint (kb, <, 256);
  g_assert_true (run (two) == y);
  g_assert_cmpint (resident_kb (files->bin), <, 256);
  g_assert_true (run (one) == y);
}

/* The right way to install a new model. */
static void
test_replaced (Files *files, gconstpointer net)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferRequest) one = make_request (files, runtime);
  g_autoptr (InferRequest) two = make_request (files, runtime);

  float y = run (one);
  /* Replaced by renaming. */
  g_assert_true (g_file_set_contents (files->bin, "gone", -1, NULL));
  g_assert_true (run (two) == y);
}

/* The wrong way: truncated in place. */
static void
test_cut_short (Files *files, gconstpointer net)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferRequest) one = make_request (files, runtime);
  g_autoptr (InferRequest) two = make_request (files, runtime);

  float y = run (one);
  g_assert_cmpint (truncate (files->bin, 0), ==, 0);
  g_assert_true (run (two) == y);
  g_assert_cmpint (resident_kb (files->bin), ==, -1);
}

/* --- changing shapes --- */

#define COLUMNS 8192

/* y = transposed (f32 (nonzero (x))) f32 (w).  Weights of f16, since those of
 * f32 are packed as fast as they are read from a cache. */
static const char lazy_net[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "8")
        IR_CONST (1, "w", "f16", "1,8192", "0", "16384") IR_LAYER (6, "widen",
            "Convert", "opset1", IR_DATA ("destination_type=\"f32\""),
            IR_PORT (0), IR_PORT (1)) IR_LAYER (2, "where", "NonZero", "opset3",
            IR_DATA ("output_type=\"i64\""), IR_PORT (0), IR_PORT (1))
            IR_LAYER (3, "float", "Convert", "opset1",
                IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))
                IR_LAYER (4, "y", "MatMul", "opset1",
                    IR_DATA ("transpose_a=\"true\" transpose_b=\"false\""),
                    IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (5, "out"),
    IR_EDGE (0, 0, 2, 0) IR_EDGE (2, 1, 3, 0) IR_EDGE (3, 1, 4, 0)
        IR_EDGE (1, 0, 6, 0) IR_EDGE (6, 1, 4, 1) IR_EDGE (4, 2, 5, 0),
    "");

static void
test_not_again (Files *files, gconstpointer net)
{
  g_autofree guint16 *weights = g_new (guint16, COLUMNS);
  g_autofree char *config = g_strdup_printf ("CACHE_DIR=%s/c", files->folder);
  g_autofree char *cache = g_build_filename (files->folder, "c", NULL);
  g_autoptr (GError) error = NULL;
  guint hits, misses, more_hits, more_misses;

  for (guint i = 0; i < COLUMNS; i++)
    weights[i] = (guint16) (0x3c00 + i % 1009); /* from 1 to 2 */
  g_autoptr (InferModel) model =
      ir_load_good (lazy_net, weights, COLUMNS * sizeof *weights);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", config, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  float *x = infer_request_get_input (request, 0, NULL)->data;
  memset (x, 0, 8 * sizeof *x);
  x[3] = 1;
  g_assert_true (run (request) == 3);
  infer_cache_get_counts (runtime->config.cache, &hits, &misses);
  g_assert_cmpuint (misses, >, 0);
  x[1] = 1;
  g_assert_true (run (request) == 1);
  infer_cache_get_counts (runtime->config.cache, &more_hits, &more_misses);
  g_assert_cmpuint (more_hits, ==, hits);
  g_assert_cmpuint (more_misses, ==, misses);

  g_autoptr (GDir) dir = g_dir_open (cache, 0, NULL);
  for (const char *name;
       dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (cache, name, NULL);
    g_remove (path);
  }
  g_rmdir (cache);
}

/* A model whose output has as many elements as its input says. */
static void
test_limit (void)
{
  g_autoptr (InferModel) net =
      net_of ("n = Parameter 1; i = Convert n destination_type=i64; c = f32 7; "
              "big = Broadcast c i mode=numpy; y = Result big");
  g_autoptr (InferRequest) request =
      test_request (net, "CPU", "MEMORY_LIMIT=1M");
  InferTensor *in = infer_request_get_input (request, 0, NULL);

  for (guint round = 0; round < 2; round++) {
    g_autoptr (GError) error = NULL;

    *(float *) in->data = 1 << 18;
    g_assert_false (infer_request_infer (request, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
    g_assert_nonnull (
        strstr (error->message, "MEMORY_LIMIT, which is 1048576"));
    *(float *) in->data = 100;
    g_assert_true (infer_request_infer (request, NULL));
    const InferTensor *out = infer_request_get_output (request, 0, NULL);
    g_assert_cmpint (out->shape.dims[0], ==, 100);
    g_assert_cmpfloat (((float *) out->data)[99], ==, 7);
  }
}

/* Shapes are known when the plan is made. */
static void
test_limit_planned (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter ?,4; a = Sigmoid x; y = Result a");
  g_autoptr (InferRequest) request =
      test_request (net, "CPU", "MEMORY_LIMIT=64K");
  const gint64 many = 1 << 13, few = 8;
  g_autoptr (GError) error = NULL;
  const InferShape large = infer_shape_make (2, many, (gint64) 4);
  const InferShape small = infer_shape_make (2, few, (gint64) 4);

  g_assert_nonnull (infer_request_set_input_shape (request, 0, &large, NULL));
  g_assert_false (infer_request_infer (request, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
  g_assert_nonnull (infer_request_set_input_shape (request, 0, &small, NULL));
  g_assert_true (infer_request_infer (request, NULL));
}

/* Resident bytes of this process. */
static gsize
resident (void)
{
  const double megabytes = tool_resident_megabytes ();

  g_assert_cmpfloat (megabytes, >, 0);
  return (gsize) (megabytes * (1 << 20));
}

#define N_SHAPES 16
#define N_SUMMED ((gsize) 1 << 22)

/* Each length of z has a plan, in which 16 MiB are made whose size data
 * decides.  Only one plan runs at a time. */
static void
test_shapes (void)
{
  g_autoptr (InferModel) net =
      net_of ("n = Parameter 1; z = Parameter ?; i = Convert n "
              "destination_type=i64; c = f32 1; big = Broadcast c i "
              "mode=numpy; a = i64 0; sum = ReduceSum big a keep_dims=true; "
              "both = Add sum z; y = Result both");
  g_autoptr (InferRequest) request = test_request (net, "CPU", NULL);
  gsize first = 0;

  for (gint64 length = 1; length <= N_SHAPES; length++) {
    const InferShape shape = infer_shape_make (1, length);
    InferTensor *z = infer_request_set_input_shape (request, 1, &shape, NULL);

    for (gint64 i = 0; i < length; i++)
      ((float *) z->data)[i] = (float) i;
    *(float *) infer_request_get_input (request, 0, NULL)->data = N_SUMMED;
    g_assert_cmpfloat (run (request), ==, N_SUMMED);
    const InferTensor *y = infer_request_get_output (request, 0, NULL);
    g_assert_cmpint (y->shape.dims[0], ==, length);
    g_assert_cmpfloat (((float *) y->data)[length - 1], ==,
        (float) (N_SUMMED + (gsize) length - 1));
    if (length == 1)
      first = resident ();
  }
  g_assert_cmpuint (resident (), <, first + 2 * N_SUMMED * sizeof (float));
}

#define N_REQUESTS 8
#define N_ACTIVATIONS ((gsize) 1 << 22)

/* Each run makes 16 MiB of activations, with which requests take turns. */
static void
test_requests (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter 1,1; to = i64 1 4194304; big = Broadcast x to "
              "mode=numpy; soft = SoftMax big axis=1; a = i64 1; sum = "
              "ReduceSum soft a keep_dims=true; y = Result sum");
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  InferRequest *requests[N_REQUESTS];
  gsize before = 0, first = 0;

  for (guint i = 0; i < N_REQUESTS; i++) {
    requests[i] = test_request_on (runtime, net);
    *(float *) infer_request_get_input (requests[i], 0, NULL)->data = 1;
  }
  before = resident ();
  for (guint i = 0; i < 2 * N_REQUESTS; i++) {
    g_assert_cmpfloat_with_epsilon (run (requests[i % N_REQUESTS]), 1, 1e-3f);
    if (i == 0)
      first = resident ();
  }
  g_assert_cmpuint (first, >, before + N_ACTIVATIONS * sizeof (float) / 2);
  g_assert_cmpuint (resident (), <, first + N_ACTIVATIONS * sizeof (float) / 2);
  for (guint i = 0; i < N_REQUESTS; i++)
    infer_request_free (requests[i]);
}

#define N_STEPS 40
#define N_LENGTHS 8

/* Bytes in use; 0: unknown, as under sanitizers. */
static gsize
allocated (void)
{
  return mallinfo2 ().uordblks;
}

/* Runs @request on inputs of the lengths from 1 to @n.  Returns by how many
 * bytes that has increased what the process has allocated. */
static gsize
run_lengths (InferRequest *request, gint64 n)
{
  const gsize before = allocated ();

  for (gint64 length = 1; length <= n; length++) {
    const InferShape shape = infer_shape_make (1, length);
    InferTensor *x = infer_request_set_input_shape (request, 0, &shape, NULL);

    for (gint64 i = 0; i < length; i++)
      ((float *) x->data)[i] = (float) length;
    g_assert_cmpfloat (run (request), ==, (float) length);
  }
  return allocated () - before;
}

/* infer_request_rest frees the plans of all but the last few lengths, and the
 * request still runs on each of them. */
static void
test_rest (void)
{
  GString *text =
      g_string_new ("v0 = Parameter ?; one = i64 1; zero = i64 0; ");

  for (guint i = 1; i <= N_STEPS; i++)
    g_string_append_printf (text, "v%u = Roll v%u one zero; ", i, i - 1);
  g_string_append_printf (text, "y = Result v%u", N_STEPS);
  g_autofree char *steps = g_string_free (text, FALSE);
  g_autoptr (InferModel) net = net_of (steps);
  g_autoptr (InferRequest) request = test_request (net, "CPU", NULL);

  run_lengths (request, 1);
  const gsize more = run_lengths (request, N_LENGTHS);
  const gsize before = allocated ();
  infer_request_rest (request);
  const gsize freed = before - allocated ();
  g_test_message (
      "%d plans: %zu bytes, of which %zu go", N_LENGTHS - 1, more, freed);
  run_lengths (request, N_LENGTHS);
  if (before > 0)
    g_assert_cmpuint (freed, >, more / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, net, func)                                                  \
  g_test_add ("/cpu-memory/" path, Files, net, set_up, func, tear_down)
  TEST ("forgotten", large_net, test_forgotten);
  TEST ("replaced/large", large_net, test_replaced);
  TEST ("replaced/small", small_net, test_replaced);
  TEST ("cut-short", small_net, test_cut_short);
  TEST ("not-again", small_net, test_not_again);
  g_test_add_func ("/cpu-memory/limit", test_limit);
  g_test_add_func ("/cpu-memory/limit-planned", test_limit_planned);
  g_test_add_func ("/cpu-memory/shapes", test_shapes);
  g_test_add_func ("/cpu-memory/requests", test_requests);
  g_test_add_func ("/cpu-memory/rest", test_rest);
  return g_test_run ();
}
