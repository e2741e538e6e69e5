/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graph passes on small graphs. */

#include "inference/passes/pass.h"
#include "tests/check/support/ir.h"

static guint
count (const InferModel *model, const InferOpClass *klass)
{
  const InferGraph *graph = infer_model_get_graph (model);
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    g_assert_cmpuint (op->index, ==, i);
    n += infer_op_is (op, klass);
  }
  return n;
}

static InferModel *
run (const char *xml, gconstpointer weights, gsize size)
{
  g_autoptr (InferModel) model = ir_load_good (xml, weights, size);
  const guint before = infer_model_get_graph (model)->operations->len;
  g_autoptr (GError) error = NULL;
  InferModel *smaller = infer_passes_run (model, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (infer_graph_check_uses (infer_model_get_graph (smaller)));
  /* The model itself is unchanged. */
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

  g_assert_cmpuint (count (model, &infer_op_abs), ==, 0);
  g_assert_cmpuint (count (model, &infer_op_const), ==, 1);
  g_assert_cmpstr (sum->inputs[1].op->name, ==, "abs");
  g_assert_cmpfloat (((float *) sum->inputs[1].op->value->data)[0], ==, 1);
}

/* sign (x) twice, and an operation without readers. */
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

  g_assert_cmpuint (count (model, &infer_op_sign), ==, 1);
  g_assert_cmpuint (count (model, &infer_op_abs), ==, 0);
  g_assert_cmpuint (count (model, &infer_op_add), ==, 1);
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

  g_assert_cmpuint (count (model, &infer_op_identity), ==, 0);
  g_assert_cmpuint (count (model, &infer_op_convert), ==, 1);
}

typedef struct
{
  guint calls, changes, removed;
  guint operations;       /* after the last pass */
  const char *changed_by; /* the pass of the last change */
} Observed;

static void
observe (const InferPass *pass, guint before, guint after, gboolean changed,
    gpointer data)
{
  Observed *observed = data;

  if (observed->calls++ > 0)
    g_assert_cmpuint (before, ==, observed->operations);
  observed->operations = after;
  observed->removed += before - after;
  observed->changes += changed ? 1 : 0;
  if (changed)
    observed->changed_by = pass->name;
  else
    g_assert_cmpuint (before, ==, after);
}

/* Of two equal Abs one is left. */
static void
test_observer (void)
{
  g_autoptr (InferModel) model = ir_load_good (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2") IR_UNARY (1, "a", "Abs") IR_UNARY (
              2, "b", "Abs") IR_BINARY (3, "sum", "Add") IR_RESULT (4, "r"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 1, 3, 0)
              IR_EDGE (2, 1, 3, 1) IR_EDGE (3, 2, 4, 0),
          ""),
      NULL, 0);
  Observed observed = { .calls = 0 };
  const InferPassOptions options = { .observe = observe,
    .observer_data = &observed };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) smaller = infer_passes_run (model, &options, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (observed.changes, ==, 1);
  g_assert_cmpuint (observed.removed, ==, 1);
  g_assert_cmpstr (observed.changed_by, ==, "common-subexpressions");
  g_assert_cmpuint (observed.operations, ==,
      infer_model_get_graph (smaller)->operations->len);
}

/* Variables of equal initial values are not merged. */
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

  g_assert_cmpuint (count (model, &infer_op_read_value), ==, 2);
  g_assert_cmpuint (count (model, &infer_op_assign), ==, 1);
  g_assert_cmpuint (infer_model_n_variables (model), ==, 2);
}

/* --- bodies --- */

#define IR_SLICE                                                               \
  "axis=\"0\" start=\"0\" end=\"-1\" stride=\"1\" part_size=\"1\""
/* y[t] = h[t] = h[t - 1] + x[t] */
#define ITERATOR_NET(length)                                                       \
  IR_NET ("11",                                                                    \
      IR_PARAMETER (0, "x", "f32", length) IR_CONST (1, "h0", "f32", "1", "0",     \
          "4") "<layer id=\"2\" name=\"ti\" type=\"TensorIterator\" "              \
               "version=\"opset1\"><port_map>" IR_MAP ("input", 0, 0,              \
                   IR_SLICE) IR_MAP ("input", 1, 1, "") IR_MAP ("output", 2,       \
                   3,                                                              \
                   IR_SLICE) "</port_map>"                                         \
                             "<back_edges><edge from-layer=\"3\" to-layer=\"1\"/>" \
                             "</back_edges><input>" IR_PORT (0)                    \
                                 IR_PORT (1) "</input><output>" IR_PORT (          \
                                     2) "</output><body><layers>" IR_PARAMETER (0, \
                                     "xt", "f32", "1") IR_PARAMETER (1, "h",       \
                                     "f32", "1") IR_BINARY (2, "next",             \
                                     "Add") IR_RESULT (3,                          \
                                     "hn") "</layers><edges>" IR_EDGE (0, 0,       \
                                     2,                                            \
                                     0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3,     \
                                     0) "</edges></body></layer>" IR_RESULT (3,    \
                                     "y"),                                         \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

static const float zero[] = { 0 };

static void
test_inline_iterator (void)
{
  g_autoptr (InferModel) once = run (ITERATOR_NET ("1"), zero, sizeof zero);
  g_autoptr (InferModel) often = run (ITERATOR_NET ("4"), zero, sizeof zero);

  g_assert_cmpuint (count (once, &infer_op_tensor_iterator), ==, 0);
  g_assert_cmpuint (count (once, &infer_op_add), ==, 1);
  g_assert_cmpuint (count (often, &infer_op_tensor_iterator), ==, 1);
}

static void
test_low_latency (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (ITERATOR_NET ("1"), zero, sizeof zero);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) stateful = infer_model_low_latency (model, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (infer_model_n_variables (model), ==, 0);
  g_assert_cmpuint (infer_model_n_variables (stateful), ==, 1);
  g_assert_cmpstr (
      infer_model_variable (stateful, 0)->name, ==, "ti/h/variable_1");
  g_autoptr (InferModel) smaller = infer_passes_run (stateful, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count (smaller, &infer_op_tensor_iterator), ==, 0);
  g_assert_cmpuint (count (smaller, &infer_op_assign), ==, 1);
  g_autoptr (InferModel) again = infer_model_low_latency (stateful, &error);
  g_assert_null (again);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

static void
test_tie_states (void)
{
  const char *const pairs[] = { "h=sum", NULL };
  const char *const wrong[] = { "h=abs", NULL };
  const char *const odd[] = { "h", NULL };
  g_autoptr (InferModel) model = ir_load_good (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2") IR_PARAMETER (1, "h", "f32", "2")
              IR_BINARY (2, "sum", "Add") IR_UNARY (3, "abs", "ShapeOf")
                  IR_RESULT (4, "r") IR_RESULT (5, "s"),
          IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)
              IR_EDGE (3, 1, 4, 0) IR_EDGE (2, 2, 5, 0),
          ""),
      NULL, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) tied = infer_model_tie_states (model, pairs, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (infer_model_n_inputs (tied), ==, 1);
  g_assert_cmpuint (infer_model_n_outputs (tied), ==, 1);
  g_assert_cmpstr (infer_model_variable (tied, 0)->name, ==, "h");
  g_assert_null (infer_model_tie_states (model, wrong, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (infer_model_tie_states (model, odd, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

/* Transpose, Interpolate and the Transpose @back. */
static guint
transposes_left (const gint64 *back)
{
  gint64 constants[] = { 4, 6, 1, -2, 0, 2, 3, 1, 0, 0, 0, 0 };

  memcpy (constants + 8, back, 4 * sizeof *back);
  g_autoptr (InferModel) model = run (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "1,5,2,3") IR_CONST (1, "sizes", "i64",
              "2", "0", "16") IR_CONST (2, "axes", "i64", "2", "16", "16")
              IR_CONST (3, "there", "i64", "4", "32", "32") IR_CONST (4, "back",
                  "i64", "4", "64", "32") IR_BINARY (5, "last", "Transpose")
                  IR_LAYER (6, "z", "Interpolate", "opset11",
                      IR_DATA ("mode=\"linear_onnx\" "
                               "shape_calculation_mode=\"sizes\""),
                      IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
                      IR_BINARY (7, "first", "Transpose") IR_RESULT (8, "r"),
          IR_EDGE (0, 0, 5, 0) IR_EDGE (3, 0, 5, 1) IR_EDGE (5, 2, 6, 0)
              IR_EDGE (1, 0, 6, 1) IR_EDGE (2, 0, 6, 2) IR_EDGE (6, 3, 7, 0)
                  IR_EDGE (4, 0, 7, 1) IR_EDGE (7, 2, 8, 0),
          ""),
      constants, sizeof constants);
  const InferOperation *result =
      infer_model_get_graph (model)->results->pdata[0];
  const InferOperation *last = result->inputs[0].op;
  if (strcmp (last->klass->type, "Interpolate") == 0) {
    const InferTensor *axes = last->inputs[2].op->value;
    const gint64 want[] = { 2, 3 };
    const InferShape shape =
        infer_shape_make (4, (gint64) 1, (gint64) 5, (gint64) 4, (gint64) 6);

    g_assert_cmpmem (axes->data, axes->size, want, sizeof want);
    g_assert_true (infer_shape_equal (&last->outputs[0].desc.shape, &shape));
  }
  return count (model, &infer_op_transpose);
}

static void
test_transposed_interpolate (void)
{
  const gint64 undone[] = { 0, 3, 1, 2 }, other[] = { 0, 3, 2, 1 };

  g_assert_cmpuint (transposes_left (undone), ==, 0);
  g_assert_cmpuint (transposes_left (other), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/constant-folding", test_constant_folding);
  g_test_add_func ("/passes/common-and-dead", test_common_and_dead);
  g_test_add_func ("/passes/no-operations", test_no_operations);
  g_test_add_func ("/passes/observer", test_observer);
  g_test_add_func ("/passes/states-stay", test_states_stay);
  g_test_add_func ("/passes/inline-iterator", test_inline_iterator);
  g_test_add_func ("/passes/low-latency", test_low_latency);
  g_test_add_func ("/passes/tie-states", test_tie_states);
  g_test_add_func (
      "/passes/transposed-interpolate", test_transposed_interpolate);
  return g_test_run ();
}
