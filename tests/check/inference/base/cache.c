/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cache.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "inference/base/hash.h"
#include "tests/check/support/folder.h"

#define KIND "test-blob"
#define KEY "model 1\ndevice\n2"

typedef struct
{
  char *folder;
  InferCache *cache;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("infer-cache-XXXXXX", NULL);
  g_autofree char *below = g_build_filename (fixture->folder, "a", "b", NULL);
  fixture->cache = infer_cache_new (below);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  infer_cache_unref (fixture->cache);
  test_remove_folder (fixture->folder);
  g_free (fixture->folder);
}

static void
put (InferCache *cache, const char *key, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  infer_cache_put (cache, KIND, key, bytes);
}

static void
assert_entry (InferCache *cache, const char *key, const char *text)
{
  g_autoptr (GBytes) bytes = infer_cache_get (cache, KIND, key);
  gsize size;

  if (text == NULL) {
    g_assert_null (bytes);
    return;
  }
  g_assert_nonnull (bytes);
  gconstpointer data = g_bytes_get_data (bytes, &size);
  g_assert_cmpmem (data, size, text, strlen (text));
  g_assert_cmpuint ((gsize) data % 64, ==, 0);
}

/* The only file in the folder. */
static char *
find_file (const InferCache *cache)
{
  const char *folder = infer_cache_get_folder (cache);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *name = g_strdup (g_dir_read_name (dir));

  g_assert_nonnull (name);
  g_assert_true (g_str_has_prefix (name, KIND "-"));
  g_assert_null (g_dir_read_name (dir));
  return g_build_filename (folder, name, NULL);
}

static void
test_round (Fixture *fixture, gconstpointer unused)
{
  guint hits, misses;

  assert_entry (fixture->cache, KEY, NULL);
  put (fixture->cache, KEY, "what was made");
  assert_entry (fixture->cache, KEY, "what was made");
  assert_entry (fixture->cache, "model 1\ndevice\n3", NULL);
  put (fixture->cache, KEY, "made again, at more length");
  assert_entry (fixture->cache, KEY, "made again, at more length");
  put (fixture->cache, "empty", "");
  assert_entry (fixture->cache, "empty", "");
  infer_cache_get_counts (fixture->cache, &hits, &misses);
  g_assert_cmpuint (hits, ==, 3);
  g_assert_cmpuint (misses, ==, 2);

  /* Another process sees the same; no temporary file is left. */
  g_autoptr (InferCache) other =
      infer_cache_new (infer_cache_get_folder (fixture->cache));
  assert_entry (other, KEY, "made again, at more length");
  g_autoptr (GDir) dir = g_dir_open (infer_cache_get_folder (other), 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 2);
}

static void
test_none (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("x", 1);

  infer_cache_put (NULL, KIND, KEY, bytes);
  g_assert_null (infer_cache_get (NULL, KIND, KEY));
}

/* A second cache object stands for another process. */
static void
assert_fresh (const Fixture *fixture, const char *text)
{
  g_autoptr (InferCache) fresh =
      infer_cache_new (infer_cache_get_folder (fixture->cache));

  assert_entry (fresh, KEY, text);
}

/* A file with any byte changed or truncated anywhere is not used, causes a
 * warning, and is replaced by the next put. */
static void
test_damaged (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *contents = NULL;
  gsize size;

  put (fixture->cache, KEY, "some bytes that matter");
  g_autofree char *path = find_file (fixture->cache);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_assert_cmpint (contents[13], ==, 0);
  for (gsize i = 0; i < size; i++) {
    g_autofree char *changed = g_memdup2 (contents, size);
    gsize header = 40, identity = (guint8) contents[12];

    if (i >= header + identity && i < size - 22)
      continue; /* padding */
    changed[i] ^= 0x10;
    g_assert_true (g_file_set_contents (path, changed, (gssize) size, NULL));
    g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*ignored*");
    assert_fresh (fixture, NULL);
    g_test_assert_expected_messages ();
  }
  for (gsize n = 0; n <= size + 1; n++) {
    g_autofree char *cut = g_malloc0 (size + 1);

    if (n == size)
      continue;
    memcpy (cut, contents, size);
    g_assert_true (g_file_set_contents (path, cut, (gssize) n, NULL));
    g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*ignored*");
    assert_fresh (fixture, NULL);
    g_test_assert_expected_messages ();
  }
  put (fixture->cache, KEY, "new");
  assert_fresh (fixture, "new");
}

static void
test_foreign_version (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *contents = NULL;
  gsize size;

  put (fixture->cache, KEY, "bytes");
  g_autofree char *path = find_file (fixture->cache);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  memcpy (contents + 40 + strlen ("inferfilter "), "9", 1);
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*another version*");
  assert_entry (fixture->cache, KEY, NULL);
  g_test_assert_expected_messages ();
  assert_entry (fixture->cache, KEY, NULL); /* warned once */
  put (fixture->cache, KEY, "bytes");
  assert_entry (fixture->cache, KEY, "bytes");
}

static void
test_folder_in_place (Fixture *fixture, gconstpointer unused)
{
  put (fixture->cache, KEY, "bytes");
  g_autofree char *path = find_file (fixture->cache);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*ignored*");
  assert_entry (fixture->cache, KEY, NULL);
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*nothing is cached*");
  put (fixture->cache, KEY, "bytes");
  g_test_assert_expected_messages ();
}

static void
test_unwritable (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (fixture->folder, "file", NULL);
  g_autofree char *below = g_build_filename (file, "cache", NULL);
  g_autoptr (InferCache) cache = infer_cache_new (below);

  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  assert_entry (cache, KEY, NULL);
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*nothing is cached*");
  put (cache, KEY, "bytes");
  g_test_assert_expected_messages ();
  put (cache, KEY, "bytes"); /* warned once */
  assert_entry (cache, KEY, NULL);
}

/* --- what others may have written --- */

/* Neither read nor written, with one warning that says why. */
static void
assert_distrusted (const Fixture *fixture, const char *why, gboolean entry)
{
  const char *folder = infer_cache_get_folder (fixture->cache);
  g_autoptr (InferCache) fresh = infer_cache_new (folder);
  g_autofree char *pattern = g_strdup_printf ("*not used*%s*", why);

  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, pattern);
  assert_entry (fresh, KEY, NULL);
  g_test_assert_expected_messages ();
  assert_entry (fresh, KEY, NULL);
  if (entry)
    return;
  put (fresh, "another", "text");
  g_autofree char *only = find_file (fresh);
  g_assert_nonnull (only);
}

static void
test_others_may_write (Fixture *fixture, gconstpointer unused)
{
  const char *folder = infer_cache_get_folder (fixture->cache);

  put (fixture->cache, KEY, "some bytes");
  g_autofree char *path = find_file (fixture->cache);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpint (g_chmod (folder, i == 0 ? 0720 : 0702), ==, 0);
    assert_distrusted (fixture, "other users may write to it", FALSE);
  }
  g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
  assert_fresh (fixture, "some bytes");
  g_assert_cmpint (g_chmod (path, 0622), ==, 0);
  assert_distrusted (fixture, "other users may write to it", TRUE);
  g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  assert_fresh (fixture, "some bytes");
}

static void
test_foreign_owner (Fixture *fixture, gconstpointer unused)
{
  const char *folder = infer_cache_get_folder (fixture->cache);

  put (fixture->cache, KEY, "some bytes");
  g_autofree char *path = find_file (fixture->cache);
  if (chown (path, 65534, 65534) != 0) {
    g_test_skip ("only root can give files away");
    return;
  }
  assert_distrusted (fixture, "belongs to another user", TRUE);
  g_assert_cmpint (chown (path, 0, 0), ==, 0);
  assert_fresh (fixture, "some bytes");
  g_assert_cmpint (chown (folder, 65534, 65534), ==, 0);
  assert_distrusted (fixture, "belongs to another user", FALSE);
}

static void
test_link (Fixture *fixture, gconstpointer unused)
{
  put (fixture->cache, KEY, "some bytes");
  g_autofree char *path = find_file (fixture->cache);
  g_autofree char *moved = g_build_filename (fixture->folder, "moved", NULL);

  g_assert_cmpint (g_rename (path, moved), ==, 0);
  g_assert_cmpint (symlink (moved, path), ==, 0);
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*it is a link*");
  assert_fresh (fixture, NULL);
  g_test_assert_expected_messages ();
  put (fixture->cache, KEY, "new");
  assert_fresh (fixture, "new");
  g_autofree char *old = NULL;
  g_assert_true (g_file_get_contents (moved, &old, NULL, NULL));
  g_assert_true (g_str_has_prefix (old, "InfCache"));
}

/* --- many at once --- */

static gpointer
write_and_read (gpointer data)
{
  InferCache *cache = data;

  for (guint i = 0; i < 100; i++) {
    g_autofree char *text =
        g_strnfill (1 + i * 37 % 5000, (char) ('a' + i % 3));
    put (cache, KEY, text);
    g_autoptr (GBytes) bytes = infer_cache_get (cache, KIND, KEY);
    gsize size;
    const char *got = g_bytes_get_data (bytes, &size);
    for (gsize k = 0; k < size; k++)
      g_assert_cmpint (got[k], ==, got[0]);
  }
  return NULL;
}

static void
test_threads (Fixture *fixture, gconstpointer unused)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, write_and_read, fixture->cache);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* --- hash --- */

static void
test_hash (void)
{
  guint8 data[200] = { 0 };
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  char text[33];

  /* Zeros of every length and each single bit set: all different. */
  for (gsize n = 0; n <= sizeof data; n++) {
    InferHash hash = infer_hash (data, n, NULL);
    infer_hash_to_string (&hash, text);
    g_assert_cmpuint (strlen (text), ==, 32);
    g_assert_true (g_hash_table_add (seen, g_strdup (text)));
    hash = infer_hash (data, n, &hash);
    infer_hash_to_string (&hash, text);
    g_assert_true (g_hash_table_add (seen, g_strdup (text)));
  }
  for (gsize bit = 0; bit < sizeof data * 8; bit++) {
    data[bit / 8] = (guint8) (1u << bit % 8);
    InferHash hash = infer_hash (data, sizeof data, NULL);
    infer_hash_to_string (&hash, text);
    g_assert_true (g_hash_table_add (seen, g_strdup (text)));
    data[bit / 8] = 0;
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, func)                                                       \
  g_test_add ("/cache/" path, Fixture, NULL, set_up, func, tear_down)
  TEST ("round", test_round);
  TEST ("damaged", test_damaged);
  TEST ("foreign-version", test_foreign_version);
  TEST ("folder-in-place", test_folder_in_place);
  TEST ("unwritable", test_unwritable);
  TEST ("others-may-write", test_others_may_write);
  TEST ("foreign-owner", test_foreign_owner);
  TEST ("link", test_link);
  TEST ("threads", test_threads);
  g_test_add_func ("/cache/none", test_none);
  g_test_add_func ("/cache/hash", test_hash);
  return g_test_run ();
}
