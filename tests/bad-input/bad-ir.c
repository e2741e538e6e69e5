/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every case of conformance/bad-ir as its expect.tsv says: for an invalid model
 * `infer-model info` exits with 1 and prints one line to stderr; a valid one
 * loads, and runs on zeros. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "infer/model.h"

#define SECONDS 20
#define MEMORY ((rlim_t) 1 << 30)

static const char *tool;
static char *cases;

/* Sanitizers reserve terabytes of address space. */
static rlim_t
memory_limit (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return RLIM_INFINITY;
#else
  return MEMORY;
#endif
}

/* In the child: limits memory and time. */
static void
limit (gpointer data)
{
  struct rlimit memory = { memory_limit (), memory_limit () };
  struct rlimit core = { 0, 0 };
  setrlimit (RLIMIT_AS, &memory);
  setrlimit (RLIMIT_CORE, &core);
  alarm (SECONDS);
}

/* The exit status, or -1 after a signal. */
static int
spawn (GPtrArray *argv, char **messages)
{
  int status;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, limit, NULL,
      &output, messages, &status, &error);
  g_assert_no_error (error);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static int
info (const char *model, char **messages)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (tool));
  g_ptr_array_add (argv, g_strdup ("info"));
  g_ptr_array_add (argv, g_strdup (model));
  return spawn (argv, messages);
}

static guint
count_lines (const char *text)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static void
test_refused (gconstpointer name)
{
  g_autofree char *messages = NULL;
  g_autofree char *model = g_build_filename (cases, name, "model.xml", NULL);
  int status = info (model, &messages);
  if (status != 1 || count_lines (messages) != 1)
    g_test_message ("status %d: %.2000s", status, messages);
  g_assert_cmpint (status, ==, 1);
  g_assert_cmpuint (count_lines (messages), ==, 1);
  g_assert_nonnull (strstr (messages, "model.xml"));
}

/* --- legal models --- */

/* Inputs of equal shape share a file, since there may be 2,000. */
static char *
write_zeros (const char *dir, const InferDesc *desc)
{
  InferShape shape = desc->shape;
  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = MAX (shape.dims[i], 0);
  g_autofree char *text = infer_shape_to_string (&shape);
  g_autofree char *file =
      g_strdup_printf ("%s-%s.npy", infer_type_name (desc->type), text);
  char *path = g_build_filename (dir, file, NULL);
  g_autoptr (InferTensor) zeros = infer_tensor_new (desc->type, &shape, NULL);
  g_assert_nonnull (zeros);
  g_assert_true (infer_npy_write (path, zeros, NULL));
  return path;
}

static GPtrArray *
run_arguments (const char *model_path, const char *dir)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (model_path, NULL, &error);
  g_assert_no_error (error);
  GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (tool));
  g_ptr_array_add (argv, g_strdup ("run"));
  g_ptr_array_add (argv, g_strdup (model_path));
  g_ptr_array_add (argv, g_strdup_printf ("--output-dir=%s", dir));
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    g_autofree char *zeros =
        write_zeros (dir, infer_model_input_desc (model, i));
    g_ptr_array_add (argv, g_strdup_printf ("--input=%u=%s", i, zeros));
  }
  return argv;
}

static void
remove_folder (const char *path)
{
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    g_unlink (file);
  }
  g_rmdir (path);
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
    remove_folder (dir);
    return;
  }
  g_clear_pointer (&messages, g_free);
  g_autoptr (GPtrArray) argv = run_arguments (model, dir);
  status = spawn (argv, &messages);
  if (status != 0)
    g_test_message ("run: %.2000s", messages);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_test (first, G_FILE_TEST_IS_REGULAR));
  remove_folder (dir);
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
