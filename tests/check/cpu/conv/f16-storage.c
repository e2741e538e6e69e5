/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors stored as f16 between convolutions: near f32 for values of any
 * magnitude, the same for any number of threads. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

/* Filters at multiples of 4096 floats; the biases at the end. */
#define FILTERS 5
#define EACH 16384
#define BIAS (FILTERS * EACH)
#define NUMBERS (BIAS + 16)

#define CONVOLVE(id, name, type, strides, pads)                                \
  IR_LAYER (id, name, type, "opset1",                                          \
      IR_DATA ("strides=\"" strides "\" dilations=\"1,1\" pads_begin=\"" pads  \
               "\" pads_end=\"" pads "\""),                                    \
      IR_PORT (0) IR_PORT (1), IR_PORT (2))

/* A direct convolution with a bias, a depthwise and a pointwise one, the same
 * with strides, and two readers of the result. */
#define CHAIN(height, width)                                                   \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,3," height "," width) IR_CONST (         \
          1, "f0", "f32", "16,3,3,3", "0", "1728") IR_CONST (2, "f1", "f32",   \
          "16,1,1,3,3", "65536", "576") IR_CONST (3, "f2", "f32", "40,16,1,1", \
          "131072", "2560") IR_CONST (4, "f3", "f32", "40,1,1,5,5", "196608",  \
          "4000") IR_CONST (5, "f4", "f32", "24,40,3,3", "262144", "34560")    \
          IR_CONST (6, "b", "f32", "1,16,1,1", "327680", "64") CONVOLVE (      \
              10, "first", "Convolution", "1,1", "1,1") IR_BINARY (11, "bias", \
              "Add") IR_UNARY (12, "relu", "ReLU") CONVOLVE (13, "depthwise",  \
              "GroupConvolution", "1,1", "1,1") IR_UNARY (14, "relu2", "ReLU") \
              CONVOLVE (15, "pointwise", "Convolution", "1,1", "0,0")          \
                  CONVOLVE (16, "wide", "GroupConvolution", "2,2", "2,2")      \
                      CONVOLVE (17, "last", "Convolution", "1,1", "1,1")       \
                          IR_RESULT (20, "out"),                               \
      IR_EDGE (0, 0, 10, 0) IR_EDGE (1, 0, 10, 1) IR_EDGE (10, 2, 11, 0)       \
          IR_EDGE (6, 0, 11, 1) IR_EDGE (11, 2, 12, 0) IR_EDGE (12, 1, 13, 0)  \
              IR_EDGE (2, 0, 13, 1) IR_EDGE (13, 2, 14, 0) IR_EDGE (           \
                  14, 1, 15, 0) IR_EDGE (3, 0, 15, 1) IR_EDGE (15, 2, 16, 0)   \
                  IR_EDGE (4, 0, 16, 1) IR_EDGE (16, 2, 17, 0)                 \
                      IR_EDGE (5, 0, 17, 1) IR_EDGE (17, 2, 20, 0),            \
      "")

/* In the second, the depthwise convolution is computed in bands. */
static const struct
{
  const char *name, *xml;
  gsize n;
} nets[] = { { "small", CHAIN ("9", "11"), 3 * 9 * 11 },
  { "large", CHAIN ("50", "61"), 3 * 50 * 61 } };

typedef struct
{
  float x[3 * 50 * 61], weights[NUMBERS];
} Data;

static Data *
data_new (double size, double bias)
{
  Data *data = g_new (Data, 1);
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (gsize i = 0; i < G_N_ELEMENTS (data->x); i++)
    data->x[i] = (float) (size * g_rand_double_range (rand, -1, 1));
  for (gsize i = 0; i < NUMBERS; i++)
    data->weights[i] = (float) g_rand_double_range (rand, -0.3, 0.3);
  for (gsize i = BIAS; i < NUMBERS; i++)
    data->weights[i] *= (float) bias;
  return data;
}

static InferTensor *
run (guint net, const Data *data, const char *config, char **kernel)
{
  g_autofree char *all = g_strconcat ("PERF_COUNT=YES,", config, NULL);
  g_autoptr (InferModel) model =
      ir_load_good (nets[net].xml, data->weights, sizeof data->weights);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", all);
  memcpy (test_session_input (&session, 0)->data, data->x,
      nets[net].n * sizeof (float));
  test_session_infer (&session);
  /* Old contents of memory must not matter. */
  test_session_infer (&session);
  *kernel = test_session_kernel (&session, "wide");
  return test_session_output (&session, 0);
}

#define F32 "INFERENCE_PRECISION_HINT=f32"
#define F16 "INFERENCE_PRECISION_HINT=f16"

/* Precisions of products between which values are stored as f16; of five steps
 * each rounds inputs, weights and sums to 2^-11, or those of bf16 inputs and
 * weights to 2^-8. */
static const struct
{
  const char *config;
  double error;
} hints[] = { { F16, 6e-3 }, { "INFERENCE_PRECISION_HINT=bf16", 2.4e-2 },
  { "EXECUTION_MODE_HINT=PERFORMANCE", 2.4e-2 } };

static void
check_near (const InferTensor *got, const InferTensor *want, double error)
{
  const float *a = got->data, *b = want->data;
  const gsize n = want->size / sizeof *b;
  double largest = 0;

  g_assert_cmpuint (got->size, ==, want->size);
  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, fabs ((double) b[i]));
  g_assert_cmpfloat (largest, >, 0);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (
        fabs ((double) a[i] - (double) b[i]), <=, error * largest);
}

static void
check_hint (guint net, const Data *data, const InferTensor *want, guint hint)
{
  g_autofree char *config =
      g_strconcat (hints[hint].config, ",INFERENCE_NUM_THREADS=2", NULL);
  g_autofree char *kernel = NULL, *other = NULL;
  g_autoptr (InferTensor) got = run (net, data, hints[hint].config, &kernel);
  g_autoptr (InferTensor) two = run (net, data, config, &other);

  g_test_message ("%s, %s: %s", nets[net].name, hints[hint].config, kernel);
  if (cpu_isa_detect () & CPU_ISA_FP16)
    g_assert_cmpstr (kernel, ==, "depthwise_half");
  check_near (got, want, hints[hint].error);
  g_assert_cmpmem (two->data, two->size, got->data, got->size);
}

static void
test_values (void)
{
  static const double sizes[] = { 1, 1e-6, 1e-25, 1e4, 1e9, 1e25 };

  for (guint net = 0; net < G_N_ELEMENTS (nets); net++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      g_autofree Data *data = data_new (sizes[i], i % 2 == 0 ? sizes[i] : 1);
      g_autofree char *before = NULL;
      g_autoptr (InferTensor) want = run (net, data, F32, &before);

      g_test_message ("size %g", sizes[i]);
      g_assert_cmpstr (before, ==, "depthwise_f32");
      for (guint hint = 0; hint < G_N_ELEMENTS (hints); hint++)
        check_hint (net, data, want, hint);
    }
}

/* NaN and infinities reach the outputs they should, and no others; with f32
 * they may reach all of a Winograd tile. */
static void
check_no_numbers (const char *config)
{
  for (guint net = 0; net < G_N_ELEMENTS (nets); net++) {
    g_autofree Data *data = data_new (1e5, 1);
    g_autofree char *kernel = NULL, *other = NULL;
    gsize finite = 0, n;

    data->x[nets[net].n / 3] = NAN;
    data->x[nets[net].n - 1] = INFINITY;
    g_autoptr (InferTensor) want = run (net, data, F32, &other);
    g_autoptr (InferTensor) got = run (net, data, config, &kernel);
    const float *a = got->data;
    const float *b = want->data;
    n = want->size / sizeof *b;
    for (gsize i = 0; i < n; i++) {
      g_assert_true (isfinite (a[i]) || !isfinite (b[i]));
      finite += isfinite (a[i]) ? 1 : 0;
    }
    g_assert_false (isfinite (a[0]));
    g_assert_false (isfinite (a[n - 1]));
    g_assert_cmpuint (finite, >=, net == 0 ? 0 : n * 9 / 10);
  }
}

static void
test_no_numbers (void)
{
  for (guint hint = 0; hint < G_N_ELEMENTS (hints); hint++)
    check_no_numbers (hints[hint].config);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/f16-storage/values", test_values);
  g_test_add_func ("/cpu/f16-storage/no-numbers", test_no_numbers);
  return g_test_run ();
}
