/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two products with a large value between them, residual + gelu (a b) c, as one
 * step that never holds all of that value; the same bits for any number of
 * threads. */

#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>

#define M 290 /* three blocks of rows and two rows */
#define K 9
#define BETWEEN 2048
#define N 20

static InferModel *
make_model (const float *b, const float *c)
{
  InferModel *net = net_new ();

  net_build (net, "a = Parameter 1,290,9; residual = Parameter 1,290,20");
  net_const_f32 (net, "b", K * BETWEEN, b);
  net_const_f32 (net, "c", BETWEEN * N, c);
  net_const_i64 (net, "b_shape", 2, (const gint64[]){ K, BETWEEN });
  net_const_i64 (net, "c_shape", 2, (const gint64[]){ BETWEEN, N });
  net_build (net,
      "b_matrix = Reshape b b_shape special_zero=false; "
      "c_matrix = Reshape c c_shape special_zero=false; "
      "first = MatMul a b_matrix transpose_a=false transpose_b=false; "
      "gelu = Gelu first approximation_mode=erf; "
      "second = MatMul gelu c_matrix transpose_a=false transpose_b=false; "
      "sum = Add second residual; result = Result sum");
  net_settle (net);
  return net;
}

static InferTensor *
run (InferModel *model, guint threads)
{
  g_auto (TestSession) session = { 0 };
  g_autofree char *config =
      g_strdup_printf ("INFERENCE_NUM_THREADS=%u,PERF_COUNT=YES", threads);

  test_session_open (&session, model, NULL, "CPU", config);
  test_fill (test_session_input (&session, 0)->data, M * K, 10);
  test_fill (test_session_input (&session, 1)->data, M * N, 11);
  test_session_infer (&session);
  g_autofree char *first = test_session_kernel (&session, "first");
  g_autofree char *second = test_session_kernel (&session, "second");
  g_assert_cmpstr (first, !=, "gemm_f32_packed");
  g_assert_cmpstr (second, ==, "gemm_f32_pair");
  return test_session_output (&session, 0);
}

static void
check_row (const float *got, const float *a, const float *residual,
    const float *b, const float *c)
{
  double between[BETWEEN];

  for (gsize j = 0; j < BETWEEN; j++) {
    double x = 0;

    for (gsize k = 0; k < K; k++)
      x += (double) a[k] * (double) b[k * BETWEEN + j];
    between[j] = 0.5 * x * (1 + erf (x * G_SQRT2 / 2));
  }
  for (gsize n = 0; n < N; n++) {
    double want = (double) residual[n];

    for (gsize j = 0; j < BETWEEN; j++)
      want += between[j] * (double) c[j * N + n];
    g_assert_cmpfloat_with_epsilon ((double) got[n], want, 1e-4);
  }
}

static void
test_pair (void)
{
  g_autofree float *a = g_new (float, M *K), *residual = g_new (float, M *N);
  g_autofree float *b = g_new (float, K *BETWEEN);
  g_autofree float *c = g_new (float, BETWEEN *N);

  test_fill (a, M * K, 10);
  test_fill (residual, M * N, 11);
  test_fill (b, K * BETWEEN, 1);
  test_fill (c, BETWEEN * N, 2);
  g_autoptr (InferModel) model = make_model (b, c);
  g_autoptr (InferTensor) want = run (model, 1);
  for (gsize i = 0; i < M; i++)
    check_row (
        (const float *) want->data + i * N, a + i * K, residual + i * N, b, c);
  for (guint threads = 2; threads <= 3; threads++) {
    g_autoptr (InferTensor) got = run (model, threads);

    g_assert_cmpmem (got->data, got->size, want->data, want->size);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/pair", test_pair);
  return g_test_run ();
}
