/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LSTM sequences whose steps are computed in pairs: as by the portable
 * version, and with the same bits on several threads, which compute them one by
 * one. */

#include "cpu/kernels/isa.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#define TIME 5
#define INPUT 3
#define HIDDEN 64
#define N_OUTPUTS 3

static void
add_constant (InferModel *net, const char *name, gsize rank, const gint64 *dims)
{
  gsize n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  g_autofree float *values = g_new (float, n);
  test_fill (values, n, (guint32) name[0]);
  for (gsize i = 0; i < n; i++)
    values[i] *= 0.25f;
  net_const_shaped (net, name, rank, dims, values);
}

/* Whether it runs in pairs. */
static gboolean
run (const char *direction, gint64 length, const char *isa, const char *config,
    InferTensor *outputs[N_OUTPUTS])
{
  const gint64 n = g_str_equal (direction, "bidirectional") ? 2 : 1;
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferModel) net = net_new ();
  g_autofree char *lstm = g_strdup_printf (
      "o*3 = LSTMSequence x h c n w r b hidden_size=64 direction=%s; "
      "y = Result o:0; hy = Result o:1; cy = Result o:2",
      direction);

  net_parameter (net, "x", "1,5,3");
  add_constant (net, "h", 3, (gint64[]){ 1, n, HIDDEN });
  add_constant (net, "c", 3, (gint64[]){ 1, n, HIDDEN });
  add_constant (net, "w", 3, (gint64[]){ n, 4 * HIDDEN, INPUT });
  add_constant (net, "r", 3, (gint64[]){ n, 4 * HIDDEN, HIDDEN });
  add_constant (net, "b", 2, (gint64[]){ n, 4 * HIDDEN });
  net_const_i64 (net, "n", 1, &length);
  net_build (net, lstm);
  net_settle (net);
  test_session_open (&session, net, isa, "CPU", config);
  test_fill (test_session_input (&session, 0)->data, TIME * INPUT, 7);
  test_session_infer (&session);
  for (guint i = 0; i < N_OUTPUTS; i++)
    outputs[i] = test_session_output (&session, i);
  g_autofree char *kernel = test_session_kernel (&session, "o");
  return g_strcmp0 (kernel, "lstm_pairs_f32") == 0;
}

static void
check (const char *direction, gint64 length)
{
  InferTensor *want[N_OUTPUTS], *threads[N_OUTPUTS], *got[N_OUTPUTS];

  g_assert_false (run (direction, length, "c", "PERF_COUNT=YES", want));
  g_assert_false (run (direction, length, NULL,
      "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2", threads));
  g_assert_cmpint (run (direction, length, NULL,
                       "PERF_COUNT=YES,INFERENCE_NUM_THREADS=1", got),
      ==, (cpu_isa_detect () & CPU_ISA_AVX512) != 0);
  for (guint i = 0; i < N_OUTPUTS; i++) {
    const float *a = got[i]->data, *b = want[i]->data;

    for (gsize k = 0; k < infer_shape_count (&got[i]->shape); k++)
      g_assert_cmpfloat_with_epsilon (a[k], b[k], 2e-6);
    g_assert_cmpmem (
        got[i]->data, got[i]->size, threads[i]->data, threads[i]->size);
    infer_tensor_unref (want[i]);
    infer_tensor_unref (threads[i]);
    infer_tensor_unref (got[i]);
  }
}

static void
test_directions (void)
{
  check ("forward", TIME);
  check ("reverse", TIME);
  check ("bidirectional", TIME);
}

static void
test_lengths (void)
{
  for (gint64 length = 0; length < TIME; length++) {
    check ("reverse", length);
    check ("bidirectional", length);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/lstm-steps/directions", test_directions);
  g_test_add_func ("/cpu/lstm-steps/lengths", test_lengths);
  return g_test_run ();
}
