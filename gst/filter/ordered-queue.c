/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/ordered-queue.h"

#include "gst/common/continuity.h"
#include "gst/filter/halting-clock.h"
#include "gst/filter/queue-items.h"
#include "gst/filter/waiters.h"

/* Guests that wait for a push shorter than this are delayed less than by waking
 * another thread. */
#define QUICK_NS 20000

/* Idle jobs are gathered while a push takes less.  Threads that are woken often
 * run in place of the task, so that some pushes last longer than by
 * themselves. */
#define SHORT_NS 200000

/* A push longer than this does not keep the streaming thread from an idle job.
 * All jobs of a few hundred streams take less. */
#define LONGEST_PUSH_US 200000

/* A callback stage, and when it became due, on the queue's clock. */
typedef struct
{
  InferTask *task;
  guint64 done;
} Callback;

/* On the stack of put_query. */
typedef struct
{
  GstQuery *query;
  gboolean answered, result;
} PendingQuery;

struct _GstInferQueue
{
  GstInferLock lock;
  GstInferWaiters task; /* the source-pad task: guests, callbacks, a finished
                           head */
  GstInferWaiters streaming; /* the streaming thread: idle jobs, an answer */
  GstInferWaiters others;    /* clear, hold */
  GstFlowReturn flow;
  GQueue items;      /* (element-type GstInferQueueItem) */
  GArray *callbacks; /* (element-type Callback) */
  guint64 done;      /* of the callback that runs; one does at a time */
  guint64 last_done; /* of all jobs that were taken out */
  /* (element-type InferTask) inferences for the source-pad task to compute, or
   * for a thread that waits for it. */
  GQueue guests;
  guint hosted;      /* of these, taken and not computed yet */
  guint64 taken_at;  /* ns, when the task got the item that it is pushing; 0:
                        none */
  guint64 push_time; /* ns that the last push took */
  /* Halted while guests wait for the task to push: an inference is not slow
   * because downstream is. */
  GstInferHaltingClock clock;
  GPtrArray *idle;
  PendingQuery *pending; /* at most one: there is one streaming thread */
  guint running;         /* jobs put, callback not run */
  guint computing;       /* jobs taken or put, computing part not over */
  guint holds;
  /* Other streams keep the executor busy: the two threads are woken for several
   * jobs at a time. */
  gboolean crowded;
  gboolean idle_gathered; /* the task must still wake the streaming thread */
};

static void
lock_queue (GstInferQueue *queue)
{
  gst_infer_lock_take (&queue->lock);
}

static void
unlock_queue (GstInferQueue *queue)
{
  gst_infer_lock_release (&queue->lock);
}

typedef GstInferQueue LockedQueue;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LockedQueue, unlock_queue)

/* Locks @queue until the end of the block. */
#define LOCK(queue)                                                            \
  G_GNUC_UNUSED g_autoptr (LockedQueue) locked = queue;                        \
  lock_queue (queue)

GstInferQueue *
gst_infer_queue_new (void)
{
  GstInferQueue *queue = g_new0 (GstInferQueue, 1);

  gst_infer_lock_init (&queue->lock);
  gst_infer_waiters_init (&queue->task);
  gst_infer_waiters_init (&queue->streaming);
  gst_infer_waiters_init (&queue->others);
  g_queue_init (&queue->items);
  queue->callbacks = g_array_new (FALSE, FALSE, sizeof (Callback));
  queue->idle = g_ptr_array_new ();
  queue->flow = GST_FLOW_FLUSHING;
  queue->push_time = G_MAXUINT64;
  return queue;
}

static void
drop_items (GstInferQueue *queue, GQueue *events)
{
  GstInferQueueItem *item;

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
  g_array_unref (queue->callbacks);
  gst_infer_lock_clear (&queue->lock);
  gst_infer_waiters_clear (&queue->task);
  gst_infer_waiters_clear (&queue->streaming);
  gst_infer_waiters_clear (&queue->others);
  g_free (queue);
}

/* Locked.  After EOS from downstream, events must still leave. */
static gboolean
task_runs (const GstInferQueue *queue)
{
  return queue->flow == GST_FLOW_OK || queue->flow == GST_FLOW_EOS;
}

static gboolean
is_eos (GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_EOS;
}

gboolean
gst_infer_queue_has_eos (GstInferQueue *queue)
{
  LOCK (queue);

  return gst_infer_items_have_event (&queue->items, is_eos);
}

void
gst_infer_queue_set_flow (GstInferQueue *queue, GstFlowReturn flow)
{
  lock_queue (queue);
  gboolean kept =
      (flow == GST_FLOW_EOS
          && gst_infer_items_have_event (&queue->items, gst_infer_ends_eos))
      || (flow != GST_FLOW_OK && queue->flow == GST_FLOW_FLUSHING);
  if (!kept)
    queue->flow = flow;
  gst_infer_waiters_wake (&queue->task, &queue->lock);
  gst_infer_waiters_wake (&queue->streaming, &queue->lock);
  gst_infer_waiters_wake (&queue->others, &queue->lock);
  unlock_queue (queue);
}

gboolean
gst_infer_queue_relink (GstInferQueue *queue)
{
  LOCK (queue);

  if (queue->flow != GST_FLOW_NOT_LINKED)
    return FALSE;
  queue->flow = GST_FLOW_OK;
  gst_infer_waiters_wake (&queue->task, &queue->lock);
  gst_infer_waiters_wake (&queue->streaming, &queue->lock);
  return TRUE;
}

GstFlowReturn
gst_infer_queue_get_flow (GstInferQueue *queue)
{
  LOCK (queue);

  return queue->flow;
}

/* --- clock --- */

/* Locked; after a change of the guests, or of what the task does. */
static void
note_blocked (GstInferQueue *queue, guint64 now)
{
  gst_infer_halting_clock_set (
      &queue->clock, now, queue->taken_at > 0 && queue->guests.length > 0);
}

/* --- computing --- */

/* Locked, but not while it runs. */
static void
run_task (GstInferQueue *queue, InferTask *task)
{
  unlock_queue (queue);
  task->run (task);
  lock_queue (queue);
}

/* FALSE: there is none.  Locked, but not while it runs. */
static gboolean
run_guest (GstInferQueue *queue)
{
  InferTask *task = g_queue_pop_head (&queue->guests);

  if (task == NULL)
    return FALSE;
  if (queue->clock.halted_at > 0)
    note_blocked (queue, gst_util_get_timestamp ());
  queue->hosted++;
  run_task (queue, task);
  queue->hosted--;
  return TRUE;
}

/* The same. */
static gboolean
run_callback (GstInferQueue *queue)
{
  if (queue->callbacks->len == 0)
    return FALSE;
  Callback next = g_array_index (queue->callbacks, Callback, 0);
  g_array_remove_index (queue->callbacks, 0);
  queue->done = next.done;
  run_task (queue, next.task);
  return TRUE;
}

void
gst_infer_queue_clear (GstInferQueue *queue, GQueue *events)
{
  LOCK (queue);

  while (queue->running > 0 || queue->callbacks->len > 0)
    if (!run_guest (queue) && !run_callback (queue))
      gst_infer_waiters_wait (&queue->others, &queue->lock);
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
    return run_guest (queue);
  gst_infer_waiters_spin (&queue->streaming, &queue->lock, quick_until);
  return TRUE;
}

/* Locked.  Whether the task, which gives a job back, need not wake the
 * streaming thread yet: it does so once it has pushed all that is computed. */
static gboolean
may_gather_idle (GstInferQueue *queue)
{
  const GstInferQueueItem *head = g_queue_peek_head (&queue->items);

  return queue->crowded && queue->push_time < SHORT_NS
         && (queue->callbacks->len > 0
             || (head != NULL && head->kind == GST_INFER_ITEM_JOB
                 && head->finished));
}

/* Locked.  Where the task has gathered idle jobs and then blocks while it
 * pushes, the wait ends by itself. */
static void
wait_for_idle (GstInferQueue *queue)
{
  if (!queue->crowded)
    gst_infer_waiters_wait (&queue->streaming, &queue->lock);
  else if (!gst_infer_waiters_sleep (
               &queue->streaming, &queue->lock, LONGEST_PUSH_US))
    queue->crowded = FALSE;
}

gpointer
gst_infer_queue_wait_idle (GstInferQueue *queue)
{
  LOCK (queue);

  while (
      queue->flow == GST_FLOW_OK && (queue->idle->len == 0 || queue->holds > 0))
    if (!relieve_task (queue))
      wait_for_idle (queue);
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
  queue->idle_gathered = may_gather_idle (queue);
  if (!queue->idle_gathered)
    gst_infer_waiters_wake (&queue->streaming, &queue->lock);
  unlock_queue (queue);
}

gboolean
gst_infer_queue_wait_all_idle (GstInferQueue *queue, guint n)
{
  LOCK (queue);

  while (queue->flow == GST_FLOW_OK && queue->idle->len < n)
    gst_infer_waiters_wait (&queue->streaming, &queue->lock);
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
  gst_infer_items_append (&queue->items, kind, object);
  if (kind != GST_INFER_ITEM_JOB)
    gst_infer_waiters_wake (&queue->task, &queue->lock);
}

guint
gst_infer_queue_put_job (GstInferQueue *queue, gpointer job)
{
  LOCK (queue);

  queue->running++;
  append (queue, GST_INFER_ITEM_JOB, job);
  GstInferQueueItem *item = g_queue_peek_tail (&queue->items);
  item->put =
      gst_infer_halting_clock_get (&queue->clock, gst_util_get_timestamp ());
  return MAX (queue->computing, 1) - 1;
}

/* --- events --- */

gboolean
gst_infer_queue_put_event (
    GstInferQueue *queue, GstEvent *event, gboolean *replaced)
{
  LOCK (queue);

  *replaced = FALSE;
  if (queue->flow == GST_FLOW_EOS && gst_infer_ends_eos (event))
    queue->flow = GST_FLOW_OK;
  if (!task_runs (queue)) {
    if (!GST_EVENT_IS_STICKY (event) || is_eos (event)) {
      gst_event_unref (event);
      return FALSE;
    }
    /* While nothing is taken out, a stream of sticky events must not fill the
     * memory. */
    *replaced = gst_infer_items_drop_replaced (&queue->items, event);
  }
  append (queue, GST_INFER_ITEM_EVENT, event);
  return TRUE;
}

/* --- queries --- */

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
    if (queue->flow != GST_FLOW_OK
        && gst_infer_items_remove (&queue->items, query))
      break;
    gst_infer_waiters_wait (&queue->streaming, &queue->lock);
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
  gst_infer_waiters_wake (&queue->streaming, &queue->lock);
}

void
gst_infer_queue_submit (InferTask *task, gpointer data)
{
  GstInferQueue *queue = data;
  LOCK (queue);

  queue->computing--;
  Callback due = { task,
    gst_infer_halting_clock_get (&queue->clock, gst_util_get_timestamp ()) };
  g_array_append_val (queue->callbacks, due);
  /* The last of those under way wakes the task for all. */
  if (!queue->crowded || queue->running <= queue->callbacks->len)
    gst_infer_waiters_wake (&queue->task, &queue->lock);
  gst_infer_waiters_wake (&queue->others, &queue->lock);
}

gboolean
gst_infer_queue_may_host (GstInferQueue *queue, gboolean first, gboolean behind)
{
  LOCK (queue);

  if (queue->items.length == 1 && queue->task.n > 0)
    return first;
  return behind && queue->push_time < QUICK_NS;
}

gboolean
gst_infer_queue_set_crowded (GstInferQueue *queue, gboolean crowded)
{
  LOCK (queue);

  queue->crowded = crowded;
  return crowded && queue->idle->len == 0;
}

gboolean
gst_infer_queue_hosts (GstInferQueue *queue)
{
  LOCK (queue);

  return queue->hosted > 0 || queue->guests.length > 0;
}

void
gst_infer_queue_host (InferTask *task, gpointer data)
{
  GstInferQueue *queue = data;
  LOCK (queue);

  g_queue_push_tail (&queue->guests, task);
  if (queue->taken_at > 0 && queue->clock.halted_at == 0)
    note_blocked (queue, gst_util_get_timestamp ());
  gst_infer_waiters_wake (&queue->task, &queue->lock);
  gst_infer_waiters_wake (&queue->others, &queue->lock);
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
    GstInferQueueItem *item = l->data;

    if (item->object != job)
      continue;
    item->finished = TRUE;
    item->done = computed ? queue->done : item->put;
  }
  gst_infer_waiters_wake (&queue->task, &queue->lock);
  gst_infer_waiters_wake (&queue->others, &queue->lock);
}

/* How long @job took until its result was there and could leave.  A task that
 * has waited since @begin had to be woken for it; otherwise the result waited
 * for the task.  Locked. */
static guint64
time_taken (GstInferQueue *queue, const GstInferQueueItem *job, guint64 begin,
    guint64 now)
{
  queue->last_done = MAX (queue->last_done, job->done);
  guint64 end = queue->last_done >= begin ? now : queue->last_done;
  return end > job->put ? end - job->put : 0;
}

/* @begin: when the task began to wait, on the queue's clock.  Locked. */
static gboolean
take_head (GstInferQueue *queue, guint64 begin, GstInferItem *taken)
{
  GstInferQueueItem *head = g_queue_peek_head (&queue->items);

  if (head == NULL || !head->finished)
    return FALSE;
  g_queue_pop_head (&queue->items);
  *taken = (GstInferItem){ head->kind, head->object, 0 };
  guint64 now = gst_util_get_timestamp ();
  if (head->kind == GST_INFER_ITEM_JOB)
    taken->took = time_taken (
        queue, head, begin, gst_infer_halting_clock_get (&queue->clock, now));
  queue->taken_at = now;
  note_blocked (queue, now);
  g_free (head);
  return TRUE;
}

/* Locked. */
static void
wait_for_work (GstInferQueue *queue)
{
  if (queue->crowded)
    gst_infer_waiters_sleep (&queue->task, &queue->lock, -1);
  else
    gst_infer_waiters_wait (&queue->task, &queue->lock);
}

gboolean
gst_infer_queue_take (GstInferQueue *queue, GstInferItem *taken)
{
  LOCK (queue);
  guint64 now = gst_util_get_timestamp ();

  if (queue->taken_at > 0)
    queue->push_time = now - queue->taken_at;
  queue->taken_at = 0;
  note_blocked (queue, now);
  guint64 begin = gst_infer_halting_clock_get (&queue->clock, now);
  while (task_runs (queue)) {
    if (run_callback (queue))
      continue;
    if (take_head (queue, begin, taken))
      return TRUE;
    if (queue->idle_gathered)
      gst_infer_waiters_wake (&queue->streaming, &queue->lock);
    queue->idle_gathered = FALSE;
    if (!run_guest (queue))
      wait_for_work (queue);
  }
  return FALSE;
}

void
gst_infer_queue_hold (GstInferQueue *queue)
{
  LOCK (queue);

  queue->holds++;
  while (queue->computing > 0)
    if (!run_guest (queue))
      gst_infer_waiters_wait (&queue->others, &queue->lock);
}

void
gst_infer_queue_release (GstInferQueue *queue)
{
  lock_queue (queue);
  queue->holds--;
  gst_infer_waiters_wake (&queue->streaming, &queue->lock);
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
    GstInferQueueItem *item = l->data;

    if (item->kind == GST_INFER_ITEM_JOB && !item->finished)
      g_ptr_array_add (jobs, item->object);
  }
  unlock_queue (queue);
  g_ptr_array_foreach (jobs, func, data);
}
