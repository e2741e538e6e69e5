/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/queue.h"

struct _GstInferSpeechQueue
{
  GMutex lock; /* guards all */
  GCond changed;
  guint waiting; /* threads that wait for a change */
  GQueue items;
  guint64 weight;
  guint urgent;   /* items other than samples that continue the sequence */
  guint64 wanted; /* what a taker waits for */
  GstFlowReturn flow;

  /* The query that the streaming thread waits for. */
  GstQuery *query;
  guint question; /* its number */
  gboolean answering, answered, answer;
};

#define LOCK(queue)                                                            \
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =                              \
      g_mutex_locker_new (&(queue)->lock)

/* Locked. */
static void
wait (GstInferSpeechQueue *queue)
{
  queue->waiting++;
  g_cond_wait (&queue->changed, &queue->lock);
  queue->waiting--;
}

/* Locked. */
static void
wake (GstInferSpeechQueue *queue)
{
  if (queue->waiting > 0)
    g_cond_broadcast (&queue->changed);
}

GstInferSpeechQueue *
gst_infer_speech_queue_new (void)
{
  GstInferSpeechQueue *queue = g_new0 (GstInferSpeechQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->changed);
  g_queue_init (&queue->items);
  queue->flow = GST_FLOW_FLUSHING;
  return queue;
}

void
gst_infer_speech_item_clear (GstInferSpeechItem *item)
{
  if (item->object == NULL || item->kind == GST_INFER_SPEECH_QUERY)
    return;
  if (item->kind == GST_INFER_SPEECH_AUDIO)
    g_free (item->object);
  else
    gst_mini_object_unref (item->object);
  item->object = NULL;
}

static void
free_item (GstInferSpeechItem *item)
{
  gst_infer_speech_item_clear (item);
  g_free (item);
}

void
gst_infer_speech_queue_free (GstInferSpeechQueue *queue)
{
  if (queue == NULL)
    return;
  g_queue_clear_full (&queue->items, (GDestroyNotify) free_item);
  g_mutex_clear (&queue->lock);
  g_cond_clear (&queue->changed);
  g_free (queue);
}

void
gst_infer_speech_queue_set_flow (GstInferSpeechQueue *queue, GstFlowReturn flow)
{
  LOCK (queue);

  if (queue->flow == GST_FLOW_FLUSHING && flow != GST_FLOW_OK)
    return;
  queue->flow = flow;
  wake (queue);
}

gboolean
gst_infer_speech_queue_change_flow (
    GstInferSpeechQueue *queue, GstFlowReturn from, GstFlowReturn to)
{
  LOCK (queue);

  if (queue->flow != from)
    return FALSE;
  queue->flow = to;
  wake (queue);
  return TRUE;
}

GstFlowReturn
gst_infer_speech_queue_get_flow (GstInferSpeechQueue *queue)
{
  LOCK (queue);

  return queue->flow;
}

static gboolean
is_urgent (const GstInferSpeechItem *item)
{
  return item->kind != GST_INFER_SPEECH_AUDIO
         || ((const GstInferAudio *) item->object)->discont;
}

/* Locked: there is an item to take; if all are samples that continue the
 * sequence, at least as many as are wanted, or the flow has ended and no more
 * will come. */
static gboolean
has_enough (const GstInferSpeechQueue *queue)
{
  return queue->items.length > 0
         && (queue->urgent > 0 || queue->weight >= queue->wanted
             || queue->flow != GST_FLOW_OK);
}

/* Locked. */
static void
append (GstInferSpeechQueue *queue, GstInferSpeechItemKind kind,
    gpointer object, guint64 weight)
{
  GstInferSpeechItem *item = g_new (GstInferSpeechItem, 1);

  *item = (GstInferSpeechItem){ kind, object, weight };
  g_queue_push_tail (&queue->items, item);
  queue->weight += weight;
  queue->urgent += is_urgent (item);
  if (has_enough (queue))
    wake (queue);
}

GstFlowReturn
gst_infer_speech_queue_put (GstInferSpeechQueue *queue,
    GstInferSpeechItemKind kind, gpointer object, guint64 weight, guint64 limit)
{
  GstInferSpeechItem item = { kind, object, weight };
  LOCK (queue);

  while (queue->flow == GST_FLOW_OK && limit > 0 && queue->weight > limit)
    wait (queue);
  if (queue->flow == GST_FLOW_OK || kind == GST_INFER_SPEECH_EVENT)
    append (queue, kind, object, weight);
  else
    gst_infer_speech_item_clear (&item);
  return queue->flow;
}

/* Locked. */
static gboolean
is_running (const GstInferSpeechQueue *queue)
{
  return queue->flow == GST_FLOW_OK || queue->flow == GST_FLOW_EOS;
}

gboolean
gst_infer_speech_queue_take (
    GstInferSpeechQueue *queue, GstInferSpeechItem *item, guint64 wanted)
{
  LOCK (queue);

  queue->wanted = wanted;
  while (is_running (queue) && !has_enough (queue))
    wait (queue);
  if (!is_running (queue))
    return FALSE;
  g_autofree GstInferSpeechItem *head = g_queue_pop_head (&queue->items);
  *item = *head;
  queue->weight -= head->weight;
  queue->urgent -= is_urgent (head);
  wake (queue);
  return TRUE;
}

guint64
gst_infer_speech_queue_get_weight (GstInferSpeechQueue *queue)
{
  LOCK (queue);

  return queue->weight;
}

gboolean
gst_infer_speech_queue_has_eos (GstInferSpeechQueue *queue)
{
  LOCK (queue);

  for (GList *l = queue->items.head; l != NULL; l = l->next) {
    const GstInferSpeechItem *item = l->data;

    if (item->kind == GST_INFER_SPEECH_EVENT
        && GST_EVENT_TYPE (item->object) == GST_EVENT_EOS)
      return TRUE;
  }
  return FALSE;
}

void
gst_infer_speech_queue_clear (GstInferSpeechQueue *queue, GQueue *events)
{
  LOCK (queue);
  GstInferSpeechItem *item;

  while ((item = g_queue_pop_head (&queue->items)) != NULL) {
    if (item->kind == GST_INFER_SPEECH_EVENT)
      g_queue_push_tail (events, g_steal_pointer (&item->object));
    free_item (item);
  }
  queue->weight = 0;
  queue->urgent = 0;
  wake (queue);
}

/* --- queries --- */

gboolean
gst_infer_speech_queue_ask (GstInferSpeechQueue *queue, GstQuery *query)
{
  LOCK (queue);

  if (queue->flow != GST_FLOW_OK)
    return FALSE;
  queue->query = query;
  queue->answering = queue->answered = FALSE;
  append (
      queue, GST_INFER_SPEECH_QUERY, GUINT_TO_POINTER (++queue->question), 0);
  /* Once it is being answered, only the answer ends the wait. */
  while (!queue->answered && (queue->flow == GST_FLOW_OK || queue->answering))
    wait (queue);
  queue->query = NULL;
  return queue->answered && queue->answer;
}

/* Locked. */
static gboolean
is_waiting (const GstInferSpeechQueue *queue, gpointer question)
{
  return queue->query != NULL && GPOINTER_TO_UINT (question) == queue->question;
}

GstQueryType
gst_infer_speech_queue_peek (GstInferSpeechQueue *queue, gpointer question)
{
  LOCK (queue);

  return is_waiting (queue, question) ? GST_QUERY_TYPE (queue->query)
                                      : GST_QUERY_UNKNOWN;
}

GstQuery *
gst_infer_speech_queue_begin_answer (
    GstInferSpeechQueue *queue, gpointer question)
{
  LOCK (queue);

  if (!is_waiting (queue, question))
    return NULL;
  queue->answering = TRUE;
  return queue->query;
}

void
gst_infer_speech_queue_answer (GstInferSpeechQueue *queue, gboolean result)
{
  LOCK (queue);

  queue->answered = TRUE;
  queue->answer = result;
  wake (queue);
}
