/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CACHE_DIR on the CPU: decompressed and packed weights are read from files,
 * with the same results bit for bit; damaged files are not used. */

#include <glib/gstdio.h>
#include <string.h>

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define K 160
#define N 192

/* y = x w, w = (f16 (u8) - zero) * scale: compressed weights, packed as stored.
 * With @more readers they are decompressed first. */
#define WEIGHTS_NET(more, more_edges)                                          \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "2,160") IR_CONST (1, "w", "u8", "160,192", \
          "0", "30720") IR_CONST (2, "zero", "f32", "1,192", "30720", "768")   \
          IR_CONST (3, "scale", "f32", "1,192", "31488", "768") IR_LAYER (4,   \
              "float", "Convert", "opset1",                                    \
              IR_DATA ("destination_type=\"f32\""), IR_PORT (0),               \
              IR_PORT (1)) IR_BINARY (5, "less", "Subtract") IR_BINARY (6,     \
              "times", "Multiply") IR_LAYER (7, "product", "MatMul", "opset1", \
              IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),         \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (8, "y") more,   \
      IR_EDGE (1, 0, 4, 0) IR_EDGE (4, 1, 5, 0) IR_EDGE (2, 0, 5, 1)           \
          IR_EDGE (5, 2, 6, 0) IR_EDGE (3, 0, 6, 1) IR_EDGE (0, 0, 7, 0)       \
              IR_EDGE (6, 2, 7, 1) IR_EDGE (7, 2, 8, 0) more_edges,            \
      "")

static const char packed[] = WEIGHTS_NET ("", "");
static const char folded[] =
    WEIGHTS_NET (IR_RESULT (9, "w"), IR_EDGE (6, 2, 9, 0));

typedef struct
{
  const char *net;
  char *folder;
  guint8 weights[32256];
  float want[2 * N];
} Fixture;

/* Loads, compiles and runs; then reads the cache's counters. */
static void
run (const Fixture *fixture, const char *folder, float *out, guint *hits,
    guint *misses)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      ir_load_good (fixture->net, fixture->weights, sizeof fixture->weights);
  g_autofree char *config =
      folder != NULL ? g_strdup_printf ("CACHE_DIR=%s", folder) : NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", config, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  InferTensor *x = infer_request_get_input (request, 0, NULL);

  for (guint i = 0; i < 2 * K; i++)
    ((float *) x->data)[i] = (float) (i % 17) - 8.f;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const InferTensor *y = infer_request_get_output (request, 0, NULL);
  g_assert_cmpuint (y->size, ==, 2 * N * sizeof (float));
  memcpy (out, y->data, y->size);
  if (hits != NULL)
    infer_cache_get_counts (runtime->config.cache, hits, misses);
}

static void
set_up (Fixture *fixture, gconstpointer net)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  float *floats = (float *) (gpointer) (fixture->weights + K * N);

  fixture->net = net;
  fixture->folder = g_dir_make_tmp ("infer-cache-XXXXXX", NULL);
  for (guint i = 0; i < K * N; i++)
    fixture->weights[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (guint i = 0; i < N; i++) {
    floats[i] = (float) g_rand_int_range (rand, 100, 150);
    floats[N + i] = (float) g_rand_double_range (rand, 0.01, 0.02);
  }
  run (fixture, NULL, fixture->want, NULL, NULL);
}

static GPtrArray *
list_files (const Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (files, g_build_filename (fixture->folder, name, NULL));
  return files;
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) files = list_files (fixture);

  for (guint i = 0; i < files->len; i++)
    g_remove (files->pdata[i]);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

static void
assert_run (const Fixture *fixture, guint want_hits, guint want_misses)
{
  float out[2 * N];
  guint hits, misses;

  run (fixture, fixture->folder, out, &hits, &misses);
  g_assert_cmpmem (out, sizeof out, fixture->want, sizeof out);
  g_assert_cmpuint (hits, ==, want_hits);
  g_assert_cmpuint (misses, ==, want_misses);
}

/* Of the packed weights, or of the decompressed ones. */
static guint
fill_cache (const Fixture *fixture)
{
  float out[2 * N];
  guint hits, misses;

  run (fixture, fixture->folder, out, &hits, &misses);
  g_assert_cmpmem (out, sizeof out, fixture->want, sizeof out);
  g_assert_cmpuint (hits, ==, 0);
  g_assert_cmpuint (misses, >=, 1);
  g_autoptr (GPtrArray) files = list_files (fixture);
  g_assert_cmpuint (files->len, ==, misses);
  return misses;
}

/* The file's parsed XML is cached, too. */
static void
test_file (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *config = g_strdup_printf ("CACHE_DIR=%s", fixture->folder);
  g_autofree char *xml = g_build_filename (fixture->folder, "m.xml", NULL);
  g_autofree char *bin = g_build_filename (fixture->folder, "m.bin", NULL);

  g_assert_true (g_file_set_contents (xml, fixture->net, -1, NULL));
  g_assert_true (g_file_set_contents (
      bin, (const char *) fixture->weights, sizeof fixture->weights, NULL));
  for (guint i = 0; i < 2; i++) {
    g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", config, NULL);
    g_autoptr (InferModel) model =
        infer_runtime_load (runtime, xml, NULL, NULL);
    guint hits, misses;

    g_assert_cmpstr (infer_model_input_name (model, 0), ==, "x");
    infer_cache_get_counts (runtime->config.cache, &hits, &misses);
    g_assert_cmpuint (hits, ==, i);
    g_assert_cmpuint (misses, ==, 1 - i);
  }
}

static void
test_warm (Fixture *fixture, gconstpointer unused)
{
  guint n = fill_cache (fixture);

  assert_run (fixture, n, 0);
  assert_run (fixture, n, 0);
}

/* Other weights or another scale: nothing is reused. */
static void
test_other_model (Fixture *fixture, gconstpointer unused)
{
  float out[2 * N];
  guint n = fill_cache (fixture);

  fixture->weights[12345] ^= 1;
  run (fixture, NULL, fixture->want, NULL, NULL);
  assert_run (fixture, 0, n);
  ((float *) (gpointer) (fixture->weights + K * N))[N] *= 2;
  run (fixture, fixture->folder, out, NULL, NULL);
  g_assert_cmpint (memcmp (out, fixture->want, sizeof out), !=, 0);
}

/* --- damaged entries --- */

enum
{
  FLIPPED,
  CUT,
  EMPTY,
  FOREIGN,
  N_WAYS
};

static void
spoil (const char *path, guint way)
{
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  if (way == FLIPPED)
    contents[size - 1 - size / 3] ^= 1;
  else if (way == CUT)
    size -= 1;
  else if (way == EMPTY)
    size = 0;
  else
    contents[40 + strlen ("inferfilter ")]++;
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
}

static void
test_spoiled (Fixture *fixture, gconstpointer unused)
{
  guint n = fill_cache (fixture);

  for (guint way = 0; way < N_WAYS; way++) {
    g_autoptr (GPtrArray) files = list_files (fixture);

    for (guint i = 0; i < files->len; i++) {
      spoil (files->pdata[i], way);
      if (way == FOREIGN && i > 0)
        continue; /* one warning per file */
      g_test_expect_message (
          "infer", G_LOG_LEVEL_WARNING, "*cache entry ignored*");
    }
    assert_run (fixture, 0, n);
    g_test_assert_expected_messages ();
    assert_run (fixture, n, 0); /* rewritten */
  }
}

static void
test_unwritable (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *file = g_build_filename (fixture->folder, "file", NULL);
  g_autofree char *below = g_build_filename (file, "cache", NULL);
  float out[2 * N];

  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*nothing is cached*");
  run (fixture, below, out, NULL, NULL);
  g_test_assert_expected_messages ();
  g_assert_cmpmem (out, sizeof out, fixture->want, sizeof out);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, func)                                                       \
  g_test_add (                                                                 \
      "/cpu-cache/packed/" path, Fixture, packed, set_up, func, tear_down);    \
  g_test_add (                                                                 \
      "/cpu-cache/folded/" path, Fixture, folded, set_up, func, tear_down)
  TEST ("warm", test_warm);
  TEST ("other-model", test_other_model);
  TEST ("spoiled", test_spoiled);
  TEST ("unwritable", test_unwritable);
  g_test_add ("/cpu-cache/file", Fixture, packed, set_up, test_file, tear_down);
  return g_test_run ();
}
