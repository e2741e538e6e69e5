/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Large products relu (a b + bias) + residual with fewer multiplications:
 * errors beside those of direct products, the same bits for any number of
 * threads, matrices of a batch that do not touch each other. */

#include "infer/request.h"
#include "tests/check/cpu/conv/errors.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>

typedef struct
{
  const char *shape; /* of a but for its last dimension: @m rows */
  gsize m, k, n;
  gboolean f16; /* b's values are exact as f16 */
} Case;

static const Case cases[] = {
  { "1,192", 192, 240, 240, FALSE },
  { "1,197", 197, 250, 275, FALSE }, /* rows and columns beyond the blocks */
  { "1,197", 197, 250, 275, TRUE },
  { "1,223", 223, 1200, 256, FALSE }, /* sums of more than one part */
  { "2,3,50", 300, 384, 600, TRUE },
};

/* Rows of two matrices would be computed together. */
static const Case others[] = {
  { "192", 192, 240, 240, FALSE },
  { "2,101", 202, 240, 240, FALSE },
  { "200,1", 200, 240, 240, FALSE },
};

typedef struct
{
  float *a, *b, *bias, *residual;
} Data;

static void
data_clear (Data *data)
{
  g_free (data->a);
  g_free (data->b);
  g_free (data->bias);
  g_free (data->residual);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Data, data_clear)

static Data
make_data (const Case *c)
{
  const Data data = { .a = test_numbers (c->m * c->k, 1),
    .b = test_numbers (c->k * c->n, 2),
    .bias = test_numbers (c->n, 3),
    .residual = test_numbers (c->m * c->n, 4) };

  for (gsize i = 0; i < c->k * c->n && c->f16; i++)
    data.b[i] = roundf (data.b[i] * 1024) / 1024;
  return data;
}

static InferModel *
make_model (const Case *c, const Data *data)
{
  g_autofree char *inputs =
      g_strdup_printf ("a = Parameter %s,%" G_GSIZE_FORMAT
                       "; residual = Parameter %s,%" G_GSIZE_FORMAT,
          c->shape, c->k, c->shape, c->n);
  InferModel *net = net_new ();

  net_build (net, inputs);
  net_const_f32 (net, "b", (gint64) (c->k * c->n), data->b);
  net_const_f32 (net, "bias", (gint64) c->n, data->bias);
  net_const_i64 (
      net, "b_shape", 2, (const gint64[]){ (gint64) c->k, (gint64) c->n });
  net_build (net,
      "matrix = Reshape b b_shape special_zero=false; "
      "product = MatMul a matrix transpose_a=false transpose_b=false; "
      "biased = Add product bias; relu = ReLU biased; "
      "sum = Add relu residual; result = Result sum");
  net_settle (net);
  return net;
}

static InferTensor *
run (const Case *c, const Data *data, guint threads, char **kernel)
{
  g_autoptr (InferModel) model = make_model (c, data);
  g_auto (TestSession) session = { 0 };
  g_autofree char *config =
      g_strdup_printf ("INFERENCE_NUM_THREADS=%u,PERF_COUNT=YES", threads);

  test_session_open (&session, model, NULL, "CPU", config);
  memcpy (test_session_input (&session, 0)->data, data->a,
      c->m * c->k * sizeof (float));
  memcpy (test_session_input (&session, 1)->data, data->residual,
      c->m * c->n * sizeof (float));
  test_session_infer (&session);
  *kernel = test_session_kernel (&session, "product");
  return test_session_output (&session, 0);
}

static void
check_errors (const Case *c, const Data *data, const float *got)
{
  Errors errors = { 0 }, direct_errors = { 0 };

  for (gsize i = 0; i < c->m * c->n; i++) {
    const float bias = data->bias[i % c->n], residual = data->residual[i];
    double exact = 0;
    float direct = 0;

    for (gsize k = 0; k < c->k; k++) {
      const float a = data->a[i / c->n * c->k + k];
      const float b = data->b[k * c->n + i % c->n];

      exact += (double) a * (double) b;
      direct = fmaf (a, b, direct);
    }
    exact = MAX (exact + (double) bias, 0) + (double) residual;
    direct = MAX (direct + bias, 0) + residual;
    errors_add (&errors, (double) got[i] - exact);
    errors_add (&direct_errors, (double) direct - exact);
  }
  errors_check (&errors, &direct_errors, "products");
}

static void
test_products (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Data) data = make_data (&cases[i]);
    g_autofree char *kernel = NULL;
    g_autoptr (InferTensor) one = run (&cases[i], &data, 1, &kernel);

    g_assert_cmpstr (kernel, ==, "strassen_f32");
    check_errors (&cases[i], &data, one->data);
    for (guint threads = 2; threads <= 3; threads++) {
      g_autofree char *again = NULL;
      g_autoptr (InferTensor) more = run (&cases[i], &data, threads, &again);

      g_assert_cmpmem (more->data, more->size, one->data, one->size);
    }
  }
}

static void
test_batches (void)
{
  const Case *batch = &cases[4];
  const gsize matrix = 50 * batch->n;
  g_auto (Data) data = make_data (batch);
  g_autofree char *kernel = NULL, *again = NULL;
  g_autoptr (InferTensor) want = run (batch, &data, 1, &kernel);

  for (gsize i = 0; i < 50 * batch->k; i++)
    data.a[2 * 50 * batch->k + i] = i % 3 == 0 ? NAN : 1e30f;
  g_autoptr (InferTensor) got = run (batch, &data, 1, &again);
  for (gsize i = 0; i < 6; i++)
    if (i != 2)
      g_assert_cmpmem ((float *) got->data + i * matrix,
          matrix * sizeof (float), (float *) want->data + i * matrix,
          matrix * sizeof (float));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++) {
    g_auto (Data) other = make_data (&others[i]);
    g_autofree char *direct = NULL;
    g_autoptr (InferTensor) result = run (&others[i], &other, 1, &direct);

    g_assert_cmpstr (direct, ==, "gemm_f32_packed");
    check_errors (&others[i], &other, result->data);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/strassen/products", test_products);
  g_test_add_func ("/cpu/strassen/batches", test_batches);
  return g_test_run ();
}
