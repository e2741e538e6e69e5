/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A lock, and threads that wait under it until others wake them.  They spin
 * before they sleep, where that has been worth it lately. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_MAX_DUE 4 /* groups of waiters of one lock */

typedef struct
{
  GMutex mutex;
  gboolean single_core;
  GCond *due[GST_INFER_MAX_DUE]; /* to be woken when it is released */
  guint n_due;
  gint waking; /* atomic: threads that have released it and wake others */
} GstInferLock;

void gst_infer_lock_init (GstInferLock *lock);
/* Nobody waits with it.  Before its waiters are cleared: a thread may still be
 * waking them. */
void gst_infer_lock_clear (GstInferLock *lock);
void gst_infer_lock_take (GstInferLock *lock);
void gst_infer_lock_release (GstInferLock *lock);

/* Threads that wait for the same; guarded by the lock that they wait with. */
typedef struct
{
  GCond cond;
  guint n;             /* threads that sleep or spin */
  gboolean asleep;     /* some sleep that nobody has woken yet */
  gint wakeups;        /* atomic, written under the lock */
  guint64 last_wakeup; /* ns */
  gboolean woken_soon; /* the last wait ended within the time of a spin */
  guint backoff;       /* wakeups in time before the next spin … */
  guint backoff_left;  /* … and how many of these are still to come */
} GstInferWaiters;

void gst_infer_waiters_init (GstInferWaiters *waiters);
void gst_infer_waiters_clear (GstInferWaiters *waiters);

/* Locked, but not while it waits: until the next wake. */
void gst_infer_waiters_wait (GstInferWaiters *waiters, GstInferLock *lock);
/* The same, but never spins; FALSE: @timeout_us (< 0: none) has passed. */
gboolean gst_infer_waiters_sleep (
    GstInferWaiters *waiters, GstInferLock *lock, gint64 timeout_us);
/* The same, but spins, and until @until (ns) at the latest. */
void gst_infer_waiters_spin (
    GstInferWaiters *waiters, GstInferLock *lock, guint64 until);
/* Locked; they are woken when the lock is released. */
void gst_infer_waiters_wake (GstInferWaiters *waiters, GstInferLock *lock);
