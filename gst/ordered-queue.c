/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/ordered-queue.h"

typedef struct
{
  GstInferItemKind kind;
  gpointer object;
  gboolean finished;
} Item;

/* Lives on the stack of put_query. */
typedef struct
{
  GstQuery *query;
  gboolean answered, result;
} Question;

struct _GstInferQueue
{
  GMutex lock;
  GCond cond; /* anything changed */
  GstFlowReturn flow;
  GQueue items;     /* (element-type Item) */
  GQueue callbacks; /* (element-type InferTask) */
  GPtrArray *idle;
  Question *question; /* at most one: there is one streaming thread */
  guint running;      /* jobs put, callback not run */
  guint computing;    /* jobs taken or put, computing part not over */
  guint holds;
};

/* Until the end of the block. */
#define LOCK(queue)                                                            \
  G_GNUC_UNUSED g_autoptr (GMutexLocker) locker =                              \
      g_mutex_locker_new (&(queue)->lock)

GstInferQueue *
gst_infer_queue_new (void)
{
  GstInferQueue *queue = g_new0 (GstInferQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->cond);
  g_queue_init (&queue->items);
  g_queue_init (&queue->callbacks);
  queue->idle = g_ptr_array_new ();
  queue->flow = GST_FLOW_FLUSHING;
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
  g_cond_clear (&queue->cond);
  g_mutex_clear (&queue->lock);
  g_free (queue);
}

static void
set_flow (GstInferQueue *queue, GstFlowReturn flow)
{
  g_mutex_lock (&queue->lock);
  queue->flow = flow;
  g_cond_broadcast (&queue->cond);
  g_mutex_unlock (&queue->lock);
}

void
gst_infer_queue_start (GstInferQueue *queue)
{
  set_flow (queue, GST_FLOW_OK);
}

void
gst_infer_queue_stop (GstInferQueue *queue, GstFlowReturn flow)
{
  set_flow (queue, flow);
}

GstFlowReturn
gst_infer_queue_get_flow (GstInferQueue *queue)
{
  LOCK (queue);

  return queue->flow;
}

/* With the lock, which is open while the callback stage runs. */
static gboolean
run_callback (GstInferQueue *queue)
{
  InferTask *task = g_queue_pop_head (&queue->callbacks);

  if (task == NULL)
    return FALSE;
  g_mutex_unlock (&queue->lock);
  task->run (task);
  g_mutex_lock (&queue->lock);
  return TRUE;
}

void
gst_infer_queue_clear (GstInferQueue *queue, GQueue *events)
{
  LOCK (queue);

  while (queue->running > 0 || !g_queue_is_empty (&queue->callbacks))
    if (!run_callback (queue))
      g_cond_wait (&queue->cond, &queue->lock);
  drop_items (queue, events);
}

gpointer
gst_infer_queue_wait_idle (GstInferQueue *queue)
{
  LOCK (queue);

  while (
      queue->flow == GST_FLOW_OK && (queue->idle->len == 0 || queue->holds > 0))
    g_cond_wait (&queue->cond, &queue->lock);
  if (queue->flow != GST_FLOW_OK)
    return NULL;
  queue->computing++;
  return g_ptr_array_remove_index_fast (queue->idle, queue->idle->len - 1);
}

void
gst_infer_queue_give_idle (GstInferQueue *queue, gpointer job)
{
  g_mutex_lock (&queue->lock);
  g_ptr_array_add (queue->idle, job);
  g_cond_broadcast (&queue->cond);
  g_mutex_unlock (&queue->lock);
}

gboolean
gst_infer_queue_wait_all_idle (GstInferQueue *queue, guint n)
{
  LOCK (queue);

  while (queue->flow == GST_FLOW_OK && queue->idle->len < n)
    g_cond_wait (&queue->cond, &queue->lock);
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
  g_cond_broadcast (&queue->cond);
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

static gboolean
withdraw (GstInferQueue *queue, Question *question)
{
  for (GList *l = queue->items.head; l != NULL; l = l->next) {
    Item *item = l->data;

    if (item->object == question->query) {
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
  Question question = { .query = query };

  if (queue->flow != GST_FLOW_OK)
    return FALSE;
  append (queue, GST_INFER_ITEM_QUERY, query);
  queue->question = &question;
  while (!question.answered) {
    /* Once the task has it, only its answer ends the wait. */
    if (queue->flow != GST_FLOW_OK && withdraw (queue, &question))
      break;
    g_cond_wait (&queue->cond, &queue->lock);
  }
  queue->question = NULL;
  return question.result;
}

void
gst_infer_queue_answer (GstInferQueue *queue, GstQuery *query, gboolean result)
{
  LOCK (queue);

  g_return_if_fail (queue->question && queue->question->query == query);
  queue->question->answered = TRUE;
  queue->question->result = result;
  g_cond_broadcast (&queue->cond);
}

void
gst_infer_queue_submit (InferTask *task, gpointer data)
{
  GstInferQueue *queue = data;
  LOCK (queue);

  queue->computing--;
  g_queue_push_tail (&queue->callbacks, task);
  g_cond_broadcast (&queue->cond);
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
  g_cond_broadcast (&queue->cond);
}

gboolean
gst_infer_queue_take (GstInferQueue *queue, GstInferItem *taken)
{
  LOCK (queue);

  while (queue->flow == GST_FLOW_OK) {
    Item *head;

    if (run_callback (queue))
      continue;
    head = g_queue_peek_head (&queue->items);
    if (head != NULL && head->finished) {
      g_queue_pop_head (&queue->items);
      *taken = (GstInferItem){ head->kind, head->object };
      g_free (head);
      return TRUE;
    }
    g_cond_wait (&queue->cond, &queue->lock);
  }
  return FALSE;
}

void
gst_infer_queue_hold (GstInferQueue *queue)
{
  LOCK (queue);

  queue->holds++;
  while (queue->computing > 0)
    g_cond_wait (&queue->cond, &queue->lock);
}

void
gst_infer_queue_release (GstInferQueue *queue)
{
  g_mutex_lock (&queue->lock);
  queue->holds--;
  g_cond_broadcast (&queue->cond);
  g_mutex_unlock (&queue->lock);
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

  g_mutex_lock (&queue->lock);
  for (GList *l = queue->items.tail; l != NULL; l = l->prev) {
    Item *item = l->data;

    if (item->kind == GST_INFER_ITEM_JOB && !item->finished)
      g_ptr_array_add (jobs, item->object);
  }
  g_mutex_unlock (&queue->lock);
  g_ptr_array_foreach (jobs, func, data);
}
