/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/arena.h"
#include "infer/error.h"

static void
test_chain (void)
{
  /* Each is read by the next step only: two offsets are enough for all. */
  InferArenaSpan spans[] = { { 1000, 0, 1, 0 }, { 1000, 1, 2, 0 },
    { 1000, 2, 3, 0 }, { 1000, 3, 4, 0 } };
  gsize size;

  g_assert_true (infer_arena_place (spans, 4, 64, &size, NULL));
  g_assert_cmpuint (size, ==, 1024 + 1000);
  g_assert_cmpuint (spans[0].offset, ==, spans[2].offset);
  g_assert_cmpuint (spans[1].offset, ==, spans[3].offset);
}

static void
test_gap (void)
{
  /* The small one reuses the place of a large one that is dead. */
  InferArenaSpan spans[] = { { 64, 2, 3, 0 }, { 4096, 0, 1, 0 },
    { 2048, 0, 3, 0 } };
  gsize size;

  g_assert_true (infer_arena_place (spans, 3, 64, &size, NULL));
  g_assert_cmpuint (size, ==, 4096 + 2048);
  g_assert_cmpuint (spans[0].offset, ==, 0);
}

static void
test_nothing (void)
{
  InferArenaSpan empty[] = { { 0, 0, 5, 0 }, { 0, 1, 1, 0 } };
  gsize size = 7;

  g_assert_true (infer_arena_place (NULL, 0, 64, &size, NULL));
  g_assert_cmpuint (size, ==, 0);
  g_assert_true (infer_arena_place (empty, 2, 64, &size, NULL));
  g_assert_cmpuint (size, ==, 0);
}

static void
test_too_large (void)
{
  InferArenaSpan spans[] = { { G_MAXSIZE / 4, 0, 1, 0 },
    { G_MAXSIZE / 4, 0, 1, 0 } };
  g_autoptr (GError) error = NULL;
  gsize size;

  g_assert_false (infer_arena_place (spans, 2, 64, &size, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
}

static gboolean
clash (const InferArenaSpan *a, const InferArenaSpan *b)
{
  return a->first <= b->last && b->first <= a->last
         && a->offset < b->offset + b->bytes
         && b->offset < a->offset + a->bytes;
}

static void
test_random (void)
{
  for (guint round = 0; round < 200; round++) {
    guint n = (guint) g_test_rand_int_range (1, 60);
    InferArenaSpan spans[60];
    gsize size, sum = 0;

    for (guint i = 0; i < n; i++) {
      guint first = (guint) g_test_rand_int_range (0, 40);

      spans[i] = (InferArenaSpan){ (gsize) g_test_rand_int_range (1, 5000),
        first, first + (guint) g_test_rand_int_range (0, 8), 0 };
      sum += (spans[i].bytes + 127) & ~(gsize) 127;
    }
    g_assert_true (infer_arena_place (spans, n, 128, &size, NULL));
    g_assert_cmpuint (size, <=, sum);
    for (guint i = 0; i < n; i++) {
      g_assert_cmpuint (spans[i].offset % 128, ==, 0);
      g_assert_cmpuint (spans[i].offset + spans[i].bytes, <=, size);
      for (guint k = 0; k < i; k++)
        g_assert_false (clash (&spans[i], &spans[k]));
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arena/chain", test_chain);
  g_test_add_func ("/arena/gap", test_gap);
  g_test_add_func ("/arena/nothing", test_nothing);
  g_test_add_func ("/arena/too-large", test_too_large);
  g_test_add_func ("/arena/random", test_random);
  return g_test_run ();
}
