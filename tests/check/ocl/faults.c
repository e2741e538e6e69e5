/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each OpenCL call fails in turn: the error names it, nothing is leaked, and
 * the next run is right.
 *
 * Arguments: model files, after --memory=KIND, the shared memory that the
 * device reports (faulty-opencl.h), --faults=N, at most so many faults, and
 * --chained: without PERF_COUNT, hence with chains, or --recorded: on a GPU,
 * whose launches are recorded. */

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/ocl/faulty-opencl.h"
#include "tests/check/support/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_STEPS 3
#define LENGTH 16 /* of dynamic dimensions */
/* Faults at most, evenly spread over the calls. */
static guint n_faults = 70;
static const char *config = "PERF_COUNT=YES";

static gboolean
run_steps (InferRequest *request, GBytes **result, GError **error)
{
  for (guint step = 0; step < N_STEPS; step++)
    if (!net_fill (request, LENGTH, step, error)
        || !infer_request_infer (request, error))
      return FALSE;
  InferTensor *out = infer_request_get_output (request, 0, error);
  if (out == NULL)
    return FALSE;
  *result = g_bytes_new (out->data, out->size);
  return TRUE;
}

/* Loads the model and runs all steps; the last output, or NULL with @error. */
static GBytes *
run (InferModel *model, GError **error)
{
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("OPENCL", config, error);
  GBytes *result = NULL;

  if (runtime == NULL)
    return NULL;
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, error);
  if (executable == NULL)
    return NULL;
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  if (request != NULL)
    run_steps (request, &result, error);
  return result;
}

static GBytes *
run_well (InferModel *model)
{
  g_autoptr (GError) error = NULL;

  faulty_opencl_set (0, FALSE);
  GBytes *result = run (model, &error);
  g_assert_no_error (error);
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
  return result;
}

static void
check_fault (InferModel *model, GBytes *want, guint at, gboolean all)
{
  g_autoptr (GError) error = NULL;

  faulty_opencl_set (at, all);
  g_autoptr (GBytes) result = run (model, &error);
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
  if (result != NULL) {
    /* Optional: profiling, the log of a build. */
    g_assert_no_error (error);
    g_assert_true (g_bytes_equal (result, want));
    return;
  }
  g_assert_nonnull (error);
  g_assert_true (error->domain == INFER_ERROR);
  g_assert_true (error->code == INFER_ERROR_NO_MEMORY
                 || error->code == INFER_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "cl"));
}

static void
check_model (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);

  g_assert_no_error (error);
  g_autoptr (GBytes) want = run_well (model);
  guint n_calls = faulty_opencl_n_calls ();
  guint stride = MAX ((n_calls + n_faults - 1) / n_faults, 1);
  printf ("%s: %u calls, every %uth fails\n", path, n_calls, stride);
  for (guint at = 1; at <= n_calls; at += stride) {
    check_fault (model, want, at, FALSE);
    check_fault (model, want, at, TRUE);
  }
  g_autoptr (GBytes) again = run_well (model);
  g_assert_true (g_bytes_equal (again, want));
}

int
main (int argc, char **argv)
{
  int first = 1;

  if (argc > 1 && g_str_has_prefix (argv[1], "--memory="))
    faulty_opencl_announce (argv[first++] + strlen ("--memory="));
  if (first < argc && g_str_has_prefix (argv[first], "--faults="))
    n_faults = (guint) atoi (argv[first++] + strlen ("--faults="));
  if (first < argc && strcmp (argv[first], "--recorded") == 0)
    faulty_opencl_announce_gpu (0);
  if (first < argc
      && (strcmp (argv[first], "--chained") == 0
          || strcmp (argv[first], "--recorded") == 0)) {
    config = NULL;
    first++;
  }
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);
  if (runtime == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  g_clear_pointer (&runtime, infer_runtime_unref);
  for (int i = first; i < argc; i++)
    check_model (argv[i]);
  return 0;
}
