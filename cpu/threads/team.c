/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/threads/team.h"

/* Iterations of polling before a thread sleeps: steps follow each other within
 * microseconds, waking a thread takes about fifty. */
#define SPIN 4000

/* A thread's ranges: epoch in the upper 32 bits, number of ranges not yet taken
 * in the lower.  The thread that decrements it owns that range; the epoch
 * cannot end before the range is done. */
typedef struct
{
  guint64 ticket; /* atomic */
  char apart[64 - sizeof (guint64)];
} Share;

struct _CpuTeam
{
  guint threads;
  GThread *maker;
  GThread **workers;
  Share *shares;
  GMutex lock;
  GCond wake, finished;
  guint sleeping; /* under lock */
  gint waiting;   /* atomic; the caller sleeps until left is 0 */
  gint round;     /* atomic; a new value starts a loop */
  gint left;      /* atomic; ranges that are not done */
  gint quit;      /* atomic */
  /* The loop of this epoch; atomic: a late thread reads while the next loop is
   * written. */
  gsize n;
  guint parts, pieces;
  CpuRangeFunc func;
  gpointer data;
};

#define GET(field) __atomic_load_n (&(field), __ATOMIC_RELAXED)
#define SET(field, value) __atomic_store_n (&(field), value, __ATOMIC_RELAXED)

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
tell_done (CpuTeam *team)
{
  if (__atomic_sub_fetch (&team->left, 1, __ATOMIC_SEQ_CST) > 0
      || !__atomic_load_n (&team->waiting, __ATOMIC_SEQ_CST))
    return;
  g_mutex_lock (&team->lock);
  g_cond_signal (&team->finished);
  g_mutex_unlock (&team->lock);
}

/* The next range of @owner's for @thread; FALSE where none is left. */
static gboolean
run_piece (CpuTeam *team, guint owner, guint thread)
{
  guint64 *ticket = &team->shares[owner].ticket;
  guint64 have = __atomic_load_n (ticket, __ATOMIC_ACQUIRE);

  for (;;) {
    const guint left = have & G_MAXUINT32;
    const guint parts = GET (team->parts), pieces = GET (team->pieces);
    const gsize n = GET (team->n), all = (gsize) parts * pieces;
    const gsize at = (gsize) owner * pieces + pieces - left;
    const CpuRangeFunc func = GET (team->func);
    const gpointer data = GET (team->data);

    if (left == 0 || thread >= parts)
      return FALSE;
    if (!__atomic_compare_exchange_n (
            ticket, &have, have - 1, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    if (n * at / all < n * (at + 1) / all)
      func (data, n * at / all, n * (at + 1) / all, thread);
    tell_done (team);
    return TRUE;
  }
}

/* Its own ranges first, whose data the last loop has left in its cache; then
 * those of others. */
static void
run_pieces (CpuTeam *team, guint thread)
{
  for (guint i = 0; i < team->threads; i++)
    while (run_piece (team, (thread + i) % team->threads, thread)) {
    }
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
    run_pieces (team, worker->id);
  }
}

CpuTeam *
cpu_team_new (guint threads)
{
  CpuTeam *team = g_new0 (CpuTeam, 1);

  g_mutex_init (&team->lock);
  g_cond_init (&team->wake);
  g_cond_init (&team->finished);
  team->threads = threads;
  team->maker = g_thread_self ();
  team->workers = g_new0 (GThread *, threads);
  team->shares = g_new0 (Share, threads);
  for (guint i = 1; i < threads; i++) {
    Worker *worker = g_new (Worker, 1);

    *worker = (Worker){ team, i };
    team->workers[i] =
        g_thread_try_new ("infer-cpu", worker_main, worker, NULL);
    if (team->workers[i] == NULL) {
      /* The others read it in their first round at the earliest. */
      g_warning (
          "only %u of %u threads of an inference could be started", i, threads);
      team->threads = i;
      g_free (worker);
      break;
    }
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
  g_free (team->shares);
  g_cond_clear (&team->wake);
  g_cond_clear (&team->finished);
  g_mutex_clear (&team->lock);
  g_free (team);
}

static void
await_left (CpuTeam *team)
{
  for (int i = 0; i < SPIN; i++) {
    if (g_atomic_int_get (&team->left) == 0)
      return;
    relax ();
  }

  g_mutex_lock (&team->lock);
  __atomic_store_n (&team->waiting, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n (&team->left, __ATOMIC_SEQ_CST) > 0)
    g_cond_wait (&team->finished, &team->lock);
  g_atomic_int_set (&team->waiting, 0);
  g_mutex_unlock (&team->lock);
}

void
cpu_team_run (CpuTeam *team, gsize n, guint parts, guint pieces,
    CpuRangeFunc func, gpointer data)
{
  const guint64 round = (guint64) (guint) (g_atomic_int_get (&team->round) + 1)
                        << 32;

  parts = MIN (parts, team->threads);
  g_atomic_int_set (&team->left, (gint) (parts * pieces));
  SET (team->n, n);
  SET (team->parts, parts);
  SET (team->pieces, pieces);
  SET (team->func, func);
  SET (team->data, data);
  for (guint i = 0; i < team->threads; i++)
    __atomic_store_n (&team->shares[i].ticket, round | (i < parts ? pieces : 0),
        __ATOMIC_RELEASE);
  begin_round (team);
  run_pieces (team, 0);
  await_left (team);
}
