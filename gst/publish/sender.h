/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sends lines from a thread of its own, through a bounded queue. */

#pragma once

#include <gst/gst.h>

#include "gst/publish/publish.h"

typedef struct _GstInferSender GstInferSender;

typedef struct
{
  /* Called on the sender's thread: lines sent and dropped since the last call
   * (@reason: nullable, why), and the error after which nothing more is sent
   * (transfer none). */
  void (*counted) (
      gpointer owner, guint sent, guint dropped, const char *reason);
  void (*failed) (gpointer owner, const GError *error);
} GstInferSenderCalls;

/* @target: of @method->open; the sender closes it.  @size: most lines that are
 * queued or not confirmed.  Returns NULL with an error
 * if the thread cannot start; then @target is closed. */
GstInferSender *gst_infer_sender_new (const GstInferPublishMethod *method,
    gpointer target, guint size, const GstInferSenderCalls *calls,
    gpointer owner, GError **error);

/* Queues @line (transfer full) with @key, a ref string (transfer none).  If the
 * queue is full: waits for room if @wait, until gst_infer_sender_set_flushing
 * (); else, FALSE: the line is dropped, and not counted.  Any thread. */
gboolean gst_infer_sender_push (
    GstInferSender *sender, GString *line, char *key, gboolean wait);

typedef struct
{
  guint queued, unconfirmed; /* now */
  guint most;                /* of both together, since the start */
} GstInferSenderDepth;

/* Any thread. */
GstInferSenderDepth gst_infer_sender_get_depth (GstInferSender *sender);

/* TRUE: calls that wait for room return, and none waits.  Any thread. */
void gst_infer_sender_set_flushing (GstInferSender *sender, gboolean flushing);

/* Waits until all lines are sent (confirmed) or dropped, at most @timeout ms.
 */
void gst_infer_sender_drain (GstInferSender *sender, guint timeout);

/* Drains, ends the thread, closes the target and frees @sender.  Returns how
 * many lines were lost that were not counted, or were counted as sent. */
guint gst_infer_sender_close (GstInferSender *sender, guint timeout);
