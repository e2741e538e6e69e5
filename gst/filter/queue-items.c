/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/queue-items.h"

#include "gst/common/continuity.h"

void
gst_infer_items_append (GQueue *items, GstInferItemKind kind, gpointer object)
{
  GstInferQueueItem *item = g_new0 (GstInferQueueItem, 1);

  item->kind = kind;
  item->object = object;
  item->finished = kind != GST_INFER_ITEM_JOB;
  g_queue_push_tail (items, item);
}

gboolean
gst_infer_items_remove (GQueue *items, gconstpointer object)
{
  for (GList *l = items->head; l != NULL; l = l->next) {
    GstInferQueueItem *item = l->data;

    if (item->object == object) {
      g_queue_delete_link (items, l);
      g_free (item);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
gst_infer_items_have_event (
    const GQueue *items, gboolean (*is_wanted) (GstEvent *event))
{
  for (GList *l = items->head; l != NULL; l = l->next) {
    GstInferQueueItem *item = l->data;

    if (item->kind == GST_INFER_ITEM_EVENT && is_wanted (item->object))
      return TRUE;
  }
  return FALSE;
}

gboolean
gst_infer_items_drop_replaced (GQueue *items, GstEvent *event)
{
  for (GList *l = items->tail; l != NULL; l = l->prev) {
    GstInferQueueItem *item = l->data;

    if (item->kind != GST_INFER_ITEM_EVENT)
      return FALSE;
    if (gst_infer_event_replaces (event, item->object)) {
      gst_event_unref (item->object);
      g_free (item);
      g_queue_delete_link (items, l);
      return TRUE;
    }
  }
  return FALSE;
}
