/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/waiters.h"

#include <string.h>

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
  *lock = (GstInferLock){ .single_core = g_get_num_processors () == 1 };
  g_mutex_init (&lock->mutex);
}

void
gst_infer_lock_clear (GstInferLock *lock)
{
  while (g_atomic_int_get (&lock->waking) > 0)
    g_thread_yield ();
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

/* A thread that is woken often runs at once in place of the waking one, which
 * must not have the lock then. */
void
gst_infer_lock_release (GstInferLock *lock)
{
  GCond *due[GST_INFER_MAX_DUE];
  guint n = lock->n_due;

  if (G_LIKELY (n == 0)) {
    g_mutex_unlock (&lock->mutex);
    return;
  }
  memcpy (due, lock->due, n * sizeof *due);
  lock->n_due = 0;
  g_atomic_int_inc (&lock->waking);
  g_mutex_unlock (&lock->mutex);
  for (guint i = 0; i < n; i++)
    g_cond_broadcast (due[i]);
  g_atomic_int_add (&lock->waking, -1);
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

/* Locked.  Threads that are to be woken must not wait for this one; TRUE: what
 * it waits for may have come meanwhile. */
static gboolean
wake_due (GstInferLock *lock)
{
  if (lock->n_due == 0)
    return FALSE;
  gst_infer_lock_release (lock);
  gst_infer_lock_take (lock);
  return TRUE;
}

/* Locked.  Until the next wake after @wakeups; FALSE: @until (µs; 0: none) has
 * passed. */
static gboolean
sleep_until (
    GstInferWaiters *waiters, GstInferLock *lock, gint wakeups, gint64 until)
{
  gboolean in_time = TRUE;

  while (waiters->wakeups == wakeups && in_time) {
    waiters->asleep = TRUE;
    if (until == 0)
      g_cond_wait (&waiters->cond, &lock->mutex);
    else
      in_time = g_cond_wait_until (&waiters->cond, &lock->mutex, until);
  }
  return in_time;
}

void
gst_infer_waiters_wait (GstInferWaiters *waiters, GstInferLock *lock)
{
  guint64 begin = gst_util_get_timestamp ();
  gint wakeups = waiters->wakeups;
  gboolean spins =
      waiters->woken_soon && waiters->backoff_left == 0 && !lock->single_core;

  if (wake_due (lock))
    return;
  waiters->n++;
  if (spins)
    spin (waiters, lock, wakeups, begin + SPIN_NS);
  sleep_until (waiters, lock, wakeups, 0);
  waiters->n--;
  note_wait (waiters, begin, spins);
}

gboolean
gst_infer_waiters_sleep (
    GstInferWaiters *waiters, GstInferLock *lock, gint64 timeout_us)
{
  gint64 until = timeout_us < 0 ? 0 : g_get_monotonic_time () + timeout_us;

  if (wake_due (lock))
    return TRUE;
  waiters->n++;
  waiters->woken_soon = FALSE;
  gboolean in_time = sleep_until (waiters, lock, waiters->wakeups, until);
  waiters->n--;
  return in_time;
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
gst_infer_waiters_wake (GstInferWaiters *waiters, GstInferLock *lock)
{
  if (waiters->n == 0)
    return;
  g_atomic_int_inc (&waiters->wakeups);
  waiters->last_wakeup = gst_util_get_timestamp ();
  if (!waiters->asleep)
    return;
  waiters->asleep = FALSE;
  g_assert (lock->n_due < GST_INFER_MAX_DUE);
  lock->due[lock->n_due++] = &waiters->cond;
}
