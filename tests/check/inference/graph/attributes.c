/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "inference/graph/attributes.h"
#include "inference/graph/known-type.h"
#include "infer/error.h"

static InferAttributes *
make (const char *name, const char *value)
{
  InferAttributes *attributes = infer_attr_new ();
  infer_attr_set (attributes, name, value);
  return attributes;
}

static void
test_int (void)
{
  g_autoptr (InferAttributes) attributes = make ("axis", " -3 ");
  g_autoptr (GError) error = NULL;
  gint64 value = 7;
  g_assert_true (infer_attr_int (attributes, "axis", &value, &error));
  g_assert_cmpint (value, ==, -3);
  g_assert_true (infer_attr_int (attributes, "other", &value, &error));
  g_assert_cmpint (value, ==, -3);

  infer_attr_set (attributes, "axis", "3x");
  g_assert_false (infer_attr_int (attributes, "axis", &value, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
  g_assert_cmpstr (error->message, ==, "attribute 'axis': '3x' is no integer");
}

static void
test_int_refuses (void)
{
  static const char *const bad[] = { "", "x", "1.5", "1 2", "0x10",
    "99999999999999999999" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (InferAttributes) attributes = make ("a", bad[i]);
    gint64 value = 5;
    g_assert_false (infer_attr_int (attributes, "a", &value, NULL));
    g_assert_cmpint (value, ==, 5);
  }
}

static void
test_double (void)
{
  g_autoptr (InferAttributes) attributes = make ("eps", "1e-05");
  double value = 0;
  g_assert_true (infer_attr_double (attributes, "eps", &value, NULL));
  g_assert_cmpfloat (value, ==, 1e-05);
  infer_attr_set (attributes, "eps", "-inf");
  g_assert_true (infer_attr_double (attributes, "eps", &value, NULL));
  g_assert_cmpfloat (value, ==, -HUGE_VAL);
  infer_attr_set (attributes, "eps", "0,5");
  g_assert_false (infer_attr_double (attributes, "eps", &value, NULL));
}

static void
test_bool (void)
{
  static const struct
  {
    const char *text;
    gboolean ok, value;
  } cases[] = {
    { "true", TRUE, TRUE },
    { "1", TRUE, TRUE },
    { "True", TRUE, TRUE },
    { "false", TRUE, FALSE },
    { "0", TRUE, FALSE },
    { "yes", FALSE, 0 },
    { "", FALSE, FALSE },
    { "truefalse", FALSE, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (InferAttributes) attributes = make ("b", cases[i].text);
    gboolean value = FALSE;
    g_assert_cmpint (
        infer_attr_bool (attributes, "b", &value, NULL), ==, cases[i].ok);
    g_assert_cmpint (value, ==, cases[i].value);
  }
}

static void
test_known_type (void)
{
  g_autoptr (InferAttributes) attributes = make ("t", "f16");
  g_autoptr (GError) error = NULL;
  InferType type = INFER_TYPE_I64;
  g_assert_true (infer_attr_known_type (attributes, "none", &type, &error));
  g_assert_cmpint (type, ==, INFER_TYPE_I64);
  g_assert_true (infer_attr_known_type (attributes, "t", &type, &error));
  g_assert_cmpint (type, ==, INFER_TYPE_F16);
  infer_attr_set (attributes, "t", "dynamic");
  g_assert_true (infer_attr_type (attributes, "t", &type, &error));
  g_assert_false (infer_attr_known_type (attributes, "t", &type, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
  g_assert_cmpstr (error->message, ==,
      "attribute 't': an output's element type cannot be dynamic");
}

static void
test_lists (void)
{
  g_autoptr (InferAttributes) attributes = make ("pads", "1, -2,3");
  g_autoptr (GArray) ints = NULL;
  g_assert_true (infer_attr_ints (attributes, "pads", &ints, NULL));
  g_assert_cmpuint (ints->len, ==, 3);
  g_assert_cmpint (g_array_index (ints, gint64, 1), ==, -2);

  gint64 small[4] = { 9, 9, 9, 9 };
  guint n = 2;
  g_autoptr (GError) error = NULL;
  g_assert_true (
      infer_attr_small_ints (attributes, "none", small, 4, &n, &error));
  g_assert_cmpuint (n, ==, 2);
  g_assert_true (
      infer_attr_small_ints (attributes, "pads", small, 4, &n, &error));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpint (small[2], ==, 3);
  g_assert_false (
      infer_attr_small_ints (attributes, "pads", small, 2, &n, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);

  infer_attr_set (attributes, "pads", "");
  g_assert_true (infer_attr_ints (attributes, "pads", &ints, NULL));
  g_assert_cmpuint (ints->len, ==, 0);
  infer_attr_set (attributes, "pads", "1,,2");
  g_assert_false (infer_attr_ints (attributes, "pads", &ints, NULL));
  infer_attr_set (attributes, "pads", "0.5,2");
  g_autoptr (GArray) doubles = NULL;
  g_assert_true (infer_attr_doubles (attributes, "pads", &doubles, NULL));
  g_assert_cmpfloat (g_array_index (doubles, double, 0), ==, 0.5);
  g_auto (GStrv) strings = NULL;
  infer_attr_set (attributes, "pads", "tanh, relu");
  g_assert_true (infer_attr_strings (attributes, "pads", &strings, NULL));
  g_assert_cmpuint (g_strv_length (strings), ==, 2);
  g_assert_cmpstr (strings[1], ==, "relu");
}

static void
test_enum (void)
{
  static const char *const names[] = { "explicit", "same_upper", NULL };
  g_autoptr (InferAttributes) attributes = make ("auto_pad", "SAME_UPPER");
  g_autoptr (GError) error = NULL;
  int value = 0;
  g_assert_true (
      infer_attr_enum (attributes, "auto_pad", names, &value, &error));
  g_assert_cmpint (value, ==, 1);
  infer_attr_set (attributes, "auto_pad", "half");
  g_assert_false (
      infer_attr_enum (attributes, "auto_pad", names, &value, &error));
  g_assert_cmpstr (error->message, ==,
      "attribute 'auto_pad': 'half' is none of explicit, same_upper");
}

static void
test_type_and_require (void)
{
  g_autoptr (InferAttributes) attributes = make ("element_type", "f16");
  g_autoptr (GError) error = NULL;
  InferType type = INFER_TYPE_DYNAMIC;
  g_assert_true (infer_attr_type (attributes, "element_type", &type, &error));
  g_assert_cmpint (type, ==, INFER_TYPE_F16);
  g_assert_true (infer_attr_require (attributes, &error, "element_type", NULL));
  g_assert_false (
      infer_attr_require (attributes, &error, "element_type", "shape", NULL));
  g_assert_cmpstr (error->message, ==, "attribute 'shape' is missing");
  infer_attr_set (attributes, "element_type", "f17");
  g_assert_false (infer_attr_type (attributes, "element_type", &type, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/attributes/int", test_int);
  g_test_add_func ("/attributes/int-refuses", test_int_refuses);
  g_test_add_func ("/attributes/double", test_double);
  g_test_add_func ("/attributes/bool", test_bool);
  g_test_add_func ("/attributes/known-type", test_known_type);
  g_test_add_func ("/attributes/lists", test_lists);
  g_test_add_func ("/attributes/enum", test_enum);
  g_test_add_func ("/attributes/type-and-require", test_type_and_require);
  return g_test_run ();
}
