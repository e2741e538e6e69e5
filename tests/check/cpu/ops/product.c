/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Large products with post-ops, on the fastest kernels and on the portable
 * ones: relu (a b + bias) + residual, b as [k][n] and as [n][k]. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <string.h>

#define M 96
#define K 400
#define N 512

/* Weights: b, then the bias. */
#define PRODUCT(b_shape, transpose)                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "a", "f32", "2,48,400") IR_PARAMETER (1, "residual",    \
          "f32", "2,48,512") IR_CONST (2, "b", "f32", b_shape, "0", "819200")  \
          IR_CONST (3, "bias", "f32", "512", "819200", "2048") IR_LAYER (4,    \
              "product", "MatMul", "opset1",                                   \
              IR_DATA ("transpose_a=\"false\" transpose_b=\"" transpose "\""), \
              IR_PORT (0) IR_PORT (1), IR_PORT (2))                            \
              IR_BINARY (5, "biased", "Add") IR_UNARY (6, "relu", "ReLU")      \
                  IR_BINARY (7, "sum", "Add") IR_RESULT (8, "out"),            \
      IR_EDGE (0, 0, 4, 0) IR_EDGE (2, 0, 4, 1) IR_EDGE (4, 2, 5, 0)           \
          IR_EDGE (3, 0, 5, 1) IR_EDGE (5, 2, 6, 0) IR_EDGE (6, 1, 7, 0)       \
              IR_EDGE (1, 0, 7, 1) IR_EDGE (7, 2, 8, 0),                       \
      "")

/* 1.5 hswish (a b + bias) - 0.75; the constants follow the bias. */
#define HSWISH                                                                 \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "a", "f32", "2,48,400") IR_CONST (                      \
          1, "b", "f32", "400,512", "0", "819200") IR_CONST (2, "bias", "f32", \
          "512", "819200", "2048") IR_CONST (3, "scale", "f32", "1", "821248", \
          "4") IR_CONST (4, "shift", "f32", "1", "821252", "4") IR_LAYER (5,   \
          "product", "MatMul", "opset1",                                       \
          IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),             \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_BINARY (6, "biased", "Add") \
          IR_LAYER (7, "hswish", "HSwish", "opset4", "", IR_PORT (0),          \
              IR_PORT (1)) IR_BINARY (8, "scaled", "Multiply")                 \
              IR_BINARY (9, "shifted", "Subtract") IR_RESULT (10, "out"),      \
      IR_EDGE (0, 0, 5, 0) IR_EDGE (1, 0, 5, 1) IR_EDGE (5, 2, 6, 0)           \
          IR_EDGE (2, 0, 6, 1) IR_EDGE (6, 2, 7, 0) IR_EDGE (7, 1, 8, 0)       \
              IR_EDGE (3, 0, 8, 1) IR_EDGE (8, 2, 9, 0) IR_EDGE (4, 0, 9, 1)   \
                  IR_EDGE (9, 2, 10, 0),                                       \
      "")

/* TRUE if the product's step includes everything. */
static gboolean
uses_kernel (InferRequest *request, const char *kernel)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  gboolean found = FALSE;

  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->type, "MatMul") == 0)
      found = strcmp (timing->kernel, kernel) == 0;
    else if (strcmp (timing->kernel, "optimized out") != 0)
      return FALSE;
  }
  return found;
}

static InferTensor *
run (InferModel *model, const char *isa)
{
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, isa, "CPU", NULL);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (&session, i);

    test_fill (input->data, input->size / sizeof (float), 10 + i);
  }
  test_session_infer (&session);
  g_assert_true (uses_kernel (session.request, "gemm_f32_packed"));
  return test_session_output (&session, 0);
}

static void
check (const char *xml)
{
  g_autofree float *weights = g_new (float, K *N + N + 2);

  test_fill (weights, K * N + N, 1);
  weights[K * N + N] = 1.5f;
  weights[K * N + N + 1] = 0.75f;
  g_autoptr (InferModel) model =
      ir_load_good (xml, weights, (K * N + N + 2) * sizeof *weights);
  g_autoptr (InferTensor) want = run (model, "c");
  g_autoptr (InferTensor) got = run (model, NULL);
  g_assert_cmpuint (got->size, ==, M * N * sizeof (float));
  for (gsize i = 0; i < M * N; i++)
    g_assert_cmpfloat_with_epsilon (
        ((float *) got->data)[i], ((float *) want->data)[i], 1e-4f);
}

static void
test_rows_are_k (void)
{
  check (PRODUCT ("400,512", "false"));
}

static void
test_transposed (void)
{
  check (PRODUCT ("512,400", "true"));
}

static void
test_hswish (void)
{
  check (HSWISH);
}

/* --- values between products --- */

#define ROWS 70
#define WIDTH 72
#define HIDDEN 144

static void
add_weights (InferModel *net, const char *name, const char *shape)
{
  float numbers[WIDTH * HIDDEN];
  g_autofree char *flat = g_strconcat (name, "-flat", NULL);
  g_autofree char *text = g_strdup_printf (
      "%s-shape = i64 %s; %s = Reshape %s %s-shape special_zero=false", name,
      shape, name, flat, name);

  test_fill (numbers, G_N_ELEMENTS (numbers), 3);
  net_const_f32 (net, flat, G_N_ELEMENTS (numbers), numbers);
  net_build (net, text);
}

/* A normalisation, and two products of whose values between them others are
 * results too if @seen: those are f32. */
static InferModel *
make_pair (gboolean seen)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "70,72");
  add_weights (net, "a", "72 144");
  add_weights (net, "b", "144 72");
  net_build (net,
      "axes = i64 -1; norm = MVN x axes normalize_variance=true eps=1e-5 "
      "eps_mode=inside_sqrt;"
      "first = MatMul norm a transpose_a=false transpose_b=false;"
      "between = Gelu first approximation_mode=ERF;"
      "second = MatMul between b transpose_a=false transpose_b=false");
  net_result (net, "out", "second");
  if (seen) {
    net_result (net, "out1", "norm");
    net_result (net, "out2", "between");
  }
  net_settle (net);
  return net;
}

static gboolean
runs_kernel (InferRequest *request, const char *kernel)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  for (guint i = 0; i < timings->len; i++)
    if (strcmp (g_array_index (timings, InferOpTiming, i).kernel, kernel) == 0)
      return TRUE;
  return FALSE;
}

/* They are rounded once, whether by those that write them or those that read
 * them. */
static void
test_stored_bf16 (void)
{
  const CpuIsa isa = cpu_isa_detect ();
  g_autofree float *want = NULL;

  for (int seen = 1; seen >= 0; seen--) {
    g_autoptr (InferModel) model = make_pair (seen);
    g_autoptr (InferRequest) request = test_request (
        model, "CPU", "PERF_COUNT=YES,INFERENCE_PRECISION_HINT=bf16");
    g_autoptr (GError) error = NULL;

    test_fill (
        infer_request_get_input (request, 0, NULL)->data, ROWS * WIDTH, 5);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    const InferTensor *out = infer_request_get_output (request, 0, NULL);
    if (want == NULL)
      want = g_memdup2 (out->data, out->size);
    g_assert_cmpmem (out->data, out->size, want, out->size);
    g_assert_cmpint (runs_kernel (request, "rows_bf16"), ==,
        !seen && (isa & CPU_ISA_BF16) && !(isa & CPU_ISA_FP16));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/product/rows-are-k", test_rows_are_k);
  g_test_add_func ("/cpu/product/transposed", test_transposed);
  g_test_add_func ("/cpu/product/hswish-affine", test_hswish);
  g_test_add_func ("/cpu/product/stored-bf16", test_stored_bf16);
  return g_test_run ();
}
