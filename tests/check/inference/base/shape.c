/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/error.h"
#include "inference/base/shape.h"

static InferShape
parse (const char *text)
{
  InferShape shape;
  g_autoptr (GError) error = NULL;
  g_assert_true (infer_shape_parse (text, &shape, NULL, NULL, &error));
  g_assert_no_error (error);
  return shape;
}

static void
test_parse (void)
{
  static const char *const cases[][2] = {
    { "1,?,40", "[1,?,40]" },
    { "1, -1, 40", "[1,?,40]" },
    { "[2..5,7]", "[?,7]" },
    { "3..3", "[3]" },
    { "..,2..,..9", "[?,?,?]" },
    { "", "[]" },
    { "[]", "[]" },
    { "...", "[...]" },
    { "[...]", "[...]" },
    { "0", "[0]" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferShape shape = parse (cases[i][0]);
    g_autofree char *text = infer_shape_to_string (&shape);
    g_assert_cmpstr (text, ==, cases[i][1]);
  }
}

static void
test_parse_bounds (void)
{
  InferShape shape, lower, upper;
  g_assert_true (
      infer_shape_parse ("4,2..5,?,..9", &shape, &lower, &upper, NULL));
  static const gint64 lo[] = { 4, 2, 0, 0 }, hi[] = { 4, 5, G_MAXINT64, 9 };
  g_assert_cmpmem (lower.dims, sizeof lo, lo, sizeof lo);
  g_assert_cmpmem (upper.dims, sizeof hi, hi, sizeof hi);
}

static void
test_parse_refuses (void)
{
  static const char *const bad[] = { "x", "1,,2", "1,-3", "5..2", "1;2",
    "99999999999999999999", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "1,...",
    "-2..5", "," };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    InferShape shape;
    g_autoptr (GError) error = NULL;
    g_assert_false (infer_shape_parse (bad[i], &shape, NULL, NULL, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
  }
}

static void
test_elements (void)
{
  gsize n = 0;
  InferShape shape = parse ("2,3,4");
  g_assert_true (infer_shape_elements (&shape, &n));
  g_assert_cmpuint (n, ==, 24);
  shape = parse ("");
  g_assert_true (infer_shape_elements (&shape, &n));
  g_assert_cmpuint (n, ==, 1);
  shape = parse ("5,0,7");
  g_assert_true (infer_shape_elements (&shape, &n));
  g_assert_cmpuint (n, ==, 0);
  shape = parse ("4294967296,4294967296");
  g_assert_false (infer_shape_elements (&shape, &n));
  /* Nor does a 0 make a shape legal whose other dims overflow. */
  shape = parse ("4294967296,4294967296,0");
  g_assert_false (infer_shape_elements (&shape, &n));
  shape = parse ("2,?");
  g_assert_false (infer_shape_elements (&shape, &n));
  gint64 strides[3];
  shape = parse ("2,3,4");
  infer_shape_strides (&shape, strides);
  static const gint64 want[] = { 12, 4, 1 };
  g_assert_cmpmem (strides, sizeof strides, want, sizeof want);
}

static void
test_axis (void)
{
  InferShape shape = parse ("2,3,4");
  gint64 axis = -1;
  g_assert_true (infer_shape_normalize_axis (&shape, &axis, NULL));
  g_assert_cmpint (axis, ==, 2);
  axis = 3;
  g_autoptr (GError) error = NULL;
  g_assert_false (infer_shape_normalize_axis (&shape, &axis, &error));
  g_assert_cmpstr (error->message, ==, "axis 3 is out of range for rank 3");
  axis = -4;
  g_assert_false (infer_shape_normalize_axis (&shape, &axis, NULL));
}

static void
test_merge_and_match (void)
{
  InferShape a = parse ("1,?,3"), b = parse ("?,2,3"), c;
  g_assert_true (infer_shape_merge (&a, &b, &c));
  g_autofree char *text = infer_shape_to_string (&c);
  g_assert_cmpstr (text, ==, "[1,2,3]");
  b = parse ("1,2,4");
  g_assert_false (infer_shape_merge (&a, &b, &c));
  c = parse ("1,7,3");
  g_assert_true (infer_shape_matches (&a, &c));
  g_assert_false (infer_shape_matches (&a, &b));
  a = infer_shape_dynamic ();
  g_assert_true (infer_shape_matches (&a, &b));
  g_assert_false (infer_shape_matches (&b, &a));
}

static void
test_broadcast (void)
{
  static const struct
  {
    const char *a, *b, *out; /* out NULL: an error */
    InferBroadcast rule;
    int axis;
  } cases[] = {
    { "2,3", "2,3", "[2,3]", INFER_BROADCAST_NONE, 0 },
    { "2,3", "1,3", NULL, INFER_BROADCAST_NONE, 0 },
    { "2,1,4", "3,1", "[2,3,4]", INFER_BROADCAST_NUMPY, 0 },
    { "", "3,?", "[3,?]", INFER_BROADCAST_NUMPY, 0 },
    { "2,?", "1,5", "[2,5]", INFER_BROADCAST_NUMPY, 0 },
    { "2,?", "1,1", "[2,?]", INFER_BROADCAST_NUMPY, 0 },
    { "0,1", "1,5", "[0,5]", INFER_BROADCAST_NUMPY, 0 },
    { "0,2", "3,2", NULL, INFER_BROADCAST_NUMPY, 0 },
    { "...", "3,2", "[...]", INFER_BROADCAST_NUMPY, 0 },
    { "2,3,4,5", "3,4", "[2,3,4,5]", INFER_BROADCAST_PDPD, 1 },
    { "2,3,4,5", "4,5", "[2,3,4,5]", INFER_BROADCAST_PDPD, -1 },
    { "2,3,4,5", "3,1,1", "[2,3,4,5]", INFER_BROADCAST_PDPD, 1 },
    { "2,1,4", "3", NULL, INFER_BROADCAST_PDPD, 1 },
    { "2,3", "2,3,4", NULL, INFER_BROADCAST_PDPD, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferShape a = parse (cases[i].a), b = parse (cases[i].b), out;
    gboolean ok = infer_shape_broadcast (
        &a, &b, cases[i].rule, cases[i].axis, &out, NULL);
    g_assert_cmpint (ok, ==, cases[i].out != NULL);
    g_autofree char *text = ok ? infer_shape_to_string (&out) : NULL;
    g_assert_cmpstr (text, ==, cases[i].out);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape/parse", test_parse);
  g_test_add_func ("/shape/parse-bounds", test_parse_bounds);
  g_test_add_func ("/shape/parse-refuses", test_parse_refuses);
  g_test_add_func ("/shape/elements", test_elements);
  g_test_add_func ("/shape/axis", test_axis);
  g_test_add_func ("/shape/merge-and-match", test_merge_and_match);
  g_test_add_func ("/shape/broadcast", test_broadcast);
  return g_test_run ();
}
