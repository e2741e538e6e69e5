/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE
#include "inference/runtime/executor-private.h"

#include <pthread.h>
#include <sched.h>

/* pthread locks, since ThreadSanitizer understands these and not GLib's. */

struct _InferExecutor
{
  gint refs;
  void (*submit) (InferExecutor *executor, InferTask *task);
  void (*dispose) (InferExecutor *executor);

  /* custom */
  void (*func) (InferTask *task, gpointer data);
  gpointer data;
  GDestroyNotify destroy;

  /* pool */
  pthread_mutex_t lock;
  pthread_cond_t wake;
  InferTask *head, *tail;
  guint waiting; /* number of tasks from head to tail */
  guint idle;    /* threads waiting on the condition */
  guint active;  /* threads with a task, and guests; at most n_threads */
  guint live;    /* threads that have not ended */
  guint ahead;   /* tasks that were submitted ahead, one after the other */
  gboolean closing, orphaned;
  guint n_threads;
  GThread **threads;
  guint processors; /* per thread; 0: not pinned */
  gint next_place;  /* index of the next thread to start */
};

/* So many tasks may go before those that wait. */
#define MOST_AHEAD 8

/* The pool that owns this thread. */
static _Thread_local InferExecutor *current_pool;

static InferExecutor *
executor_new (void)
{
  InferExecutor *executor = g_new0 (InferExecutor, 1);

  executor->refs = 1;
  return executor;
}

static void
immediate_submit (InferExecutor *executor, InferTask *task)
{
  task->run (task);
}

InferExecutor *
infer_executor_new_immediate (void)
{
  InferExecutor *executor = executor_new ();
  executor->submit = immediate_submit;
  executor->dispose = (void (*) (InferExecutor *)) g_free;
  return executor;
}

static void
custom_submit (InferExecutor *executor, InferTask *task)
{
  /* The task may run and drop the last other reference before the function
   * returns. */
  infer_executor_ref (executor);
  executor->func (task, executor->data);
  infer_executor_unref (executor);
}

static void
custom_dispose (InferExecutor *executor)
{
  if (executor->destroy != NULL)
    executor->destroy (executor->data);
  g_free (executor);
}

InferExecutor *
infer_executor_new_custom (void (*submit) (InferTask *task, gpointer data),
    gpointer data, GDestroyNotify destroy)
{
  g_return_val_if_fail (submit != NULL, NULL);

  InferExecutor *executor = executor_new ();
  executor->submit = custom_submit;
  executor->dispose = custom_dispose;
  executor->func = submit;
  executor->data = data;
  executor->destroy = destroy;
  return executor;
}

/* Locked. */
static void
put_last (InferExecutor *pool, InferTask *task)
{
  task->next = NULL;
  if (pool->tail != NULL)
    pool->tail->next = task;
  else
    pool->head = task;
  pool->tail = task;
  pool->waiting++;
  pool->ahead = 0;
}

/* Locked. */
static void
put_first (InferExecutor *pool, InferTask *task)
{
  task->next = pool->head;
  pool->head = task;
  if (pool->tail == NULL)
    pool->tail = task;
  pool->waiting++;
  pool->ahead++;
}

static void
pool_put (InferExecutor *pool, InferTask *task, gboolean ahead)
{
  pthread_mutex_lock (&pool->lock);
  if (ahead && pool->ahead < MOST_AHEAD)
    put_first (pool, task);
  else
    put_last (pool, task);
  if (pool->idle > 0 && pool->active < pool->n_threads)
    pthread_cond_signal (&pool->wake);
  pthread_mutex_unlock (&pool->lock);
}

static void
pool_submit (InferExecutor *pool, InferTask *task)
{
  pool_put (pool, task, FALSE);
}

static void
pool_free (InferExecutor *pool)
{
  pthread_cond_destroy (&pool->wake);
  pthread_mutex_destroy (&pool->lock);
  g_free (pool->threads);
  g_free (pool);
}

/* Locked.  NULL: the pool is closing and empty. */
static InferTask *
pool_take (InferExecutor *pool)
{
  while ((pool->head == NULL || pool->active >= pool->n_threads)
         && !pool->closing) {
    pool->idle++;
    pthread_cond_wait (&pool->wake, &pool->lock);
    pool->idle--;
  }
  InferTask *task = pool->head;
  if (task != NULL) {
    pool->head = task->next;
    if (pool->head == NULL)
      pool->tail = NULL;
    pool->waiting--;
    pool->active++;
  }
  return task;
}

/* Best effort: does nothing with more processors than a set holds, or if not
 * permitted. */
static void
pin_self (guint first, guint n)
{
  cpu_set_t allowed, own;
  guint place = 0, count;

  if (sched_getaffinity (0, sizeof allowed, &allowed) != 0)
    return;
  count = (guint) CPU_COUNT (&allowed);
  CPU_ZERO (&own);
  for (guint cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET (cpu, &allowed))
      continue;
    if ((place + count - first % count) % count < n)
      CPU_SET (cpu, &own);
    place++;
  }
  pthread_setaffinity_np (pthread_self (), sizeof own, &own);
}

static gpointer
pool_run (gpointer data)
{
  InferExecutor *pool = data;
  InferTask *task;

  current_pool = pool;
  if (pool->processors > 0)
    pin_self (
        (guint) g_atomic_int_add (&pool->next_place, 1) * pool->processors,
        pool->processors);
  pthread_mutex_lock (&pool->lock);
  while ((task = pool_take (pool)) != NULL) {
    pthread_mutex_unlock (&pool->lock);
    task->run (task);
    pthread_mutex_lock (&pool->lock);
    pool->active--;
  }
  gboolean last = --pool->live == 0 && pool->orphaned;
  pthread_mutex_unlock (&pool->lock);
  if (last)
    pool_free (pool);
  return NULL;
}

static void
pool_dispose (InferExecutor *pool)
{
  /* A task of the pool dropped the last reference: the threads cannot be joined
   * here, so the last one frees the pool. */
  gboolean orphan = current_pool == pool;

  pthread_mutex_lock (&pool->lock);
  pool->closing = TRUE;
  pool->orphaned = orphan;
  guint n = pool->n_threads;
  GThread **threads = g_newa (GThread *, n);
  for (guint i = 0; i < n; i++)
    threads[i] = pool->threads[i];
  pthread_cond_broadcast (&pool->wake);
  pthread_mutex_unlock (&pool->lock);

  for (guint i = 0; i < n; i++) {
    if (orphan)
      g_thread_unref (threads[i]);
    else
      g_thread_join (threads[i]);
  }
  if (!orphan)
    pool_free (pool);
}

/* Locked: new threads wait for the lock. */
static gboolean
start_thread (InferExecutor *pool, const char *name)
{
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_try_new (name, pool_run, pool, &error);

  if (thread == NULL) {
    g_warning ("%s: only %u threads could be started: %s", name,
        pool->n_threads, error->message);
    return FALSE;
  }
  pool->threads[pool->n_threads++] = thread;
  pool->live++;
  return TRUE;
}

guint
infer_executor_grow_pool (InferExecutor *pool, const char *name, guint threads)
{
  pthread_mutex_lock (&pool->lock);
  if (threads > pool->n_threads)
    pool->threads = g_renew (GThread *, pool->threads, threads);
  while (pool->n_threads < threads && start_thread (pool, name))
    continue;
  guint n = pool->n_threads;
  pthread_mutex_unlock (&pool->lock);
  return n;
}

InferExecutor *
infer_executor_new_pool (const char *name, guint threads)
{
  return infer_executor_new_pinned_pool (name, threads, 0);
}

InferExecutor *
infer_executor_new_pinned_pool (
    const char *name, guint threads, guint processors)
{
  g_return_val_if_fail (threads > 0, NULL);

  InferExecutor *pool = executor_new ();
  pool->processors = processors;
  pool->submit = pool_submit;
  pool->dispose = pool_dispose;
  pthread_mutex_init (&pool->lock, NULL);
  pthread_cond_init (&pool->wake, NULL);
  if (infer_executor_grow_pool (pool, name, threads) > 0)
    return pool;
  pool_free (pool);
  return NULL;
}

/* Locked. */
static guint
pool_room (const InferExecutor *pool)
{
  return pool->head != NULL ? 0 : pool->n_threads - pool->active;
}

static gboolean
takes_guests (const InferExecutor *executor)
{
  return executor->submit == pool_submit && executor->processors == 0;
}

int
infer_executor_get_room (InferExecutor *executor)
{
  if (!takes_guests (executor))
    return -1;
  pthread_mutex_lock (&executor->lock);
  int room = (int) pool_room (executor);
  pthread_mutex_unlock (&executor->lock);
  return room;
}

guint
infer_executor_get_backlog (InferExecutor *executor, guint own)
{
  if (executor->submit != pool_submit)
    return 0;
  pthread_mutex_lock (&executor->lock);
  guint others = executor->waiting > own ? executor->waiting - own : 0;
  guint backlog = others / executor->n_threads;
  pthread_mutex_unlock (&executor->lock);
  return backlog;
}

gboolean
infer_executor_try_enter (InferExecutor *executor)
{
  if (!takes_guests (executor))
    return FALSE;
  pthread_mutex_lock (&executor->lock);
  gboolean room = pool_room (executor) > 0;
  if (room)
    executor->active++;
  pthread_mutex_unlock (&executor->lock);
  return room;
}

void
infer_executor_leave (InferExecutor *pool)
{
  pthread_mutex_lock (&pool->lock);
  pool->active--;
  if (pool->head != NULL && pool->idle > 0)
    pthread_cond_signal (&pool->wake);
  pthread_mutex_unlock (&pool->lock);
}

InferExecutor *
infer_executor_ref (InferExecutor *executor)
{
  g_return_val_if_fail (executor != NULL, NULL);
  g_atomic_int_inc (&executor->refs);
  return executor;
}

void
infer_executor_unref (InferExecutor *executor)
{
  g_return_if_fail (executor != NULL);
  if (g_atomic_int_dec_and_test (&executor->refs))
    executor->dispose (executor);
}

void
infer_executor_submit (InferExecutor *executor, InferTask *task)
{
  executor->submit (executor, task);
}

void
infer_executor_submit_ahead (InferExecutor *executor, InferTask *task)
{
  if (executor->submit == pool_submit)
    pool_put (executor, task, TRUE);
  else
    executor->submit (executor, task);
}
