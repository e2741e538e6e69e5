/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for packs, alone and in blocks that several share. */

#include "cpu/base/memory.h"

#include <string.h>

#define BLOCK ((gsize) 2 << 20)
#define SIZE ((gsize) 100 << 10)
#define N 100

static void
check_all (char **packs, guint first)
{
  for (guint i = first; i < N; i++)
    for (gsize k = 0; k < SIZE; k += 997)
      g_assert_cmpint (packs[i][k], ==, (char) i);
}

static guint
count_pairs_in_one_block (char **packs)
{
  guint n = 0;

  for (guint i = 1; i < N; i++)
    n += (gsize) packs[i] / BLOCK == (gsize) packs[i - 1] / BLOCK
         && packs[i] - packs[i - 1] == (gssize) SIZE;
  return n;
}

static void
fill (char **packs)
{
  for (guint i = 0; i < N; i++) {
    packs[i] = cpu_alloc_pack (SIZE);
    g_assert_cmpuint ((gsize) packs[i] % 64, ==, 0);
    memset (packs[i], (int) i, SIZE);
  }
}

/* Packs do not overlap, and are given back in any order. */
static void
test_packs (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  char *packs[N];

  for (guint round = 0; round < 3; round++) {
    fill (packs);
    check_all (packs, 0);
    /* Nearly all lie behind their neighbour. */
    g_assert_cmpuint (count_pairs_in_one_block (packs), >, N / 3);
    for (guint i = 0; i < N; i++) {
      const guint other = (guint) g_rand_int_range (rand, (gint32) i, N);
      char *chosen = packs[other];

      packs[other] = packs[i];
      cpu_free (chosen);
    }
  }
  cpu_free (NULL);
}

/* A few packs share no block: it would not be filled. */
static void
test_few (void)
{
  char *a = cpu_alloc_pack (SIZE), *b = cpu_alloc_pack (SIZE);

  g_assert_true ((gsize) a / BLOCK != (gsize) b / BLOCK || b - a != SIZE);
  cpu_free (a);
  cpu_free (b);
}

/* Few packs that are announced share a block, whose end is of small pages,
 * until it is full. */
static void
test_expected (void)
{
  cpu_alloc_expect (BLOCK + 1);
  for (guint round = 0; round < 2; round++) {
    char *packs[N];

    fill (packs);
    check_all (packs, 0);
    if (round == 0)
      g_assert_true (packs[1] - packs[0] == (gssize) SIZE);
    for (guint i = 0; i < N; i++)
      cpu_free (packs[i]);
  }
  cpu_alloc_expect (G_MAXSIZE);
  cpu_alloc_expect (0);
  cpu_free (cpu_alloc_pack (SIZE));
}

static void
test_large (void)
{
  char *large = cpu_alloc (5 * BLOCK);

  g_assert_cmpuint ((gsize) large % BLOCK, ==, 0);
  /* Now enough is held. */
  char *a = cpu_alloc_pack (SIZE), *b = cpu_alloc_pack (SIZE);
  g_assert_true (b - a == (gssize) SIZE);
  cpu_free (a);
  memset (b, 1, SIZE);
  cpu_free (b);
  cpu_free (large);
  g_assert_null (cpu_alloc (G_MAXSIZE));
  g_assert_null (cpu_alloc_pack (G_MAXSIZE));
}

/* Whole pages are empty afterwards, and can be written again. */
static void
test_discard (void)
{
  const gsize page = 4096;
  char *memory = cpu_alloc (2 * BLOCK);

  memset (memory, 1, 2 * BLOCK);
  cpu_discard (memory + 1, BLOCK);
  g_assert_cmpint (memory[0], ==, 1);
  g_assert_cmpint (memory[BLOCK], ==, 1);
#ifdef __linux__
  g_assert_cmpint (memory[page], ==, 0);
  g_assert_cmpint (memory[BLOCK - 1], ==, 0);
#endif
  memset (memory, 2, 2 * BLOCK);
  g_assert_cmpint (memory[page], ==, 2);
  cpu_discard (memory + 1, page);
  g_assert_cmpint (memory[page], ==, 2);
  cpu_discard (NULL, 0);
  cpu_free (memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-memory/few", test_few);
  g_test_add_func ("/cpu-memory/packs", test_packs);
  g_test_add_func ("/cpu-memory/expected", test_expected);
  g_test_add_func ("/cpu-memory/large", test_large);
  g_test_add_func ("/cpu-memory/discard", test_discard);
  return g_test_run ();
}
