/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows of a Slice are copied once, by the step that reads them. */

#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

/* Runs @text on inputs whose elements are 0, 1, …; its first output must be
 * @want, and the Slice "s" a step of its own or not. */
static void
check (const char *text, gboolean step, const float *want, gsize bytes)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferModel) model = net_of (text);

  test_session_open (&session, model, NULL, "CPU", "PERF_COUNT=YES");
  for (guint k = 0; k < infer_model_n_inputs (model); k++) {
    InferTensor *x = test_session_input (&session, k);

    for (gsize i = 0; i < infer_shape_count (&x->shape); i++)
      ((float *) x->data)[i] = (float) i;
  }
  /* Twice: what is written in place must not change what is read. */
  test_session_infer (&session);
  test_session_infer (&session);
  g_autofree char *kernel = test_session_kernel (&session, "s");
  g_assert_cmpint (g_strcmp0 (kernel, "optimized out") != 0, ==, step);
  g_autoptr (InferTensor) got = test_session_output (&session, 0);
  g_assert_cmpmem (got->data, got->size, want, bytes);
}

#define CHECK(text, step, ...)                                                 \
  check (text, step, (const float[]){ __VA_ARGS__ },                           \
      sizeof ((const float[]){ __VA_ARGS__ }))

#define SLICE                                                                  \
  "x = Parameter 3,4; one = i64 1; three = i64 3; s = Slice x one three one "  \
  "one; "

static void
test_concat (void)
{
  CHECK (SLICE "a = Abs x; c = Concat s a axis=1; y = Result c", FALSE, 1, 2, 0,
      1, 2, 3, 5, 6, 4, 5, 6, 7, 9, 10, 8, 9, 10, 11);
  /* One row of the slice is no row of the result. */
  CHECK (SLICE "c = Concat s s axis=0; y = Result c", TRUE, 1, 2, 5, 6, 9, 10,
      1, 2, 5, 6, 9, 10);
  CHECK (SLICE "c = Concat s s axis=1; y = Result c", TRUE, 1, 2, 1, 2, 5, 6, 5,
      6, 9, 10, 9, 10);
}

/* To columns 4 … 7 of both rows of data; what is cut out may be the data. */
#define PLACES                                                                 \
  "flat = i64 0 4 0 5 0 6 0 7 1 4 1 5 1 6 1 7; shape = i64 2 4 2; "            \
  "places = Reshape flat shape special_zero=false; one = i64 1; two = i64 2; " \
  "five = i64 5; six = i64 6; "

static void
test_scatter (void)
{
  CHECK (PLACES "data = Parameter 2,8; x = Parameter 2,7; "
                "s = Slice x one five one one; "
                "u = ScatterNDUpdate data places s; y = Result u",
      FALSE, 0, 1, 2, 3, 1, 2, 3, 4, 8, 9, 10, 11, 8, 9, 10, 11);
  CHECK (PLACES "x = Parameter 2,8; a = Abs x; s = Slice a two six one one; "
                "u = ScatterNDUpdate a places s; y = Result u",
      FALSE, 0, 1, 2, 3, 2, 3, 4, 5, 8, 9, 10, 11, 10, 11, 12, 13);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/slice-rows/concat", test_concat);
  g_test_add_func ("/cpu/slice-rows/scatter", test_scatter);
  return g_test_run ();
}
