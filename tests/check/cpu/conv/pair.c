/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two products with a large value between them, residual + gelu (a b) c, as one
 * step that never holds all of that value; the same bits for any number of
 * threads. */

#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>

#define BETWEEN 2048

typedef struct
{
  gsize m, k, n;
  const char *kernel;
  double tolerance;
} Case;

static const Case cases[] = {
  { 290, 9, 20, "gemm_f32_pair", 1e-4 }, /* three blocks of rows and two rows */
  { 291, 250, 20, "gemm_f32_pair", 1e-3 },
  { 291, 250, 260, "strassen_f32_pair", 1e-3 },
};

static InferModel *
make_model (const Case *size, const float *b, const float *c)
{
  g_autofree char *inputs = g_strdup_printf (
      "a = Parameter 1,%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT
      "; residual = Parameter 1,%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT,
      size->m, size->k, size->m, size->n);
  const gint64 k = (gint64) size->k, n = (gint64) size->n;
  InferModel *net = net_new ();

  net_build (net, inputs);
  net_const_f32 (net, "b", k * BETWEEN, b);
  net_const_f32 (net, "c", BETWEEN * n, c);
  net_const_i64 (net, "b_shape", 2, (const gint64[]){ k, BETWEEN });
  net_const_i64 (net, "c_shape", 2, (const gint64[]){ BETWEEN, n });
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
run (const Case *size, InferModel *model, guint threads)
{
  g_auto (TestSession) session = { 0 };
  g_autofree char *config =
      g_strdup_printf ("INFERENCE_NUM_THREADS=%u,PERF_COUNT=YES", threads);

  test_session_open (&session, model, NULL, "CPU", config);
  test_fill (test_session_input (&session, 0)->data, size->m * size->k, 10);
  test_fill (test_session_input (&session, 1)->data, size->m * size->n, 11);
  test_session_infer (&session);
  g_autofree char *first = test_session_kernel (&session, "first");
  g_autofree char *second = test_session_kernel (&session, "second");
  g_assert_cmpstr (first, ==, "optimized out");
  g_assert_cmpstr (second, ==, size->kernel);
  return test_session_output (&session, 0);
}

static void
check_row (const Case *size, const float *got, const float *a,
    const float *residual, const float *b, const float *c)
{
  double between[BETWEEN];

  for (gsize j = 0; j < BETWEEN; j++) {
    double x = 0;

    for (gsize k = 0; k < size->k; k++)
      x += (double) a[k] * (double) b[k * BETWEEN + j];
    between[j] = 0.5 * x * (1 + erf (x * G_SQRT2 / 2));
  }
  for (gsize n = 0; n < size->n; n++) {
    double want = (double) residual[n];

    for (gsize j = 0; j < BETWEEN; j++)
      want += between[j] * (double) c[j * size->n + n];
    g_assert_cmpfloat_with_epsilon ((double) got[n], want, size->tolerance);
  }
}

static void
check (const Case *size)
{
  const gsize m = size->m, k = size->k, n = size->n;
  g_autofree float *a = test_numbers (m * k, 10);
  g_autofree float *residual = test_numbers (m * n, 11);
  g_autofree float *b = test_numbers (k * BETWEEN, 1);
  g_autofree float *c = test_numbers (BETWEEN * n, 2);
  g_autoptr (InferModel) model = make_model (size, b, c);
  g_autoptr (InferTensor) want = run (size, model, 1);

  for (gsize i = 0; i < m; i++)
    check_row (size, (const float *) want->data + i * n, a + i * k,
        residual + i * n, b, c);
  for (guint threads = 2; threads <= 3; threads++) {
    g_autoptr (InferTensor) got = run (size, model, threads);

    g_assert_cmpmem (got->data, got->size, want->data, want->size);
  }
}

static void
test_pair (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check (&cases[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/pair", test_pair);
  return g_test_run ();
}
