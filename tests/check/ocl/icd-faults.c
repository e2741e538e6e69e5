/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each OpenCL call fails in turn, once or from then on, with the fake driver:
 * when devices are listed, when a model is loaded, when it runs, with requests
 * in flight, cancelled, released; and commands fail on the device.  The error
 * names the function, nothing is leaked, variables are as before the failed
 * step, and the next step is right.
 *
 * Arguments: --kinds=KIND,… of shared memory (fake-icd.h), --stride=N for every
 * Nth call only, and further model files. */

#include "infer/error.h"
#include "infer/request.h"
#include "infer/state.h"
#include "tests/check/support/fake-icd/fake-icd.h"
#include "tests/check/support/net.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_STEPS 4
#define N_REQUESTS 3
#define CONFIG "NUM_STREAMS=2"
#define TIMED "PERF_COUNT=YES,NUM_STREAMS=2"

static char *all_kinds = "usm,svm-fine,svm-coarse,pinned,discrete";
static char **kinds;
static guint stride = 1;
static char *folder; /* CACHE_DIR */

/* Calls whose failure is tolerated: optional ones, and those before a release.
 */
static const char *const spared[] = {
  "clBuildProgram", /* with a binary: built from source then */
  "clCreateProgramWithBinary",
  "clEnqueueSVMUnmap",       /* before a release */
  "clEnqueueUnmapMemObject", /* likewise */
  "clFinish",                /* likewise */
  "clGetEventProfilingInfo",
  "clGetProgramBuildInfo",
  "clGetProgramInfo",
  "clMemFreeINTEL",
  "clReleaseCommandBufferKHR",
  "clReleaseCommandQueue",
  "clReleaseContext",
  "clReleaseEvent",
  "clReleaseKernel",
  "clReleaseMemObject",
  "clReleaseProgram",
};

typedef struct
{
  InferRuntime *runtime;
  InferExecutable *executable;
} Loaded;

/* --- models --- */

/* For any number of rows, with a variable: a product, a mean, sums, one of
 * which is both output and variable. */
static InferModel *
make_stateful (void)
{
  float weights[16];
  InferModel *net = net_new ();

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    weights[i] = (float) i / 16;
  net_parameter (net, "x", "?,4");
  net_const_f32 (net, "flat", 16, weights);
  net_build (net, "dims = i64 4 4; axis = i64 0; "
                  "w = Reshape flat dims special_zero=false; "
                  "m = MatMul x w transpose_a=false transpose_b=false; "
                  "mean = ReduceMean m axis keep_dims=true");
  net_read (net, "sum", "1,4", "mean");
  net_build (net,
      "total = Add mean sum; assign-sum = Assign total variable_id=sum; "
      "out = Add m total; y = Result out; z = Result total");
  net_settle (net);
  return net;
}

/* With static shapes: planned when loaded. */
static InferModel *
make_convolution (void)
{
  float weights[108];
  InferModel *net = net_new ();

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    weights[i] = (float) (i % 7) / 7;
  net_parameter (net, "x", "1,3,8,8");
  net_const_f32 (net, "flat", 108, weights);
  net_build (net,
      "dims = i64 4 3 3 3; w = Reshape flat dims special_zero=false; "
      "c = Convolution x w strides=1,1 dilations=1,1 pads_begin=1,1 pads_end=1,1");
  net_const_f32 (net, "four", 4, weights);
  net_build (net,
      "bias-dims = i64 1 4 1 1; "
      "bias = Reshape four bias-dims special_zero=false; b = Add c bias; "
      "r = ReLU b; "
      "p = MaxPool r strides=2,2 pads_begin=0,0 pads_end=0,0 kernel=2,2; "
      "y = Result p");
  net_settle (net);
  return net;
}

/* --- runs --- */

static gboolean
load (Loaded *loaded, InferModel *model, const char *config, GError **error)
{
  *loaded = (Loaded){ .runtime = infer_runtime_new ("OPENCL", config, error) };
  if (loaded->runtime != NULL)
    loaded->executable = infer_executable_new (model, loaded->runtime, error);
  return loaded->executable != NULL;
}

static void
unload (Loaded *loaded)
{
  g_clear_pointer (&loaded->executable, infer_executable_unref);
  g_clear_pointer (&loaded->runtime, infer_runtime_unref);
}

/* The input of @step; a dynamic number of rows depends on the step. */
static gboolean
fill (InferRequest *request, guint step, GError **error)
{
  return net_fill (request, 8 * (1 + step % 2), step, error);
}

static GBytes *
take_output (InferRequest *request, guint k)
{
  InferTensor *out = infer_request_get_output (request, k, NULL);

  g_assert_nonnull (out);
  return g_bytes_new (out->data, out->size);
}

/* The last output of each step, concatenated; NULL with @error. */
static GBytes *
run_steps (InferRequest *request, const InferModel *model, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();

  for (guint step = 0; step < N_STEPS; step++) {
    if (!fill (request, step, error) || !infer_request_infer (request, error))
      return NULL;
    for (guint k = 0; k < infer_model_n_outputs (model); k++) {
      g_autoptr (GBytes) out = take_output (request, k);

      g_byte_array_append (
          all, g_bytes_get_data (out, NULL), (guint) g_bytes_get_size (out));
    }
  }
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

static GBytes *
run_fresh (InferModel *model, const char *config, GError **error)
{
  g_autoptr (InferRequest) request = NULL;
  GBytes *result = NULL;
  Loaded loaded;

  if (load (&loaded, model, config, error))
    request = infer_request_new (loaded.executable, error);
  if (request != NULL)
    result = run_steps (request, model, error);
  g_clear_pointer (&request, infer_request_free);
  unload (&loaded);
  return result;
}

/* The driver writes only a kernel's first argument; values of models from files
 * may be undefined beyond it. */
static gboolean exact = TRUE;

static void
assert_same (GBytes *a, GBytes *b)
{
  if (exact && !g_bytes_equal (a, b))
    g_error ("what follows %s differs", fake_icd_failed ());
}

/* @error: the result of the fault; NULL: it was tolerated. */
static void
assert_error (const GError *error, gboolean all)
{
  const char *failed = fake_icd_failed ();

  if (error == NULL) {
    g_assert_true (failed == NULL || all
                   || g_strv_contains ((const char *const *) spared, failed));
    return;
  }
  g_assert_true (error->domain == INFER_ERROR);
  g_assert_true (error->code == INFER_ERROR_NO_MEMORY
                 || error->code == INFER_ERROR_DEVICE);
  g_assert_nonnull (failed);
  g_assert_nonnull (strstr (error->message, all ? "cl" : failed));
}

static guint n_runs;

typedef enum
{
  ONE_CALL,
  ALL_CALLS,
  ONE_COMMAND,
} Fault;

static void
set_fault (Fault fault, guint at)
{
  n_runs++;
  if (fault == ONE_COMMAND)
    fake_icd_fail_command (at);
  else
    fake_icd_fail (at, fault == ALL_CALLS);
}

static void
empty_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
}

/* --- load and run --- */

/* @cold: with an empty cache each time. */
static void
check_fresh (InferModel *model, const char *config, gboolean all, gboolean cold)
{
  g_autoptr (GError) none = NULL;

  fake_icd_fail (0, FALSE);
  g_autoptr (GBytes) want = run_fresh (model, config, &none);
  g_assert_no_error (none);
  g_assert_cmpint (fake_icd_n_alive (), ==, 0);
  guint n_calls = fake_icd_n_calls ();
  g_assert_cmpuint (
      n_calls, >, 0); /* else OCL_ICD_VENDORS names another driver */
  for (guint at = 1; at <= n_calls; at += stride) {
    g_autoptr (GError) error = NULL;

    if (cold)
      empty_folder ();
    set_fault (all ? ALL_CALLS : ONE_CALL, at);
    g_autoptr (GBytes) result = run_fresh (model, config, &error);
    g_assert_cmpint (fake_icd_n_alive (), ==, 0);
    g_assert_true ((result == NULL) == (error != NULL));
    if (result != NULL)
      assert_same (result, want);
    assert_error (error, all);
  }
}

/* --- run --- */

/* A failed step leaves the variables unchanged: repeated, it is right.  If only
 * the download failed, the step is complete: outputs are downloaded again. */
static void
repeat (InferRequest *request, const InferModel *model, guint step,
    const GError *failure)
{
  g_autoptr (GError) error = NULL;

  fake_icd_fail (0, FALSE);
  if (strstr (failure->message, "clEnqueueReadBuffer") != NULL) {
    infer_request_download (request, &error);
    g_assert_no_error (error);
    infer_request_postprocess (request, &error);
  } else {
    fill (request, step, &error);
    g_assert_no_error (error);
    infer_request_infer (request, &error);
  }
  g_assert_no_error (error);
}

static GBytes *
run_stubborn (InferRequest *request, const InferModel *model, Fault fault)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();

  if (infer_model_n_variables (model) > 0)
    infer_state_set_reset (infer_request_get_states (request));
  for (guint step = 0; step < N_STEPS; step++) {
    g_autoptr (GError) error = NULL;

    if (!fill (request, step, &error)
        || !infer_request_infer (request, &error)) {
      if (fault != ONE_COMMAND)
        assert_error (error, fault == ALL_CALLS);
      repeat (request, model, step, error);
    }
    for (guint k = 0; k < infer_model_n_outputs (model); k++) {
      g_autoptr (GBytes) out = take_output (request, k);

      g_byte_array_append (
          all, g_bytes_get_data (out, NULL), (guint) g_bytes_get_size (out));
    }
  }
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

static void
check_running (InferModel *model, Fault fault)
{
  g_autoptr (GError) error = NULL;
  Loaded loaded;

  fake_icd_fail (0, FALSE);
  load (&loaded, model, CONFIG, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request =
      infer_request_new (loaded.executable, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) want = run_steps (request, model, &error);
  g_assert_no_error (error);
  fake_icd_fail (0, FALSE);
  g_bytes_unref (run_stubborn (request, model, fault));
  guint n = fault == ONE_COMMAND ? fake_icd_n_commands () : fake_icd_n_calls ();
  for (guint at = 1; at <= n; at += stride) {
    set_fault (fault, at);
    g_autoptr (GBytes) result = run_stubborn (request, model, fault);
    assert_same (result, want);
  }
  fake_icd_fail (0, FALSE);
  g_clear_pointer (&request, infer_request_free);
  unload (&loaded);
  g_assert_cmpint (fake_icd_n_alive (), ==, 0);
}

/* Requests of one sequence, all in flight; with @cancel, some are cancelled;
 * all are released while they run. */
static void
run_storm (Loaded *loaded, InferModel *model, Fault fault, gboolean cancel)
{
  g_autoptr (InferStateSet) states = infer_state_set_new (model);
  InferAsyncRequest *requests[N_REQUESTS] = { NULL };
  g_autoptr (GError) error = NULL;

  for (guint r = 0; error == NULL && r < N_REQUESTS; r++) {
    requests[r] = infer_async_request_new (loaded->executable, NULL, &error);
    if (requests[r] != NULL)
      infer_request_bind_states (
          infer_async_request_get_request (requests[r]), states);
  }
  for (guint i = 0; error == NULL && i < N_STEPS * N_REQUESTS; i++) {
    InferAsyncRequest *request = requests[i % N_REQUESTS];

    if (cancel && i % 4 == 3)
      infer_async_request_cancel (requests[(i + 1) % N_REQUESTS]);
    if (i < N_REQUESTS || infer_async_request_wait (request, -1, &error))
      if (fill (infer_async_request_get_request (request), i, &error))
        infer_async_request_start (request, INFER_START_DEFAULT, &error);
    if (cancel && g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED))
      g_clear_error (&error);
  }
  if (fault != ONE_COMMAND)
    assert_error (error, TRUE);
  else if (error != NULL)
    g_assert_nonnull (strstr (error->message, "cl"));
  for (guint r = 0; r < N_REQUESTS; r++)
    infer_async_request_free (requests[r]);
}

static void
check_storm (InferModel *model, Fault fault)
{
  g_autoptr (GError) error = NULL;
  Loaded loaded;

  fake_icd_fail (0, FALSE);
  load (&loaded, model, CONFIG, &error);
  g_assert_no_error (error);
  fake_icd_fail (0, FALSE);
  run_storm (&loaded, model, fault, FALSE);
  guint n = fake_icd_n_calls ();
  for (guint at = 1; at <= n; at += 3 * stride) {
    g_clear_error (&error);
    set_fault (fault, at);
    run_storm (&loaded, model, fault, at % 2 == 0);
    if (fault == ONE_COMMAND) { /* that queue is lost */
      fake_icd_fail (0, FALSE);
      unload (&loaded);
      load (&loaded, model, CONFIG, &error);
      g_assert_no_error (error);
    }
  }
  fake_icd_fail (0, FALSE);
  run_storm (&loaded, model, fault, FALSE);
  unload (&loaded);
  g_assert_cmpint (fake_icd_n_alive (), ==, 0);
}

/* --- all scenarios --- */

static void
check_model (const char *name, InferModel *model)
{
  g_autofree char *cached = g_strdup_printf ("CACHE_DIR=%s", folder);

  for (guint all = 0; all < 2; all++) {
    check_fresh (model, TIMED, all, FALSE);
    check_fresh (model, cached, all, FALSE);
  }
  empty_folder ();
  check_fresh (model, cached, FALSE, TRUE);
  for (Fault fault = ONE_CALL; fault <= ONE_COMMAND; fault++) {
    if (fault != ONE_COMMAND)
      check_running (model, fault);
    check_storm (model, fault);
  }
  printf ("%s: %u runs\n", name, n_runs);
}

/* The exit status of @child. */
static int
join (pid_t child)
{
  int status;

  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

/* Devices are listed once per process. */
static int
find_with_fault (guint at, gboolean all)
{
  g_autoptr (InferModel) model = make_stateful ();
  g_autoptr (GError) error = NULL, none = NULL;

  fake_icd_fail (at, all);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, &error);
  guint n_calls = fake_icd_n_calls ();
  g_assert_true ((runtime == NULL) == (error != NULL));
  g_clear_pointer (&runtime, infer_runtime_unref);
  fake_icd_fail (0, FALSE);
  g_autoptr (GBytes) result = run_fresh (model, CONFIG, &none);
  /* No device was found: that result is kept. */
  if (result == NULL)
    g_assert_error (none, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_cmpint (fake_icd_n_alive (), ==, 0);
  return n_calls < at ? 1 : 0;
}

static void
check_finding (void)
{
  for (guint all = 0; all < 2; all++)
    for (guint at = 1;; at += stride) {
      pid_t child = fork ();

      if (child == 0)
        exit (find_with_fault (at, all));
      int last = join (child);
      g_assert_cmpint (last, <=, 1);
      if (last)
        break;
    }
}

static void
check_kind (const char *kind, char **paths, int n_paths)
{
  fake_icd_announce (kind);
  check_finding ();
  g_autoptr (InferModel) stateful = make_stateful ();
  g_autoptr (InferModel) convolution = make_convolution ();
  check_model ("variables, dynamic shapes", stateful);
  check_model ("convolution", convolution);
  exact = FALSE;
  for (int i = 0; i < n_paths; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) model = infer_model_load (paths[i], NULL, &error);

    g_assert_no_error (error);
    check_model (paths[i], model);
  }
}

static void
remove_folder (void)
{
  empty_folder ();
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int first = 1;

  setvbuf (stdout, NULL, _IOLBF, 0);

  for (; first < argc && g_str_has_prefix (argv[first], "--"); first++)
    if (g_str_has_prefix (argv[first], "--kinds="))
      all_kinds = argv[first] + strlen ("--kinds=");
    else if (g_str_has_prefix (argv[first], "--stride="))
      stride = (guint) atoi (argv[first] + strlen ("--stride="));
  kinds = g_strsplit (all_kinds, ",", -1);
  for (guint i = 0; kinds[i] != NULL; i++) {
    folder = g_dir_make_tmp ("infer-icd-XXXXXX", NULL);
    pid_t child = fork ();
    if (child == 0) {
      printf ("%s\n", kinds[i]);
      check_kind (kinds[i], argv + first, argc - first);
      return 0;
    }
    g_assert_cmpint (join (child), ==, 0);
    remove_folder ();
  }
  if (kinds[1] != NULL && stride == 1)
    g_assert_cmpstr (fake_icd_never_failed (), ==, NULL);
  g_strfreev (kinds);
  return 0;
}
