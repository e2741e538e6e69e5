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

/* One group of 64 inputs for each channel.  A step is a 15th of the range, and
 * the scale is an f16. */
static void
test_int4 (void)
{
  check (INFER_COMPRESS_INT4, INFER_TYPE_U4, 3.5 / 15);
}

/* --- groups of 128 --- */

#define GROUPED_K 256
#define GROUPED_N 32

/* y = x · w, w [256,32] or, transposed, [32,256]: the weights from 128 on are
 * small, and above 0. */
static InferModel *
make_grouped (gboolean transposed, float weights[GROUPED_K * GROUPED_N])
{
  for (guint k = 0; k < GROUPED_K; k++)
    for (guint n = 0; n < GROUPED_N; n++)
      weights[transposed ? n * GROUPED_K + k : k * GROUPED_N + n] =
          cosf ((float) (k * GROUPED_N + n)) * (k < 128 ? 1 : 0.01f)
          + (k < 128 ? 0 : 0.015f);
#define GROUPED(shape, transposed)                                             \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,256") IR_CONST (1, "w", "f32", shape,    \
          "0", "32768") IR_LAYER (2, "y", "MatMul", "opset1",                  \
          IR_DATA ("transpose_a=\"false\" transpose_b=\"" transposed "\""),    \
          IR_PORT (0) IR_PORT (1), IR_NAMED_PORT (2, "y")) IR_RESULT (3, "r"), \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")
  return transposed ? ir_load_good (GROUPED ("32,256", "true"), weights,
             sizeof (float) * GROUPED_K * GROUPED_N)
                    : ir_load_good (GROUPED ("256,32", "false"), weights,
                        sizeof (float) * GROUPED_K * GROUPED_N);
}

/* y for an x that is 1 from 128 on, so that only small weights count. */
static InferTensor *
infer_small (InferModel *model)
{
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", NULL);
  InferTensor *x = test_session_input (&session, 0);
  for (guint k = 0; k < GROUPED_K; k++)
    ((float *) x->data)[k] = k < 128 ? 0 : 1;
  test_session_infer (&session);
  return test_session_output (&session, 0);
}

/* Each is wrong by half a step at most.  With one scale for a channel, all
 * small weights would be 0, and the results, 1.92, too. */
static void
test_groups (void)
{
  for (guint transposed = 0; transposed < 2; transposed++) {
    static float room[2][GROUPED_K * GROUPED_N];
    g_autoptr (InferModel) model =
        make_grouped (transposed != 0, room[transposed]);
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) small =
        infer_model_compress (model, INFER_COMPRESS_INT4, &error);

    g_assert_no_error (error);
    g_autoptr (InferTensor) want = infer_small (model);
    g_autoptr (InferTensor) got = infer_small (small);
    for (guint n = 0; n < GROUPED_N; n++)
      g_assert_cmpfloat_with_epsilon (((float *) got->data)[n],
          ((float *) want->data)[n], GROUPED_K / 2 * 0.025 / 15 / 2);
  }
}

/* --- convolutions --- */

#define CONVOLUTION(type, input, shape)                                        \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", input) IR_CONST (1, "w", "f32", shape, "0", \
          "36864") IR_LAYER (2, "y", type, "opset1",                           \
          IR_DATA ("strides=\"1,1\" dilations=\"1,1\" pads_begin=\"1,1\" "     \
                   "pads_end=\"1,1\" auto_pad=\"explicit\""),                  \
          IR_PORT (0) IR_PORT (1), IR_NAMED_PORT (2, "y")) IR_RESULT (3, "r"), \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* Scales for each output channel, wherever its axis is. */
static void
test_convolutions (void)
{
  static const struct
  {
    const char *xml;
    gint64 scales[5];
  } cases[] = {
    { CONVOLUTION ("Convolution", "1,16,5,5", "64,16,3,3"), { 64, 1, 1, 1 } },
    { CONVOLUTION ("ConvolutionBackpropData", "1,16,5,5", "16,64,3,3"),
        { 1, 64, 1, 1 } },
    { CONVOLUTION ("GroupConvolution", "1,32,5,5", "4,32,8,3,3"),
        { 4, 32, 1, 1, 1 } },
    { CONVOLUTION ("GroupConvolutionBackpropData", "1,32,5,5", "4,8,32,3,3"),
        { 4, 1, 32, 1, 1 } },
  };
  static float weights[9216];

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    weights[i] = sinf ((float) i);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint four = 0; four < 2; four++) {
      g_autoptr (InferModel) model =
          ir_load_good (cases[i].xml, weights, sizeof weights);
      g_autoptr (GError) error = NULL;
      g_autoptr (InferModel) small = infer_model_compress (
          model, four ? INFER_COMPRESS_INT4 : INFER_COMPRESS_INT8, &error);

      g_assert_no_error (error);
      const InferOperation *result =
          infer_model_get_graph (small)->results->pdata[0];
      const InferOperation *product = result->inputs[0].op->inputs[1].op;
      g_assert_cmpuint (product->n_inputs, ==, 2);
      const InferTensor *scales = product->inputs[1].op->value;
      for (int d = 0; d < scales->shape.rank; d++)
        g_assert_cmpint (scales->shape.dims[d], ==, cases[i].scales[d]);
    }
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
  g_test_add_func ("/compress/int4", test_int4);
  g_test_add_func ("/compress/groups", test_groups);
  g_test_add_func ("/compress/convolutions", test_convolutions);
  g_test_add_func ("/compress/kept", test_kept);
  return g_test_run ();
}
