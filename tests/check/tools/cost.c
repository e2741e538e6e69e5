/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The costs that bench --per-op prints. */

#include "tools/time/cost.h"

#include <string.h>

#include "tests/check/support/ir.h"

static const InferOperation *
find (const InferModel *model, const char *name)
{
  const GPtrArray *all = infer_model_get_graph (model)->operations;

  for (guint i = 0; i < all->len; i++) {
    const InferOperation *op = all->pdata[i];
    if (strcmp (op->name, name) == 0)
      return op;
  }
  g_error ("no operation %s", name);
}

static void
assert_cost (
    const InferModel *model, const char *name, double bytes, double products)
{
  ToolCost cost;

  g_assert_true (tool_cost_of (find (model, name), &cost));
  g_assert_cmpfloat (cost.bytes, ==, bytes);
  g_assert_cmpfloat (cost.products, ==, products);
}

/* x [2,3] · w [3,4], w stored as u8; then ReLU. */
#define PRODUCT_NET                                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "2,3") IR_CONST (1, "w", "u8", "3,4", "0",  \
          "12") IR_LAYER (2, "wide", "Convert", "opset1",                      \
          IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))      \
          IR_LAYER (3, "product", "MatMul", "opset1",                          \
              IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),         \
              IR_PORT (0) IR_PORT (1), IR_PORT (2))                            \
              IR_UNARY (4, "relu", "ReLU") IR_RESULT (5, "y"),                 \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 2, 0) IR_EDGE (2, 1, 3, 1)           \
          IR_EDGE (3, 2, 4, 0) IR_EDGE (4, 1, 5, 0),                           \
      "")

static void
test_product (void)
{
  static const guint8 weights[12];
  g_autoptr (InferModel) model =
      ir_load_good (PRODUCT_NET, weights, sizeof weights);

  assert_cost (model, "product", 2 * 3 * 4 + 12 + 2 * 4 * 4, 2 * 4 * 3);
  assert_cost (model, "relu", 2 * 2 * 4 * 4, 0);
}

/* x [1,2,5,5], weights [4,2,3,3], y [1,4,3,3]. */
#define CONVOLUTION_NET                                                        \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,2,5,5") IR_CONST (1, "w", "f32",         \
          "4,2,3,3", "0", "288") IR_LAYER (2, "c", "Convolution", "opset1",    \
          IR_DATA ("strides=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" "      \
                   "dilations=\"1,1\" auto_pad=\"explicit\""),                 \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "y"),            \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* The product is neither written nor read; the ReLU's result is. */
static void
test_step (void)
{
  static const guint8 weights[12];
  g_autoptr (InferModel) model =
      ir_load_good (PRODUCT_NET, weights, sizeof weights);
  const InferOperation *ops[] = { find (model, "product"),
    find (model, "relu") };
  ToolCost cost;

  g_assert_true (tool_cost_of_step (ops, 2, &cost));
  g_assert_cmpfloat (cost.bytes, ==, 2 * 3 * 4 + 12 + 2 * 4 * 4);
  g_assert_cmpfloat (cost.products, ==, 2 * 4 * 3);
}

static void
test_convolution (void)
{
  static const guint8 weights[288];
  g_autoptr (InferModel) model =
      ir_load_good (CONVOLUTION_NET, weights, sizeof weights);

  assert_cost (model, "c", 50 * 4 + 288 + 36 * 4, 36 * 18);
}

/* Three queries and five keys of four elements, values of six; two heads. */
#define ATTENTION_NET                                                          \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "q", "f32", "1,2,3,4") IR_PARAMETER (1, "k", "f32",     \
          "1,2,5,4") IR_PARAMETER (2, "v", "f32", "1,2,5,6") IR_LAYER (3, "a", \
          "ScaledDotProductAttention", "opset13",                              \
          IR_DATA ("causal=\"false\""), IR_PORT (0) IR_PORT (1) IR_PORT (2),   \
          IR_PORT (3)) IR_RESULT (4, "y"),                                     \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (2, 0, 3, 2)           \
          IR_EDGE (3, 3, 4, 0),                                                \
      "")

static void
test_attention (void)
{
  g_autoptr (InferModel) model = ir_load_good (ATTENTION_NET, "", 0);

  assert_cost (model, "a", (24 + 40 + 60 + 36) * 4, 2 * 3 * 5 * (4 + 6));
}

static void
test_unknown (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (IR_NET ("11",
                        IR_PARAMETER (0, "x", "f32", "?,3")
                            IR_UNARY (1, "relu", "ReLU") IR_RESULT (2, "y"),
                        IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0), ""),
          "", 0);
  ToolCost cost;

  g_assert_false (tool_cost_of (find (model, "relu"), &cost));
}

static void
test_verdict (void)
{
  const ToolRates rates = { 10, { 100, 50, 20, 5 } };
  static const struct
  {
    double bytes, products, ns;
    const char *verdict;
  } cases[] = {
    { 1000, 800, 100, "compute 80%" },
    { 1000, 0, 100, "other" },
    { 5000, 100, 100, "memory 50%" },
    { 1000000, 0, 40000, "memory 50%" },      /* at 50 bytes/ns */
    { 50000000, 0, 10000000, "memory 100%" }, /* at 5 */
    { 1000, 3000, 100, "compute 300%" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const ToolCost cost = { cases[i].bytes, cases[i].products };
    g_autofree char *verdict = tool_verdict (&cost, &rates, cases[i].ns);

    g_assert_cmpstr (verdict, ==, cases[i].verdict);
  }
}

static void
test_rates (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("CPU", "PERF_COUNT=YES", &error);
  ToolRates rates;

  g_assert_no_error (error);
  g_assert_true (tool_measure_rates (runtime, &rates, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (rates.products_per_ns, >, 0.01);
  for (guint i = 0; i < TOOL_N_SIZES; i++)
    g_assert_cmpfloat (rates.bytes_per_ns[i], >, 0.01);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cost/product", test_product);
  g_test_add_func ("/cost/step", test_step);
  g_test_add_func ("/cost/convolution", test_convolution);
  g_test_add_func ("/cost/attention", test_attention);
  g_test_add_func ("/cost/unknown", test_unknown);
  g_test_add_func ("/cost/verdict", test_verdict);
  g_test_add_func ("/cost/rates", test_rates);
  return g_test_run ();
}
