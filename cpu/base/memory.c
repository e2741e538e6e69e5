/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Packs share their pages with the constants of models. */

#include "cpu/base/memory.h"

#include "inference/base/memory/pages.h"

gpointer
cpu_alloc (gsize bytes)
{
  return infer_pages_alloc (bytes);
}

gpointer
cpu_alloc_pack (gsize bytes)
{
  return infer_pages_alloc_part (bytes);
}

void
cpu_alloc_expect (gsize bytes)
{
  infer_pages_expect (bytes);
}

void
cpu_free (gpointer memory)
{
  infer_pages_free (memory);
}

void
cpu_discard (gpointer memory, gsize bytes)
{
  infer_pages_discard (memory, bytes);
}

/* --- memory for packing --- */

/* Precedes borrowed memory, of the same alignment. */
typedef struct
{
  gsize bytes; /* with this */
  char pad[64 - sizeof (gsize)];
} Borrowed;

/* A step borrows up to two blocks at a time.  Larger ones are of huge pages,
 * which cost less, and are not kept. */
#define MOST_KEPT 2
#define MOST_KEPT_BYTES ((gsize) 4 << 20)

static GMutex lock; /* of what follows */
static guint n_keepers, n_kept;
static Borrowed *kept[MOST_KEPT];

/* Locked.  The smallest that is enough; NULL: there is none. */
static Borrowed *
take_kept (gsize bytes)
{
  int best = -1;

  for (int i = 0; i < (int) n_kept; i++)
    if (kept[i]->bytes >= bytes
        && (best < 0 || kept[i]->bytes < kept[best]->bytes))
      best = i;
  if (best < 0)
    return NULL;
  Borrowed *taken = kept[best];
  kept[best] = kept[--n_kept];
  return taken;
}

gpointer
cpu_borrow (gsize bytes)
{
  if (!g_size_checked_add (&bytes, bytes, sizeof (Borrowed)))
    return NULL;
  g_mutex_lock (&lock);
  Borrowed *block = take_kept (bytes);
  g_mutex_unlock (&lock);
  if (block == NULL) {
    block = infer_pages_alloc (bytes);
    if (block != NULL)
      block->bytes = bytes;
  }
  return block != NULL ? block + 1 : NULL;
}

/* Locked.  Returns what is to be freed: @block, or a smaller one instead of
 * which it is kept; NULL: nothing. */
static Borrowed *
keep (Borrowed *block)
{
  guint least = 0;

  if (n_keepers == 0 || block->bytes > MOST_KEPT_BYTES)
    return block;
  if (n_kept < MOST_KEPT) {
    kept[n_kept++] = block;
    return NULL;
  }
  for (guint i = 1; i < n_kept; i++)
    if (kept[i]->bytes < kept[least]->bytes)
      least = i;
  if (kept[least]->bytes >= block->bytes)
    return block;
  Borrowed *smaller = kept[least];
  kept[least] = block;
  return smaller;
}

void
cpu_return (gpointer memory)
{
  if (memory == NULL)
    return;
  g_mutex_lock (&lock);
  Borrowed *unused = keep ((Borrowed *) memory - 1);
  g_mutex_unlock (&lock);
  infer_pages_free (unused);
}

void
cpu_borrowed_keep (void)
{
  g_mutex_lock (&lock);
  n_keepers++;
  g_mutex_unlock (&lock);
}

void
cpu_borrowed_drop (void)
{
  g_mutex_lock (&lock);
  n_keepers--;
  while (n_keepers == 0 && n_kept > 0)
    infer_pages_free (kept[--n_kept]);
  g_mutex_unlock (&lock);
}
