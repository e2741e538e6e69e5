/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models that are written as IR and read again are the same. */

#include <glib/gstdio.h>
#include <string.h>

#include "inference/base/hash.h"
#include "inference/graph/model-private.h"
#include "inference/ir/writer.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"

/* --- what a model is --- */

static void describe (GPtrArray *lines, const InferGraph *graph);

static void
describe_ports (GString *line, const char *what, const GArray *ports)
{
  for (guint i = 0; i < ports->len; i++) {
    const InferBodyPort *port = &g_array_index (ports, InferBodyPort, i);

    g_string_append_printf (
        line, " %s %d %d", what, port->external, port->internal);
    if (port->sliced)
      g_string_append_printf (line, " axis %d %d %d %d %d", (int) port->axis,
          (int) port->start, (int) port->end, (int) port->stride,
          (int) port->part_size);
  }
}

static void
describe_value (GString *line, const InferTensor *value)
{
  const InferHash hash =
      infer_hash (value->data, value->size, &(InferHash){ { 0 } });
  char digits[33];

  infer_hash_to_string (&hash, digits);
  g_string_append_printf (line, " value %s", digits);
}

static char *
describe_operation (const InferOperation *op, GPtrArray *lines)
{
  GString *line = g_string_new (op->klass->type);

  g_string_append_printf (line, " %s '%s'", op->opset, op->name);
  /* Parameters and constants have attributes of their own. */
  if (op->value == NULL && !infer_op_is (op, &infer_op_parameter))
    for (const char *at = op->attrs_texts; at != NULL && *at != '\0';
         at += strlen (at) + 1)
      g_string_append_printf (line, " %s", at);
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i].op != NULL)
      g_string_append_printf (
          line, " in '%s':%u", op->inputs[i].op->name, op->inputs[i].index);
  for (guint k = 0; k < op->n_outputs; k++) {
    g_autofree char *shape = infer_shape_to_string (&op->outputs[k].desc.shape);

    g_string_append_printf (
        line, " out %s%s", infer_type_name (op->outputs[k].desc.type), shape);
  }
  if (op->value != NULL)
    describe_value (line, op->value);
  for (guint b = 0; b < op->n_bodies; b++) {
    const InferBody *body = &op->bodies[b];

    describe_ports (line, "map", body->inputs);
    describe_ports (line, "give", body->outputs);
    for (guint i = 0; i < body->back_edges->len; i++) {
      const InferBackEdge *edge =
          &g_array_index (body->back_edges, InferBackEdge, i);

      g_string_append_printf (
          line, " back %d %d", edge->from_result, edge->to_parameter);
    }
    g_string_append_printf (line, " special %d %d", body->iteration_parameter,
        body->condition_result);
    describe (lines, body->graph);
  }
  return g_string_free (line, FALSE);
}

static void
describe (GPtrArray *lines, const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++)
    g_ptr_array_add (
        lines, describe_operation (graph->operations->pdata[i], lines));
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The operations in any order; inputs and outputs in theirs. */
static char *
describe_model (const InferModel *model)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  describe (lines, infer_model_get_graph (model));
  g_ptr_array_sort (lines, compare_lines);
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    g_ptr_array_add (lines, g_strdup (infer_model_input_name (model, i)));
  for (guint i = 0; i < infer_model_n_outputs (model); i++)
    g_ptr_array_add (lines, g_strdup (infer_model_output_name (model, i)));
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (GStrv) lines->pdata);
}

/* --- writing --- */

static InferModel *
write_and_read (const InferModel *model)
{
  g_autofree char *dir = g_dir_make_tmp ("infer-writer-XXXXXX", NULL);
  g_autofree char *xml = g_build_filename (dir, "m.xml", NULL);
  g_autofree char *bin = g_build_filename (dir, "m.bin", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (infer_ir_write (model, xml, &error));
  g_assert_no_error (error);
  InferModel *again = infer_model_load (xml, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_unlink (xml), ==, 0);
  g_assert_cmpint (g_unlink (bin), ==, 0);
  g_assert_cmpint (g_rmdir (dir), ==, 0);
  return again;
}

static void
check (const InferModel *model)
{
  g_autoptr (InferModel) again = write_and_read (model);
  g_autofree char *before = describe_model (model);
  g_autofree char *after = describe_model (again);

  g_assert_cmpstr (before, ==, after);
}

static void
test_loop (void)
{
  static const float h0 = 10;
  g_autoptr (InferModel) model = ir_load_good (IR_LOOP_NET, &h0, sizeof h0);

  check (model);
}

/* Names, bounds, a constant that two operations share, rt_info. */
static void
test_texts (void)
{
  static const float weights[] = { 1, 2 };
  static const char *const pairs[] = { "labels", "a b\n<c>&\"d'\ttab",
    "model_type", "ssd", NULL };
  g_autoptr (InferModel) model = ir_load_good (
      IR_NET ("11",
          IR_PARAMETER (0, "x&lt;&amp;&quot;", "f32", "1..7,2,?,3..") IR_CONST (
              1, "w", "f32", "2", "0", "8") IR_CONST (2, "v", "f32", "2", "0",
              "8") IR_UNARY (3, "a\\,b,second", "ShapeOf")
              IR_BINARY (4, "sum", "Add") IR_RESULT (5, "r") IR_RESULT (6, "s"),
          IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 4, 0) IR_EDGE (2, 0, 4, 1)
              IR_EDGE (3, 1, 5, 0) IR_EDGE (4, 2, 6, 0),
          ""),
      weights, sizeof weights);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) more = infer_model_set_info (model, pairs, &error);

  check (more);
  g_autoptr (InferModel) again = write_and_read (more);
  g_assert_cmpstr (
      infer_model_get_info (again, "labels"), ==, "a b\n<c>&\"d'\ttab");
  g_assert_cmpstr (infer_model_get_info (again, "model_type"), ==, "ssd");
  g_assert_cmpint (infer_model_find_output (again, "a,b", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_output (again, "second", NULL), ==, 0);
}

/* What OpenVINO has no operation for is neither written nor read. */
static void
test_no_ir (void)
{
  g_autoptr (InferModel) model = onnx_text_load (ONNX_MODEL (
      ONNX_NODE ("BitCast", ONNX_I ("x"), ONNX_O ("y"), ONNX_INT ("to", 6))
          ONNX_INPUT ("x", ONNX_F32, ONNX_D (2))
              ONNX_OUTPUT ("y", "6", ONNX_D (2))));
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_ir_write (model, "/nowhere/m.xml", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
      "/nowhere/m.xml: operation 'BitCast' (BitCast): OpenVINO IR has no such "
      "operation");
  ir_load_bad (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "2") IR_LAYER (1, "y", "BitCast",
              "opset1", IR_DATA ("destination_type=\"i32\""), IR_PORT (0),
              IR_NAMED_PORT (1, "y")) IR_RESULT (2, "r"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0), ""),
      "", 0, INFER_ERROR_UNSUPPORTED, "no such operation");
}

/* An If of ONNX, and variables. */
static void
test_onnx (void)
{
  static const char *const pairs[] = { "auto", NULL };
  g_autoptr (InferModel) branches = onnx_text_load (ONNX_MODEL (
      ONNX_NODE ("If", ONNX_I ("c"), ONNX_O ("y"),
          ONNX_GRAPH ("then_branch",
              ONNX_NODE ("Relu", ONNX_I ("x"), ONNX_O ("a"), "")
                  ONNX_OUTPUT ("a", ONNX_F32, "")) ONNX_GRAPH ("else_branch",
              ONNX_NODE ("Abs", ONNX_I ("x"), ONNX_O ("b"), "")
                  ONNX_OUTPUT ("b", ONNX_F32, "")))
          ONNX_INPUT ("x", ONNX_F32, ONNX_NAMED ("n") ONNX_D (2))
              ONNX_INPUT ("c", ONNX_BOOL, "") ONNX_OUTPUT ("y", ONNX_F32, "")));
  g_autoptr (InferModel) sum = onnx_text_load (ONNX_MODEL (
      ONNX_NODE ("Add", ONNX_I ("h") ONNX_I ("x"), ONNX_O ("hn"), "")
          ONNX_NODE ("Relu", ONNX_I ("hn"), ONNX_O ("y"), "") ONNX_INPUT ("x",
              ONNX_F32, ONNX_NAMED ("n") ONNX_D (2)) ONNX_INPUT ("h", ONNX_F32,
              ONNX_NAMED ("n") ONNX_D (2)) ONNX_OUTPUT ("y", ONNX_F32, "")
              ONNX_OUTPUT ("hn", ONNX_F32, ONNX_NAMED ("n") ONNX_D (2))));
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) tied = infer_model_tie_states (sum, pairs, &error);

  g_assert_no_error (error);
  check (branches);
  check (tied);
  g_autoptr (InferModel) again = write_and_read (tied);
  g_assert_cmpstr (infer_model_get_rt_info (again, "state_pairs"), ==, "h=hn");
}

static void
test_refused (void)
{
  g_autoptr (InferModel) model = ir_load_good (
      IR_NET ("11", IR_PARAMETER (0, "x", "f32", "1") IR_RESULT (1, "y"),
          IR_EDGE (0, 0, 1, 0), ""),
      NULL, 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_ir_write (model, "model.onnx", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (infer_ir_write (model, "/no/such/folder/m.xml", &error));
  g_assert_nonnull (strstr (error->message, "/no/such/folder/m"));
}

/* Those beside the project. */
static void
test_shared (void)
{
  const char *shared = g_getenv ("INFER_SHARED");
  g_autofree char *folder =
      shared != NULL
          ? g_build_filename (shared, "models", NULL)
          : g_build_filename (SOURCE_ROOT, "..", "shared", "models", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, "model.xml", NULL);

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
    g_assert_no_error (error);
    check (model);
    n++;
  }
  if (n == 0)
    g_test_skip ("there are no models beside the project");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/writer/loop", test_loop);
  g_test_add_func ("/writer/no-ir", test_no_ir);
  g_test_add_func ("/writer/texts", test_texts);
  g_test_add_func ("/writer/onnx", test_onnx);
  g_test_add_func ("/writer/refused", test_refused);
  g_test_add_func ("/writer/shared", test_shared);
  return g_test_run ();
}
