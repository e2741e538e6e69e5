/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes that a model computes from partial shapes, as inferred at load. */

#include "tests/check/support/ir.h"

static const gint64 numbers[] = { 0, 12, 1 };

#define NUMBER(id, name, shape, offset)                                        \
  IR_CONST (id, name, "i64", shape, offset, "8")

/* x → Reshape to [dim @which of x, 12] */
#define RESHAPED(x, which)                                                     \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", x) IR_LAYER (1, "shape", "ShapeOf",         \
          "opset3", "", IR_PORT (0), IR_PORT (1)) NUMBER (2, "which", "1",     \
          which) NUMBER (3, "axis", "", "0") IR_LAYER (4, "dim", "Gather",     \
          "opset8", "", IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))      \
          NUMBER (5, "twelve", "1", "8") IR_LAYER (6, "target", "Concat",      \
              "opset1", IR_DATA ("axis=\"0\""), IR_PORT (0) IR_PORT (1),       \
              IR_PORT (2)) IR_LAYER (7, "y", "Reshape", "opset1",              \
              IR_DATA ("special_zero=\"false\""), IR_PORT (0) IR_PORT (1),     \
              IR_PORT (2)) IR_RESULT (8, "r"),                                 \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 4, 0) IR_EDGE (2, 0, 4, 1)           \
          IR_EDGE (3, 0, 4, 2) IR_EDGE (4, 3, 6, 0) IR_EDGE (5, 0, 6, 1)       \
              IR_EDGE (0, 0, 7, 0) IR_EDGE (6, 2, 7, 1) IR_EDGE (7, 2, 8, 0),  \
      "")

static void
assert_output (const char *xml, const char *want)
{
  g_autoptr (InferModel) model = ir_load_good (xml, numbers, sizeof numbers);
  g_autofree char *text =
      infer_shape_to_string (&infer_model_output_desc (model, 0)->shape);

  g_assert_cmpstr (text, ==, want);
}

static void
test_part (void)
{
  assert_output (RESHAPED ("?,3,4", "0"), "[?,12]");
  assert_output (RESHAPED ("2,?,4", "0"), "[2,12]");
  assert_output (RESHAPED ("2,?,4", "16"), "[?,12]");
  assert_output (RESHAPED ("2,3,4", "0"), "[2,12]");
  /* Not even the rank is known. */
  assert_output (RESHAPED ("...", "0"), "[?,?]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/computed-shapes/part", test_part);
  return g_test_run ();
}
