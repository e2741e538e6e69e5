/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shape inference of If, Loop and TensorIterator, and refused ones. */

#include "tests/check/support/ir.h"

static void
assert_output (const char *xml, gconstpointer weights, gsize size, guint output,
    const char *want)
{
  g_autoptr (InferModel) model = ir_load_good (xml, weights, size);
  g_autofree char *text =
      infer_shape_to_string (&infer_model_output_desc (model, output)->shape);

  g_assert_cmpstr (text, ==, want);
}

/* --- If --- */

/* Either x or [x, x]. */
#define IF_NET(condition, outputs)                                             \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "c", condition, "") IR_PARAMETER (1, "x", "f32",        \
          "2,3") "<layer id=\"2\" name=\"if\" type=\"If\" version=\"opset8\">" \
                 "<then_port_map>" IR_MAP ("input", 1, 0, "") outputs          \
      "</then_port_map><else_port_map>" IR_MAP ("input", 1, 0, "") IR_MAP (    \
          "output", 2, 2, "") "</else_port_map><input>" IR_PORT (0)            \
          IR_PORT (1) "</input><output>" IR_PORT (                             \
              2) "</output><then_body><layers>" IR_PARAMETER (0, "a", "f32",   \
              "?,3") IR_RESULT (2, "r") "</layers><edges>" IR_EDGE (0, 0, 2,   \
              0) "</edges></then_body>"                                        \
                 "<else_body><layers>" IR_PARAMETER (                          \
                     0, "b", "f32", "?,3") IR_LAYER (1, "cat", "Concat",       \
                     "opset1", IR_DATA ("axis=\"0\""),                         \
                     IR_PORT (0) IR_PORT (1), IR_PORT (2))                     \
                     IR_RESULT (2, "r") "</layers><edges>" IR_EDGE (           \
                         0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2,    \
                         0) "</edges></else_body></layer>" IR_RESULT (3, "y"), \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

static void
test_if (void)
{
  assert_output (
      IF_NET ("boolean", IR_MAP ("output", 2, 2, "")), NULL, 0, 0, "[?,3]");
  ir_load_bad (IF_NET ("f32", IR_MAP ("output", 2, 2, "")), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "not boolean");
  ir_load_bad (IF_NET ("boolean", ""), NULL, 0, INFER_ERROR_INVALID_MODEL,
      "does not give output 0");
  ir_load_bad (IF_NET ("boolean", IR_MAP ("output", 7, 2, "")), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "no port 7");
  ir_load_bad (IF_NET ("boolean", IR_MAP ("output", 2, 0, "")), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "no Result with the id 0");
}

/* The condition is a constant; the shapes of the other branch do not fit. */
#define IF_CONST_NET                                                            \
  IR_NET ("11",                                                                 \
      IR_CONST (0, "c", "boolean", "", "0", "1") IR_PARAMETER (1, "x", "f32",   \
          "2,3") "<layer id=\"2\" name=\"if\" type=\"If\" version=\"opset8\">"  \
                 "<then_port_map>" IR_MAP ("input", 1, 0, "") IR_MAP (          \
                     "output", 2, 2,                                            \
                     "") "</then_port_map><else_port_map>" IR_MAP ("input", 1,  \
                     0, "") IR_MAP ("output", 2, 2,                             \
                     "") "</else_port_map><input>" IR_PORT (0)                  \
                     IR_PORT (1) "</input><output>" IR_PORT (                   \
                         2) "</output><then_body><layers>" IR_PARAMETER (0,     \
                         "a", "f32", "?,3") IR_RESULT (2,                       \
                         "r") "</layers><edges>" IR_EDGE (0, 0, 2,              \
                         0) "</edges></then_body>"                              \
                            "<else_body><layers>" IR_PARAMETER (                \
                                0, "b", "f32", "...") IR_LAYER (1, "cat",       \
                                "Concat", "opset1", IR_DATA ("axis=\"5\""),     \
                                IR_PORT (0) IR_PORT (1),                        \
                                IR_PORT (2)) IR_RESULT (2,                      \
                                "r") "</layers><edges>" IR_EDGE (0, 0, 1,       \
                                0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2,       \
                                0) "</edges></else_body></layer>" IR_RESULT (3, \
                                "y"),                                           \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

static void
test_if_known (void)
{
  static const guint8 yes = 1, no = 0;

  assert_output (IF_CONST_NET, &yes, 1, 0, "[2,3]");
  ir_load_bad (IF_CONST_NET, &no, 1, INFER_ERROR_INVALID_MODEL, "axis 5");
}

/* --- TensorIterator --- */

/* y[t] = h[t] = h[t - 1] + x[t], over slices of x. */
#define ITERATOR_NET(shape, slice)                                                         \
  IR_NET ("11",                                                                            \
      IR_PARAMETER (0, "x", "f32", shape) IR_PARAMETER (1, "h0", "f32",                    \
          "?,3") "<layer id=\"2\" name=\"ti\" type=\"TensorIterator\" version=\"opset1\">" \
                 "<port_map>" IR_MAP ("input", 0, 0, slice) IR_MAP (                       \
                     "input", 1, 1, "") IR_MAP ("output", 2, 3,                            \
                     "axis=\"0\"") IR_MAP ("output", 3, 3,                                 \
                     "") "</port_map><back_edges><edge from-layer=\"3\" to-layer=\"1\"/>"  \
                         "</back_edges><input>" IR_PORT (0) IR_PORT (                      \
                             1) "</input><output>" IR_PORT (2)                             \
                             IR_PORT (                                                     \
                                 3) "</output><body><layers>" IR_PARAMETER (0,             \
                                 "xt", "f32", "?,3") IR_PARAMETER (1, "h",                 \
                                 "f32", "?,3") IR_BINARY (2, "next",                       \
                                 "Add") IR_RESULT (3,                                      \
                                 "hn") "</layers><edges>" IR_EDGE (0, 0, 2,                \
                                 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3,                 \
                                 0) "</edges></body></layer>" IR_RESULT (3,                \
                                 "y") IR_RESULT (4, "last"),                               \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)                       \
          IR_EDGE (2, 3, 4, 0),                                                            \
      "")

static void
test_iterator (void)
{
  /* Slices of two rows make h two rows high. */
  assert_output (
      ITERATOR_NET ("6,3", "axis=\"0\" part_size=\"2\" stride=\"2\""), NULL, 0,
      0, "[6,3]");
  assert_output (
      ITERATOR_NET ("6,3", "axis=\"0\" part_size=\"2\" stride=\"2\""), NULL, 0,
      1, "[2,3]");
  assert_output (
      ITERATOR_NET ("6,3", "axis=\"-2\" start=\"-1\" end=\"0\" stride=\"-2\" "
                           "part_size=\"2\""),
      NULL, 0, 0, "[6,3]");
  assert_output (
      ITERATOR_NET ("?,3", "axis=\"0\" part_size=\"2\" stride=\"2\""), NULL, 0,
      0, "[?,3]");
}

static void
test_bad_iterator (void)
{
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"2\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "axis 2");
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"0\" stride=\"0\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "stride of 0");
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"0\" part_size=\"0\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "part_size 0");
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"0\" start=\"9\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "from 9");
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"0\" start=\"5\" end=\"2\""), NULL,
      0, INFER_ERROR_INVALID_MODEL, "other way");
  ir_load_bad (ITERATOR_NET ("6,3", "axis=\"none\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "'none'");
  ir_load_bad (ITERATOR_NET ("6,3", "purpose=\"fun\""), NULL, 0,
      INFER_ERROR_INVALID_MODEL, "purpose 'fun'");
}

/* --- Loop */

/* h doubles in each iteration; an output concatenates all. */
#define LOOP_NET(trip_type, condition_type, inner)                                                \
  IR_NET ("11",                                                                                   \
      IR_CONST (0, "n", trip_type, "", "0", "8") IR_CONST (                                       \
          1, "go", condition_type, "", "8", "1") IR_PARAMETER (2, "x", "f32",                     \
          "2") "<layer id=\"3\" name=\"loop\" type=\"Loop\" version=\"opset5\">"                  \
               "<port_map>" IR_MAP ("input", 2, 0, "") IR_MAP ("input", -1, 1,                    \
                   "purpose=\"current_iteration\"") IR_MAP ("output", -1, 6,                      \
                   "purpose=\"execution_condition\"") IR_MAP ("output", 3, 5,                     \
                   "") IR_MAP ("output", 4, 7,                                                    \
                   "axis=\"0\"") "</port_map><back_edges><edge from-layer=\"5\" to-layer=\"0\"/>" \
                                 "</back_edges><input>" IR_PORT (0) IR_PORT (                     \
                                     1) IR_PORT (2) "</input><output>" IR_PORT (3)                \
                                     IR_PORT (4) "</output><body><layers>" IR_PARAMETER (         \
                                         0, "h", "f32", "?") IR_PARAMETER (1,                     \
                                         "i", "i64", "") IR_CONST (2, "more",                     \
                                         inner, "", "8", "1") IR_LAYER (3,                        \
                                         "cat", "Concat", "opset1",                               \
                                         IR_DATA ("axis=\"0\""),                                  \
                                         IR_PORT (0) IR_PORT (1),                                 \
                                         IR_PORT (2)) IR_CONST (4, "one",                         \
                                         "f32", "1", "12", "4") IR_RESULT (5,                     \
                                         "hn") IR_RESULT (6,                                      \
                                         "cn") IR_RESULT (7,                                      \
                                         "on") "</layers><edges>" IR_EDGE (0,                     \
                                         0, 3, 0) IR_EDGE (0, 0, 3,                               \
                                         1) IR_EDGE (3, 2, 5, 0) IR_EDGE (2,                      \
                                         0, 6, 0) IR_EDGE (4, 0, 7,                               \
                                         0) "</edges></body></layer>" IR_RESULT (4,               \
                                         "last") IR_RESULT (5, "all"),                            \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (2, 0, 3, 2)                              \
          IR_EDGE (3, 3, 4, 0) IR_EDGE (3, 4, 5, 0),                                              \
      "")

static const guint8 five_times[16] = { 5, 0, 0, 0, 0, 0, 0, 0, 1 };
static const guint8 never[16] = { 5 };

static void
test_loop (void)
{
  const char *xml = LOOP_NET ("i64", "boolean", "boolean");

  assert_output (xml, five_times, sizeof five_times, 0, "[?]");
  assert_output (xml, five_times, sizeof five_times, 1, "[5]");
  assert_output (xml, never, sizeof never, 1, "[?]");
  ir_load_bad (LOOP_NET ("f64", "boolean", "boolean"), five_times,
      sizeof five_times, INFER_ERROR_INVALID_MODEL, "not an integer");
  ir_load_bad (LOOP_NET ("i64", "u8", "boolean"), five_times, sizeof five_times,
      INFER_ERROR_INVALID_MODEL, "not boolean");
  ir_load_bad (LOOP_NET ("i64", "boolean", "u8"), five_times, sizeof five_times,
      INFER_ERROR_INVALID_MODEL, "not boolean");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/control-flow/if", test_if);
  g_test_add_func ("/control-flow/if-known", test_if_known);
  g_test_add_func ("/control-flow/iterator", test_iterator);
  g_test_add_func ("/control-flow/bad-iterator", test_bad_iterator);
  g_test_add_func ("/control-flow/loop", test_loop);
  return g_test_run ();
}
