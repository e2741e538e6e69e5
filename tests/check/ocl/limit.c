/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MEMORY_LIMIT counts what lies on the device: inputs, outputs, values of
 * variables, and what is between them. */

#include <string.h>

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#define LIMIT "MEMORY_LIMIT=64K"

/* An inference of @rows rows of 4 floats. */
static gboolean
infer (InferRequest *request, gint64 rows, GError **error)
{
  const InferShape shape = infer_shape_make (2, rows, (gint64) 4);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, error);

  g_assert_nonnull (in);
  memset (in->data, 0, in->size);
  return infer_request_infer (request, error);
}

/* A size that does not fit is refused, and one that fits runs after it. */
static void
assert_limited (const char *text, gint64 fits, gint64 too_many)
{
  g_autoptr (InferModel) net = net_of (text);
  g_autoptr (InferRequest) request = test_request (net, "OPENCL", LIMIT);
  g_autoptr (InferRequest) free_request = test_request (net, "OPENCL", NULL);

  for (guint round = 0; round < 2; round++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (infer (request, too_many, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
    g_test_message ("%s", error->message);
    g_assert_nonnull (
        strstr (error->message, "are more than MEMORY_LIMIT, which is 65536"));
    g_clear_error (&error);
    infer (request, fits, &error);
    g_assert_no_error (error);
  }
  g_assert_true (infer (free_request, too_many, NULL));
}

/* 16 bytes a row go in and out. */
static void
test_output (void)
{
  assert_limited ("x = Parameter ?,4; a = Sigmoid x; y = Result a", 1000, 2100);
}

/* Little goes in, much comes out. */
static void
test_expanded (void)
{
  assert_limited (
      "x = Parameter ?,4; n = i64 1 256; a = Tile x n; y = Result a", 8, 17);
}

/* Only a sum comes out. */
static void
test_between (void)
{
  assert_limited (
      "x = Parameter ?,4; n = i64 1 256; a = Tile x n; b = Sigmoid a; "
      "all = i64 0 1; s = ReduceSum b all keep_dims=true; y = Result s",
      4, 34);
}

int
main (int argc, char **argv)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);

  g_test_init (&argc, &argv, NULL);
  if (runtime == NULL)
    return 77;
  g_test_add_func ("/ocl-limit/output", test_output);
  g_test_add_func ("/ocl-limit/expanded", test_expanded);
  g_test_add_func ("/ocl-limit/between", test_between);
  return g_test_run ();
}
