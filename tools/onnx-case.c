/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/onnx-case.h"

#include <string.h>

#include "infer/infer.h"
#include "inference/base/file.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/tensor.h"
#include "tools/compare.h"

#define MAX_FILE ((gsize) 1 << 30)
#define RTOL 1e-3
#define ATOL 1e-7
/* Of bf16: two units in the last place, as onnx/backend/test/runner has it. */
#define RTOL_BF16 0x1p-6

typedef struct
{
  double rtol, atol;
} Tolerance;

gboolean
onnx_case_is (const char *dir)
{
  g_autofree char *path = g_build_filename (dir, "model.onnx", NULL);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* The number after "@key": in JSON text that has it once. */
static double
json_number (const char *text, const char *key, double otherwise)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", key);
  const char *at = strstr (text, quoted);
  char *end;

  if (at == NULL)
    return otherwise;
  at += strlen (quoted);
  at += strspn (at, " \t\r\n:");
  double value = g_ascii_strtod (at, &end);
  return end != at ? value : otherwise;
}

static Tolerance
read_tolerance (const char *dir)
{
  g_autofree char *path = g_build_filename (dir, "data.json", NULL);
  g_autoptr (GBytes) file = infer_file_read (path, MAX_FILE, NULL);

  if (file == NULL)
    return (Tolerance){ RTOL, ATOL };
  g_autofree char *text =
      g_strndup (g_bytes_get_data (file, NULL), g_bytes_get_size (file));
  return (Tolerance){ json_number (text, "rtol", RTOL),
    json_number (text, "atol", ATOL) };
}

/* The tensor of an OptionalProto; @message where it is no such one.  The field
 * is TensorProto.segment otherwise, which nobody writes. */
static OnnxSpan
given_tensor (OnnxSpan message)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f))
    if (f.number == ONNX_OPTIONAL_TENSOR && f.wire == ONNX_WIRE_BYTES)
      return f.bytes;
  return message;
}

static InferTensor *
read_tensor (const char *set, const char *kind, guint k, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s_%u.pb", set, kind, k);
  g_autoptr (GBytes) bytes = infer_file_read (path, MAX_FILE, error);

  if (bytes == NULL)
    return NULL;
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  const OnnxStore store = { .bytes = bytes };
  const OnnxSpan span = { data, data + g_bytes_get_size (bytes) };
  g_autoptr (InferTensor) tensor =
      onnx_read_tensor (&store, given_tensor (span), NULL, error);

  /* Requests want values where C has them; files align nothing. */
  return tensor != NULL ? infer_tensor_align (tensor, error) : NULL;
}

static gboolean
set_inputs (InferRequest *request, const InferModel *model, const char *set,
    GError **error)
{
  for (guint k = 0; k < infer_model_n_inputs (model); k++) {
    g_autoptr (InferTensor) tensor = read_tensor (set, "input", k, error);

    if (tensor == NULL
        || !infer_request_set_input (request, k, tensor, error)) {
      g_prefix_error (error, "input %u: ", k);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
compare_outputs (InferRequest *request, const InferModel *model,
    const char *set, Tolerance tolerance, GError **error)
{
  for (guint k = 0; k < infer_model_n_outputs (model); k++) {
    g_autoptr (InferTensor) want = read_tensor (set, "output", k, error);
    InferTensor *got =
        want != NULL ? infer_request_get_output (request, k, error) : NULL;
    double rtol = want != NULL && want->type == INFER_TYPE_BF16
                      ? MAX (tolerance.rtol, RTOL_BF16)
                      : tolerance.rtol;

    if (got == NULL
        || !tool_compare (got, want, rtol, tolerance.atol, FALSE, error)) {
      g_prefix_error (error, "output %u: ", k);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_sets (InferRequest *request, const InferModel *model, const char *dir,
    GError **error)
{
  const Tolerance tolerance = read_tolerance (dir);
  guint n = 0;

  for (;; n++) {
    g_autofree char *set = g_strdup_printf ("%s/test_data_set_%u", dir, n);

    if (!g_file_test (set, G_FILE_TEST_IS_DIR))
      break;
    if (!set_inputs (request, model, set, error)
        || !infer_request_infer (request, error)
        || !compare_outputs (request, model, set, tolerance, error)) {
      g_prefix_error (error, "test_data_set_%u: ", n);
      return FALSE;
    }
  }
  return n > 0
         || infer_fail (
             error, INFER_ERROR_NOT_FOUND, "%s has no test_data_set_0", dir);
}

gboolean
onnx_case_check (const char *dir, InferRuntime *runtime, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "model.onnx", NULL);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, error);

  if (model == NULL)
    return FALSE;
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, error);
  if (executable == NULL)
    return FALSE;
  infer_executable_settle (executable);
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  return request != NULL && check_sets (request, model, dir, error);
}
