/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading IR; inputs, outputs, variables and information of models. */

#include "inference/graph/model-private.h"
#include "inference/graph/op.h"
#include "tests/check/support/ir.h"

#include <glib/gstdio.h>
#include <string.h>

/* x + w → sum; the layers are not in order. */
#define ADD_NET(version, rest)                                                 \
  IR_NET (version,                                                             \
      IR_RESULT (7, "out") IR_BINARY (900000, "sum", "Add") IR_PARAMETER (     \
          1, "x", "f32", "?,3") IR_CONST (3, "w", "f32", "1,3", "4", "12"),    \
      IR_EDGE (1, 0, 900000, 0) IR_EDGE (3, 0, 900000, 1)                      \
          IR_EDGE (900000, 2, 7, 0),                                           \
      rest)

static const float weights[] = { 9, 1, 2, 3 };

static void
assert_shape (const InferShape *shape, const char *want)
{
  g_autofree char *text = infer_shape_to_string (shape);

  g_assert_cmpstr (text, ==, want);
}

static void
test_ports (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (ADD_NET ("11", ""), weights, sizeof weights);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (infer_model_get_ir_version (model), ==, 11);
  g_assert_cmpstr (infer_model_get_name (model), ==, "test");
  g_assert_cmpuint (infer_model_n_inputs (model), ==, 1);
  g_assert_cmpuint (infer_model_n_outputs (model), ==, 1);
  assert_shape (&infer_model_input_desc (model, 0)->shape, "[?,3]");
  assert_shape (&infer_model_output_desc (model, 0)->shape, "[?,3]");
  g_assert_cmpint (
      infer_model_output_desc (model, 0)->type, ==, INFER_TYPE_F32);
  g_assert_cmpstr (infer_model_output_name (model, 0), ==, "sum");
  g_assert_cmpint (infer_model_find_output (model, "sum", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_output (model, "out", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_output (model, "0", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_input (model, "y", &error), ==, -1);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "'x'"));
}

/* Layers in any order are sorted; constants point into the weights. */
static void
test_order_and_weights (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (ADD_NET ("11", ""), weights, sizeof weights);
  const InferGraph *graph = infer_model_get_graph (model);

  g_assert_cmpuint (graph->operations->len, ==, 4);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    g_assert_cmpuint (op->index, ==, i);
    for (guint k = 0; k < op->n_inputs; k++)
      g_assert_cmpuint (op->inputs[k].op->index, <, i);
    if (op->value != NULL)
      g_assert_cmpfloat (((const float *) op->value->data)[0], ==, 1);
  }
}

static void
test_reshape (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (ADD_NET ("11", ""), weights, sizeof weights);
  g_autoptr (InferModel) fixed = NULL, wrong = NULL;
  g_autoptr (GError) error = NULL;
  const guint input = 0, beyond = 1;
  InferShape shape = infer_shape_make (2, (gint64) 5, (gint64) 3);

  fixed = infer_model_reshape (model, 1, &input, &shape, &error);
  g_assert_no_error (error);
  assert_shape (&infer_model_output_desc (fixed, 0)->shape, "[5,3]");
  assert_shape (&infer_model_output_desc (model, 0)->shape, "[?,3]");

  shape = infer_shape_make (2, (gint64) 5, (gint64) 4);
  wrong = infer_model_reshape (model, 1, &input, &shape, &error);
  g_assert_null (wrong);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
  g_clear_error (&error);
  wrong = infer_model_reshape (model, 1, &beyond, &shape, &error);
  g_assert_null (wrong);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

static void
test_add_outputs (void)
{
  const char *const ports[] = { "w", "sum:0", NULL };
  const char *const absent[] = { "nobody", NULL };
  const char *const beyond[] = { "sum:1", NULL };
  g_autoptr (InferModel) model =
      ir_load_good (ADD_NET ("11", ""), weights, sizeof weights);
  g_autoptr (GError) error = NULL;

  g_autoptr (InferModel) more = infer_model_add_outputs (model, ports, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (infer_model_n_outputs (more), ==, 3);
  g_assert_cmpstr (infer_model_output_name (more, 1), ==, "w");
  assert_shape (&infer_model_output_desc (more, 1)->shape, "[1,3]");
  g_assert_cmpint (infer_model_find_output (more, "sum:0", NULL), ==, 2);

  g_assert_null (infer_model_add_outputs (model, absent, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (infer_model_add_outputs (model, beyond, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
}

static void
test_names (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (IR_NET ("11",
                        IR_LAYER (0, "in", "Parameter", "opset1",
                            IR_DATA ("element_type=\"f32\" shape=\"\""), "",
                            IR_NAMED_PORT (0, "a\\,b,c")) IR_RESULT (1, "r"),
                        IR_EDGE (0, 0, 1, 0), ""),
          NULL, 0);

  g_assert_cmpstr (infer_model_input_name (model, 0), ==, "a,b");
  g_assert_cmpint (infer_model_find_input (model, "c", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_input (model, "in", NULL), ==, 0);
  g_assert_cmpint (infer_model_find_output (model, "r", NULL), ==, 0);
}

static void
test_rt_info (void)
{
  g_autoptr (InferModel) model = ir_load_good (
      ADD_NET ("11",
          "<rt_info><model_info><labels value=\"&lt;a> b\"/></model_info>"
          "<x><y><z value=\"1\"/></y></x><empty/></rt_info>"),
      weights, sizeof weights);

  g_assert_cmpstr (infer_model_get_info (model, "labels"), ==, "<a> b");
  g_assert_cmpstr (infer_model_get_rt_info (model, "x/y/z"), ==, "1");
  g_assert_null (infer_model_get_rt_info (model, "empty"));
}

/* OpenVINO shows i64 results as i32 and f16 ports as f32 in IR v10. */
static void
test_v10_edges (void)
{
  g_autoptr (InferModel) model = ir_load_good (
      IR_NET ("10",
          IR_PARAMETER (0, "a", "f16", "2") IR_PARAMETER (1, "b", "i64", "2")
              IR_RESULT (2, "ra") IR_RESULT (3, "rb"),
          IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 3, 0), ""),
      NULL, 0);

  g_assert_cmpint (infer_model_input_desc (model, 0)->type, ==, INFER_TYPE_F32);
  g_assert_cmpint (infer_model_input_desc (model, 1)->type, ==, INFER_TYPE_I64);
  g_assert_cmpint (
      infer_model_output_desc (model, 0)->type, ==, INFER_TYPE_F32);
  g_assert_cmpint (
      infer_model_output_desc (model, 1)->type, ==, INFER_TYPE_I32);
}

/* --- variables --- */

#define READ(id, data)                                                         \
  IR_LAYER (id, "read", "ReadValue", "opset6", IR_DATA (data), IR_PORT (0),    \
      IR_PORT (1))
#define ASSIGN(id, data)                                                       \
  IR_LAYER (id, "save", "Assign", "opset6", IR_DATA (data), IR_PORT (0), "")
#define STATE_NET(read, save, type)                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", type, "1,3") IR_PARAMETER (1, "i", "f32", "1,3")   \
          READ (2, read) ASSIGN (3, save) IR_RESULT (4, "r"),                  \
      IR_EDGE (1, 0, 2, 0) IR_EDGE (0, 0, 3, 0) IR_EDGE (2, 1, 4, 0), "")

static void
test_variables (void)
{
  g_autoptr (InferModel) model = ir_load_good (
      STATE_NET (
          "variable_id=\"v\" variable_type=\"f32\" variable_shape=\"1,?\"",
          "variable_id=\"v\"", "f32"),
      NULL, 0);
  const InferVariable *variable = infer_model_variable (model, 0);

  g_assert_cmpuint (infer_model_n_variables (model), ==, 1);
  g_assert_cmpstr (variable->name, ==, "v");
  g_assert_true (variable->assigned);
  assert_shape (&variable->desc.shape, "[1,?]");
  g_assert_cmpint (infer_model_find_variable (model, "v"), ==, 0);
  g_assert_cmpint (infer_model_find_variable (model, "w"), ==, -1);
}

static void
test_bad_variables (void)
{
  ir_load_bad (STATE_NET ("variable_id=\"v\"", "variable_id=\"w\"", "f32"),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "no ReadValue");
  ir_load_bad (STATE_NET ("variable_id=\"v\"", "variable_id=\"v\"", "i32"),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "variable 'v'");
  ir_load_bad (STATE_NET ("", "variable_id=\"v\"", "f32"), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "variable_id");
}

/* A variable without type and shape takes those of its initial value. */
static void
test_variable_like_initial (void)
{
  g_autoptr (InferModel) model =
      ir_load_good (STATE_NET ("variable_id=\"v\" variable_type=\"dynamic\" "
                               "variable_shape=\"...\"",
                        "variable_id=\"v\"", "f32"),
          NULL, 0);

  assert_shape (&infer_model_output_desc (model, 0)->shape, "[1,3]");
}

/* The model of OpenVINO's own documentation of states. */
static const char summator[] =
    "<?xml version=\"1.0\" ?><net name=\"summator\" version=\"10\"><layers>"
    "<layer id=\"0\" name=\"init_value\" type=\"Const\" version=\"opset6\">"
    "<data element_type=\"f32\" offset=\"0\" shape=\"1,1\" size=\"4\"/>"
    "<output><port id=\"1\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"1\" name=\"read\" type=\"ReadValue\" version=\"opset6\">"
    "<data variable_id=\"id\"/><input><port id=\"0\"><dim>1</dim><dim>1</dim>"
    "</port></input><output><port id=\"1\" precision=\"FP32\"><dim>1</dim>"
    "<dim>1</dim></port></output></layer>"
    "<layer id=\"2\" name=\"input\" type=\"Parameter\" version=\"opset6\">"
    "<data element_type=\"f32\" shape=\"1,1\"/><output><port id=\"0\" "
    "precision=\"FP32\"><dim>1</dim><dim>1</dim></port></output></layer>"
    "<layer id=\"3\" name=\"add_sum\" type=\"Add\" version=\"opset6\"><input>"
    "<port id=\"0\"/><port id=\"1\"/></input><output><port id=\"2\" "
    "precision=\"FP32\"/></output></layer>"
    "<layer id=\"4\" name=\"save\" type=\"Assign\" version=\"opset6\">"
    "<data variable_id=\"id\"/><input><port id=\"0\"/></input></layer>"
    "<layer id=\"10\" name=\"add\" type=\"Add\" version=\"opset6\">"
    "<data axis=\"1\"/><input><port id=\"0\"/><port id=\"1\"/></input><output>"
    "<port id=\"2\" precision=\"FP32\"/></output></layer>"
    "<layer id=\"5\" name=\"output/sink_port_0\" type=\"Result\" "
    "version=\"opset6\"><input><port id=\"0\"/></input></layer></layers><edges>"
    "<edge from-layer=\"0\" from-port=\"1\" to-layer=\"1\" to-port=\"0\"/>"
    "<edge from-layer=\"2\" from-port=\"0\" to-layer=\"3\" to-port=\"1\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"3\" to-port=\"0\"/>"
    "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>"
    "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"10\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"10\" to-port=\"1\"/>"
    "<edge from-layer=\"10\" from-port=\"2\" to-layer=\"5\" to-port=\"0\"/>"
    "</edges><meta_data><MO_version value=\"unknown version\"/>"
    "<cli_parameters></cli_parameters></meta_data></net>";

static void
test_summator_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("infer-model-XXXXXX", &error);
  g_autofree char *xml = g_build_filename (dir, "summator.xml", NULL);
  g_autofree char *bin = g_build_filename (dir, "summator.bin", NULL);
  g_autoptr (InferModel) missing = NULL, model = NULL;

  g_assert_true (g_file_set_contents (xml, summator, -1, NULL));
  missing = infer_model_load (xml, NULL, &error);
  g_assert_null (missing);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "summator.bin"));
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (bin, "\0\0\0\0", 4, NULL));
  model = infer_model_load (xml, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (infer_model_get_path (model), ==, xml);
  g_assert_cmpstr (infer_model_variable (model, 0)->name, ==, "id");
  g_assert_cmpstr (infer_model_input_name (model, 0), ==, "input");
  g_assert_cmpstr (infer_model_output_name (model, 0), ==, "add");
  assert_shape (&infer_model_output_desc (model, 0)->shape, "[1,1]");
  g_assert_null (infer_model_load ("/nonexistent.xml", NULL, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_unlink (xml);
  g_unlink (bin);
  g_rmdir (dir);
}

/* --- what is refused --- */

static void
test_xml (void)
{
  ir_load_bad ("", NULL, 0, INFER_ERROR_INVALID_MODEL, "empty");
  ir_load_bad ("<net", NULL, 0, INFER_ERROR_INVALID_MODEL, "line 1");
  ir_load_bad ("\xff\xfe<", NULL, 0, INFER_ERROR_INVALID_MODEL, "UTF-8");
  ir_load_bad ("<!DOCTYPE net [<!ENTITY a \"b\">]><net version=\"11\"/>", NULL,
      0, INFER_ERROR_INVALID_MODEL, "document type");
  ir_load_bad ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
               "<net version=\"11\"/>",
      NULL, 0, INFER_ERROR_INVALID_MODEL, "ISO-8859-1");
  ir_load_bad ("<model/>", NULL, 0, INFER_ERROR_INVALID_MODEL, "<model>");
  ir_load_bad ("<net/>", NULL, 0, INFER_ERROR_INVALID_MODEL, "version");
  ir_load_bad ("<net version=\"9\"/>", NULL, 0, INFER_ERROR_UNSUPPORTED, "'9'");
  ir_load_bad (
      "<net version=\"11\"/>", NULL, 0, INFER_ERROR_INVALID_MODEL, "<layers>");
}

static void
test_deep_xml (void)
{
  g_autoptr (GString) xml = g_string_new ("<net version=\"11\">");

  for (guint i = 0; i < 5000; i++)
    g_string_append (xml, "<a>");
  ir_load_bad (xml->str, NULL, 0, INFER_ERROR_INVALID_MODEL, "depth");
}

static void
test_edges (void)
{
  ir_load_bad (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "1") IR_UNARY (1, "a", "Abs")
              IR_UNARY (2, "b", "Abs") IR_RESULT (3, "r"),
          IR_EDGE (2, 1, 1, 0) IR_EDGE (1, 1, 2, 0) IR_EDGE (0, 0, 3, 0), ""),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "cycle");
  ir_load_bad (IR_NET ("11",
                   IR_PARAMETER (0, "x", "f32", "1") IR_UNARY (1, "a", "Abs")
                       IR_RESULT (3, "r"),
                   IR_EDGE (0, 0, 3, 0), ""),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "'a' (Abs opset1)");
  ir_load_bad (
      IR_NET ("11", IR_PARAMETER (0, "x", "f32", "1") IR_RESULT (3, "r"),
          IR_EDGE (0, 0, 3, 0) IR_EDGE (0, 0, 3, 0), ""),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "another edge");
  ir_load_bad (IR_NET ("11",
                   IR_PARAMETER (0, "x", "f32", "1")
                       IR_PARAMETER (0, "y", "f32", "1") IR_RESULT (3, "r"),
                   IR_EDGE (0, 0, 3, 0), ""),
      NULL, 0, INFER_ERROR_INVALID_MODEL, "two layers");
}

/* All unknown operations at once, each type once, with its count. */
static void
test_unknown_operations (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = ir_load (
      IR_NET ("11",
          IR_PARAMETER (0, "x", "f32", "1") IR_UNARY (1, "a", "Frobnicate")
              IR_UNARY (2, "b", "Frobnicate") IR_UNARY (3, "c", "Twiddle")
                  IR_UNARY (4, "d", "Sign") IR_RESULT (5, "r"),
          "", ""),
      NULL, 0, &error);

  g_assert_null (model);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "2 operation types"));
  g_assert_nonnull (strstr (error->message, "Frobnicate opset1"));
  g_assert_nonnull (strstr (error->message, "2×"));
  g_assert_nonnull (strstr (error->message, "Twiddle opset1"));
  g_assert_null (strstr (error->message, "Sign"));
}

static void
test_constants (void)
{
  ir_load_bad (ADD_NET ("11", ""), weights, 15, INFER_ERROR_INVALID_MODEL,
      "'w' (Const opset1)");
  ir_load_bad (ADD_NET ("11", ""), NULL, 0, INFER_ERROR_INVALID_MODEL,
      "'w' (Const opset1)");
}

/* --- classes --- */

static void
test_classes (void)
{
  const InferOpClass *klass = infer_op_class_find ("READVALUE");

  g_assert_nonnull (klass);
  g_assert_cmpuint (infer_op_class_version (klass, 2), ==, 0);
  g_assert_cmpuint (infer_op_class_version (klass, 5), ==, 3);
  g_assert_cmpuint (infer_op_class_version (klass, 13), ==, 6);
  g_assert_true (
      infer_op_class_find ("Constant") == infer_op_class_find ("Const"));
  g_assert_null (infer_op_class_find ("Frobnicate"));
}

/* The name in traces is the file's, not the converter's. */
static void
test_label (void)
{
  static const char *const labels[][2] = {
    { "/models/yolo11n.xml", "yolo11n" },
    { "yolo11n.xml", "yolo11n" },
    { "/models/gtcrn/model.xml", "gtcrn" },
    { "gtcrn/openvino_model.xml", "gtcrn" },
    { "model.xml", "model" },
    { "/models/yolo11n.onnx", "yolo11n" },
    { "/models/gtcrn/model.onnx", "gtcrn" },
    { "model.onnx", "model" },
    { "/models/a.xml.onnx", "a.xml" },
    { "model in memory", "model in memory" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    g_autoptr (InferModel) model =
        infer_model_new ("torch_jit", labels[i][0], 11);
    g_autofree char *label = infer_model_label (model);

    g_assert_cmpstr (label, ==, labels[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/ports", test_ports);
  g_test_add_func ("/model/order-and-weights", test_order_and_weights);
  g_test_add_func ("/model/reshape", test_reshape);
  g_test_add_func ("/model/add-outputs", test_add_outputs);
  g_test_add_func ("/model/names", test_names);
  g_test_add_func ("/model/rt-info", test_rt_info);
  g_test_add_func ("/model/v10-edges", test_v10_edges);
  g_test_add_func ("/model/variables", test_variables);
  g_test_add_func ("/model/bad-variables", test_bad_variables);
  g_test_add_func ("/model/variable-like-initial", test_variable_like_initial);
  g_test_add_func ("/model/summator-file", test_summator_file);
  g_test_add_func ("/model/xml", test_xml);
  g_test_add_func ("/model/deep-xml", test_deep_xml);
  g_test_add_func ("/model/edges", test_edges);
  g_test_add_func ("/model/unknown-operations", test_unknown_operations);
  g_test_add_func ("/model/constants", test_constants);
  g_test_add_func ("/model/classes", test_classes);
  g_test_add_func ("/model/label", test_label);
  return g_test_run ();
}
