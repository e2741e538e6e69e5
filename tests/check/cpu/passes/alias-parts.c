/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slices lie in what they are cut from, operands of Concat in what they become:
 * no step is left, and results are the same. */

#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

/* Opens @text, whose input 0 has elements -5, -4, … */
static void
open_net (TestSession *session, const char *text)
{
  g_autoptr (InferModel) model = net_of (text);

  test_session_open (session, model, NULL, "CPU", "PERF_COUNT=YES");
  InferTensor *x = test_session_input (session, 0);
  for (gsize i = 0; i < infer_shape_count (&x->shape); i++)
    ((float *) x->data)[i] = (float) i - 5;
}

static void
check_output (TestSession *session, guint i, const float *want, gsize bytes)
{
  g_autoptr (InferTensor) got = test_session_output (session, i);

  g_assert_cmpmem (got->data, got->size, want, bytes);
}

#define CHECK(session, i, ...)                                                 \
  check_output (session, i, (const float[]){ __VA_ARGS__ },                    \
      sizeof ((const float[]){ __VA_ARGS__ }))

static void
check_step (TestSession *session, const char *name, gboolean wanted)
{
  g_autofree char *kernel = test_session_kernel (session, name);

  g_assert_cmpint (g_strcmp0 (kernel, "optimized out") != 0, ==, wanted);
}

static void
test_slices (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 4,3; a = Abs x; from = i64 1; to = i64 3; by = i64 1; "
      "rows = Slice a from to by; axis = i64 0; row = Gather a from axis "
      "batch_dims=0; halves*2 = Split a axis num_splits=2; "
      "y1 = ReLU rows; y2 = ReLU row; y3 = ReLU halves:0; "
      "y4 = ReLU halves:1; r1 = Result y1; r2 = Result y2; "
      "r3 = Result y3; r4 = Result y4");
  test_session_infer (&session);
  check_step (&session, "rows", FALSE);
  check_step (&session, "row", FALSE);
  check_step (&session, "halves", FALSE);
  CHECK (&session, 0, 2, 1, 0, 1, 2, 3);
  CHECK (&session, 1, 2, 1, 0);
  CHECK (&session, 2, 5, 4, 3, 2, 1, 0);
  CHECK (&session, 3, 1, 2, 3, 4, 5, 6);
}

/* Columns, and rows in steps or backwards, are copied. */
static void
test_strided (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 4,2; a = Abs x; zero = i64 0; one = i64 1; two = i64 2; "
      "four = i64 4; back = i64 -1; end = i64 -9; "
      "column = Slice a zero one one one; even = Slice a zero four two zero; "
      "turned = Slice a back end back zero; r1 = Result column; "
      "r2 = Result even; r3 = Result turned");
  test_session_infer (&session);
  check_step (&session, "column", TRUE);
  check_step (&session, "even", TRUE);
  check_step (&session, "turned", TRUE);
  CHECK (&session, 0, 5, 3, 1, 1);
  CHECK (&session, 1, 5, 4, 1, 0);
  CHECK (&session, 2, 1, 2, 1, 0, 3, 2, 5, 4);
}

/* A slice is read after the value that it is part of could have been
 * overwritten. */
static void
test_slice_lives (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 2,2; a = Abs x; from = i64 1; to = i64 2; by = i64 1; "
      "s = Slice a from to by; b = Negative a; c = Add s b "
      "auto_broadcast=numpy; y = Result c");
  test_session_infer (&session);
  check_step (&session, "s", FALSE);
  CHECK (&session, 0, -2, -2, 0, 0);
}

/* Concats within a Concat. */
static void
test_concats (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 1,2; a = Abs x; b = Negative x; c = Exp x; z = Sign x; "
      "ab = Concat a b axis=0; shape = i64 4 1; "
      "column = Reshape ab shape special_zero=false; "
      "row = i64 2 2; again = Reshape column row special_zero=false; "
      "all = Concat z again axis=0; y = Negative all; r = Result y");
  test_session_infer (&session);
  check_step (&session, "ab", FALSE);
  check_step (&session, "all", FALSE);
  CHECK (&session, 0, 1, 1, -5, -4, -5, -4);
}

/* Operands of Concat whose memory cannot be moved are copied: an input, a
 * constant, a slice, and a value that is an operand for the second time. */
static void
test_copied (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 2,2; k = f32 7; two = i64 1 2; row = Broadcast k two; "
      "a = Abs x; from = i64 1; to = i64 2; by = i64 1; s = Slice a from to by;"
      "c = Concat a x row s a axis=0; y = Result c; z = Result a");
  test_session_infer (&session);
  check_step (&session, "c", TRUE);
  CHECK (&session, 0, 5, 4, 3, 2, -5, -4, -3, -2, 7, 7, 3, 2, 5, 4, 3, 2);
  CHECK (&session, 1, 5, 4, 3, 2);
}

/* Parts of an input, and of a result, are results. */
static void
test_results (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 4,2; from = i64 1; to = i64 3; by = i64 1; "
      "axis = i64 0; s = Slice x from to by; a = Abs x; "
      "halves*2 = Split a axis num_splits=2; r1 = Result s; r2 = Result a; "
      "r3 = Result halves:1");
  for (guint i = 0; i < 2; i++) {
    test_session_infer (&session);
    CHECK (&session, 0, -3, -2, -1, 0);
    CHECK (&session, 1, 5, 4, 3, 2, 1, 0, 1, 2);
    CHECK (&session, 2, 1, 0, 1, 2);
  }
}

/* A variable holds the last two of what came. */
static void
test_states (void)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferModel) net = net_new ();

  net_build (net, "x = Parameter 1,2; from = i64 1; to = i64 2; by = i64 1");
  net_read (net, "v", "2,2", NULL);
  net_build (net, "old = Slice v from to by; new = Abs x; "
                  "next = Concat old new axis=0; y = ReLU next");
  net_assign (net, "v", "next");
  net_build (net, "r = Result y");
  net_settle (net);
  test_session_open (&session, net, NULL, "CPU", "PERF_COUNT=YES");
  for (guint i = 1; i <= 3; i++) {
    float *x = test_session_input (&session, 0)->data;

    x[0] = x[1] = -(float) i;
    test_session_infer (&session);
    CHECK (&session, 0, (float) i - 1, (float) i - 1, (float) i, (float) i);
  }
  check_step (&session, "old", FALSE);
}

/* A part of what a variable held is read after its next value was made; the
 * first lies in memory of the variable's, the second is copied there. */
static void
test_old_states (void)
{
  static const char *const next[] = { "next", "x" };

  for (gsize i = 0; i < G_N_ELEMENTS (next); i++) {
    g_auto (TestSession) session = { 0 };
    g_autoptr (InferModel) net = net_new ();

    net_build (net, "x = Parameter 2,2; from = i64 1; to = i64 2; by = i64 1");
    net_read (net, "v", "2,2", NULL);
    net_build (net, "old = Slice v from to by; next = Abs x");
    net_assign (net, "v", next[i]);
    net_build (net, "late = Negative next; late2 = Abs late; late3 = Slice "
                    "late2 from to by; y = Add late3 old "
                    "auto_broadcast=numpy; r = Result y");
    net_settle (net);
    test_session_open (&session, net, NULL, "CPU", "PERF_COUNT=YES");
    for (guint k = 1; k <= 3; k++) {
      float *x = test_session_input (&session, 0)->data;

      x[0] = x[1] = x[2] = x[3] = (float) k;
      test_session_infer (&session);
      CHECK (&session, 0, 2 * (float) k - 1, 2 * (float) k - 1);
    }
    check_step (&session, "old", FALSE);
  }
}

/* Memory is not kept for a small part of it. */
static void
test_large (void)
{
  g_auto (TestSession) session = { 0 };

  open_net (&session,
      "x = Parameter 4,100000; a = Abs x; from = i64 1; to = i64 2; "
      "by = i64 1; s = Slice a from to by; y = Negative s; r = Result y");
  test_session_infer (&session);
  check_step (&session, "s", TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/alias-parts/slices", test_slices);
  g_test_add_func ("/cpu/alias-parts/strided", test_strided);
  g_test_add_func ("/cpu/alias-parts/slice-lives", test_slice_lives);
  g_test_add_func ("/cpu/alias-parts/concats", test_concats);
  g_test_add_func ("/cpu/alias-parts/copied", test_copied);
  g_test_add_func ("/cpu/alias-parts/results", test_results);
  g_test_add_func ("/cpu/alias-parts/states", test_states);
  g_test_add_func ("/cpu/alias-parts/old-states", test_old_states);
  g_test_add_func ("/cpu/alias-parts/large", test_large);
  return g_test_run ();
}
