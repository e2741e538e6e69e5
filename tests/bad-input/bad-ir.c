/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every case of conformance/bad-ir as its expect.tsv says: for an invalid model
 * `infer-model info` exits with 1 and prints one line to stderr; a valid one
 * loads, and runs on zeros. */

#include <string.h>

#include "tests/bad-input/child.h"

static const char *tool;
static char *cases;

static int
info (const char *model, char **messages)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (tool));
  g_ptr_array_add (argv, g_strdup ("info"));
  g_ptr_array_add (argv, g_strdup (model));
  return bad_input_spawn (argv, NULL, messages);
}

static void
test_refused (gconstpointer name)
{
  g_autofree char *messages = NULL;
  g_autofree char *model = g_build_filename (cases, name, "model.xml", NULL);
  int status = info (model, &messages);
  if (status != 1 || bad_input_lines (messages) != 1)
    g_test_message ("status %d: %.2000s", status, messages);
  g_assert_cmpint (status, ==, 1);
  g_assert_cmpuint (bad_input_lines (messages), ==, 1);
  g_assert_nonnull (strstr (messages, "model.xml"));
}

static void
test_runs (gconstpointer name)
{
  g_autofree char *messages = NULL;
  g_autofree char *dir = g_dir_make_tmp ("infer-bad-ir-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (cases, name, "model.xml", NULL);
  g_autofree char *first = g_build_filename (dir, "out_0.npy", NULL);
  int status = info (model, &messages);
  if (status != 0)
    g_test_message ("info: %.2000s", messages);
  g_assert_cmpint (status, ==, 0);
  if (status != 0) {
    bad_input_remove_folder (dir);
    return;
  }
  g_clear_pointer (&messages, g_free);
  g_autoptr (GPtrArray) argv = bad_input_run_arguments (tool, model, dir);
  status = bad_input_spawn (argv, NULL, &messages);
  if (status != 0)
    g_test_message ("run: %.2000s", messages);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_test (first, G_FILE_TEST_IS_REGULAR));
  bad_input_remove_folder (dir);
}

/* --- expect.tsv --- */

static void
add_case (const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, "\t", 4);
  if (g_strv_length (words) < 2 || strcmp (words[0], "name") == 0)
    return;
  g_autofree char *path = g_strdup_printf ("/bad-ir/%s", words[0]);
  g_test_add_data_func_full (path, g_strdup (words[0]),
      strcmp (words[1], "ok") == 0 ? test_runs : test_refused, g_free);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, "no_g_set_prgname", NULL);
  g_test_set_nonfatal_assertions ();
  if (argc < 3) {
    g_printerr ("usage: test-bad-ir INFER-MODEL SOURCE-ROOT\n");
    return 2;
  }
  tool = argv[1];
  const char *shared = g_getenv ("INFER_SHARED");
  cases = shared != NULL
              ? g_build_filename (shared, "conformance", "bad-ir", NULL)
              : g_build_filename (
                  argv[2], "..", "shared", "conformance", "bad-ir", NULL);
  g_autofree char *table = g_build_filename (cases, "expect.tsv", NULL);
  g_autofree char *text = NULL;
  if (!g_file_get_contents (table, &text, NULL, NULL)) {
    g_print ("1..0 # SKIP there is no %s (set INFER_SHARED)\n", table);
    return 0;
  }
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    add_case (lines[i]);
  int status = g_test_run ();
  g_free (cases);
  return status;
}
