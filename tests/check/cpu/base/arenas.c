/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that runs take turns with. */

#include "cpu/base/arenas.h"

#include "cpu/base/memory.h"

#define LARGE ((gsize) 1 << 24)
#define SMALL ((gsize) 1 << 20)

/* As a workspace does. */
static CpuArena
take (CpuArenas *arenas, gsize size, gconstpointer last)
{
  CpuArena taken = cpu_arenas_take (arenas, size, 1, last);

  if (taken.arena_size < size) {
    cpu_free (taken.arena);
    taken.arena = cpu_alloc (size);
    taken.arena_size = size;
  }
  if (taken.scratch_size < 1) {
    taken.scratch = cpu_alloc (1);
    taken.scratch_size = 1;
  }
  g_assert_nonnull (taken.arena);
  return taken;
}

static void
begin (CpuArenas *arenas, guint users)
{
  cpu_arenas_init (arenas);
  for (guint i = 0; i < users; i++)
    cpu_arenas_join (arenas);
}

static void
end (CpuArenas *arenas, guint users)
{
  for (guint i = 0; i < users; i++)
    cpu_arenas_leave (arenas, NULL);
  g_assert_cmpuint (arenas->users, ==, 0);
  g_assert_cmpuint (arenas->taken, ==, 0);
  g_assert_cmpuint (arenas->idle->len, ==, 0);
  cpu_arenas_clear (arenas);
}

/* As many as are used at a time, not more. */
static void
test_turns (void)
{
  CpuArenas arenas;

  begin (&arenas, 5);
  CpuArena a = take (&arenas, LARGE, NULL), b = take (&arenas, LARGE, NULL);
  gconstpointer at_a = a.arena, at_b = b.arena;
  g_assert_true (at_a != at_b);
  cpu_arenas_give (&arenas, &a);
  g_assert_null (a.arena);
  cpu_arenas_give (&arenas, &b);
  for (guint i = 0; i < 10; i++) {
    gconstpointer last = i % 2 ? at_a : at_b;

    a = take (&arenas, LARGE, last);
    g_assert_true (a.arena == last);
    cpu_arenas_give (&arenas, &a);
  }
  g_assert_cmpuint (arenas.idle->len, ==, 2);
  /* One that was never used gets one of them. */
  a = take (&arenas, LARGE - 100, NULL);
  g_assert_true (a.arena == at_a || a.arena == at_b);
  cpu_arenas_give (&arenas, &a);
  g_assert_cmpuint (arenas.idle->len, ==, 2);
  end (&arenas, 5);
}

/* A small request leaves the large memory to large ones; between like sizes the
 * smallest that is enough is taken, else the largest grows. */
static void
test_sizes (void)
{
  CpuArenas arenas;

  begin (&arenas, 4);
  CpuArena large = take (&arenas, LARGE, NULL);
  gconstpointer at = large.arena;
  cpu_arenas_give (&arenas, &large);
  CpuArena small = take (&arenas, SMALL, at);
  g_assert_true (small.arena != at);
  g_assert_cmpuint (small.arena_size, ==, SMALL);
  CpuArena middle = take (&arenas, LARGE / 2, NULL);
  g_assert_true (middle.arena == at);
  CpuArena other = take (&arenas, LARGE / 2, NULL);
  cpu_arenas_give (&arenas, &small);
  cpu_arenas_give (&arenas, &middle);
  cpu_arenas_give (&arenas, &other);
  g_assert_cmpuint (arenas.idle->len, ==, 3);
  middle = cpu_arenas_take (&arenas, LARGE / 2 - 1, 1, NULL);
  g_assert_cmpuint (middle.arena_size, ==, LARGE / 2);
  other = cpu_arenas_take (&arenas, LARGE * 2, 1, NULL);
  g_assert_cmpuint (other.arena_size, ==, LARGE);
  cpu_arenas_give (&arenas, &middle);
  cpu_arenas_give (&arenas, &other);
  end (&arenas, 4);
}

/* Never more than users: then any size will do; what those that leave have had
 * goes with them. */
static void
test_limit (void)
{
  CpuArenas arenas;

  begin (&arenas, 2);
  CpuArena large = take (&arenas, LARGE, NULL);
  gconstpointer at = large.arena;
  CpuArena small = take (&arenas, SMALL, NULL);
  cpu_arenas_give (&arenas, &large);
  CpuArena other = cpu_arenas_take (&arenas, 1, 1, NULL);
  g_assert_true (other.arena == at);
  cpu_arenas_give (&arenas, &other);
  cpu_arenas_give (&arenas, &small);
  g_assert_cmpuint (arenas.idle->len, ==, 2);
  cpu_arenas_leave (&arenas, at);
  g_assert_cmpuint (arenas.idle->len, ==, 1);
  small = cpu_arenas_take (&arenas, LARGE, 1, at);
  g_assert_cmpuint (small.arena_size, ==, SMALL);
  cpu_arenas_give (&arenas, &small);
  small = cpu_arenas_take (&arenas, SMALL, 1, NULL);
  cpu_arena_clear (&small); /* what grew could not be had */
  cpu_arenas_give (&arenas, &small);
  end (&arenas, 1);
}

/* Its pages are given back, not the memory itself. */
static void
test_rest (void)
{
  CpuArenas arenas;

  begin (&arenas, 1);
  CpuArena a = take (&arenas, LARGE, NULL);
  gconstpointer at = a.arena;
  char *middle = (char *) a.arena + LARGE / 2;
  *middle = 1;
  cpu_arenas_rest (&arenas, at); /* in use: nothing */
  g_assert_cmpint (*middle, ==, 1);
  cpu_arenas_give (&arenas, &a);
  cpu_arenas_rest (&arenas, at);
  g_assert_cmpuint (arenas.idle->len, ==, 1);
  a = take (&arenas, LARGE, NULL);
  g_assert_true (a.arena == at);
  g_assert_cmpint (*middle, ==, 0);
  cpu_arenas_give (&arenas, &a);
  end (&arenas, 1);
}

#define THREADS 4
#define TURNS 20000

static gpointer
use (gpointer data)
{
  CpuArenas *arenas = data;
  gconstpointer last = NULL;

  cpu_arenas_join (arenas);
  for (guint i = 0; i < TURNS; i++) {
    CpuArena a = take (arenas, SMALL, last);
    guint *mark = a.arena;

    *mark = i;
    last = a.arena;
    g_assert_cmpuint (*(volatile guint *) mark, ==, i);
    cpu_arenas_give (arenas, &a);
    if (i % 100 == 0)
      cpu_arenas_rest (arenas, last);
  }
  cpu_arenas_leave (arenas, last);
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[THREADS];
  CpuArenas arenas;

  begin (&arenas, 0);
  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("use", use, &arenas);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (arenas.users, ==, 0);
  g_assert_cmpuint (arenas.taken, ==, 0);
  cpu_arenas_clear (&arenas);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-arenas/turns", test_turns);
  g_test_add_func ("/cpu-arenas/sizes", test_sizes);
  g_test_add_func ("/cpu-arenas/limit", test_limit);
  g_test_add_func ("/cpu-arenas/rest", test_rest);
  g_test_add_func ("/cpu-arenas/threads", test_threads);
  return g_test_run ();
}
