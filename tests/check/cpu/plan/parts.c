/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops large enough to be split, on three threads and on one: the same bits;
 * and no other threads than configured. */

#include <string.h>

#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"
#include "tests/check/support/process.h"

/* The mean over 700 rows of 48; a copy, a transpose, a normalisation. */
static const char mean[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,700,48")
        IR_CONST (1, "axes", "i64", "1", "0", "8") IR_LAYER (2, "y",
            "ReduceMean", "opset1", IR_DATA ("keep_dims=\"true\""),
            IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
    IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");

static const char rows[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,500,100") IR_CONST (
        1, "axis", "i64", "1", "8", "8") IR_LAYER (2, "y", "MVN", "opset6",
        IR_DATA ("eps=\"0.001\" normalize_variance=\"true\" "
                 "eps_mode=\"inside_sqrt\""),
        IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
    IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");

/* Concat of rows of 3 and 4 elements; of two long pieces. */
#define CONCAT(axis, first, second)                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "a", "f32", first) IR_PARAMETER (1, "b", "f32", second) \
          IR_LAYER (2, "y", "Concat", "opset1", IR_DATA ("axis=\"" axis "\""), \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),      \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* Products: large weights; many rows. */
#define PRODUCT(shape, filters, bytes)                                         \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", shape) IR_CONST (                           \
          1, "w", "f32", filters, "16", bytes) IR_LAYER (2, "y", "MatMul",     \
          "opset1", IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),   \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),          \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* Convolutions: few pixels and many weights; few rows; a row of many pixels. */
#define CONVOLUTION(shape, filters, bytes, pad)                                \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", shape) IR_CONST (1, "w", "f32", filters,    \
          "16", bytes) IR_LAYER (2, "y", "Convolution", "opset1",              \
          IR_DATA ("strides=\"1,1\" pads_begin=\"" pad "\" pads_end=\"" pad    \
                   "\" dilations=\"1,1\" auto_pad=\"explicit\""),              \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),          \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

#define MOST_FLOATS 400000

/* Threads that the process had before the tests, apart from the first: a
 * sanitizer's, which may start with the first new thread. */
static guint others;

/* Joined threads may be listed for a moment. */
static void
await_threads (guint n)
{
  for (guint i = 0; i < 5000 && test_count_threads () != n + others; i++)
    g_usleep (1000);
  g_assert_cmpuint (test_count_threads (), ==, n + others);
}

static InferTensor *
run (InferModel *model, guint threads)
{
  g_auto (TestSession) session = { 0 };
  g_autofree char *config =
      g_strdup_printf ("INFERENCE_NUM_THREADS=%u", threads);

  test_session_open (&session, model, NULL, "CPU", config);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (&session, i);

    test_fill (input->data, input->size / sizeof (float), 10 + i);
  }
  test_session_infer (&session);
  await_threads (threads);
  return test_session_output (&session, 0);
}

static void
test_same (gconstpointer xml)
{
  static const gint64 axes[2] = { 1, -1 };
  g_autofree float *weights = g_new (float, MOST_FLOATS);

  test_fill (weights, MOST_FLOATS, 1);
  memcpy (weights, axes, sizeof axes);
  g_autoptr (InferModel) model =
      ir_load_good (xml, weights, MOST_FLOATS * sizeof *weights);
  g_autoptr (InferTensor) want = run (model, 1);
  for (guint threads = 2; threads <= 3; threads++) {
    g_autoptr (InferTensor) got = run (model, threads);

    g_assert_cmpmem (got->data, got->size, want->data, want->size);
  }
}

static gpointer
do_nothing (gpointer unused)
{
  return NULL;
}

int
main (int argc, char **argv)
{
  g_thread_join (g_thread_new ("first", do_nothing, NULL));
  g_usleep (100000); /* it may be listed for a moment */
  others = test_count_threads () - 1;
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/cpu/parts/mean", mean, test_same);
  g_test_add_data_func ("/cpu/parts/rows", rows, test_same);
  g_test_add_data_func (
      "/cpu/parts/short-rows", CONCAT ("2", "1,9001,3", "1,9001,4"), test_same);
  g_test_add_data_func (
      "/cpu/parts/long-pieces", CONCAT ("0", "70001", "50003"), test_same);
  g_test_add_data_func (
      "/cpu/parts/one-row", PRODUCT ("1,500", "500,700", "1400000"), test_same);
  g_test_add_data_func ("/cpu/parts/some-rows",
      PRODUCT ("60,300", "300,900", "1080000"), test_same);
  g_test_add_data_func ("/cpu/parts/many-rows",
      PRODUCT ("700,300", "300,64", "76800"), test_same);
  g_test_add_data_func ("/cpu/parts/few-pixels",
      CONVOLUTION ("1,60,3,3", "120,60,3,3", "259200", "1,1"), test_same);
  g_test_add_data_func ("/cpu/parts/few-rows",
      CONVOLUTION ("1,24,3,90", "40,24,3,3", "34560", "1,1"), test_same);
  g_test_add_data_func ("/cpu/parts/pointwise",
      CONVOLUTION ("1,64,1,201", "96,64,1,1", "24576", "0,0"), test_same);
  return g_test_run ();
}
