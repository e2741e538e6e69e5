/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/arenas.h"

#include "cpu/base/memory.h"

/* A small request does not take the memory of a large one, which would then
 * have to allocate another: two sizes are alike if they differ by at most this
 * factor.  Sizes up to about FACTOR * REMAINDER are always alike, since what
 * lazy steps need is not known before a run. */
#define FACTOR 4
#define REMAINDER ((gsize) 1 << 20)

void
cpu_arena_clear (CpuArena *arena)
{
  cpu_free (arena->arena);
  cpu_free (arena->scratch);
  *arena = (CpuArena){ 0 };
}

void
cpu_arenas_init (CpuArenas *arenas)
{
  g_mutex_init (&arenas->lock);
  arenas->idle = g_array_new (FALSE, FALSE, sizeof (CpuArena));
  g_array_set_clear_func (arenas->idle, (GDestroyNotify) cpu_arena_clear);
  arenas->users = arenas->taken = 0;
}

void
cpu_arenas_clear (CpuArenas *arenas)
{
  g_array_unref (arenas->idle);
  g_mutex_clear (&arenas->lock);
}

static gsize
size_of (const CpuArena *arena)
{
  return arena->arena_size + arena->scratch_size;
}

static gboolean
is_alike (gsize a, gsize b)
{
  return a / FACTOR <= b + REMAINDER && b / FACTOR <= a + REMAINDER;
}

static gboolean
is_enough (const CpuArena *arena, const CpuArena *want)
{
  return arena->arena_size >= want->arena_size
         && arena->scratch_size >= want->scratch_size;
}

/* Whether @a suits better than @b: the smallest that is enough, else the
 * largest, which has least to grow. */
static gboolean
is_better (const CpuArena *a, const CpuArena *b, const CpuArena *want)
{
  const gboolean enough = is_enough (a, want);

  if (enough != is_enough (b, want))
    return enough;
  return enough ? size_of (a) < size_of (b) : size_of (a) > size_of (b);
}

/* Locked.  -1: there is none.  @alike: of about that size only. */
static int
find (const CpuArenas *arenas, const CpuArena *want, gconstpointer last,
    gboolean alike)
{
  const CpuArena *all = (const CpuArena *) (gpointer) arenas->idle->data;
  int best = -1;

  for (int i = (int) arenas->idle->len; i-- > 0;) {
    if (alike && !is_alike (size_of (&all[i]), size_of (want)))
      continue;
    if (all[i].arena == last && is_enough (&all[i], want))
      return i;
    if (best < 0 || is_better (&all[i], &all[best], want))
      best = i;
  }
  return best;
}

/* Locked.  Moves it out. */
static CpuArena
steal (CpuArenas *arenas, guint index)
{
  CpuArena *place = &g_array_index (arenas->idle, CpuArena, index);
  CpuArena taken = *place;

  *place = (CpuArena){ 0 };
  g_array_remove_index_fast (arenas->idle, index);
  return taken;
}

CpuArena
cpu_arenas_take (
    CpuArenas *arenas, gsize arena, gsize scratch, gconstpointer last)
{
  const CpuArena want = { NULL, NULL, arena, scratch };
  CpuArena taken = { 0 };

  g_mutex_lock (&arenas->lock);
  int i = find (arenas, &want, last, TRUE);
  if (i < 0 && arenas->idle->len + arenas->taken >= arenas->users)
    i = find (arenas, &want, last, FALSE);
  if (i >= 0)
    taken = steal (arenas, (guint) i);
  arenas->taken++;
  g_mutex_unlock (&arenas->lock);
  return taken;
}

void
cpu_arenas_give (CpuArenas *arenas, CpuArena *arena)
{
  g_mutex_lock (&arenas->lock);
  arenas->taken--;
  if (size_of (arena) > 0)
    g_array_append_val (arenas->idle, *arena);
  g_mutex_unlock (&arenas->lock);
  *arena = (CpuArena){ 0 };
}

/* Locked.  The length: it is not idle. */
static guint
find_last (const CpuArenas *arenas, gconstpointer last)
{
  guint i = 0;

  while (i < arenas->idle->len
         && g_array_index (arenas->idle, CpuArena, i).arena != last)
    i++;
  return i;
}

void
cpu_arenas_join (CpuArenas *arenas)
{
  g_mutex_lock (&arenas->lock);
  arenas->users++;
  g_mutex_unlock (&arenas->lock);
}

void
cpu_arenas_leave (CpuArenas *arenas, gconstpointer last)
{
  CpuArena spare = { 0 };

  g_mutex_lock (&arenas->lock);
  arenas->users--;
  if (arenas->idle->len > 0
      && arenas->idle->len + arenas->taken > arenas->users) {
    guint i = find_last (arenas, last);

    spare = steal (arenas, i < arenas->idle->len ? i : 0);
  }
  g_mutex_unlock (&arenas->lock);
  cpu_arena_clear (&spare);
}

void
cpu_arenas_rest (CpuArenas *arenas, gconstpointer last)
{
  CpuArena taken = { 0 };

  g_mutex_lock (&arenas->lock);
  guint i = find_last (arenas, last);
  if (i < arenas->idle->len)
    taken = steal (arenas, i);
  arenas->taken++;
  g_mutex_unlock (&arenas->lock);
  cpu_discard (taken.arena, taken.arena_size);
  cpu_discard (taken.scratch, taken.scratch_size);
  cpu_arenas_give (arenas, &taken);
}
