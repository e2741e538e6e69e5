/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models are loaded, compiled and run while memory, threads or the disk fail:
 * an error that says what, or a result as without the failure. */

#include <glib/gstdio.h>
#include <string.h>

#include "infer/request.h"
#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/fake-icd/fake-icd.h"
#include "tests/check/support/net.h"
#include "tests/failures/failures.h"

/* The tables of operations are made once, whatever the model. */
static void
make_tables (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load (SOURCE_ROOT "/tests/data/identity.xml", NULL, &error);

  g_assert_no_error (error);
}

/* Smaller allocations are of fixed size, or of names: GLib ends the process
 * where one fails. */
#define LEAST 8192
/* The source of an OpenCL program is a string of some kilobytes. */
#define LEAST_WITH_TEXTS 16000

typedef struct
{
  const char *model, *config;
  gboolean async;
  const char *output; /* nullable: where the outputs are written */
  const char *device; /* NULL: "CPU" */
  InferModel *net;    /* in place of `model`; nullable */
} Case;

static gboolean
fill (InferRequest *request, const InferModel *model, GError **error)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    for (int d = 0; d < shape.rank; d++)
      if (shape.dims[d] < 0)
        shape.dims[d] = d == 0 ? 1 : 1600;
    InferTensor *tensor =
        infer_request_set_input_shape (request, i, &shape, error);
    if (tensor == NULL)
      return FALSE;
    memset (tensor->data, 0, tensor->size);
  }
  return TRUE;
}

static gboolean
infer_async (InferExecutable *executable, GError **error)
{
  const InferModel *model = infer_executable_get_model (executable);
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, error);

  if (async == NULL)
    return FALSE;
  gboolean ok = fill (infer_async_request_get_request (async), model, error)
                && infer_async_request_start (async, INFER_START_DEFAULT, error)
                && infer_async_request_wait (async, 5 * G_USEC_PER_SEC, error);
  infer_async_request_free (async);
  return ok;
}

/* A request is as good after a failure as before: what has been computed of its
 * inputs is not taken for whole. */
static gboolean
infer_twice (InferRequest *request, const InferModel *model, GError **error)
{
  for (guint i = 0; i < 2; i++) {
    if (fill (request, model, error) && infer_request_infer (request, error))
      continue;
    if (fill (request, model, NULL))
      infer_request_infer (request, NULL);
    return FALSE;
  }
  return TRUE;
}

static gboolean
infer (InferExecutable *executable, const char *output, GError **error)
{
  const InferModel *model = infer_executable_get_model (executable);
  g_autoptr (InferRequest) request = infer_request_new (executable, error);

  if (request == NULL)
    return FALSE;
  if (!infer_twice (request, model, error))
    return FALSE;
  InferTensor *tensor = infer_request_get_output (request, 0, error);
  return tensor != NULL
         && (output == NULL || infer_npy_write (output, tensor, error));
}

static gboolean
run (const Case *c, GError **error)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new (
      c->device != NULL ? c->device : "CPU", c->config, error);
  g_autoptr (InferModel) model =
      runtime == NULL  ? NULL
      : c->net != NULL ? infer_model_ref (c->net)
                       : infer_runtime_load (runtime, c->model, NULL, error);
  g_autoptr (InferExecutable) executable =
      model != NULL ? infer_executable_new (model, runtime, error) : NULL;

  return executable != NULL
         && (c->async ? infer_async (executable, error)
                      : infer (executable, c->output, error));
}

static void
be_silent (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
}

static char *
run_case (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_handler ("infer", G_LOG_LEVEL_WARNING, be_silent, NULL);
  return run (data, &error) ? NULL
                            : g_strdup (error != NULL ? error->message : "");
}

#define DIGITS SOURCE_ROOT "/pipelines/models/digits/"
static const char *const models[] = { DIGITS "digits-wave.xml",
  DIGITS "digits.xml", SOURCE_ROOT "/tests/data/summator-wave.xml" };

static void
test_memory (void)
{
  const FailurePlan once = { FAIL_MEMORY, .least = LEAST },
                    for_good = { FAIL_MEMORY, .least = LEAST, .after = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    Case c = { .model = models[i] };
    guint n = failures_run (models[i], &once, 300, run_case, &c);

    g_assert_cmpuint (n, >, 0);
    c.async = TRUE;
    failures_run (models[i], &for_good, 100, run_case, &c);
  }
}

#define CONVOLUTION " strides=1,1 dilations=1,1 pads_begin=0,0 pads_end=0,0; "
#define QUANTISED                                                              \
  "lo = f32 0; hi = f32 1; q = FakeQuantize x lo hi lo hi "                    \
  "levels=256; "
#define WEIGHTS(shape)                                                         \
  "f = f32 0.5; s = i64 " shape "; "                                           \
  "w = Broadcast f s mode=numpy; "

/* Those of the models above have small tables: here what kernels prepare is
 * large. */
static void
test_kernels (void)
{
  static const struct
  {
    const char *net, *device, *config;
  } cases[] = {
    /* 8-bit: many taps, many channels, both for each channel */
    { "x = Parameter 1,8,1200,4; " QUANTISED WEIGHTS (
          "8 8 1200 1") "c = Convolution q w" CONVOLUTION "y = Result c",
        "CPU", NULL },
    { "x = Parameter 1,4,4,4; " QUANTISED WEIGHTS (
          "4200 4 1 1") "c = Convolution q w" CONVOLUTION "y = Result c",
        "CPU", NULL },
    { "x = Parameter 1,1200,9,9; " QUANTISED WEIGHTS (
          "1200 1 1 3 3") "c = GroupConvolution q w" CONVOLUTION "y = Result c",
        "CPU", NULL },
    /* channels last: many taps, repeated channels */
    { "x = Parameter 1,8,1200,4; " WEIGHTS (
          "8 8 1200 1") "c = Convolution x w" CONVOLUTION "y = Result c",
        "CPU", NULL },
    { "x = Parameter 1,520,9,9; " WEIGHTS (
          "520 1 1 3 3") "c = GroupConvolution x w" CONVOLUTION "y = Result c",
        "CPU", NULL },
    /* f16 */
    { "x = Parameter 40,512; " WEIGHTS (
          "512 512") "p = MatMul x w transpose_a=false transpose_b=false; y = Result p",
        "CPU", "INFERENCE_PRECISION_HINT=f16" },
    { "x = Parameter 1,16,64,64; " WEIGHTS (
          "32 16 3 3") "c = Convolution x w" CONVOLUTION "y = Result c",
        "CPU", "INFERENCE_PRECISION_HINT=f16" },
#ifdef WITH_OPENCL
    /* indices */
    { "x = Parameter 1,4000; s = i64 0; e = i64 4000; t = i64 1; "
      "i = Range s e t output_type=i64; a = i64 1; "
      "g = Gather x i a batch_dims=0; y = Result g",
        "OPENCL", NULL },
    /* tables of places */
    { "x = Parameter 1,4000; b = i64 0 5; e = i64 0 5; "
      "p = Pad x b e pad_mode=edge; y = Result p",
        "OPENCL", NULL },
#endif
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gboolean is_opencl = g_str_equal (cases[i].device, "OPENCL");
    const FailurePlan once = { FAIL_MEMORY,
      .least = is_opencl ? LEAST_WITH_TEXTS : LEAST };
    g_autoptr (InferModel) net = net_of (cases[i].net);
    Case c = {
      .config = cases[i].config, .device = cases[i].device, .net = net
    };
    g_autofree char *name = g_strdup_printf ("kernel %u", i);

    g_assert_cmpuint (failures_run (name, &once, 300, run_case, &c), >, 0);
  }
}

static void
test_mapping (void)
{
  const FailurePlan plan = { FAIL_MAPPING, .after = TRUE };
  Case c = { .model = models[0] };

  /* A file that cannot be mapped is read. */
  g_assert_cmpuint (failures_run ("mapping", &plan, 20, run_case, &c), ==, 0);
}

static void
test_threads (void)
{
  const FailurePlan once = { .kind = FAIL_THREAD },
                    for_good = { FAIL_THREAD, .after = TRUE };
  Case c = { .model = models[0], .config = "INFERENCE_NUM_THREADS=4" };

  /* Fewer threads are enough, but the first of those that infer. */
  g_assert_cmpuint (
      failures_run ("a team's", &for_good, 20, run_case, &c), ==, 0);
  c.async = TRUE;
  c.config = "NUM_STREAMS=3";
  g_assert_cmpuint (failures_run ("one", &once, 20, run_case, &c), <=, 1);
  g_assert_cmpuint (failures_run ("all", &for_good, 20, run_case, &c), ==, 1);
}

static guint
n_files (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Without a cache it works as well; outputs cannot be written; nothing is left
 * behind. */
static void
test_full_disk (void)
{
  const FailurePlan plan = { FAIL_WRITE, .after = TRUE };
  g_autofree char *folder = g_dir_make_tmp ("infer-full-XXXXXX", NULL);
  g_autofree char *cache = g_build_filename (folder, "cache", NULL);
  g_autofree char *config = g_strconcat ("CACHE_DIR=", cache, NULL);
  g_autofree char *output = g_build_filename (folder, "out.npy", NULL);
  Case c = { .model = models[0], .config = config };

  g_assert_cmpuint (failures_run ("cache", &plan, 20, run_case, &c), ==, 0);
  test_remove_folder (cache);
  c.config = NULL;
  c.output = output;
  g_assert_cmpuint (failures_run ("output", &plan, 20, run_case, &c), >, 0);
  g_remove (output);
  g_assert_cmpuint (n_files (folder), ==, 0);
  g_rmdir (folder);
}

static void
test_unreadable_cache (void)
{
  g_autofree char *folder = g_dir_make_tmp ("infer-cache-XXXXXX", NULL);
  g_autofree char *config = g_strconcat ("CACHE_DIR=", folder, NULL);
  Case c = { .model = models[0], .config = config };

  for (guint i = 0; i < 2; i++) { /* filled; then not to be read */
    g_autofree char *error = run_case (&c);

    g_assert_cmpstr (error, ==, NULL);
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (i > 0)
        continue;
      /* A folder in its place is unreadable for root too. */
      g_assert_cmpint (g_remove (path), ==, 0);
      g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
    }
  }
  g_assert_cmpuint (n_files (folder), >, 0);
  test_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!failures_are_there ())
    return 77;
#ifdef WITH_OPENCL
  fake_icd_announce ("pinned");
#endif
  failures_prepare = make_tables;
  g_test_add_func ("/failures/memory", test_memory);
  g_test_add_func ("/failures/kernels", test_kernels);
  g_test_add_func ("/failures/mapping", test_mapping);
  g_test_add_func ("/failures/threads", test_threads);
  g_test_add_func ("/failures/full-disk", test_full_disk);
  g_test_add_func ("/failures/unreadable-cache", test_unreadable_cache);
  return g_test_run ();
}
