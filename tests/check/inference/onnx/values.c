/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of tensors, in each form that the format has for them. */

#include <string.h>

#include "infer/request.h"
#include "tests/check/support/onnx.h"

#define SUM(fields)                                                            \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("c"), ONNX_O ("y"), "")   \
          ONNX_INITIALIZER ("c", ONNX_F32, "1=3 " fields) ONNX_INPUT ("x",     \
              ONNX_F32, ONNX_D (3)) ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (3)))

/* y for x = 0. */
static void
compute (const char *text, float *y, gsize n)
{
  GError *error = NULL;
  g_autoptr (InferModel) model = onnx_text_load (text);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  InferTensor *x = infer_request_get_input (request, 0, &error);
  g_assert_no_error (error);
  memset (x->data, 0, x->size);
  g_assert_true (infer_request_infer (request, &error));
  InferTensor *out = infer_request_get_output (request, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (out->size, ==, n * sizeof *y);
  memcpy (y, out->data, out->size);
}

/* 0.5, 1 and -2; several fields continue one another. */
static void
test_floats (void)
{
  static const char *const texts[] = {
    SUM ("4#0000003f0000803f000000c0"),
    SUM ("4#0000003f0000803f 4#000000c0"),
    SUM ("4~0.5 4~1 4~-2"),
    SUM ("4~0.5 4#0000803f000000c0"),
    SUM ("4#0000003f0000803f 4~-2"),
    SUM ("4# 4#0000003f0000803f000000c0"),
    SUM ("9#0000003f0000803f000000c0"),
  };
  float y[3];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    compute (texts[i], y, G_N_ELEMENTS (y));
    g_assert_cmpfloat (y[0], ==, 0.5f);
    g_assert_cmpfloat (y[1], ==, 1.0f);
    g_assert_cmpfloat (y[2], ==, -2.0f);
  }
  onnx_text_refuse (SUM ("4#0000003f0000803f"),
      "tensor 'c': 8 bytes are too few for a tensor of f32 and shape [3], "
      "which needs 12");
  onnx_text_refuse (SUM ("4#0000003f0000803f000000"), "malformed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx/values/floats", test_floats);
  return g_test_run ();
}
