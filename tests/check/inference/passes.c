/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graph passes: what is left of small graphs. */

#include "inference/passes/pass.h"
#include "tests/check/support/ir.h"

#include <string.h>

static guint
count (const InferModel *model, const char *type)
{
  const InferGraph *graph = infer_model_get_graph (model);
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    g_assert_cmpuint (op->index, ==, i);
    n += strcmp (op->klass->type, type) == 0;
  }
  return n;
}

static InferModel *
run (const char *xml, gconstpointer weights, gsize size)
{
  g_autoptr (InferModel) model = ir_load_good (xml, weights, size);
  const guint before = infer_model_get_graph (model)->operations->len;
  g_autoptr (GError) error = NULL;
  InferModel *smaller = infer_passes_run (model, &error);

  g_assert_no_error (error);
  /* The model itself is left alone. */
  g_assert_cmpuint (infer_model_get_graph (model)->operations->len, ==, before);
  g_assert_cmpuint (
      infer_model_n_inputs (smaller), ==, infer_model_n_inputs (model));
  g_assert_cmpuint (
      infer_model_n_outputs (smaller), ==, infer_model_n_outputs (model));
  return smaller;
}

/* x + |w|, and |w| is 1, 2. */
static void
test_constant_folding (void)
{
  static const float weights[] = { -1, 2 };
  g_autoptr (InferModel) model = run (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2")
              IR_CONST (1, "w", "f32", "2", "0", "8") IR_UNARY (2, "abs", "Abs")
                  IR_BINARY (3, "sum", "Add") IR_RESULT (4, "r"),
          IR_EDGE (1, 0, 2, 0) IR_EDGE (0, 0, 3, 0) IR_EDGE (2, 1, 3, 1)
              IR_EDGE (3, 2, 4, 0),
          ""),
      weights, sizeof weights);
  const InferOperation *result =
      infer_model_get_graph (model)->results->pdata[0];
  const InferOperation *sum = result->inputs[0].op;

  g_assert_cmpuint (count (model, "Abs"), ==, 0);
  g_assert_cmpuint (count (model, "Const"), ==, 1);
  g_assert_cmpstr (sum->inputs[1].op->name, ==, "abs");
  g_assert_cmpfloat (((float *) sum->inputs[1].op->value->data)[0], ==, 1);
}

/* sign (x) twice, and something that nobody reads. */
static void
test_common_and_dead (void)
{
  g_autoptr (InferModel) model = run (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2") IR_UNARY (1, "a", "Sign")
              IR_UNARY (2, "b", "Sign") IR_BINARY (3, "sum", "Add")
                  IR_UNARY (4, "dead", "Abs") IR_RESULT (5, "r"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 1, 3, 0)
              IR_EDGE (2, 1, 3, 1) IR_EDGE (2, 1, 4, 0) IR_EDGE (3, 2, 5, 0),
          ""),
      NULL, 0);

  g_assert_cmpuint (count (model, "Sign"), ==, 1);
  g_assert_cmpuint (count (model, "Abs"), ==, 0);
  g_assert_cmpuint (count (model, "Add"), ==, 1);
}

static void
test_no_operations (void)
{
  g_autoptr (InferModel) model = run (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2") IR_LAYER (1, "i", "Identity",
              "opset16", "", IR_PORT (0), IR_PORT (1)) IR_LAYER (2, "c",
              "Convert", "opset1", IR_DATA ("destination_type=\"f32\""),
              IR_PORT (0), IR_PORT (1)) IR_LAYER (3, "d", "Convert", "opset1",
              IR_DATA ("destination_type=\"f16\""), IR_PORT (0), IR_PORT (1))
              IR_RESULT (4, "r"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0) IR_EDGE (2, 1, 3, 0)
              IR_EDGE (3, 1, 4, 0),
          ""),
      NULL, 0);

  g_assert_cmpuint (count (model, "Identity"), ==, 0);
  g_assert_cmpuint (count (model, "Convert"), ==, 1);
}

/* Two variables may begin alike and still are two. */
static void
test_states_stay (void)
{
#define READ(id, variable)                                                     \
  IR_LAYER (id, "read" #id, "ReadValue", "opset6",                             \
      IR_DATA ("variable_id=\"" variable "\""), IR_PORT (0), IR_PORT (1))
#define ASSIGN(id, variable)                                                   \
  IR_LAYER (id, "save" #id, "Assign", "opset6",                                \
      IR_DATA ("variable_id=\"" variable "\""), IR_PORT (0), "")
  static const float weights[] = { 0 };
  g_autoptr (InferModel) model = run (
      IR_NET ("11",
          IR_CONST (0, "zero", "f32", "1", "0", "4") READ (1, "v") READ (2, "w")
              IR_BINARY (3, "sum", "Add") ASSIGN (4, "v") IR_RESULT (5, "r"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 1, 3, 0)
              IR_EDGE (2, 1, 3, 1) IR_EDGE (3, 2, 4, 0) IR_EDGE (3, 2, 5, 0),
          ""),
      weights, sizeof weights);

  g_assert_cmpuint (count (model, "ReadValue"), ==, 2);
  g_assert_cmpuint (count (model, "Assign"), ==, 1);
  g_assert_cmpuint (infer_model_n_variables (model), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/constant-folding", test_constant_folding);
  g_test_add_func ("/passes/common-and-dead", test_common_and_dead);
  g_test_add_func ("/passes/no-operations", test_no_operations);
  g_test_add_func ("/passes/states-stay", test_states_stay);
  return g_test_run ();
}
