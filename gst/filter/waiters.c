/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/waiters.h"

/* Waking a thread on an idle processor takes several times as long as an
 * inference of a small model (40 µs in a virtual machine).  A thread that waits
 * therefore spins for as long before it sleeps, but only if its last wakeup
 * came within that time: not in a stream that arrives at the pace of a clock.
 */
#define SPIN_NS 50000

/* After spinning in vain (there may be no processor for the waking thread while
 * others spin), so many wakeups must come in time before the next attempt;
 * twice as many after each failure, half as many after a success. */
#define MIN_BACKOFF 8
#define MAX_BACKOFF 1024

#define LOCK_TRIES 100

/* Inside a loop that spins until another thread acts. */
static inline void
spin_pause (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#endif
}

/* --- the lock --- */

void
gst_infer_lock_init (GstInferLock *lock)
{
  g_mutex_init (&lock->mutex);
  lock->single_core = g_get_num_processors () == 1;
}

void
gst_infer_lock_clear (GstInferLock *lock)
{
  g_mutex_clear (&lock->mutex);
}

/* The lock is held for less time than a system call takes, and the thread just
 * woken meets the waking one here, so spin first. */
void
gst_infer_lock_take (GstInferLock *lock)
{
  for (guint i = lock->single_core ? LOCK_TRIES : 0; i < LOCK_TRIES; i++) {
    if (g_mutex_trylock (&lock->mutex))
      return;
    spin_pause ();
  }
  g_mutex_lock (&lock->mutex);
}

void
gst_infer_lock_release (GstInferLock *lock)
{
  g_mutex_unlock (&lock->mutex);
}

/* --- threads that wait --- */

void
gst_infer_waiters_init (GstInferWaiters *waiters)
{
  *waiters = (GstInferWaiters){ 0 };
  g_cond_init (&waiters->cond);
}

void
gst_infer_waiters_clear (GstInferWaiters *waiters)
{
  g_cond_clear (&waiters->cond);
}

/* Locked, but not while it spins. */
static void
spin (GstInferWaiters *waiters, GstInferLock *lock, gint wakeups, guint64 until)
{
  gst_infer_lock_release (lock);
  while (g_atomic_int_get (&waiters->wakeups) == wakeups
         && gst_util_get_timestamp () < until)
    spin_pause ();
  gst_infer_lock_take (lock);
}

/* Locked. */
static void
note_wait (GstInferWaiters *waiters, guint64 begin, gboolean spun)
{
  waiters->woken_soon = waiters->last_wakeup < begin + SPIN_NS;
  if (waiters->woken_soon && spun)
    waiters->backoff /= 2;
  else if (waiters->woken_soon && waiters->backoff_left > 0)
    waiters->backoff_left--;
  else if (spun)
    waiters->backoff_left = waiters->backoff =
        CLAMP (waiters->backoff * 2, MIN_BACKOFF, MAX_BACKOFF);
}

void
gst_infer_waiters_wait (GstInferWaiters *waiters, GstInferLock *lock)
{
  guint64 begin = gst_util_get_timestamp ();
  gint wakeups = waiters->wakeups;
  gboolean spins =
      waiters->woken_soon && waiters->backoff_left == 0 && !lock->single_core;

  waiters->n++;
  if (spins)
    spin (waiters, lock, wakeups, begin + SPIN_NS);
  while (waiters->wakeups == wakeups) {
    waiters->n_asleep++;
    g_cond_wait (&waiters->cond, &lock->mutex);
    waiters->n_asleep--;
  }
  waiters->n--;
  note_wait (waiters, begin, spins);
}

void
gst_infer_waiters_spin (
    GstInferWaiters *waiters, GstInferLock *lock, guint64 until)
{
  waiters->n++;
  spin (waiters, lock, waiters->wakeups, until);
  waiters->n--;
}

void
gst_infer_waiters_wake (GstInferWaiters *waiters)
{
  if (waiters->n == 0)
    return;
  g_atomic_int_inc (&waiters->wakeups);
  waiters->last_wakeup = gst_util_get_timestamp ();
  if (waiters->n_asleep > 0)
    g_cond_broadcast (&waiters->cond);
}
