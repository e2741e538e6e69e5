/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cached XML of models: used instead of the file, and refused if damaged. */

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "inference/base/cache.h"
#include "inference/base/hash.h"
#include "inference/graph/model-private.h"

#define NET(name)                                                              \
  "<net name=\"" name "\" version=\"11\"><layers>"                             \
  "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"          \
  "<data element_type=\"f32\" shape=\"1,?\"/>"                                 \
  "<output><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>-1</dim></port>" \
  "</output></layer>"                                                          \
  "<layer id=\"1\" name=\"y\" type=\"Result\" version=\"opset1\">"             \
  "<input><port id=\"0\"/></input></layer></layers>"                           \
  "<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\""               \
  " to-port=\"0\"/></edges>"                                                   \
  "<rt_info><model_info><labels value=\"a b\"/></model_info></rt_info></net>"

typedef struct
{
  char *folder, *xml, *cache_folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("infer-model-XXXXXX", NULL);
  fixture->xml = g_build_filename (fixture->folder, "m.xml", NULL);
  fixture->cache_folder = g_build_filename (fixture->folder, "cache", NULL);
  g_assert_true (g_file_set_contents (fixture->xml, NET ("first"), -1, NULL));
}

/* The only file of the cache, NULL if there is none; fails if there are more.
 */
static char *
find_entry (const Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->cache_folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;
  char *path = name != NULL
                   ? g_build_filename (fixture->cache_folder, name, NULL)
                   : NULL;

  g_assert_true (name == NULL || g_dir_read_name (dir) == NULL);
  return path;
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->cache_folder, 0, NULL);

  for (const char *name;
       dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path =
        g_build_filename (fixture->cache_folder, name, NULL);
    g_remove (path);
  }
  g_rmdir (fixture->cache_folder);
  g_remove (fixture->xml);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->xml);
  g_free (fixture->cache_folder);
}

/* The model equals that of the file, after @hits cache hits. */
static void
assert_load (const Fixture *fixture, const char *name, guint hits)
{
  g_autoptr (InferCache) cache = infer_cache_new (fixture->cache_folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load_with (fixture->xml, NULL, cache, TRUE, &error);
  guint found, missed;

  g_assert_no_error (error);
  g_assert_cmpstr (infer_model_get_name (model), ==, name);
  g_assert_cmpuint (infer_model_n_inputs (model), ==, 1);
  g_assert_cmpstr (infer_model_input_name (model, 0), ==, "x");
  g_assert_cmpint (infer_model_input_desc (model, 0)->shape.dims[1], ==, -1);
  g_assert_cmpstr (infer_model_output_name (model, 0), ==, "y");
  g_assert_cmpstr (infer_model_get_info (model, "labels"), ==, "a b");
  infer_cache_get_counts (cache, &found, &missed);
  g_assert_cmpuint (found, ==, hits);
  g_assert_cmpuint (missed, ==, 1 - hits);
}

static void
test_kept (Fixture *fixture, gconstpointer unused)
{
  assert_load (fixture, "first", 0);
  g_autofree char *entry = find_entry (fixture);
  g_assert_nonnull (entry);
  assert_load (fixture, "first", 1);

  /* Other contents have another key, even with the same name and times. */
  g_assert_true (g_file_set_contents (fixture->xml, NET ("second"), -1, NULL));
  assert_load (fixture, "second", 0);
  assert_load (fixture, "second", 1);
}

/* Files with errors are not cached; the errors are those of the file. */
static void
test_wrong_file (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (InferCache) cache = infer_cache_new (fixture->cache_folder);

  g_assert_true (g_file_set_contents (fixture->xml, "<net>\n<a>", -1, NULL));
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (
        infer_model_load_with (fixture->xml, NULL, cache, TRUE, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
    g_assert_nonnull (strstr (error->message, "line 2"));
  }
  g_autofree char *entry = find_entry (fixture);
  g_assert_null (entry);
}

/* Without fsync. */
static void
write_file (const char *path, const char *bytes, gsize size)
{
  FILE *file = g_fopen (path, "wb");

  g_assert_cmpuint (fwrite (bytes, 1, size, file), ==, size);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
ignore_warnings (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
}

/* A changed byte, or a truncated file. */
static void
test_damaged (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *whole = NULL;
  gsize size;

  assert_load (fixture, "first", 0);
  g_autofree char *entry = find_entry (fixture);
  g_assert_true (g_file_get_contents (entry, &whole, &size, NULL));
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);
  GLogFunc before = g_log_set_default_handler (ignore_warnings, NULL);
  for (gsize at = 0; at < size; at += at < 200 ? 1 : 7) {
    whole[at] ^= 0x11;
    write_file (entry, whole, size);
    whole[at] ^= 0x11;
    /* Padding to a multiple of 64 is not read. */
    g_autoptr (InferCache) cache = infer_cache_new (fixture->cache_folder);
    g_autoptr (InferModel) model =
        infer_model_load_with (fixture->xml, NULL, cache, TRUE, NULL);
    g_assert_cmpstr (infer_model_get_name (model), ==, "first");
    assert_load (fixture, "first", 1); /* intact, or replaced */
  }
  for (gsize n = 0; n < size; n += 13) {
    write_file (entry, whole, n);
    assert_load (fixture, "first", 0);
    assert_load (fixture, "first", 1);
  }
  g_log_set_default_handler (before, NULL);
  g_log_set_always_fatal (fatal);
}

/* With a valid checksum: refused because of its content. */
static void
test_foreign (Fixture *fixture, gconstpointer unused)
{
  InferHash hash = { { strlen (NET ("first")) } };
  hash = infer_hash (NET ("first"), strlen (NET ("first")), &hash);
  char digits[33];
  infer_hash_to_string (&hash, digits);
  g_autofree char *key = g_strdup_printf ("%s %d", digits, G_BYTE_ORDER);

  for (gsize n = 0; n < 64; n++) {
    g_autoptr (InferCache) cache = infer_cache_new (fixture->cache_folder);
    g_autoptr (GBytes) bytes = g_bytes_new_take (g_strnfill (n, 'x'), n);
    infer_cache_put (cache, "xml", key, bytes);
    assert_load (fixture, "first", 1); /* found, not used, */
    g_autoptr (GBytes) now = infer_cache_get (cache, "xml", key);
    g_assert_cmpuint (g_bytes_get_size (now), >, 64); /* and replaced */
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, func)                                                        \
  g_test_add ("/model-cache/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("kept", test_kept);
  ADD ("wrong-file", test_wrong_file);
  ADD ("damaged", test_damaged);
  ADD ("foreign", test_foreign);
  return g_test_run ();
}
