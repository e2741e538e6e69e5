/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/team.h"

/* Turns of polling before a thread sleeps: steps follow each other within
 * microseconds, a wake-up costs about fifty of them. */
#define SPIN 4000

struct _CpuTeam
{
  guint threads;
  GThread *maker;
  GThread **workers;
  GMutex lock;
  GCond wake;
  guint sleeping; /* under lock */
  gint round;     /* atomic; a new value starts a loop */
  gint pending;   /* atomic; workers that have not finished it */
  gint quit;      /* atomic */
  gsize n;
  guint parts;
  CpuRangeFunc func;
  gpointer data;
};

typedef struct
{
  CpuTeam *team;
  guint id;
} Worker;

static inline void
relax (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#else
  g_thread_yield ();
#endif
}

static void
run_part (CpuTeam *team, guint part)
{
  gsize begin = team->n * part / team->parts;
  gsize end = team->n * (part + 1) / team->parts;

  if (begin < end)
    team->func (team->data, begin, end, part);
}

static gint
await_round (CpuTeam *team, gint seen)
{
  for (int i = 0; i < SPIN; i++) {
    gint round = g_atomic_int_get (&team->round);

    if (round != seen)
      return round;
    relax ();
  }

  g_mutex_lock (&team->lock);
  team->sleeping++;
  while (g_atomic_int_get (&team->round) == seen)
    g_cond_wait (&team->wake, &team->lock);
  team->sleeping--;
  g_mutex_unlock (&team->lock);
  return g_atomic_int_get (&team->round);
}

static gpointer
worker_main (gpointer data)
{
  g_autofree Worker *worker = data;
  CpuTeam *team = worker->team;
  gint seen = 0;

  for (;;) {
    seen = await_round (team, seen);
    if (g_atomic_int_get (&team->quit))
      return NULL;
    if (worker->id < team->parts)
      run_part (team, worker->id);
    g_atomic_int_add (&team->pending, -1);
  }
}

CpuTeam *
cpu_team_new (guint threads)
{
  CpuTeam *team = g_new0 (CpuTeam, 1);

  g_mutex_init (&team->lock);
  g_cond_init (&team->wake);
  team->threads = threads;
  team->maker = g_thread_self ();
  team->workers = g_new0 (GThread *, threads);
  for (guint i = 1; i < threads; i++) {
    Worker *worker = g_new (Worker, 1);

    *worker = (Worker){ team, i };
    team->workers[i] = g_thread_new ("infer-cpu", worker_main, worker);
  }
  return team;
}

GThread *
cpu_team_maker (const CpuTeam *team)
{
  return team->maker;
}

static void
begin_round (CpuTeam *team)
{
  g_atomic_int_set (&team->pending, (gint) team->threads - 1);
  g_mutex_lock (&team->lock);
  g_atomic_int_inc (&team->round);
  if (team->sleeping > 0)
    g_cond_broadcast (&team->wake);
  g_mutex_unlock (&team->lock);
}

void
cpu_team_free (CpuTeam *team)
{
  if (team == NULL)
    return;
  g_atomic_int_set (&team->quit, 1);
  begin_round (team);
  for (guint i = 1; i < team->threads; i++)
    g_thread_join (team->workers[i]);
  g_free (team->workers);
  g_cond_clear (&team->wake);
  g_mutex_clear (&team->lock);
  g_free (team);
}

void
cpu_team_run (
    CpuTeam *team, gsize n, guint parts, CpuRangeFunc func, gpointer data)
{
  team->n = n;
  team->parts = MIN (parts, team->threads);
  team->func = func;
  team->data = data;
  begin_round (team);
  run_part (team, 0);
  while (g_atomic_int_get (&team->pending) > 0)
    relax ();
}
