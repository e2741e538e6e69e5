/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of tensors, in each form that the format has for them. */

#include <string.h>

#include "inference/graph/model-private.h"
#include "infer/request.h"
#include "tests/check/support/onnx.h"

#define SUM(fields)                                                            \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("c"), ONNX_O ("y"), "")   \
          ONNX_INITIALIZER ("c", ONNX_F32, "1=3 " fields) ONNX_INPUT ("x",     \
              ONNX_F32, ONNX_D (3)) ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (3)))

/* y where x has @value everywhere. */
static void
compute (const char *text, float value, float *y, gsize n)
{
  GError *error = NULL;
  g_autoptr (InferModel) model = onnx_text_load (text);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  InferTensor *x = infer_request_get_input (request, 0, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < x->size / sizeof value; i++)
    ((float *) x->data)[i] = value;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  InferTensor *out = infer_request_get_output (request, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (out->size, ==, n * sizeof *y);
  memcpy (y, out->data, out->size);
}

/* 0.5, 1 and -2; several fields continue one another. */
static void
test_floats (void)
{
  static const char *const texts[] = {
    SUM ("4#0000003f0000803f000000c0"),
    SUM ("4#0000003f0000803f 4#000000c0"),
    SUM ("4~0.5 4~1 4~-2"),
    SUM ("4~0.5 4#0000803f000000c0"),
    SUM ("4#0000003f0000803f 4~-2"),
    SUM ("4# 4#0000003f0000803f000000c0"),
    SUM ("9#0000003f0000803f000000c0"),
  };
  float y[3];

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    compute (texts[i], 0, y, G_N_ELEMENTS (y));
    g_assert_cmpfloat (y[0], ==, 0.5f);
    g_assert_cmpfloat (y[1], ==, 1.0f);
    g_assert_cmpfloat (y[2], ==, -2.0f);
  }
  onnx_text_refuse (SUM ("4#0000003f0000803f"),
      "tensor 'c': 8 bytes are too few for a tensor of f32 and shape [3], "
      "which needs 12");
  onnx_text_refuse (SUM ("4#0000003f0000803f000000"), "malformed");
}

/* Whether a weight of the model lies where C has no float. */
static gboolean
has_unaligned (const InferModel *model)
{
  const InferGraph *graph = infer_model_get_graph (model);

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op->value != NULL && (gsize) op->value->data % sizeof (float) != 0)
      return TRUE;
  }
  return FALSE;
}

#define ROWS 3
#define COLUMNS 400

/* Weights are used where they are, at every offset. */
static void
test_unaligned (void)
{
  g_autoptr (GString) hex = g_string_new (NULL);
  guint n_unaligned = 0;

  for (guint i = 0; i < ROWS * COLUMNS; i++) {
    const float value = (float) (i % 91) - 45;
    guint8 bytes[sizeof value];

    memcpy (bytes, &value, sizeof value);
    for (guint k = 0; k < sizeof value; k++)
      g_string_append_printf (hex, "%02x", bytes[k]);
  }
  for (guint length = 1; length <= 4; length++) {
    float y[COLUMNS];
    g_autofree char *comment = g_strnfill (length, 'c');
    g_autofree char *text = g_strdup_printf (
        ONNX_MODEL (ONNX_NODE ("Gemm", ONNX_I ("x") ONNX_I ("w"), ONNX_O ("y"),
            "6'%s'") ONNX_INITIALIZER ("w", ONNX_F32, "1=3 1=400 9#%s")
                ONNX_INPUT ("x", ONNX_F32, ONNX_D (1) ONNX_D (3))
                    ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (1) ONNX_D (400))),
        comment, hex->str);
    g_autoptr (InferModel) model = onnx_text_load (text);

    n_unaligned += has_unaligned (model);
    compute (text, 1, y, COLUMNS);
    for (guint j = 0; j < COLUMNS; j++)
      g_assert_cmpfloat (y[j], ==,
          (float) ((int) (j % 91) + (int) ((j + COLUMNS) % 91)
                   + (int) ((j + 2 * COLUMNS) % 91) - 3 * 45));
  }
  g_assert_cmpuint (n_unaligned, ==, 3);
}

/* --- types of few bits --- */

#define TO(input, output, type)                                                \
  ONNX_NODE ("Cast", ONNX_I (input), ONNX_O (output), ONNX_INT ("to", type))
#define THROUGH(nodes)                                                         \
  ONNX_MODEL (nodes ONNX_INPUT ("x", ONNX_F32, ONNX_D (3))                     \
          ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (3)))
#define BITS(type, other)                                                      \
  THROUGH (TO ("x", "a", type) ONNX_NODE ("BitCast", ONNX_I ("a"),             \
      ONNX_O ("b"), ONNX_INT ("to", other)) TO ("b", "y", 1))
/* A power of two with an exponent of 8 bits. */
#define POWER(mode)                                                            \
  THROUGH (ONNX_NODE ("Cast", ONNX_I ("x"), ONNX_O ("a"),                      \
      ONNX_INT ("to", 24) mode) TO ("a", "y", 1))
/* 2, in that type. */
#define SCALE "5{2=24 8's' 9#80}"

static void
test_few_bits (void)
{
  static const struct
  {
    const char *text;
    float x, y;
  } cases[] = {
    { BITS (22, 21), -1, 15 },
    { BITS (22, 21), -8, 8 },
    { BITS (21, 22), 9, -7 },
    { BITS (26, 25), -1, 3 },
    { BITS (3, 2), -2, 254 },
    { BITS (2, 24), 126, 0.5f },
    { POWER (""), 3, 4 },
    { POWER (""), 0.3f, 0.5f },
    { POWER ("5{1'round_mode' 4'down' 20=3}"), 3.9f, 2 },
    { POWER ("5{1'round_mode' 4'nearest' 20=3}"), 2.5f, 2 },
    { POWER ("5{1'round_mode' 4'nearest' 20=3}"), 3.5f, 4 },
    { THROUGH (TO ("x", "a", 3) ONNX_NODE ("DequantizeLinear",
          ONNX_I ("a") ONNX_I ("s"), ONNX_O ("y"), ONNX_INT ("output_dtype", 1))
              SCALE),
        -7, -14 },
    { THROUGH (ONNX_NODE ("QuantizeLinear", ONNX_I ("x") ONNX_I ("s"),
          ONNX_O ("a"), ONNX_INT ("output_dtype", 3)) TO ("a", "y", 1) SCALE),
        -7, -4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    float y[3];

    compute (cases[i].text, cases[i].x, y, G_N_ELEMENTS (y));
    for (guint k = 0; k < G_N_ELEMENTS (y); k++)
      g_assert_cmpfloat (y[k], ==, cases[i].y);
  }
  onnx_text_refuse (BITS (22, 2), "not of the same number of whole bytes");
}

/* --- functions of the model --- */

/* y = leak (leak (x)), each with a slope of its own. */
static void
test_function (void)
{
  static const char text[] =
      "1=8 8{2=15} 8{1'f' 2=1} 7{2'g' "
      "1{1'x' 2'z' 4'leak' 7'f' 5{1'alpha' 2~0.5 20=1}} "
      "1{1'z' 2'y' 4'leak' 7'f' 5{1'alpha' 2~0.25 20=1}} " ONNX_INPUT (
          "x", ONNX_F32, ONNX_D (3)) ONNX_OUTPUT ("y", ONNX_F32,
          ONNX_D (3)) "} "
                      "25{1'leak' 10'f' 4'a' 5'b' 6'alpha' 9{2=15} "
                      "7{1'a' 2'b' 4'LeakyRelu' 5{1'alpha' 21'alpha' 20=1}}}";
  float y[3];

  compute (text, -1, y, G_N_ELEMENTS (y));
  g_assert_cmpfloat (y[0], ==, -0.125f);
  compute (text, 3, y, G_N_ELEMENTS (y));
  g_assert_cmpfloat (y[2], ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx/values/floats", test_floats);
  g_test_add_func ("/onnx/values/unaligned", test_unaligned);
  g_test_add_func ("/onnx/values/few-bits", test_few_bits);
  g_test_add_func ("/onnx/values/function", test_function);
  return g_test_run ();
}
