/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights and cache entries that are cut short or changed while a model is
 * loaded, compiled and run: an error that names the file, and the process and
 * its other models go on. */

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "inference/runtime/runtime-private.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"

#define N 1048576
#define BYTES (N * sizeof (float))

/* sum: reads its constant from the file in every run. */
#define NET                                                                    \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1048576")                                \
          IR_CONST (1, "c", "f32", "1,1048576", "0", "4194304")                \
              IR_BINARY (2, "sum", "Add") IR_RESULT (3, "y"),                  \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

typedef struct
{
  char *folder, *xml, *bin, *cache;
  InferRuntime *runtime;
} Fixture;

static void
write_weights (const Fixture *fixture, float value)
{
  g_autofree float *values = g_new (float, N);

  for (guint i = 0; i < N; i++)
    values[i] = value;
  g_assert_true (
      g_file_set_contents (fixture->bin, (char *) values, BYTES, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("infer-cut-XXXXXX", NULL);
  fixture->xml = g_build_filename (fixture->folder, "m.xml", NULL);
  fixture->bin = g_build_filename (fixture->folder, "m.bin", NULL);
  fixture->cache = g_build_filename (fixture->folder, "cache", NULL);
  g_assert_true (g_file_set_contents (fixture->xml, NET, -1, NULL));
  write_weights (fixture, 1);
  fixture->runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  infer_runtime_unref (fixture->runtime);
  test_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->xml);
  g_free (fixture->bin);
  g_free (fixture->cache);
}

static void
assert_names (const GError *error, const char *path)
{
  g_assert_error (error, INFER_ERROR, INFER_ERROR_FAILED);
  if (strstr (error->message, path) == NULL)
    g_error ("'%s' does not name %s", error->message, path);
}

static InferModel *
load (const Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  InferModel *model =
      infer_runtime_load (fixture->runtime, fixture->xml, NULL, &error);

  g_assert_no_error (error);
  return model;
}

static InferRequest *
make_request (const Fixture *fixture, InferModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, fixture->runtime, &error);

  g_assert_no_error (error);
  InferRequest *request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  return request;
}

static gboolean
infer (InferRequest *request, float *result, GError **error)
{
  float *in = infer_request_get_input (request, 0, NULL)->data;

  for (guint i = 0; i < N; i++)
    in[i] = 1;
  if (!infer_request_infer (request, error))
    return FALSE;
  const float *out = infer_request_get_output (request, 0, NULL)->data;
  *result = out[N - 1];
  return TRUE;
}

static void
assert_result (InferRequest *request, float want)
{
  g_autoptr (GError) error = NULL;
  float result = 0;

  g_assert_true (infer (request, &result, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (result, ==, want);
}

static void
assert_cut (const Fixture *fixture, InferRequest *request)
{
  float result;

  for (guint i = 0; i < 3; i++) { /* it remains so */
    g_autoptr (GError) error = NULL;
    g_assert_false (infer (request, &result, &error));
    assert_names (error, fixture->bin);
  }
}

static void
test_before_compiling (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (InferModel) model = load (fixture);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (truncate (fixture->bin, 0), ==, 0);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, fixture->runtime, &error);
  if (executable != NULL) { /* compiling needed no page of it */
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
    assert_cut (fixture, request);
  } else {
    assert_names (error, fixture->bin);
  }
  g_autoptr (GError) again = NULL;
  g_autoptr (InferExecutable) none =
      infer_executable_new (model, fixture->runtime, &again);
  g_assert_null (none);
  assert_names (again, fixture->bin);
}

static void
test_while_in_use (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (InferModel) model = load (fixture);
  g_autoptr (InferRequest) request = make_request (fixture, model);

  assert_result (request, 2);
  g_assert_cmpint (truncate (fixture->bin, 5000), ==, 0);
  assert_cut (fixture, request);

  /* Loaded anew, and beside the broken one: as if nothing had been. */
  write_weights (fixture, 3);
  g_autoptr (InferModel) fresh = load (fixture);
  g_autoptr (InferRequest) good = make_request (fixture, fresh);
  assert_result (good, 4);
  assert_cut (fixture, request);
  assert_result (good, 4);
}

/* A model that shares the constant with another model's file needs that one. */
static void
test_shared (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other_xml =
      g_build_filename (fixture->folder, "o.xml", NULL);
  g_autofree char *other_bin =
      g_build_filename (fixture->folder, "o.bin", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  float result;

  g_assert_true (g_file_get_contents (fixture->bin, &contents, &size, NULL));
  g_assert_true (
      g_file_set_contents (other_bin, contents, (gssize) size, NULL));
  g_assert_true (g_file_set_contents (other_xml, NET, -1, NULL));
  g_autoptr (InferModel) first = load (fixture);
  g_autoptr (InferRequest) request = make_request (fixture, first);
  g_autoptr (InferModel) second =
      infer_runtime_load (fixture->runtime, other_xml, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) sharing = make_request (fixture, second);
  assert_result (sharing, 2);
  g_assert_cmpint (truncate (fixture->bin, 0), ==, 0);
  g_assert_false (infer (sharing, &result, &error));
  assert_names (error, fixture->bin);
}

/* Another process truncates and writes the file while it is loaded, compiled
 * and run: every failure names it, every success is right. */
static gpointer
cut_and_write (gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; i < 40; i++) {
    g_assert_cmpint (truncate (fixture->bin, (i * 977 * 64) % BYTES), ==, 0);
    g_usleep (i % 3 * 1000);
    write_weights (fixture, 1);
    g_usleep (i % 5 * 1000);
  }
  return NULL;
}

static gboolean
try_once (const Fixture *fixture, GError **error)
{
  g_autoptr (InferModel) model =
      infer_runtime_load (fixture->runtime, fixture->xml, NULL, error);
  g_autoptr (InferExecutable) executable =
      model != NULL ? infer_executable_new (model, fixture->runtime, error)
                    : NULL;
  g_autoptr (InferRequest) request =
      executable != NULL ? infer_request_new (executable, error) : NULL;
  float result;

  for (guint i = 0; request != NULL && i < 3; i++) {
    if (!infer (request, &result, error))
      return FALSE;
    g_assert_cmpfloat (result, ==, 2);
  }
  return request != NULL;
}

static void
test_all_the_time (Fixture *fixture, gconstpointer unused)
{
  GThread *thread = g_thread_new (NULL, cut_and_write, fixture);

  for (guint i = 0; i < 60; i++) {
    g_autoptr (GError) error = NULL;

    /* A cut file may also be too short for what the XML wants of it. */
    if (!try_once (fixture, &error))
      g_assert_true (
          strstr (error->message, fixture->bin) != NULL
          || (strstr (error->message, fixture->xml) != NULL
              && strstr (error->message, "of weights that have") != NULL));
  }
  g_thread_join (thread);
  g_autoptr (GError) error = NULL;
  g_assert_true (try_once (fixture, &error));
  g_assert_no_error (error);
}

static void
test_never_mapped (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  infer_runtime_unref (fixture->runtime);
  fixture->runtime = infer_runtime_new ("CPU", "ENABLE_MMAP=NO", &error);
  g_assert_no_error (error);
  g_autoptr (InferModel) model = load (fixture);
  g_assert_cmpint (truncate (fixture->bin, 0), ==, 0);
  g_autoptr (InferRequest) request = make_request (fixture, model);
  assert_result (request, 2);
}

/* --- the cache --- */

/* Squares of the constant are folded, and kept. */
#define FOLDED                                                                 \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1048576") IR_CONST (1, "c", "f32",       \
          "1,1048576", "0", "4194304") IR_BINARY (2, "square", "Multiply")     \
          IR_BINARY (3, "sum", "Add") IR_RESULT (4, "y"),                      \
      IR_EDGE (1, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (0, 0, 3, 0)           \
          IR_EDGE (2, 2, 3, 1) IR_EDGE (3, 2, 4, 0),                           \
      "")

static void
cut_entries (const char *folder, guint *n)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    GStatBuf info;

    g_assert_cmpint (g_stat (path, &info), ==, 0);
    if (info.st_size < (goffset) BYTES)
      continue;
    ++*n;
    g_assert_cmpint (truncate (path, 300), ==, 0);
  }
}

static void
test_cache (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *config = g_strconcat ("CACHE_DIR=", fixture->cache, NULL);
  g_autoptr (GError) error = NULL;
  guint n = 0;
  float result;

  g_assert_true (g_file_set_contents (fixture->xml, FOLDED, -1, NULL));
  for (guint i = 0; i < 2; i++) { /* made; mapped */
    infer_runtime_unref (fixture->runtime);
    fixture->runtime = infer_runtime_new ("CPU", config, &error);
    g_assert_no_error (error);
    g_autoptr (InferModel) model = load (fixture);
    g_autoptr (InferRequest) request = make_request (fixture, model);
    assert_result (request, 2);
    if (i == 0)
      continue;
    cut_entries (fixture->cache, &n);
    g_assert_cmpuint (n, >, 0);
    g_assert_false (infer (request, &result, &error));
    assert_names (error, fixture->cache);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, func)                                                        \
  g_test_add ("/cut-files/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("before-compiling", test_before_compiling);
  ADD ("while-in-use", test_while_in_use);
  ADD ("shared", test_shared);
  ADD ("all-the-time", test_all_the_time);
  ADD ("never-mapped", test_never_mapped);
  ADD ("cache", test_cache);
  return g_test_run ();
}
