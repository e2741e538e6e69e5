/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/ordered-queue.h"

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

/* Guests that wait for a push shorter than this are delayed less than by waking
 * another thread. */
#define QUICK_NS 20000

#define LOCK_TRIES 100

typedef struct
{
  GstInferItemKind kind;
  gpointer object;
  gboolean finished;
} Item;

/* On the stack of put_query. */
typedef struct
{
  GstQuery *query;
  gboolean answered, result;
} PendingQuery;

/* Threads that wait for the same. */
typedef struct
{
  GCond cond;
  guint n;             /* threads that sleep or spin */
  guint n_asleep;      /* none: no system call to wake them */
  gint wakeups;        /* atomic, written under the lock */
  guint64 last_wakeup; /* ns */
  gboolean woken_soon; /* the last wait ended within SPIN_NS */
  guint backoff;       /* wakeups in time before the next spin … */
  guint backoff_left;  /* … and how many of these are still to come */
} Waiters;

struct _GstInferQueue
{
  GMutex lock;
  Waiters task; /* the source-pad task: guests, callbacks, a finished head */
  Waiters streaming; /* the streaming thread: idle jobs, an answer */
  Waiters others;    /* clear, hold */
  GstFlowReturn flow;
  GQueue items;     /* (element-type Item) */
  GQueue callbacks; /* (element-type InferTask) */
  /* (element-type InferTask) inferences for the source-pad task to compute, or
   * for a thread that waits for it. */
  GQueue guests;
  guint64 taken_at;    /* ns, when the task got the item that it is pushing; 0:
                          none */
  gboolean quick_push; /* the last push took less than QUICK_NS */
  gboolean single_core;
  GPtrArray *idle;
  PendingQuery *pending; /* at most one: there is one streaming thread */
  guint running;         /* jobs put, callback not run */
  guint computing;       /* jobs taken or put, computing part not over */
  guint holds;
};

/* Inside a loop that spins until another thread acts. */
static inline void
spin_pause (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#endif
}

/* The lock is held for less time than a system call takes, and the thread just
 * woken meets the waking one here, so spin first. */
static void
lock_queue (GstInferQueue *queue)
{
  for (guint i = queue->single_core ? LOCK_TRIES : 0; i < LOCK_TRIES; i++) {
    if (g_mutex_trylock (&queue->lock))
      return;
    spin_pause ();
  }
  g_mutex_lock (&queue->lock);
}

static void
unlock_queue (GstInferQueue *queue)
{
  g_mutex_unlock (&queue->lock);
}

typedef GstInferQueue LockedQueue;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LockedQueue, unlock_queue)

/* Locks @queue until the end of the block. */
#define LOCK(queue)                                                            \
  G_GNUC_UNUSED g_autoptr (LockedQueue) locked = queue;                        \
  lock_queue (queue)

/* Locked, but not while it spins. */
static void
spin (GstInferQueue *queue, Waiters *waiters, gint wakeups, guint64 until)
{
  unlock_queue (queue);
  while (g_atomic_int_get (&waiters->wakeups) == wakeups
         && gst_util_get_timestamp () < until)
    spin_pause ();
  lock_queue (queue);
}

/* Locked. */
static void
note_wait (Waiters *waiters, guint64 begin, gboolean spun)
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

/* Locked, but not while it waits. */
static void
wait_for (GstInferQueue *queue, Waiters *waiters)
{
  guint64 begin = gst_util_get_timestamp ();
  gint wakeups = waiters->wakeups;
  gboolean spins =
      waiters->woken_soon && waiters->backoff_left == 0 && !queue->single_core;

  waiters->n++;
  if (spins)
    spin (queue, waiters, wakeups, begin + SPIN_NS);
  while (waiters->wakeups == wakeups) {
    waiters->n_asleep++;
    g_cond_wait (&waiters->cond, &queue->lock);
    waiters->n_asleep--;
  }
  waiters->n--;
  note_wait (waiters, begin, spins);
}

/* Locked. */
static void
wake (Waiters *waiters)
{
  if (waiters->n == 0)
    return;
  g_atomic_int_inc (&waiters->wakeups);
  waiters->last_wakeup = gst_util_get_timestamp ();
  if (waiters->n_asleep > 0)
    g_cond_broadcast (&waiters->cond);
}

GstInferQueue *
gst_infer_queue_new (void)
{
  GstInferQueue *queue = g_new0 (GstInferQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->task.cond);
  g_cond_init (&queue->streaming.cond);
  g_cond_init (&queue->others.cond);
  g_queue_init (&queue->items);
  g_queue_init (&queue->callbacks);
  queue->idle = g_ptr_array_new ();
  queue->flow = GST_FLOW_FLUSHING;
  queue->single_core = g_get_num_processors () == 1;
  return queue;
}

static void
drop_items (GstInferQueue *queue, GQueue *events)
{
  Item *item;

  while ((item = g_queue_pop_head (&queue->items)) != NULL) {
    if (item->kind == GST_INFER_ITEM_JOB)
      g_ptr_array_add (queue->idle, item->object);
    else if (item->kind == GST_INFER_ITEM_EVENT && events != NULL)
      g_queue_push_tail (events, item->object);
    else if (item->kind == GST_INFER_ITEM_EVENT)
      gst_event_unref (item->object);
    g_free (item);
  }
}

void
gst_infer_queue_free (GstInferQueue *queue)
{
  if (queue == NULL)
    return;
  drop_items (queue, NULL);
  g_ptr_array_unref (queue->idle);
  g_cond_clear (&queue->task.cond);
  g_cond_clear (&queue->streaming.cond);
  g_cond_clear (&queue->others.cond);
  g_mutex_clear (&queue->lock);
  g_free (queue);
}

void
gst_infer_queue_set_flow (GstInferQueue *queue, GstFlowReturn flow)
{
  lock_queue (queue);
  queue->flow = flow;
  wake (&queue->task);
  wake (&queue->streaming);
  wake (&queue->others);
  unlock_queue (queue);
}

GstFlowReturn
gst_infer_queue_get_flow (GstInferQueue *queue)
{
  LOCK (queue);

  return queue->flow;
}

/* Runs the next of @tasks, callback stages or guests; FALSE: there is none.
 * Locked, but not while it runs. */
static gboolean
run_next (GstInferQueue *queue, GQueue *tasks)
{
  InferTask *task = g_queue_pop_head (tasks);

  if (task == NULL)
    return FALSE;
  unlock_queue (queue);
  task->run (task);
  lock_queue (queue);
  return TRUE;
}

void
gst_infer_queue_clear (GstInferQueue *queue, GQueue *events)
{
  LOCK (queue);

  while (queue->running > 0 || !g_queue_is_empty (&queue->callbacks))
    if (!run_next (queue, &queue->guests)
        && !run_next (queue, &queue->callbacks))
      wait_for (queue, &queue->others);
  drop_items (queue, events);
}

/* Locked.  While the task pushes and has guests to compute: waits until a push
 * is quick no longer, then computes one in its place.  FALSE: nothing to do. */
static gboolean
relieve_task (GstInferQueue *queue)
{
  guint64 quick_until = queue->taken_at + QUICK_NS;

  if (queue->taken_at == 0 || queue->guests.length == 0 || queue->holds > 0)
    return FALSE;
  if (gst_util_get_timestamp () > quick_until)
    return run_next (queue, &queue->guests);
  queue->streaming.n++;
  spin (queue, &queue->streaming, queue->streaming.wakeups, quick_until);
  queue->streaming.n--;
  return TRUE;
}

gpointer
gst_infer_queue_wait_idle (GstInferQueue *queue)
{
  LOCK (queue);

  while (
      queue->flow == GST_FLOW_OK && (queue->idle->len == 0 || queue->holds > 0))
    if (!relieve_task (queue))
      wait_for (queue, &queue->streaming);
  if (queue->flow != GST_FLOW_OK)
    return NULL;
  queue->computing++;
  return g_ptr_array_remove_index_fast (queue->idle, queue->idle->len - 1);
}

void
gst_infer_queue_give_idle (GstInferQueue *queue, gpointer job)
{
  lock_queue (queue);
  g_ptr_array_add (queue->idle, job);
  wake (&queue->streaming);
  unlock_queue (queue);
}

gboolean
gst_infer_queue_wait_all_idle (GstInferQueue *queue, guint n)
{
  LOCK (queue);

  while (queue->flow == GST_FLOW_OK && queue->idle->len < n)
    wait_for (queue, &queue->streaming);
  return queue->flow == GST_FLOW_OK;
}

GPtrArray *
gst_infer_queue_remove_jobs (GstInferQueue *queue)
{
  LOCK (queue);
  GPtrArray *jobs = queue->idle;

  queue->idle = g_ptr_array_new ();
  return jobs;
}

static void
append (GstInferQueue *queue, GstInferItemKind kind, gpointer object)
{
  Item *item = g_new0 (Item, 1);

  item->kind = kind;
  item->object = object;
  item->finished = kind != GST_INFER_ITEM_JOB;
  g_queue_push_tail (&queue->items, item);
  if (item->finished)
    wake (&queue->task);
}

void
gst_infer_queue_put_job (GstInferQueue *queue, gpointer job)
{
  LOCK (queue);

  queue->running++;
  append (queue, GST_INFER_ITEM_JOB, job);
}

gboolean
gst_infer_queue_put_event (GstInferQueue *queue, GstEvent *event)
{
  LOCK (queue);

  if (queue->flow != GST_FLOW_OK) {
    gst_event_unref (event);
    return FALSE;
  }
  append (queue, GST_INFER_ITEM_EVENT, event);
  return TRUE;
}

/* Locked.  FALSE: the task has taken @query. */
static gboolean
withdraw (GstInferQueue *queue, GstQuery *query)
{
  for (GList *l = queue->items.head; l != NULL; l = l->next) {
    Item *item = l->data;

    if (item->object == query) {
      g_queue_delete_link (&queue->items, l);
      g_free (item);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
gst_infer_queue_put_query (GstInferQueue *queue, GstQuery *query)
{
  LOCK (queue);
  PendingQuery pending = { .query = query };

  if (queue->flow != GST_FLOW_OK)
    return FALSE;
  append (queue, GST_INFER_ITEM_QUERY, query);
  queue->pending = &pending;
  while (!pending.answered) {
    /* Once the task has it, only its answer ends the wait. */
    if (queue->flow != GST_FLOW_OK && withdraw (queue, query))
      break;
    wait_for (queue, &queue->streaming);
  }
  queue->pending = NULL;
  return pending.result;
}

void
gst_infer_queue_answer (GstInferQueue *queue, GstQuery *query, gboolean result)
{
  LOCK (queue);

  g_return_if_fail (queue->pending != NULL && queue->pending->query == query);
  queue->pending->answered = TRUE;
  queue->pending->result = result;
  wake (&queue->streaming);
}

void
gst_infer_queue_submit (InferTask *task, gpointer data)
{
  GstInferQueue *queue = data;
  LOCK (queue);

  queue->computing--;
  g_queue_push_tail (&queue->callbacks, task);
  wake (&queue->task);
  wake (&queue->others);
}

gboolean
gst_infer_queue_may_host (GstInferQueue *queue, gboolean first, gboolean behind)
{
  LOCK (queue);

  if (queue->items.length == 1 && queue->task.n > 0)
    return first;
  return behind && queue->quick_push;
}

void
gst_infer_queue_host (InferTask *task, gpointer data)
{
  GstInferQueue *queue = data;
  LOCK (queue);

  g_queue_push_tail (&queue->guests, task);
  wake (&queue->task);
  wake (&queue->others);
}

void
gst_infer_queue_finish_job (
    GstInferQueue *queue, gpointer job, gboolean computed)
{
  LOCK (queue);

  queue->running--;
  if (!computed)
    queue->computing--;
  for (GList *l = queue->items.head; l != NULL; l = l->next) {
    Item *item = l->data;

    if (item->object == job)
      item->finished = TRUE;
  }
  wake (&queue->task);
  wake (&queue->others);
}

/* Locked. */
static gboolean
take_head (GstInferQueue *queue, GstInferItem *taken)
{
  Item *head = g_queue_peek_head (&queue->items);

  if (head == NULL || !head->finished)
    return FALSE;
  g_queue_pop_head (&queue->items);
  *taken = (GstInferItem){ head->kind, head->object };
  g_free (head);
  return TRUE;
}

gboolean
gst_infer_queue_take (GstInferQueue *queue, GstInferItem *taken)
{
  LOCK (queue);

  if (queue->taken_at > 0)
    queue->quick_push = gst_util_get_timestamp () < queue->taken_at + QUICK_NS;
  queue->taken_at = 0;
  while (queue->flow == GST_FLOW_OK) {
    if (run_next (queue, &queue->callbacks))
      continue;
    if (take_head (queue, taken)) {
      queue->taken_at = gst_util_get_timestamp ();
      return TRUE;
    }
    if (!run_next (queue, &queue->guests))
      wait_for (queue, &queue->task);
  }
  return FALSE;
}

void
gst_infer_queue_hold (GstInferQueue *queue)
{
  LOCK (queue);

  queue->holds++;
  while (queue->computing > 0)
    if (!run_next (queue, &queue->guests))
      wait_for (queue, &queue->others);
}

void
gst_infer_queue_release (GstInferQueue *queue)
{
  lock_queue (queue);
  queue->holds--;
  wake (&queue->streaming);
  unlock_queue (queue);
}

void
gst_infer_queue_get_depth (GstInferQueue *queue, guint *items, guint *running)
{
  LOCK (queue);

  *items = g_queue_get_length (&queue->items);
  *running = queue->running;
}

void
gst_infer_queue_foreach_running (
    GstInferQueue *queue, GFunc func, gpointer data)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new ();

  lock_queue (queue);
  for (GList *l = queue->items.tail; l != NULL; l = l->prev) {
    Item *item = l->data;

    if (item->kind == GST_INFER_ITEM_JOB && !item->finished)
      g_ptr_array_add (jobs, item->object);
  }
  unlock_queue (queue);
  g_ptr_array_foreach (jobs, func, data);
}
