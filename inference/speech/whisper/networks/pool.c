/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/networks/pool.h"

#include "inference/base/cancel.h"

/* How often a stream that waits looks whether it is cancelled. */
#define LOOK_US 5000

void
whisper_pool_init (WhisperPool *pool, guint most, GDestroyNotify free)
{
  g_mutex_init (&pool->lock);
  g_cond_init (&pool->given_back);
  pool->idle = g_ptr_array_new_with_free_func (free);
  pool->n = 0;
  pool->most = MAX (most, 1);
}

void
whisper_pool_clear (WhisperPool *pool)
{
  if (pool->idle == NULL)
    return;
  g_clear_pointer (&pool->idle, g_ptr_array_unref);
  g_mutex_clear (&pool->lock);
  g_cond_clear (&pool->given_back);
}

gpointer
whisper_pool_take (WhisperPool *pool, WhisperPoolMake make, gconstpointer owner,
    GError **error)
{
  const gint *cancelled = infer_cancel_flag ();
  gpointer taken = NULL;

  g_mutex_lock (&pool->lock);
  while (pool->idle->len == 0 && pool->n >= pool->most
         && !infer_cancel_is_set (cancelled))
    g_cond_wait_until (
        &pool->given_back, &pool->lock, g_get_monotonic_time () + LOOK_US);
  if (pool->idle->len > 0)
    taken = g_ptr_array_steal_index (pool->idle, pool->idle->len - 1);
  const gboolean is_new = taken == NULL && pool->n < pool->most;
  pool->n += is_new;
  g_mutex_unlock (&pool->lock);
  if (taken != NULL)
    return taken;
  if (!is_new) {
    infer_cancel_check (cancelled, error);
    return NULL;
  }
  taken = make (owner, error);
  if (taken == NULL) {
    g_mutex_lock (&pool->lock);
    pool->n--;
    g_cond_signal (&pool->given_back);
    g_mutex_unlock (&pool->lock);
  }
  return taken;
}

void
whisper_pool_give_back (WhisperPool *pool, gpointer taken)
{
  g_mutex_lock (&pool->lock);
  g_ptr_array_add (pool->idle, taken);
  g_cond_signal (&pool->given_back);
  g_mutex_unlock (&pool->lock);
}
