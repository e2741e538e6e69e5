/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights that need fewer bits are packed in fewer and give the portable C
 * version's results: matrix products and pointwise convolutions. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "inference/base/small-float.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <string.h>

#define K 256
#define N 300

#define TAIL                                                                   \
  IR_CONST (2, "bias", "f32", "1,300,1,1", "307200", "1200")                   \
  IR_BINARY (4, "biased", "Add")                                               \
  IR_UNARY (5, "relu", "ReLU") IR_RESULT (6, "out")
#define EDGES                                                                  \
  IR_EDGE (0, 0, 3, 0)                                                         \
  IR_EDGE (1, 0, 3, 1)                                                         \
  IR_EDGE (3, 2, 4, 0)                                                         \
  IR_EDGE (2, 0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (5, 1, 6, 0)

static const char convolution[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,256,1,2")
        IR_CONST (1, "w", "f32", "300,256,1,1", "0", "307200")
            IR_LAYER (3, "op", "Convolution", "opset1",
                IR_DATA ("strides=\"1,1\" dilations=\"1,1\" pads_begin=\"0,0\" "
                         "pads_end=\"0,0\""),
                IR_PORT (0) IR_PORT (1), IR_PORT (2)) TAIL,
    EDGES, "");

static const char product[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "3,1,1,256") IR_CONST (
        1, "w", "f32", "300,256", "0", "307200") IR_LAYER (3, "op", "MatMul",
        "opset1", IR_DATA ("transpose_a=\"false\" transpose_b=\"true\""),
        IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_CONST (2, "bias", "f32", "300",
        "307200", "1200") IR_BINARY (4, "biased", "Add")
        IR_UNARY (5, "relu", "ReLU") IR_RESULT (6, "out"),
    EDGES, "");

/* Returns the result; *@kernel (g_free) is the kernel that computed it. */
static InferTensor *
run (InferModel *model, const char *isa, char **kernel)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  test_session_open (&session, model, isa, "CPU", "PERF_COUNT=YES");
  InferTensor *input = test_session_input (&session, 0);
  for (gsize i = 0; i < input->size / sizeof (float); i++)
    ((float *) input->data)[i] = (float) g_rand_double_range (rand, -1, 1);
  test_session_infer (&session);
  *kernel = test_session_kernel (&session, "op");
  return test_session_output (&session, 0);
}

static void
check (const char *xml, const float *weights, const char *part)
{
  g_autofree char *plain = NULL, *kernel = NULL;
  g_autoptr (InferModel) model =
      ir_load_good (xml, weights, (K * N + N) * sizeof *weights);
  g_autoptr (InferTensor) want = run (model, "c", &plain);
  g_autoptr (InferTensor) got = run (model, NULL, &kernel);

  if (g_getenv ("INFER_CPU_ISA") == NULL && (cpu_isa_detect () & CPU_ISA_AVX2))
    g_assert_nonnull (strstr (kernel, part));
  g_assert_cmpuint (got->size, ==, want->size);
  for (gsize i = 0; i < got->size / sizeof (float); i++)
    g_assert_cmpfloat_with_epsilon (
        ((float *) got->data)[i], ((float *) want->data)[i], 1e-4f);
}

/* Integers from @low to @high; 0: f16 values. */
static float *
make_weights (int low, int high)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  float *weights = g_new (float, K *N + N);
  float scale = 0;

  for (gsize i = 0; i < K * N + N; i++) {
    float value = (float) g_rand_double_range (rand, -0.1, 0.1);
    guint16 half;

    if (i % K == 0)
      scale = (float) g_rand_double_range (rand, 1e-4, 1e-3);
    infer_f32_to_f16_n (&half, &value, 1);
    infer_f16_to_f32_n (&weights[i], &half, 1);
    if (high != 0)
      weights[i] = (float) g_rand_int_range (rand, low, high + 1) * scale;
  }
  return weights;
}

static void
test_integers (void)
{
  g_autofree float *even = make_weights (-127, 127);
  g_autofree float *asymmetric = make_weights (-40, 215);

  check (convolution, even, "i8");
  check (convolution, asymmetric, "i8");
  check (product, even, "i8");
  check (product, asymmetric, "i8");
}

static void
test_f16 (void)
{
  g_autofree float *weights = make_weights (0, 0);

  check (convolution, weights, "f16");
  check (product, weights, "f16");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/narrow/integers", test_integers);
  g_test_add_func ("/cpu/narrow/f16", test_f16);
  return g_test_run ();
}
