/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two GRUs over parts of one input are computed as one, with the same bits. */

#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#define TIME 9
#define N_INPUT 4
#define N_OUTPUTS 4

static void
add_constant (
    InferModel *net, char name, char of, gsize rank, const gint64 *dims)
{
  const char full[] = { name, of, '\0' };
  gsize n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  g_autofree float *values = g_new (float, n);
  test_fill (values, n, (guint32) (name * of));
  net_const_shaped (net, full, rank, dims, values);
}

/* GRU @of, of @hidden units, over elements [@from, @to) of @x. */
static void
add_gru (InferModel *net, char of, gint64 hidden, const char *x,
    const char *from, const char *to)
{
  g_autofree char *slice =
      g_strdup_printf ("s%c = Slice %s %s %s one axis", of, x, from, to);
  g_autofree char *gru = g_strdup_printf (
      "%c*2 = GRUSequence s%c h%c n w%c r%c b%c hidden_size=%d "
      "direction=bidirectional linear_before_reset=true; "
      "y%c = Result %c:0; last%c = Result %c:1",
      of, of, of, of, of, of, (int) hidden, of, of, of, of);

  add_constant (net, 'h', of, 3, (gint64[]){ 1, 2, hidden });
  add_constant (net, 'w', of, 3, (gint64[]){ 2, 3 * hidden, N_INPUT });
  add_constant (net, 'r', of, 3, (gint64[]){ 2, 3 * hidden, hidden });
  add_constant (net, 'b', of, 2, (gint64[]){ 2, 4 * hidden });
  net_build (net, slice);
  net_build (net, gru);
}

/* Outputs of two GRUs, over @second and "x"; whether they are one step. */
static gboolean
run (const char *second, gint64 hidden, InferTensor *outputs[N_OUTPUTS])
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferModel) net = net_new ();

  net_build (net,
      "x = Parameter 1,9,9; z = Parameter 1,9,9; n = i64 9; one = i64 1; "
      "axis = i64 2; zero = i64 0; four = i64 4; five = i64 5; nine = i64 9");
  add_gru (net, 'a', hidden, second, "five", "nine");
  add_gru (net, 'b', hidden, "x", "zero", "four");
  net_settle (net);
  test_session_open (&session, net, NULL, "CPU", "PERF_COUNT=YES");
  for (guint i = 0; i < 2; i++)
    test_fill (test_session_input (&session, i)->data, TIME * 9, 5);
  test_session_infer (&session);
  for (guint i = 0; i < N_OUTPUTS; i++)
    outputs[i] = test_session_output (&session, i);
  g_autofree char *kernel = test_session_kernel (&session, "b");
  return g_strcmp0 (kernel, "optimized out") == 0;
}

static void
check (gint64 hidden, gboolean one)
{
  InferTensor *apart[N_OUTPUTS], *got[N_OUTPUTS];

  g_assert_false (run ("z", hidden, apart));
  g_assert_cmpint (run ("x", hidden, got), ==, one);
  for (guint i = 0; i < N_OUTPUTS; i++) {
    g_assert_cmpmem (
        got[i]->data, got[i]->size, apart[i]->data, apart[i]->size);
    infer_tensor_unref (got[i]);
    infer_tensor_unref (apart[i]);
  }
}

static void
test_groups (void)
{
  check (4, TRUE);
  check (3, TRUE);
}

/* A vector holds the units of one. */
static void
test_many_units (void)
{
  check (5, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/fuse-recurrent/groups", test_groups);
  g_test_add_func ("/cpu/fuse-recurrent/many-units", test_many_units);
  return g_test_run ();
}
