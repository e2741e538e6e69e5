/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs cases in the layout of ONNX's backend tests: model.onnx and
 * test_data_set_<n>/{input,output}_<k>.pb.  Prints a line for each case. */

#include <math.h>
#include <string.h>

#include "infer/infer.h"
#include "inference/base/tensor.h"
#include "inference/onnx/tensor.h"

static InferTensor *
read_pb (const char *folder, const char *kind, guint k, GError **error)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.pb", kind, k);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *data;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, error))
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
  const OnnxStore store = { bytes, FALSE, NULL, NULL };
  return onnx_read_tensor (&store,
      (OnnxSpan){ (const guint8 *) data, (const guint8 *) data + size }, NULL,
      error);
}

static gboolean
compare (const InferTensor *got, const InferTensor *want, double rtol,
    double atol, GError **error)
{
  if (got->type != want->type
      || !infer_shape_equal (&got->shape, &want->shape)) {
    g_autofree char *a = infer_shape_to_string (&got->shape);
    g_autofree char *b = infer_shape_to_string (&want->shape);

    return infer_fail (error, INFER_ERROR_FAILED, "got %s%s, want %s%s",
        infer_type_name (got->type), a, infer_type_name (want->type), b);
  }
  if (infer_type_size (want->type) == 0)
    return memcmp (got->data, want->data, want->size) == 0
           || infer_fail (error, INFER_ERROR_FAILED, "bytes differ");
  g_autoptr (GArray) x = infer_tensor_to_doubles (got);
  g_autoptr (GArray) y = infer_tensor_to_doubles (want);
  for (guint i = 0; i < x->len; i++) {
    double a = g_array_index (x, double, i), b = g_array_index (y, double, i);

    if (a == b || (isnan (a) && isnan (b))
        || fabs (a - b) <= atol + rtol * fabs (b))
      continue;
    return infer_fail (
        error, INFER_ERROR_FAILED, "[%u] got %g, want %g", i, a, b);
  }
  return TRUE;
}

static gboolean
run_set (InferRequest *request, const InferModel *model, const char *folder,
    double rtol, double atol, GError **error)
{
  for (guint k = 0; k < infer_model_n_inputs (model); k++) {
    g_autoptr (InferTensor) t = read_pb (folder, "input", k, error);

    if (t == NULL || !infer_request_set_input (request, k, t, error))
      return FALSE;
  }
  if (!infer_request_infer (request, error))
    return FALSE;
  for (guint k = 0; k < infer_model_n_outputs (model); k++) {
    g_autoptr (InferTensor) want = read_pb (folder, "output", k, error);
    InferTensor *got =
        want != NULL ? infer_request_get_output (request, k, error) : NULL;

    if (got == NULL || !compare (got, want, rtol, atol, error)) {
      g_prefix_error (error, "output %u: ", k);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
run_case (InferRuntime *runtime, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *tol = g_build_filename (folder, "tol", NULL);
  g_autofree char *text = NULL;
  double rtol = 1e-3, atol = 1e-7;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, error);

  if (model == NULL)
    return FALSE;
  if (g_file_get_contents (tol, &text, NULL, NULL)) {
    char *end;

    rtol = g_ascii_strtod (text, &end);
    atol = g_ascii_strtod (end, NULL);
  }
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, error);
  if (executable == NULL)
    return FALSE;
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  if (request == NULL)
    return FALSE;
  for (guint set = 0;; set++) {
    g_autofree char *name = g_strdup_printf ("test_data_set_%u", set);
    g_autofree char *data = g_build_filename (folder, name, NULL);

    if (!g_file_test (data, G_FILE_TEST_IS_DIR))
      return TRUE;
    if (!run_set (request, model, data, rtol, atol, error))
      return FALSE;
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  guint good = 0;

  for (int i = 1; i < argc; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *name = g_path_get_basename (argv[i]);
    gboolean ok = run_case (runtime, argv[i], &error);

    good += ok;
    g_print ("%s %s%s%s\n", ok ? "ok" : "FAIL", name, ok ? "" : ": ",
        ok ? "" : error->message);
  }
  g_print ("%u of %d\n", good, argc - 1);
  return good != (guint) argc - 1;
}
