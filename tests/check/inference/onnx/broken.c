/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Broken ONNX files: each is refused with one clear line. */

#include <glib/gstdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check/support/onnx.h"
#include "tests/check/support/process.h"

#define LEAST_CASES 300

static guint n_refused, n_cut;

/* --- refusing --- */

/* @what: the file, for messages; @part: of the message, nullable. */
static void
check_refused (const InferModel *model, const GError *error, const char *name,
    const char *part, const char *what)
{
  if (model != NULL || error == NULL) {
    g_test_fail_printf ("it was read: %s", what);
    return;
  }
  g_assert_true (error->domain == INFER_ERROR);
  if (strstr (error->message, name) == NULL || strchr (error->message, '\n')
      || strlen (error->message) > 1000
      || (part != NULL && strstr (error->message, part) == NULL)
      || !g_utf8_validate (error->message, -1, NULL))
    g_test_fail_printf ("not one line about '%s' that says '%s': '%s' of %s",
        name, part != NULL ? part : "", error->message, what);
  n_refused++;
}

static void
refuse_bytes (const void *data, gsize size, const char *part, const char *what)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load_bytes (bytes, NULL, "broken.onnx", &error);

  check_refused (model, error, "broken.onnx", part, what);
}

static void
refuse (const char *text, const char *part)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);

  refuse_bytes (data, size, part, text);
}

/* --- models to break --- */

#define X ONNX_INPUT ("x", ONNX_F32, ONNX_D (2))
#define Y ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (2))
#define RELU ONNX_NODE ("Relu", ONNX_I ("x"), ONNX_O ("y"), "")
#define ADD_W ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("w"), ONNX_O ("y"), "")
/* x + w. */
#define WITH_WEIGHT(tensor) ONNX_MODEL (ADD_W tensor X Y)

static const char *const good[] = {
  ONNX_MODEL (RELU X Y),
  WITH_WEIGHT (ONNX_INITIALIZER ("w", ONNX_F32, "1=2 9#0000803f00000040")),
  ONNX_MODEL (ONNX_NODE ("If", ONNX_I ("c"), ONNX_O ("y"),
      ONNX_GRAPH ("then_branch", ONNX_NODE ("Relu", ONNX_I ("x"), ONNX_O ("a"),
                                     "") ONNX_OUTPUT ("a", ONNX_F32, ""))
          ONNX_GRAPH ("else_branch",
              ONNX_NODE ("Abs", ONNX_I ("x"), ONNX_O ("b"), "") ONNX_OUTPUT (
                  "b", ONNX_F32, ""))) X ONNX_INPUT ("c", ONNX_BOOL, "") Y),
  /* An optional tensor is one that is given. */
  ONNX_MODEL (ONNX_NODE ("OptionalGetElement", ONNX_I ("x"), ONNX_O ("g"), "")
          ONNX_NODE ("Relu", ONNX_I ("g"), ONNX_O ("y"),
              "") "11{1'x' 2{9{1{1{1=1 2{1{1=2}}}}}}}" Y),
};

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (InferModel) model = onnx_text_load (good[i]);

    g_assert_cmpuint (infer_model_n_outputs (model), ==, 1);
  }
}

/* --- the wire format --- */

static void
test_truncated (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GBytes) bytes = onnx_text_bytes (good[i]);
    gsize size;
    const void *data = g_bytes_get_data (bytes, &size);

    for (gsize n = 0; n < size; n++)
      refuse_bytes (data, n, NULL, good[i]);
    n_cut += (guint) size;
  }
}

static void
test_wire (void)
{
  static const char *const cases[][2] = {
    /* Numbers of 10 bytes that are above 64 bits, and of 11. */
    { "1=8 0!08ffffffffffffffffff7f", "a number is too long" },
    { "1=8 0!08ffffffffffffffffffff01", "a number is too long" },
    { "1=8 7{0!08ffffffffffffffffffff01}", "a number is too long" },
    /* Keys and lengths, too. */
    { "1=8 0!ffffffffffffffffffff01", NULL },
    { "1=8 0!3affffffffffffffffff01", NULL },
    { "1=8 0!3affffffffffffffffffff01", NULL },
    { "1=8 0!3a8080808080808080800100", NULL },
    { "1=8 0!3a80", NULL },
    { "1=8 0!3aff7f", "longer than what is left" },
    { "1=8 7{0!0aff7f}", "longer than what is left" },
    { "1=8 7{1{0!0aff7f}}", "longer than what is left" },
    /* Field 0, wire types of groups and none. */
    { "1=8 0!0001", "that does not exist" },
    { "1=8 0!0b", "wire type" },
    { "1=8 0!0c", "wire type" },
    { "1=8 0!0e", "wire type" },
    { "1=8 0!0f", "wire type" },
    { "1=8 7{0!0b}", "wire type" },
    { "1=8 7{1{0!0e}}", "wire type" },
    /* Fixed numbers that are cut. */
    { "1=8 0!0d0000", NULL },
    { "1=8 0!0900000000", NULL },
    /* Fields of other wire types. */
    { "1=8 8{2=13} 7=3", "no graph" },
    { ONNX_MODEL ("1=3 " X Y), "malformed" },
    { ONNX_MODEL (RELU X "11=3 " Y), "malformed" },
    { ONNX_MODEL (RELU X Y "12=3"), "malformed" },
    { ONNX_MODEL (RELU X Y "5=3"), "malformed" },
    { WITH_WEIGHT ("5{8'w' 2{1=1} 1=2 9#0000803f00000040}"), "malformed" },
    { WITH_WEIGHT ("5{8'w' 2=1 1{} 9=3}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 4=3 4=4}"), "malformed" },
    { WITH_WEIGHT ("5{8'w' 2=1 1#ff 4~1 4~2}"), "malformed" },
    { "1=8", "no graph" },
    { "1=8 8{2=13} 7{}", "no output" },
    { "1=8 14{0!0aff}", NULL },
    { "1=8 8{0!0aff}", NULL },
    { "1=8 25{0!0aff}", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse (cases[i][0], cases[i][1]);
}

/* --- the header --- */

static void
test_header (void)
{
  static const char *const cases[][2] = {
    { "1=1 8{2=13} 7{" RELU X Y "}", "IR version 1" },
    { "1=2 8{2=13} 7{" RELU X Y "}", "IR version 2" },
    { "1=8 8{2=29} 7{" RELU X Y "}", "opset 29 " },
    { "1=8 8{2=1} 7{1{1'x'2'y'3'Tile'4'Tile'}" X Y "}", "Tile before opset 6" },
    { "1=8 8{2=1000} 7{" RELU X Y "}", "opset 1000" },
    { "1=8 8{2=-1} 7{" RELU X Y "}", NULL },
    { "1=8 8{2=9223372036854775807} 7{" RELU X Y "}", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse (cases[i][0], cases[i][1]);
}

/* --- names --- */

#define NO_INPUTS                                                              \
  ONNX_NODE ("Constant", "", ONNX_O ("d"), ONNX_TENSOR ("value", "2=9 5=1"))   \
  ONNX_NODE ("Relu", ONNX_I ("x"), ONNX_O ("z"), "")                           \
  ONNX_OUTPUT ("d", ONNX_BOOL, "") ONNX_OUTPUT ("z", ONNX_F32, ONNX_D (2))

static void
test_names (void)
{
  static const char *const cases[][2] = {
    { ONNX_MODEL (RELU Y), "x" },
    { ONNX_MODEL (ONNX_NODE ("Relu", ONNX_I ("z"), ONNX_O ("y"), "") X Y),
        "z" },
    { ONNX_MODEL (RELU X ONNX_OUTPUT ("nobody", ONNX_F32, "")), "nobody" },
    { ONNX_MODEL (RELU X), "no output" },
    { ONNX_MODEL (RELU RELU X Y), "y" },
    { ONNX_MODEL (RELU X X Y), "x" },
    /* Cycles: of one node, of two. */
    { ONNX_MODEL (ONNX_NODE ("Relu", ONNX_I ("y"), ONNX_O ("y"), "") X Y),
        "y" },
    { ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("b"), ONNX_O ("a"), "")
              ONNX_NODE ("Relu", ONNX_I ("a"), ONNX_O ("b"), "")
                  ONNX_NODE ("Relu", ONNX_I ("b"), ONNX_O ("y"), "") X Y),
        "b" },
    /* A body's value is not seen outside, nor one of the other body. */
    { ONNX_MODEL (ONNX_NODE ("If", ONNX_I ("c"), ONNX_O ("y"),
          ONNX_GRAPH ("then_branch",
              ONNX_NODE ("Relu", ONNX_I ("x"), ONNX_O ("a"), "")
                  ONNX_OUTPUT ("a", ONNX_F32, "")) ONNX_GRAPH ("else_branch",
              ONNX_NODE ("Abs", ONNX_I ("a"), ONNX_O ("b"), "") ONNX_OUTPUT (
                  "b", ONNX_F32, ""))) X ONNX_INPUT ("c", ONNX_BOOL, "") Y),
        "a" },
    { ONNX_MODEL (ONNX_NODE ("Nonsense", ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "Nonsense" },
    { ONNX_MODEL ("1{1'x' 2'y' 4'Relu' 7'no.such.domain'}" X Y), "no.such" },
    { ONNX_MODEL ("1{1'x' 2'y'}" X Y), NULL },
    { ONNX_MODEL ("1{1'x' 4'Relu'}" X Y), "no outputs" },
    { ONNX_MODEL ("1{1'x' 4'Split'}" X ONNX_OUTPUT ("x", ONNX_F32, "")),
        "no outputs" },
    { ONNX_MODEL (ONNX_NODE ("LinearAttention",
          ONNX_I ("q") ONNX_I ("") ONNX_I ("q"), ONNX_O ("y") ONNX_O ("s"),
          ONNX_INT ("q_num_heads", 1) ONNX_INT ("kv_num_heads",
              1) "5{1'update_rule' 4'linear' 20=3}") ONNX_INPUT ("q", ONNX_F32,
          ONNX_D (1) ONNX_D (1) ONNX_D (2)) ONNX_OUTPUT ("y", ONNX_F32, "")),
        "LinearAttention" },
    { ONNX_MODEL ("1{1'x' 2'y' 4#52ff}" X Y), NULL },
    { ONNX_MODEL ("1{1#ff 2'y' 4'Relu'}" X Y), NULL },
    { ONNX_MODEL (ONNX_NODE ("If", ONNX_I ("c"), ONNX_O ("y"), "")
              X ONNX_INPUT ("c", ONNX_BOOL, "") Y),
        "then_branch" },
    { ONNX_MODEL (ONNX_NODE (
          "Loop", ONNX_I ("") ONNX_I ("") ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "body" },
    { ONNX_MODEL (ONNX_NODE ("Scan", ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        NULL },
    /* Bodies with fewer inputs than there are values for. */
    { ONNX_MODEL (ONNX_NODE ("Loop", ONNX_I ("") ONNX_I ("c") ONNX_I ("x"),
          ONNX_O ("y"), ONNX_GRAPH ("body", NO_INPUTS))
              X ONNX_INPUT ("c", ONNX_BOOL, "") Y),
        "its graph 'body' has 0 inputs, 3 are given" },
    { ONNX_MODEL (ONNX_NODE ("Scan", ONNX_I ("x") ONNX_I ("x"), ONNX_O ("y"),
          ONNX_INT ("num_scan_inputs", 1) ONNX_GRAPH ("body", NO_INPUTS)) X Y),
        "its graph 'body' has 0 inputs, 2 are given" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse (cases[i][0], cases[i][1]);
}

/* --- types, shapes, values --- */

static void
test_tensors (void)
{
  static const char *const cases[][2] = {
    { WITH_WEIGHT ("5{8'w' 2=99 1=2 9#0000}"), "element type 99" },
    { WITH_WEIGHT ("5{8'w' 2=-1 1=2 9#0000}"), "element type" },
    { WITH_WEIGHT ("5{8'w' 2=0 1=2 9#0000}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=8 1=1 6'text'}"), "string" },
    { WITH_WEIGHT ("5{8'w' 2=14 1=1 9#0000000000000000}"), "complex64" },
    { WITH_WEIGHT ("5{8'w' 2=15 1=1 9#00000000000000000000000000000000}"),
        "complex128" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 9#0000803f}"), "w" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 9#0000803f0000803f00}"), "w" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2}"), "w" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 4~1}"), "1 values" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 4~1 4~2 4~3}"), "3 values" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=2 7=1 7=2}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=1 1=-2 4~1 4~2}"), "dimension -2" },
    { WITH_WEIGHT ("5{8'w' 2=1 1=1099511627776 1=1099511627776 9#00}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=1 1=9223372036854775807 9#00000000}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=1 1=4611686018427387904 1=4 9#}"), NULL },
    { WITH_WEIGHT ("5{8'w' 2=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 1=1 "
                   "1=1 1=1 1=1 1=1 1=1 1=1 4~1}"),
        "rank" },
    { WITH_WEIGHT ("5{8'w' 2=21 1=3 9#00}"), "w" },
    { WITH_WEIGHT ("5{8#ff 2=1 1=1 4~1}"), NULL },
    { WITH_WEIGHT ("15{1{8'w' 2=1 1=1 4~1} 2{2=7 1=1 7=5} 3=2}"), "sparse" },
    { WITH_WEIGHT ("15{1{8'w' 2=1 1=1 4~1} 2{2=7 1=1 7=-1} 3=2}"), "sparse" },
    { WITH_WEIGHT ("15{1{8'w' 2=1 1=1 4~1} 3=2}"), "sparse" },
    { WITH_WEIGHT ("15{2{2=7 1=1 7=0} 3=2}"), "sparse" },
    { WITH_WEIGHT ("15{1{8'w' 2=1 1=2 4~1 4~2} 2{2=7 1=1 7=0} 3=2}"),
        "sparse" },
    /* Types of inputs. */
    { ONNX_MODEL (RELU ONNX_INPUT ("x", "99", ONNX_D (2)) Y), "99" },
    /* Products of these are no longer numbers. */
    { ONNX_MODEL (ONNX_NODE ("GRU", ONNX_I ("r") ONNX_I ("r") ONNX_I ("r"),
          ONNX_O ("y"), ONNX_INT ("hidden_size", 4611686018427387904))
              ONNX_INPUT ("r", ONNX_F32, ONNX_D (1) ONNX_D (3) ONNX_D (1)) Y),
        "its hidden_size is out of range: 4611686018427387904" },
    { ONNX_MODEL (
          ONNX_NODE ("ConvTranspose", ONNX_I ("r") ONNX_I ("r"), ONNX_O ("y"),
              "5{1'auto_pad' 4'SAME_UPPER' 20=3} "
              "5{1'strides' 8=-9223372036854775808 20=7}")
              ONNX_INPUT ("r", ONNX_F32, ONNX_D (1) ONNX_D (1) ONNX_D (1)) Y),
        "its strides is out of range: -9223372036854775808" },
    /* Its length plus two is no longer a number. */
    { ONNX_MODEL (ONNX_NODE ("Split", ONNX_I ("x"), ONNX_O ("y") ONNX_O ("b"),
          "") ONNX_INPUT ("x", ONNX_F32, ONNX_D (9223372036854775807)) Y),
        "the dimension 9223372036854775807 is too large" },
    { ONNX_MODEL (ONNX_NODE ("Expand", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("y"),
          "") ONNX_INITIALIZER ("s", ONNX_I64, "1=1 7=9223372036854775806")
              ONNX_INPUT ("x", ONNX_F32, ONNX_D (1)) Y),
        "the dimension 9223372036854775806 is too large" },
    { ONNX_MODEL (RELU ONNX_INPUT ("x", "8", ONNX_D (2)) Y), "string" },
    { ONNX_MODEL (RELU "11{1'x' 2{4{1{1{1=1}}}}}" Y), "sequence" },
    { ONNX_MODEL (RELU "11{1'x' 2{9{1{9{1{1{1=1}}}}}}}" Y), "optional" },
    { ONNX_MODEL (RELU "11{1'x' 2{9{1{4{1{1{1=1}}}}}}}" Y), "sequence" },
    { ONNX_MODEL (RELU "11{1'x' 2{9{}}}" Y), "optional" },
    { ONNX_MODEL (RELU "11{1'x' 2{9{0!0aff}}}" Y), "longer" },
    { ONNX_MODEL (RELU "11{1'x' 2{5{1=7 2{1{1=1}}}}}" Y), "map" },
    { ONNX_MODEL (RELU "11{1'x' 2{1{1=1 2{0!0aff}}}}" Y), NULL },
    { ONNX_MODEL (RELU ONNX_INPUT ("x", ONNX_F32,
          "1{} 1{} 1{} 1{} 1{} 1{} "
          "1{} 1{} 1{} 1{} 1{} 1{} 1{} 1{} 1{} 1{} 1{}") Y),
        "rank" },
    /* Types and shapes that operations do not take. */
    { ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("i"), ONNX_O ("y"), "")
              X ONNX_INPUT ("i", ONNX_I64, ONNX_D (2)) Y),
        "Add" },
    { ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("z"), ONNX_O ("y"), "")
              X ONNX_INPUT ("z", ONNX_F32, ONNX_D (3)) Y),
        "Add" },
    { ONNX_MODEL (ONNX_NODE ("MatMul", ONNX_I ("x") ONNX_I ("z"), ONNX_O ("y"),
          "") X ONNX_INPUT ("z", ONNX_F32, ONNX_D (3)) Y),
        "MatMul" },
    { ONNX_MODEL (ONNX_NODE ("Not", ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "Not" },
    { ONNX_MODEL (
          ONNX_NODE ("And", ONNX_I ("x") ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "And" },
    { ONNX_MODEL (ONNX_NODE (
          "Cast", ONNX_I ("x"), ONNX_O ("y"), ONNX_INT ("to", 77)) X Y),
        "77" },
    { ONNX_MODEL (ONNX_NODE ("Reshape", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("y"),
          "") ONNX_INITIALIZER ("s", ONNX_I64, "1=1 7=3") X Y),
        "Reshape" },
    { ONNX_MODEL (ONNX_NODE ("Expand", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("y"),
          "") ONNX_INITIALIZER ("s", ONNX_I64, "1=1 7=-5") X Y),
        "Expand" },
    { ONNX_MODEL (ONNX_NODE ("Expand", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("y"),
          "") ONNX_INITIALIZER ("s", ONNX_I64,
          "1=3 7=4611686018427387904 7=4 7=2") X Y),
        "Expand" },
    { ONNX_MODEL (ONNX_NODE ("Tile", ONNX_I ("x") ONNX_I ("s"), ONNX_O ("y"),
          "") ONNX_INITIALIZER ("s", ONNX_I64, "1=1 7=9223372036854775807")
              X Y),
        "Tile" },
    { ONNX_MODEL (ONNX_NODE ("ConstantOfShape", ONNX_I ("s"), ONNX_O ("y"), "")
              ONNX_INITIALIZER ("s", ONNX_I64, "1=2 7=-1 7=4") X Y),
        "ConstantOfShape" },
    { ONNX_MODEL (ONNX_NODE ("ConstantOfShape", ONNX_I ("s"), ONNX_O ("y"), "")
              ONNX_INITIALIZER ("s", ONNX_I64, "1=2 7=4611686018427387904 7=4")
                  X Y),
        "ConstantOfShape" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse (cases[i][0], cases[i][1]);
}

/* --- sequences --- */

#define SEQUENCE                                                               \
  ONNX_NODE ("SequenceConstruct", ONNX_I ("x") ONNX_I ("x"), ONNX_O ("s"), "")

/* A sequence is no tensor, and no output of a model. */
static void
test_sequences (void)
{
  static const char *const cases[][2] = {
    { ONNX_MODEL (
          SEQUENCE ONNX_NODE ("Relu", ONNX_I ("s"), ONNX_O ("y"), "") X Y),
        "its input 0 is a sequence" },
    { ONNX_MODEL (SEQUENCE X ONNX_OUTPUT ("s", ONNX_F32, ONNX_D (2))),
        "output 's' is a sequence" },
    { ONNX_MODEL (SEQUENCE ONNX_NODE (
          "SequenceAt", ONNX_I ("s") ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "its position must be constant" },
    { ONNX_MODEL (
          ONNX_NODE ("SequenceLength", ONNX_I ("x"), ONNX_O ("y"), "") X Y),
        "must be known before it runs" },
    { ONNX_MODEL (SEQUENCE ONNX_NODE ("SequenceAt", ONNX_I ("s") ONNX_I ("k"),
          ONNX_O ("y"), "") ONNX_INITIALIZER ("k", ONNX_I64, "7=2") X Y),
        "there is no position 2 in a sequence of 2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse (cases[i][0], cases[i][1]);
}

/* --- every operation --- */

/* Operations that need an input, without; operations along an axis, along one
 * that does not exist. */
static void
test_operations (void)
{
  static const char types[] =
      "Abs Acos Add And ArgMax ArgMin Asin Atan AveragePool "
      "BatchNormalization BitShift Cast Ceil Celu Clip Compress Concat Conv "
      "ConvInteger ConvTranspose Cos CumSum DepthToSpace DequantizeLinear Div "
      "Dropout DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike "
      "Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm "
      "GlobalAveragePool GlobalMaxPool Greater GridSample GroupNormalization "
      "HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf "
      "IsNaN LRN LSTM LayerNormalization LeakyRelu Less Log LogSoftmax "
      "LpNormalization MatMul MatMulInteger Max MaxPool Mean Min Mish Mod Mul "
      "Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow QLinearConv "
      "QLinearMatMul QuantizeLinear RNN Range Reciprocal ReduceL1 ReduceL2 "
      "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Relu Reshape "
      "Resize ReverseSequence Round STFT ScatterElements ScatterND Selu Shape "
      "Sigmoid Sign Sin Size Slice Softmax Softplus Softsign SpaceToDepth "
      "Split Sqrt Squeeze Sub Tan Tanh Tile TopK Transpose Trilu Unsqueeze "
      "Where Xor AffineGrid BitCast CenterCropPad Col2Im CumProd DFT "
      "DeformConv Det LinearAttention MaxUnpool SequenceAt SequenceErase "
      "SequenceInsert SequenceLength SplitToSequence ConcatFromSequence "
      "SimplifiedLayerNormalization TensorScatter TfIdfVectorizer";
  static const char microsoft[] =
      "Attention BiasGelu DecoderMaskedMultiHeadAttention DynamicQuantizeLSTM "
      "DynamicQuantizeMatMul EmbedLayerNormalization FastGelu FusedConv "
      "FusedGemm FusedMatMul Gelu GroupQueryAttention MatMulIntegerToFloat "
      "MatMulNBits MultiHeadAttention QAttention QGemm QLinearAdd "
      "QLinearAveragePool QLinearConcat QLinearGlobalAveragePool "
      "QLinearLeakyRelu QLinearMul QLinearSigmoid QLinearSoftmax QuickGelu "
      "RotaryEmbedding SkipLayerNormalization "
      "SkipSimplifiedLayerNormalization";
  static const char *const along[] = { "ArgMax", "ArgMin", "Concat", "Flatten",
    "Hardmax", "LogSoftmax", "LpNormalization", "Softmax", "Split" };
  g_auto (GStrv) list = g_strsplit (types, " ", -1);
  g_auto (GStrv) others = g_strsplit (microsoft, " ", -1);

  for (guint i = 0; others[i] != NULL; i++) {
    g_autofree char *none = g_strdup_printf (
        ONNX_MODEL ("1{2'y' 3'the node' 4'%s' 7'com.microsoft'}" X Y),
        others[i]);
    g_autofree char *one = g_strdup_printf (
        ONNX_MODEL ("1{1'x' 2'z' 2'y' 3'the node' 4'%s' 7'com.microsoft' "
                    "5{1'num_heads' 3=9223372036854775807 20=2} "
                    "5{1'kv_num_heads' 3=-1 20=2}}" X Y),
        others[i]);

    refuse (none, others[i]);
    refuse (one, others[i]);
  }
  for (guint i = 0; list[i] != NULL; i++) {
    g_autofree char *text =
        g_strdup_printf (ONNX_MODEL ("1{2'y' 3'the node' 4'%s'}" X Y), list[i]);

    refuse (text, list[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (along); i++)
    for (guint k = 0; k < 2; k++) {
      g_autofree char *text = g_strdup_printf (
          ONNX_MODEL (
              "1{1'x' 2'y' 3'the node' 4'%s' 5{1'axis' 3=%s 20=2}}" X Y),
          along[i], k == 0 ? "17" : "-9223372036854775807");

      refuse (text, along[i]);
    }
}

/* --- nesting --- */

/* A model of @depth branches one inside the other. */
static char *
make_nested (guint depth)
{
  g_autoptr (GString) text =
      g_string_new ("1=8 8{2=13} 7{2'g' " X ONNX_INPUT ("c", ONNX_BOOL, ""));

  for (guint i = 0; i < depth; i++)
    g_string_append (text, "1{1'c' 2'y' 4'If' 5{1'else_branch' 6{" RELU Y
                           "} 20=5} 5{1'then_branch' 6{");
  g_string_append (text, RELU Y);
  for (guint i = 0; i < depth; i++)
    g_string_append (text, "} 20=5}} " Y);
  g_string_append (text, "}");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Functions f0 … that call the next one @calls times each. */
static char *
make_functions (guint depth, guint calls)
{
  g_autoptr (GString) text = g_string_new (
      "1=8 8{2=15} 8{1'f' 2=1} 7{2'g' 1{1'x' 2'y' 4'f0' 7'f'}" X Y "}");

  for (guint i = 0; i < depth; i++) {
    g_string_append_printf (text, "25{1'f%u' 10'f' 4'x' 5'y' 9{2=15}", i);
    for (guint k = 0; k < calls; k++) {
      const gboolean last = i + 1 == depth;

      g_string_append_printf (text, "7{1'%s%.*u' 2'%s%.*u' 4'%s%.*u' 7'%s'}",
          k == 0 ? "x" : "v", k == 0 ? 0 : 1, k, k + 1 == calls ? "y" : "v",
          k + 1 == calls ? 0 : 1, k + 1 == calls ? 0 : k + 1,
          last ? "Relu" : "f", last ? 0 : 1, last ? 0 : i + 1, last ? "" : "f");
    }
    g_string_append (text, "}");
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_nested (void)
{
  static const guint depths[] = { 33, 34, 64, 100, 1000 };
  const gint64 begin = g_get_monotonic_time ();

#ifdef M_PERTURB
  /* Meson fills memory (MALLOC_PERTURB_): at each realloc the rest of the heap,
   * which takes minutes here. */
  mallopt (M_PERTURB, 0);
#endif
  for (guint i = 0; i < G_N_ELEMENTS (depths); i++) {
    g_autofree char *graphs = make_nested (depths[i]);
    g_autofree char *functions = make_functions (depths[i], 1);

    refuse (graphs, NULL);
    refuse (functions, NULL);
  }
  for (guint calls = 10; calls <= 100; calls *= 10) {
    g_autofree char *bomb = make_functions (8, calls);

    refuse (bomb, "nodes");
  }
  /* A function that calls itself, and two that call each other. */
  refuse ("1=8 8{2=15} 8{1'f' 2=1} 7{2'g' 1{1'x' 2'y' 4'f0' 7'f'}" X Y
          "} 25{1'f0' 10'f' 4'x' 5'y' 9{2=15} 9{1'f' 2=1} 7{1'x' 2'y' 4'f0' "
          "7'f'}}",
      "f0");
  refuse ("1=8 8{2=15} 8{1'f' 2=1} 7{2'g' 1{1'x' 2'y' 4'f0' 7'f'}" X Y
          "} 25{1'f0' 10'f' 4'x' 5'y' 9{2=15} 9{1'f' 2=1} 7{1'x' 2'y' 4'f1' "
          "7'f'}} 25{1'f1' 10'f' 4'x' 5'y' 9{2=15} 9{1'f' 2=1} 7{1'x' 2'y' "
          "4'f0' 7'f'}}",
      "f");
  g_assert_cmpint (g_get_monotonic_time () - begin, <,
      (TEST_IS_SANITIZED ? 240 : 60) * G_USEC_PER_SEC);
}

/* --- external data --- */

#define EXTERNAL(entries) WITH_WEIGHT ("5{8'w' 2=1 1=2 14=1 " entries "}")
#define ENTRY(key, value) "13{1'" key "' 2'" value "'}"

static void
refuse_in (const char *folder, const char *text, const char *part)
{
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  check_refused (model, error, path, part, text);
  g_unlink (path);
}

static void
test_external (void)
{
  static const char *const cases[][2] = {
    { EXTERNAL (""), "not named" },
    { EXTERNAL (ENTRY ("offset", "0")), "not named" },
    { EXTERNAL (ENTRY ("location", "")), NULL },
    { EXTERNAL (ENTRY ("location", "../../etc/passwd")), "folder" },
    { EXTERNAL (ENTRY ("location", "../../../../../../etc/passwd")), "folder" },
    { EXTERNAL (ENTRY ("location", "/etc/passwd")), "folder" },
    { EXTERNAL (ENTRY ("location", "inside/../../etc/passwd")), "folder" },
    { EXTERNAL (ENTRY ("location", "..")), "folder" },
    { EXTERNAL (ENTRY ("location", ".")), NULL },
    { EXTERNAL (ENTRY ("location", "inside")), NULL },
    { EXTERNAL (ENTRY ("location", "missing")), "missing" },
    { EXTERNAL (ENTRY ("location", "link")), NULL },
    { EXTERNAL (ENTRY ("location", "out/passwd")), NULL },
    { EXTERNAL (ENTRY ("location", "fifo")), NULL },
    { EXTERNAL (ENTRY ("location", "four")), "4 bytes" },
    { EXTERNAL (ENTRY ("location", "eight") ENTRY ("offset", "4")), "8 bytes" },
    { EXTERNAL (ENTRY ("location", "eight") ENTRY ("offset", "-1")), NULL },
    { EXTERNAL (ENTRY ("location", "eight") ENTRY ("offset", "nonsense")),
        NULL },
    { EXTERNAL (
          ENTRY ("location", "eight") ENTRY ("offset", "18446744073709551615")),
        NULL },
    { EXTERNAL (ENTRY ("location", "eight") ENTRY ("length", "4")), NULL },
    { EXTERNAL (ENTRY ("location", "eight") ENTRY ("length", "16")), NULL },
    { EXTERNAL (
          ENTRY ("location", "eight") ENTRY ("length", "18446744073709551615")),
        NULL },
    { EXTERNAL ("13{0!0aff}"), NULL },
  };
  g_autofree char *folder = g_dir_make_tmp ("infer-broken-XXXXXX", NULL);
  static const char *const names[] = { "four", "eight", "link", "out", "fifo",
    "inside" };
  g_autofree char *paths[G_N_ELEMENTS (names)] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    paths[i] = g_build_filename (folder, names[i], NULL);
  g_assert_true (g_file_set_contents (paths[0], "\0\0\0\0", 4, NULL));
  g_assert_true (g_file_set_contents (paths[1], "\0\0\0\0\0\0\0\0", 8, NULL));
  g_assert_cmpint (symlink ("/etc/passwd", paths[2]), ==, 0);
  g_assert_cmpint (symlink ("/etc", paths[3]), ==, 0);
  g_assert_cmpint (mkfifo (paths[4], 0600), ==, 0);
  g_assert_cmpint (g_mkdir (paths[5], 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    refuse_in (folder, cases[i][0], cases[i][1]);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_cmpint (g_remove (paths[i]), ==, 0);
    g_clear_pointer (&paths[i], g_free);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  /* A model in memory has no folder. */
  refuse (EXTERNAL (ENTRY ("location", "eight")), NULL);
}

/* Files that are cut short do not count. */
static void
test_count (void)
{
  g_test_message (
      "%u broken files, %u more cut short", n_refused - n_cut, n_cut);
  g_assert_cmpuint (n_refused - n_cut, >=, LEAST_CASES);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/broken/good", test_good);
  g_test_add_func ("/broken/truncated", test_truncated);
  g_test_add_func ("/broken/wire", test_wire);
  g_test_add_func ("/broken/header", test_header);
  g_test_add_func ("/broken/names", test_names);
  g_test_add_func ("/broken/tensors", test_tensors);
  g_test_add_func ("/broken/sequences", test_sequences);
  g_test_add_func ("/broken/operations", test_operations);
  g_test_add_func ("/broken/external", test_external);
  g_test_add_func ("/broken/nested", test_nested);
  g_test_add_func ("/broken/count", test_count);
  return g_test_run ();
}
