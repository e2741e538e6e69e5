/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/json.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static InferJson *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  InferJson *json = infer_json_parse ("a.json", text, strlen (text), &error);

  g_assert_no_error (error);
  return json;
}

static void
test_valid (void)
{
  static const char *const good[] = { "{\"n\":1}", "\"hello\"", " [1, -2.5e+3]",
    "null", "[]", "{ }", "[[{\"a\":[true,false]}]]", "\"\\u00e9\\n\"", "0",
    "\xef\xbb\xbf{}", "-0", "1E-5", "\"\x7f\"", "\"\\ud83d\\ude00\"" };
  static const char *const bad[] = { "", " ", "hello", "{n:1}", "{\"n\":1",
    "[1,]", "[,1]", "{\"a\":1,}", "01", "-01", "+1", ".5", "1 2", "\"a",
    "\"\\x\"", "\"\\", "\"\\u", "nul", "{\"a\" 1}", "1.", "-", "\"\xff\"",
    "{\"a\":1},{\"b\":2}", "\"a\nb\"", "1e", "1e+", "\"\\u12\"", "[1}", "{]",
    "\"\\ud83d\"", "\"\\ud83d\\u0041\"", "\"\\ude00\"", "1e999", "NaN", "'a'",
    "[1 2]", "\xef\xbb\xbf", "\"\xc0\x80\"" };
  g_autofree char *deep = g_strnfill (100000, '[');

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    if (!infer_json_is_valid (good[i]))
      g_error ("refused: %s", good[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    if (infer_json_is_valid (bad[i]))
      g_error ("accepted: %s", bad[i]);
  g_assert_false (infer_json_is_valid (deep));
}

static void
test_depth (void)
{
  for (guint n = 64; n <= 65; n++) {
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < n; i++)
      g_string_append (text, i % 2 == 0 ? "[" : "{\"a\":");
    g_string_append (text, "1");
    for (guint i = n; i > 0; i--)
      g_string_append_c (text, i % 2 == 1 ? ']' : '}');
    g_assert_true (infer_json_is_valid (text->str) == (n == 64));
  }
}

static void
test_numbers (void)
{
  static const struct
  {
    const char *text;
    gboolean whole;
    gint64 integer;
    double number;
  } cases[] = {
    { "0", TRUE, 0, 0 },
    { "-7", TRUE, -7, -7 },
    { "9223372036854775807", TRUE, G_MAXINT64, 0x1p63 },
    { "-9223372036854775808", TRUE, G_MININT64, -0x1p63 },
    { "9223372036854775808", FALSE, 0, 0x1p63 },
    { "123456789012345678901234567890", FALSE, 0,
        123456789012345678901234567890.0 },
    { "3.0", TRUE, 3, 3 },
    { "1e3", TRUE, 1000, 1000 },
    { "-3.25e-2", FALSE, 0, -0.0325 },
    { "1e-400", TRUE, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (InferJson) json = parse (cases[i].text);
    gint64 integer = 0;
    double number;

    g_assert_true (infer_json_to_int (infer_json_root (json), &integer, NULL)
                   == cases[i].whole);
    g_assert_cmpint (integer, ==, cases[i].integer);
    g_assert_true (
        infer_json_to_number (infer_json_root (json), &number, NULL));
    g_assert_cmpfloat (number, ==, cases[i].number);
  }
  g_autoptr (InferJson) json = parse ("-0");
  double zero;
  g_assert_true (infer_json_to_number (infer_json_root (json), &zero, NULL));
  g_assert_true (signbit (zero) != 0);
}

static void
test_strings (void)
{
  g_autoptr (InferJson) json = parse (
      "[\"\", \"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\", \"\\u00e9\\u20ac\\ud83d\\ude00\","
      " \"a\\u0000b\", \"\xe2\x96\x81x\"]");
  InferJsonValue root = infer_json_root (json);
  static const char *const expected[] = { "", "a\"\\/\b\f\n\r\tz",
    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "a\0b", "\xe2\x96\x81x" };
  static const gsize lengths[] = { 0, 10, 9, 3, 4 };

  g_assert_cmpuint (infer_json_length (root), ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    const char *string;
    gsize length;

    g_assert_true (
        infer_json_to_string (infer_json_at (root, i), &string, &length, NULL));
    g_assert_cmpmem (string, length + 1, expected[i], lengths[i] + 1);
    g_assert_true (
        infer_json_to_string (infer_json_at (root, i), &string, NULL, NULL)
        == (i != 3));
  }
}

/* Members of small and large objects; the last of a name is found. */
static void
test_members (void)
{
  static const guint sizes[] = { 0, 1, 12, 13, 100, 5000 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_autoptr (GString) text = g_string_new ("{\"twice\":-1");

    for (guint i = 0; i < sizes[s]; i++)
      g_string_append_printf (text, ",\"k%u\" : %u", i, i);
    g_string_append (text, ",\"twice\":-2}");
    g_autoptr (InferJson) json = parse (text->str);
    InferJsonValue root = infer_json_root (json);
    gint64 value;
    g_assert_cmpuint (infer_json_length (root), ==, sizes[s] + 2);
    for (guint i = 0; i < sizes[s]; i++) {
      g_autofree char *key = g_strdup_printf ("k%u", i);

      g_assert_true (infer_json_get_int (root, key, &value, NULL));
      g_assert_cmpint (value, ==, i);
      g_assert_cmpstr (infer_json_key (root, i + 1, NULL), ==, key);
      g_assert_true (
          infer_json_to_int (infer_json_at (root, i + 1), &value, NULL));
      g_assert_cmpint (value, ==, i);
    }
    g_assert_true (infer_json_get_int (root, "twice", &value, NULL));
    g_assert_cmpint (value, ==, -2);
    g_assert_cmpint (infer_json_type (infer_json_find (root, "none")), ==,
        INFER_JSON_ABSENT);
    g_assert_cmpint (infer_json_type (infer_json_at (root, sizes[s] + 2)), ==,
        INFER_JSON_ABSENT);
  }
}

static void
test_optional (void)
{
  g_autoptr (InferJson) json =
      parse ("{\"i\":1,\"s\":\"x\",\"b\":true,\"n\":0.5,\"a\":[1],\"o\":{},"
             "\"z\":null}");
  InferJsonValue root = infer_json_root (json), value = { 0 };
  g_autoptr (GError) error = NULL;
  gint64 i = 7;
  const char *s = "default";
  gboolean b = FALSE;
  double n = 7;

  g_assert_true (infer_json_opt_int (root, "none", &i, &error) && i == 7);
  g_assert_true (infer_json_opt_int (root, "z", &i, &error) && i == 7);
  g_assert_true (infer_json_opt_int (root, "i", &i, &error) && i == 1);
  g_assert_true (infer_json_opt_string (root, "z", &s, &error));
  g_assert_cmpstr (s, ==, "default");
  g_assert_true (infer_json_opt_string (root, "s", &s, &error));
  g_assert_cmpstr (s, ==, "x");
  g_assert_true (infer_json_opt_bool (root, "b", &b, &error) && b);
  g_assert_true (infer_json_opt_number (root, "n", &n, &error) && n == 0.5);
  g_assert_true (infer_json_opt_array (root, "none", &value, &error));
  g_assert_null (value.node);
  g_assert_true (infer_json_opt_array (root, "a", &value, &error));
  g_assert_cmpuint (infer_json_length (value), ==, 1);
  g_assert_true (infer_json_opt_object (root, "o", &value, &error));
  g_assert_cmpint (infer_json_type (value), ==, INFER_JSON_OBJECT);
  g_assert_no_error (error);
  g_assert_false (infer_json_opt_int (root, "s", &i, &error));
  g_assert_cmpstr (
      error->message, ==, "a.json: s: an integer was expected, not a string");
}

static void
expect_error (GError **error, const char *message)
{
  g_assert_nonnull (*error);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static void
test_errors (void)
{
  static const char *const cases[][2] = {
    { "{\n  \"a\": 1,\n  \"\xc3\xa9\": x\n}",
        "a.json:3:8: not valid JSON: a value was expected" },
    { "[\"a\\nb\", \"c\\q\"]",
        "a.json:1:12: not valid JSON: this is no escape of a character" },
    { "[1,\n", "a.json:2:1: not valid JSON: the file ends too early" },
    { "\"abc", "a.json:1:1: not valid JSON: the string does not end" },
    { "[1]\n]",
        "a.json:2:1: not valid JSON: nothing was expected after the value" },
    { "\n\n  \"\xff\"",
        "a.json:3:4: not valid JSON: a byte that is not UTF-8" },
  };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_null (
        infer_json_parse ("a.json", cases[i][0], strlen (cases[i][0]), &error));
    expect_error (&error, cases[i][1]);
  }
  g_assert_null (infer_json_parse ("a.json", "[\0]", 3, &error));
  expect_error (&error, "a.json:1:2: not valid JSON: a NUL byte");
}

static void
test_paths (void)
{
  g_autoptr (InferJson) json =
      parse ("{\"model\":{\"merges\":[\"a\",{\"b\":1.5}]},\"x\":\"1\"}");
  InferJsonValue root = infer_json_root (json);
  InferJsonValue item = infer_json_at (
      infer_json_find (infer_json_find (root, "model"), "merges"), 1);
  GError *error = NULL;
  gint64 i;

  g_assert_false (infer_json_get_int (item, "b", &i, &error));
  expect_error (
      &error, "a.json: model.merges[1].b: an integer was expected, not 1.5");
  g_assert_false (infer_json_get_int (item, "c", &i, &error));
  expect_error (&error, "a.json: model.merges[1].c is missing");
  g_assert_false (infer_json_get_int (root, "x", &i, &error));
  expect_error (&error, "a.json: x: an integer was expected, not a string");
  g_assert_false (infer_json_get_array (root, "model", &item, &error));
  expect_error (&error, "a.json: model: an array was expected, not an object");
  g_assert_false (infer_json_get_int (item, "y", &i, &error));
  expect_error (&error, "a.json: model.y is missing");
  g_assert_false (infer_json_to_int (root, &i, &error));
  expect_error (
      &error, "a.json: the whole: an integer was expected, not an object");
  g_assert_false (infer_json_fail (item, &error, "%d is too many", 3));
  expect_error (&error, "a.json: model: 3 is too many");
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("infer-json-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.json", NULL);
  GError *error = NULL;

  g_assert_null (infer_json_read (path, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_true (g_str_has_prefix (error->message, path));
  g_clear_error (&error);
  g_assert_null (infer_json_read (folder, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, "[1, 2]", -1, NULL));
  g_autoptr (InferJson) json = infer_json_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (infer_json_length (infer_json_root (json)), ==, 2);
  g_assert_cmpstr (infer_json_name (json), ==, path);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/valid", test_valid);
  g_test_add_func ("/json/depth", test_depth);
  g_test_add_func ("/json/numbers", test_numbers);
  g_test_add_func ("/json/strings", test_strings);
  g_test_add_func ("/json/members", test_members);
  g_test_add_func ("/json/optional", test_optional);
  g_test_add_func ("/json/errors", test_errors);
  g_test_add_func ("/json/paths", test_paths);
  g_test_add_func ("/json/files", test_files);
  return g_test_run ();
}
