/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops split between threads: each part runs once. */

#include "cpu/threads/team.h"

#define THREADS 4
#define MOST 1000

typedef struct
{
  gint visits[MOST]; /* atomic */
  gint ranges;       /* atomic */
  guint parts;
} Loop;

static void
visit (gpointer data, gsize begin, gsize end, guint thread)
{
  Loop *loop = data;

  g_assert_cmpuint (thread, <, loop->parts);
  g_assert_cmpuint (begin, <, end);
  for (gsize i = begin; i < end; i++)
    g_atomic_int_inc (&loop->visits[i]);
  g_atomic_int_inc (&loop->ranges);
}

static void
test_once (void)
{
  CpuTeam *team = cpu_team_new (THREADS);

  for (guint round = 0; round < 20000; round++) {
    gsize n = (gsize) g_test_rand_int_range (1, round % 100 ? 20 : MOST);
    guint pieces = (guint) g_test_rand_int_range (1, 4);
    Loop loop = { .parts = (guint) g_test_rand_int_range (1, THREADS + 1) };

    cpu_team_run (team, n, loop.parts, pieces, visit, &loop);
    for (gsize i = 0; i < n; i++)
      g_assert_cmpint (loop.visits[i], ==, 1);
    g_assert_cmpint (loop.ranges, ==, MIN (n, loop.parts * pieces));
    if (round % 1000 == 0)
      g_usleep (2000); /* waiting threads fall asleep */
  }
  cpu_team_free (team);
}

/* The thread with the first range is blocked until all other ranges are done by
 * others; otherwise it would wait for ever. */
static void
hold_up (gpointer data, gsize begin, gsize end, guint thread)
{
  Loop *loop = data;

  if (thread == 1)
    while (g_atomic_int_get (&loop->ranges) < 5)
      g_usleep (10);
  g_usleep (100);
  visit (data, begin, end, thread);
}

static void
test_blocked_thread (void)
{
  CpuTeam *team = cpu_team_new (2);

  for (guint round = 0; round < 50; round++) {
    Loop loop = { .parts = 2 };

    cpu_team_run (team, 6, 2, 3, hold_up, &loop);
    for (gsize i = 0; i < 6; i++)
      g_assert_cmpint (loop.visits[i], ==, 1);
  }
  cpu_team_free (team);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/team/once", test_once);
  g_test_add_func ("/team/blocked-thread", test_blocked_thread);
  return g_test_run ();
}
