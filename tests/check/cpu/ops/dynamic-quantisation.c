/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dynamic int8 quantisation of activations, on request: exactly by groups, the
 * same for any number of rows and threads. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define K 333
#define N 100
#define CODES ((gsize) K * N)
/* The codes, followed by a scale and a zero point per column. */
#define BYTES (CODES + 2 * N * sizeof (float))

typedef struct
{
  float x[40 * K];
  guint8 weights[BYTES];
} Data;

static Data *
data_new (void)
{
  Data *data = g_new (Data, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (gsize i = 0; i < G_N_ELEMENTS (data->x); i++)
    data->x[i] = (float) g_rand_double_range (rand, -1, 1)
                 * (float) (1 + i / 64 % 5 * 10);
  for (gsize i = 0; i < CODES; i++)
    data->weights[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (gsize i = 0; i < N; i++) {
    float numbers[] = { (float) g_rand_double_range (rand, 0.01, 0.02),
      (float) g_rand_int_range (rand, 100, 150) };

    memcpy (data->weights + CODES + i * sizeof (float), &numbers[0],
        sizeof (float));
    memcpy (data->weights + CODES + (N + i) * sizeof (float), &numbers[1],
        sizeof (float));
  }
  return data;
}

static char *
make_xml (guint rows)
{
  return g_strdup_printf (
      IR_NET ("11",
          "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
          "<data element_type=\"f32\" shape=\"%u,333\"/><output>"
          "<port id=\"0\"/></output></layer>" IR_CONST (1, "codes", "u8",
              "100,333", "0", "33300") IR_CONST (2, "scale", "f32", "100,1",
              "33300", "400") IR_CONST (3, "zero", "f32", "100,1", "33700",
              "400") IR_LAYER (4, "float", "Convert", "opset1",
              IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))
              IR_BINARY (5, "less", "Subtract") IR_BINARY (
                  6, "times", "Multiply") IR_LAYER (7, "op", "MatMul", "opset1",
                  IR_DATA ("transpose_a=\"false\" transpose_b=\"true\""),
                  IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (8, "out"),
          IR_EDGE (1, 0, 4, 0) IR_EDGE (4, 1, 5, 0) IR_EDGE (3, 0, 5, 1)
              IR_EDGE (5, 2, 6, 0) IR_EDGE (2, 0, 6, 1) IR_EDGE (0, 0, 7, 0)
                  IR_EDGE (6, 2, 7, 1) IR_EDGE (7, 2, 8, 0),
          ""),
      rows);
}

static InferTensor *
run (const Data *data, guint first, guint rows, const char *isa,
    const char *config, const char **kernel)
{
  g_autofree char *xml = make_xml (rows), *name = NULL;
  g_autofree char *all = g_strconcat ("PERF_COUNT=YES,", config, NULL);
  g_autoptr (InferModel) model = ir_load_good (xml, data->weights, BYTES);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, isa, "CPU", all);
  memcpy (test_session_input (&session, 0)->data, data->x + first * K,
      rows * K * sizeof (float));
  test_session_infer (&session);
  name = test_session_kernel (&session, "op");
  *kernel = g_intern_string (name);
  return test_session_output (&session, 0);
}

static gboolean
can (void)
{
  return cpu_isa_has_int8 (cpu_isa_detect ());
}

static double
weight (const Data *data, gsize k, gsize n)
{
  float scale, zero;

  memcpy (&scale, data->weights + CODES + n * sizeof scale, sizeof scale);
  memcpy (&zero, data->weights + CODES + (N + n) * sizeof zero, sizeof zero);
  return (data->weights[n * K + k] - (double) zero) * (double) scale;
}

/* The quantised value of element @k of a row. */
static double
rounded (const float *row, gsize k, gsize group)
{
  float most = 0;

  for (gsize i = k / group * group; i < MIN (K, (k / group + 1) * group); i++)
    most = MAX (most, fabsf (row[i]));
  return (double) rintf (row[k] * (127 / most)) * (double) (most / 127);
}

static void
check (const Data *data, const InferTensor *got, guint rows, gsize group)
{
  const float *y = got->data;

  g_assert_cmpuint (got->size, ==, rows * N * sizeof (float));
  for (gsize i = 0; i < rows; i++) {
    double row[K];

    for (gsize k = 0; k < K; k++)
      row[k] = group > 0 ? rounded (data->x + i * K, k, group)
                         : (double) data->x[i * K + k];
    for (gsize n = 0; n < N; n++) {
      double sum = 0, size = 0;

      for (gsize k = 0; k < K; k++) {
        sum += row[k] * weight (data, k, n);
        size += fabs (row[k] * weight (data, k, n));
      }
      g_assert_cmpfloat (fabs ((double) y[i * N + n] - sum), <=, size * 2e-6);
    }
  }
}

static void
test_values (void)
{
  static const struct
  {
    const char *config;
    gsize group;
  } cases[] = {
    { "EXECUTION_MODE_HINT=PERFORMANCE", 32 },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=128", 128 },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=18446744073709551615", K },
    { "EXECUTION_MODE_HINT=ACCURACY", 0 },
    { "EXECUTION_MODE_HINT=PERFORMANCE,DYNAMIC_QUANTIZATION_GROUP_SIZE=0", 0 },
  };
  g_autofree Data *data = data_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *kernel;
    g_autoptr (InferTensor) got =
        run (data, 0, 5, NULL, cases[i].config, &kernel);

    g_test_message ("%s: %s", cases[i].config, kernel);
    if (can ())
      g_assert_true (
          (cases[i].group > 0) == g_str_equal (kernel, "gemm_bytes_packed"));
    if (can () || cases[i].group == 0)
      check (data, got, 5, cases[i].group);
  }
}

/* On machines without fast int8 products, activations are not quantised. */
static void
test_machine (void)
{
  g_autofree Data *data = data_new ();
  const char *kernel;
  g_autoptr (InferTensor) got =
      run (data, 0, 3, "avx2", "EXECUTION_MODE_HINT=PERFORMANCE", &kernel);

  g_assert_cmpstr (kernel, !=, "gemm_bytes_packed");
  check (data, got, 3, 0);
}

static void
test_same (void)
{
  g_autofree Data *data = data_new ();
  const char *kernel;
  g_autoptr (InferTensor) all =
      run (data, 0, 40, NULL, "DYNAMIC_QUANTIZATION_GROUP_SIZE=32", &kernel);
  g_autoptr (InferTensor) two = run (data, 0, 40, NULL,
      "DYNAMIC_QUANTIZATION_GROUP_SIZE=32,INFERENCE_NUM_THREADS=2", &kernel);

  g_assert_cmpmem (two->data, two->size, all->data, all->size);
  for (guint i = 0; i < 40 && can (); i += 13) {
    g_autoptr (InferTensor) one =
        run (data, i, 1, NULL, "DYNAMIC_QUANTIZATION_GROUP_SIZE=32", &kernel);

    g_assert_cmpmem (
        one->data, one->size, (float *) all->data + i * N, N * sizeof (float));
  }
}

/* A row with NaN or infinity is multiplied unquantised; other rows are not
 * affected. */
static void
test_no_numbers (void)
{
  g_autofree Data *data = data_new ();
  const char *kernel;

  g_autoptr (InferTensor) want =
      run (data, 0, 3, NULL, "DYNAMIC_QUANTIZATION_GROUP_SIZE=32", &kernel);
  data->x[K + 17] = INFINITY;
  g_autoptr (InferTensor) got =
      run (data, 0, 3, NULL, "DYNAMIC_QUANTIZATION_GROUP_SIZE=32", &kernel);
  const float *a = got->data;
  const float *b = want->data;
  for (guint n = 0; n < N; n++) {
    const double w = weight (data, 17, n);

    g_assert_cmpfloat (a[n], ==, b[n]);
    g_assert_cmpfloat (a[2 * N + n], ==, b[2 * N + n]);
    if (!can ()) /* infinities meet the zero points, too */
      g_assert_false (isfinite (a[N + n]));
    else if (w != 0)
      g_assert_cmpfloat ((double) a[N + n], ==,
          w > 0 ? (double) INFINITY : -(double) INFINITY);
    else
      g_assert_true (isnan (a[N + n]));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/dynamic-bytes/values", test_values);
  g_test_add_func ("/cpu/dynamic-bytes/machine", test_machine);
  g_test_add_func ("/cpu/dynamic-bytes/same", test_same);
  g_test_add_func ("/cpu/dynamic-bytes/no-numbers", test_no_numbers);
  return g_test_run ();
}
