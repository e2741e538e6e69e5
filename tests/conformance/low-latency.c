/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer_model_low_latency on the untransformed models of the conformance cases
 * low_latency_* gives the results of OpenVINO's LowLatency2.  The cases are
 * beside the project (INFER_SHARED, else ../shared). */

#include "inference/base/npy.h"
#include "infer/request.h"
#include "inference/base/tensor.h"

#include <math.h>
#include <string.h>

static char *
step_file (const char *dir, guint step, const char *what)
{
  return g_strdup_printf ("%s/step_%u_%s_0.npy", dir, step, what);
}

/* "reset T" lines of case.txt. */
static gboolean
resets_at (const char *dir, guint step)
{
  g_autofree char *path = g_build_filename (dir, "case.txt", NULL);
  g_autofree char *text = NULL;
  g_autofree char *line = g_strdup_printf ("\nreset\t%u\n", step);

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return strstr (text, line) != NULL;
}

static void
assert_close (const InferTensor *got, const InferTensor *want)
{
  g_autoptr (GArray) a = infer_tensor_to_doubles (got);
  g_autoptr (GArray) b = infer_tensor_to_doubles (want);

  g_assert_true (infer_shape_equal (&got->shape, &want->shape));
  for (guint i = 0; i < a->len; i++) {
    double x = g_array_index (a, double, i), y = g_array_index (b, double, i);

    g_assert_cmpfloat (fabs (x - y), <=, 1e-5 + 1e-3 * fabs (y));
  }
}

static void
set_inputs (
    InferRequest *request, const InferModel *model, const char *dir, guint step)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    g_autofree char *path =
        g_strdup_printf ("%s/step_%u_in_%u.npy", dir, step, i);
    g_autoptr (InferTensor) tensor = infer_npy_read (path, &error);

    g_assert_no_error (error);
    g_assert_true (infer_request_set_input (request, i, tensor, &error));
  }
}

static void
test_case (gconstpointer data)
{
  const char *dir = data;
  g_autofree char *path = g_build_filename (dir, "plain1.xml", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) plain = infer_model_load (path, NULL, &error);

  g_assert_no_error (error);
  g_autoptr (InferModel) model = infer_model_low_latency (plain, &error);
  g_assert_no_error (error);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  for (guint step = 0;; step++) {
    g_autofree char *file = step_file (dir, step, "out");

    if (!g_file_test (file, G_FILE_TEST_EXISTS)) {
      g_assert_cmpuint (step, >, 1);
      return;
    }
    g_autoptr (InferTensor) want = infer_npy_read (file, &error);
    g_assert_no_error (error);
    if (resets_at (dir, step))
      infer_state_set_reset (infer_request_get_states (request));
    set_inputs (request, model, dir, step);
    gboolean ok = infer_request_infer (request, &error);
    g_assert_no_error (error);
    g_assert_true (ok);
    assert_close (infer_request_get_output (request, 0, NULL), want);
  }
}

int
main (int argc, char **argv)
{
  const char *shared = g_getenv ("INFER_SHARED");
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder =
      shared != NULL ? g_build_filename (shared, "conformance/stateful", NULL)
                     : g_build_filename (
                         SOURCE_ROOT, "../shared/conformance/stateful", NULL);
  g_autoptr (GDir) cases = g_dir_open (folder, 0, NULL);
  if (cases == NULL) {
    g_print ("1..0 # SKIP there is no %s (set INFER_SHARED)\n", folder);
    return 0;
  }
  while ((name = g_dir_read_name (cases)) != NULL)
    if (g_str_has_prefix (name, "low_latency_")) {
      g_autofree char *path = g_strconcat ("/low-latency/", name, NULL);

      g_test_add_data_func_full (
          path, g_build_filename (folder, name, NULL), test_case, g_free);
    }
  return g_test_run ();
}
