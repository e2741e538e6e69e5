/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/json-check.h"

static void
test_values (void)
{
  static const char *const good[] = { "{\"n\":1}", "\"hello\"", " [1, -2.5e+3]",
    "null", "[]", "{ }", "[[{\"a\":[true,false]}]]", "\"\\u00e9\\n\"", "0" };
  static const char *const bad[] = { "", "hello", "{n:1}", "{\"n\":1", "[1,]",
    "01", "1 2", "\"a", "\"\\x\"", "nul", "{\"a\" 1}", "1.", "-", "\"\xff\"",
    "{\"a\":1},{\"b\":2}", "\"a\nb\"", "1e", "\"\\u12\"" };
  g_autofree char *deep = g_strnfill (100000, '[');

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    if (!gst_infer_json_is_valid (good[i]))
      g_error ("refused: %s", good[i]);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    if (gst_infer_json_is_valid (bad[i]))
      g_error ("accepted: %s", bad[i]);
  g_assert_false (gst_infer_json_is_valid (deep));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-check/values", test_values);
  return g_test_run ();
}
