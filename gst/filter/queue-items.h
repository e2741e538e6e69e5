/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The items of an ordered queue, in a GQueue.  One thread at a time. */

#pragma once

#include "gst/filter/ordered-queue.h"

typedef struct
{
  GstInferItemKind kind;
  gpointer object;
  gboolean finished;
  guint64 put, done; /* of a job, on the queue's clock */
} GstInferQueueItem;

/* A job is not finished, anything else is. */
void gst_infer_items_append (
    GQueue *items, GstInferItemKind kind, gpointer object);
/* FALSE: there is no such object. */
gboolean gst_infer_items_remove (GQueue *items, gconstpointer object);
gboolean gst_infer_items_have_event (
    const GQueue *items, gboolean (*is_wanted) (GstEvent *event));
/* Removes the event behind all jobs and queries that @event replaces; FALSE:
 * there is none. */
gboolean gst_infer_items_drop_replaced (GQueue *items, GstEvent *event);
