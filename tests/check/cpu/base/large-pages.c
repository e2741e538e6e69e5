/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for packs, alone and in blocks that several share. */

#include "cpu/base/memory.h"
#include "inference/base/memory/pages.h"
#include "tools/usage.h"

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

/* Pages of a tensor are given back and taken again, also after it has grown. */
static void
test_tensor (void)
{
  const InferShape small = infer_shape_make (1, (gint64) 10);
  const InferShape large = infer_shape_make (2, (gint64) 500, (gint64) 1000);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor =
      infer_pages_tensor_mapped (INFER_TYPE_F32, &small, &error);

  g_assert_no_error (error);
  float *values = tensor->data;
  for (guint i = 0; i < 10; i++) {
    g_assert_cmpfloat (values[i], ==, 0);
    values[i] = 1;
  }
  g_assert_true (infer_tensor_reshape (tensor, INFER_TYPE_F32, &large, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (tensor->size, ==, 2000000);
  for (guint round = 0; round < 2; round++) {
    values = tensor->data;
    g_assert_cmpfloat (values[2000], ==, 0);
    for (guint i = 0; i < 500000; i++)
      values[i] = (float) i;
    g_assert_cmpfloat (values[499999], ==, 499999);
#ifdef __linux__
    infer_pages_discard (tensor->data, tensor->size);
#else
    break;
#endif
  }
  g_assert_true (infer_tensor_reshape (tensor, INFER_TYPE_F32, &small, &error));
  g_assert_cmpuint (tensor->size, ==, 40);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static void
test_given_back (void)
{
  g_test_skip ("sanitizers keep what is freed");
}
#else
/* cpu_free returns large memory to the system at once, also after several
 * rounds of allocating and freeing. */
static void
test_given_back (void)
{
  gpointer memory[8];

  if (tool_resident_megabytes () <= 0) {
    g_test_skip ("the system does not tell how much memory is resident");
    return;
  }
  for (guint round = 0; round < 3; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
      memset (memory[i] = cpu_alloc (BLOCK - SIZE * i), 1, BLOCK - SIZE * i);
    const double most = tool_resident_megabytes ();
    for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
      cpu_free (memory[i]);
    g_assert_cmpfloat (
        tool_resident_megabytes () + 6.0 * BLOCK / (1 << 20), <, most);
  }
}
#endif

/* Between keep and drop, memory that was returned is borrowed again, unless it
 * is too large. */
static void
test_borrowed (void)
{
  const gsize large = (gsize) 5 << 20;

  cpu_borrowed_keep ();
  char *first = cpu_borrow (SIZE), *second = cpu_borrow (SIZE / 2);
  g_assert_true (first != second);
  g_assert_cmpuint ((gsize) first % 64, ==, 0);
  memset (first, 1, SIZE);
  memset (second, 2, SIZE / 2);
  g_assert_cmpint (first[SIZE - 1], ==, 1);
  cpu_return (first);
  cpu_return (second);
  /* The smallest that is enough. */
  g_assert_true (cpu_borrow (SIZE / 4) == second);
  g_assert_true (cpu_borrow (SIZE / 4) == first);
  cpu_return (second);
  cpu_return (first);
  char *huge = cpu_borrow (large);
  memset (huge, 3, large);
  cpu_return (huge);
  char *third = cpu_borrow (2 * SIZE);
  cpu_return (third); /* in place of the smallest */
  g_assert_true (cpu_borrow (2 * SIZE) == third);
  g_assert_true (cpu_borrow (1) == first);
  cpu_return (first);
  cpu_borrowed_drop ();
  cpu_return (third);
  cpu_return (NULL);
  g_assert_null (cpu_borrow (G_MAXSIZE));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-memory/borrowed", test_borrowed);
  g_test_add_func ("/cpu-memory/few", test_few);
  g_test_add_func ("/cpu-memory/packs", test_packs);
  g_test_add_func ("/cpu-memory/expected", test_expected);
  g_test_add_func ("/cpu-memory/large", test_large);
  g_test_add_func ("/cpu-memory/discard", test_discard);
  g_test_add_func ("/cpu-memory/tensor", test_tensor);
  g_test_add_func ("/cpu-memory/given-back", test_given_back);
  return g_test_run ();
}
