/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A queue between two threads of an element, for samples, events, queries and
 * buffers, in order.  One lock guards it; it is not held while other
 * code is called. */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_INFER_SPEECH_AUDIO,    /* GstInferAudio */
  GST_INFER_SPEECH_BUFFER,   /* GstBuffer */
  GST_INFER_SPEECH_PARTIAL,  /* GstBuffer for the pad `partial` */
  GST_INFER_SPEECH_EVENT,    /* GstEvent */
  GST_INFER_SPEECH_UPSTREAM, /* GstEvent that goes upstream */
  GST_INFER_SPEECH_QUERY,    /* number of the question */
} GstInferSpeechItemKind;

/* Samples of one buffer. */
typedef struct
{
  gsize n;
  gint64 arrived;   /* monotonic time, µs */
  GstClockTime pts; /* NONE: not known */
  gboolean discont; /* begins a sequence */
  float samples[];
} GstInferAudio;

/* (transfer full) */
typedef struct
{
  GstInferSpeechItemKind kind;
  gpointer object;
  guint64 weight;
} GstInferSpeechItem;

typedef struct _GstInferSpeechQueue GstInferSpeechQueue;

/* Stopped, with GST_FLOW_FLUSHING. */
GstInferSpeechQueue *gst_infer_speech_queue_new (void);
void gst_infer_speech_queue_free (GstInferSpeechQueue *queue);

/* GST_FLOW_OK starts the queue, anything else stops it and ends every wait;
 * with GST_FLOW_EOS items are still taken out.  GST_FLOW_FLUSHING stays until
 * GST_FLOW_OK. */
void gst_infer_speech_queue_set_flow (
    GstInferSpeechQueue *queue, GstFlowReturn flow);
/* Changes @from to @to; FALSE: it is another flow. */
gboolean gst_infer_speech_queue_change_flow (
    GstInferSpeechQueue *queue, GstFlowReturn from, GstFlowReturn to);
GstFlowReturn gst_infer_speech_queue_get_flow (GstInferSpeechQueue *queue);

/* Appends an item and frees it later.  Waits while more than @limit is in the
 * queue (0: never); a stopped queue takes events only, for when it is started
 * again.  Returns the flow. */
GstFlowReturn gst_infer_speech_queue_put (GstInferSpeechQueue *queue,
    GstInferSpeechItemKind kind, gpointer object, guint64 weight,
    guint64 limit);
/* Waits for an item; if all items are samples that continue the sequence, until
 * their weights are at least @wanted.  FALSE: stopped.  One thread at a time.
 */
gboolean gst_infer_speech_queue_take (
    GstInferSpeechQueue *queue, GstInferSpeechItem *item, guint64 wanted);
/* The sum of the weights. */
guint64 gst_infer_speech_queue_get_weight (GstInferSpeechQueue *queue);
gboolean gst_infer_speech_queue_has_eos (GstInferSpeechQueue *queue);
/* Empties it.  Events are appended to @events (element-type GstEvent, transfer
 * full). */
void gst_infer_speech_queue_clear (GstInferSpeechQueue *queue, GQueue *events);
void gst_infer_speech_item_clear (GstInferSpeechItem *item);

/* --- queries --- */

/* Puts @query in as a question and waits for its answer; FALSE also when
 * stopped. */
gboolean gst_infer_speech_queue_ask (
    GstInferSpeechQueue *queue, GstQuery *query);
/* Any thread: the type of the query; GST_QUERY_UNKNOWN: nobody waits for it. */
GstQueryType gst_infer_speech_queue_peek (
    GstInferSpeechQueue *queue, gpointer question);
/* Returns the query, which must be answered then; NULL: nobody waits for it. */
GstQuery *gst_infer_speech_queue_begin_answer (
    GstInferSpeechQueue *queue, gpointer question);
void gst_infer_speech_queue_answer (
    GstInferSpeechQueue *queue, gboolean result);
