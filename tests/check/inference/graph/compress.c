/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights in fewer bits. */

#include <math.h>

#include "inference/graph/compress.h"
#include "inference/graph/graph.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define K 64
#define N 80

/* y = x · w, w [64,80] or, transposed, [80,64]. */
#define NET(shape, transposed)                                                 \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,64") IR_CONST (1, "w", "f32", shape,     \
          "0", "20480") IR_LAYER (2, "y", "MatMul", "opset1",                  \
          IR_DATA ("transpose_a=\"false\" transpose_b=\"" transposed "\""),    \
          IR_PORT (0) IR_PORT (1), IR_NAMED_PORT (2, "y")) IR_RESULT (3, "r"), \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

static InferTensor *
infer (InferModel *model)
{
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", NULL);
  InferTensor *x = test_session_input (&session, 0);
  for (guint i = 0; i < K; i++)
    ((float *) x->data)[i] = sinf ((float) i);
  test_session_infer (&session);
  return test_session_output (&session, 0);
}

static InferModel *
make_model (gboolean transposed)
{
  static float room[2][K * N];
  float *weights = room[transposed ? 1 : 0];

  /* The channels are of different sizes, some of one sign. */
  for (guint k = 0; k < K; k++)
    for (guint n = 0; n < N; n++)
      weights[transposed ? n * K + k : k * N + n] =
          (cosf ((float) (k * N + n)) + (n % 3 == 0 ? 1.5f : 0)) * (float) n;
  return transposed
             ? ir_load_good (NET ("80,64", "true"), weights, sizeof room[0])
             : ir_load_good (NET ("64,80", "false"), weights, sizeof room[0]);
}

/* The error of a sum of K products, each of at most half a step @bits wide. */
static void
check (InferCompression compression, InferType type, double step)
{
  for (guint transposed = 0; transposed < 2; transposed++) {
    g_autoptr (InferModel) model = make_model (transposed);
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) small =
        infer_model_compress (model, compression, &error);

    g_assert_no_error (error);
    const InferOperation *result =
        infer_model_get_graph (small)->results->pdata[0];
    const InferOperation *codes = result->inputs[0].op->inputs[1].op;
    while (codes->n_inputs > 0)
      codes = codes->inputs[0].op;
    g_assert_cmpint (codes->value->type, ==, type);
    g_assert_cmpuint (infer_shape_count (&codes->value->shape), ==, K * N);
    g_autoptr (InferTensor) want = infer (model);
    g_autoptr (InferTensor) got = infer (small);
    for (guint n = 0; n < N; n++)
      g_assert_cmpfloat_with_epsilon (((float *) got->data)[n],
          ((float *) want->data)[n], 1e-3 + step * n * sqrt (K));
  }
}

static void
test_f16 (void)
{
  check (INFER_COMPRESS_F16, INFER_TYPE_F16, 1e-3);
}

/* A channel's values are within 3.5 times its number. */
static void
test_int8 (void)
{
  check (INFER_COMPRESS_INT8, INFER_TYPE_U8, 3.5 / 255);
}

/* Small constants, and those beyond the range of f16, stay. */
static void
test_kept (void)
{
  float weights[K * N] = { 1e6f };
  g_autoptr (InferModel) model =
      ir_load_good (NET ("64,80", "false"), weights, sizeof weights);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) same =
      infer_model_compress (model, INFER_COMPRESS_F16, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (infer_model_get_graph (same)->operations->len, ==,
      infer_model_get_graph (model)->operations->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compress/f16", test_f16);
  g_test_add_func ("/compress/int8", test_int8);
  g_test_add_func ("/compress/kept", test_kept);
  return g_test_run ();
}
