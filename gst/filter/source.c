/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/continuity.h"
#include "gst/filter/filter-private.h"
#include "gst/common/error-message.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- events --- */

static void
push_held (GstInferFilter *self)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&self->held)) != NULL)
    gst_pad_push_event (self->srcpad, event);
}

static GstFlowReturn
push_event (GstInferFilter *self, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);
  GstCaps *caps;

  if (type == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_infer_tensors_from_caps (caps, &self->out, NULL);
    self->negotiated = TRUE;
    gst_pad_push_event (self->srcpad, event);
    push_held (self);
    return GST_FLOW_OK;
  }
  /* A segment must not leave before the caps, nor anything that follows it. */
  if (!self->negotiated && type != GST_EVENT_STREAM_START
      && type != GST_EVENT_EOS && type != GST_EVENT_STREAM_GROUP_DONE) {
    g_queue_push_tail (&self->held, event);
    return GST_FLOW_OK;
  }
  if (type == GST_EVENT_EOS)
    push_held (self);
  gst_pad_push_event (self->srcpad, event);
  return GST_FLOW_OK;
}

/* --- results --- */

void
gst_infer_filter_done (
    InferAsyncRequest *request, const GError *error, gpointer data)
{
  GstInferJob *job = data;

  if (error != NULL && job->error == NULL)
    job->error = g_error_copy (error);
  /* A step that never ran has reset nothing. */
  if (job->reset && g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED))
    g_atomic_int_set (&job->filter->reset_pending, TRUE);
  gst_infer_filter_withhold (job->filter, TRUE);
  gst_infer_queue_finish_job (job->filter->queue, job, TRUE);
}

static void
stamp (GstBuffer *buffer, const GstInferJob *job)
{
  GST_BUFFER_PTS (buffer) = job->span.pts;
  GST_BUFFER_DURATION (buffer) = job->span.duration;
  GST_BUFFER_OFFSET (buffer) = job->span.offset;
  GST_BUFFER_OFFSET_END (buffer) = job->span.offset_end;
  if (job->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
}

static gboolean
latency_is_off (GstInferFilter *self)
{
  GstClockTime now =
      self->window_time + self->processing + gst_infer_filter_batch_wait (self);

  if (!GST_CLOCK_TIME_IS_VALID (self->reported))
    return FALSE;
  return now > self->reported + GST_MSECOND
         || now + GST_MSECOND < self->reported - self->reported / 4;
}

/* A quarter less or any more than what was reported is worth a message; the 5 %
 * on top keep it from coming again and again. */
static void
account (GstInferFilter *self, const GstInferJob *job)
{
  const guint64 *ns = infer_request_get_timings (
      infer_async_request_get_request (job->request));
  gint64 took = MAX (g_get_monotonic_time () - job->begun, 0);
  guint64 total = (guint64) took * GST_USECOND;
  GstInferCounters *c = &self->counters;
  gboolean off;

  GST_OBJECT_LOCK (self);
  c->inferences++;
  c->max_delay = MAX (c->max_delay, self->window_time + total);
  gst_infer_stage_stats_add (
      &c->preprocess, (guint64) MAX (job->filled, 0) * GST_USECOND);
  gst_infer_stage_stats_add (
      &c->execute, infer_count_from_stages (INFER_COUNT_EXECUTE, ns));
  gst_infer_stage_stats_add (
      &c->postprocess, infer_count_from_stages (INFER_COUNT_POSTPROCESS, ns));
  gst_infer_stage_stats_add (&c->total, total);
  self->processing = self->processing == 0
                         ? total + total / 20
                         : (self->processing * 7 + total + total / 20) / 8;
  off = latency_is_off (self);
  if (off)
    self->reported = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);

  if (off)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

static GstFlowReturn
fail_job (GstInferFilter *self, GstInferJob *job, const GError *error)
{
  gboolean cancelled =
      g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED);

  if (!cancelled)
    gst_infer_post_error (self, error);
  GST_OBJECT_LOCK (self);
  self->counters.errors += cancelled ? 0 : 1;
  GST_OBJECT_UNLOCK (self);
  gst_infer_filter_withhold (self, FALSE);
  gst_infer_queue_give_idle (self->queue, job);
  return cancelled ? GST_FLOW_FLUSHING : GST_FLOW_ERROR;
}

static GstFlowReturn
push_buffer (GstInferFilter *self, GstBuffer *buffer)
{
  gint64 before = g_get_monotonic_time ();
  GstFlowReturn flow = gst_pad_push (self->srcpad, buffer);

  GST_OBJECT_LOCK (self);
  gst_infer_stage_stats_add (&self->counters.push,
      (guint64) MAX (g_get_monotonic_time () - before, 0) * GST_USECOND);
  GST_OBJECT_UNLOCK (self);
  return flow;
}

static GstFlowReturn
push_job (GstInferFilter *self, GstInferJob *job)
{
  g_autoptr (GError) error = g_steal_pointer (&job->error);
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (error == NULL)
    buffer = job->form->collect (self, job, &caps, &error);
  if (error != NULL)
    return fail_job (self, job, error);
  if (buffer != NULL && !job->form->untouched)
    stamp (buffer, job);
  if (!job->empty)
    account (self, job);
  gst_infer_filter_report_stats (self);
  gst_infer_filter_withhold (self, FALSE);
  gst_infer_queue_give_idle (self->queue, job);

  if (caps != NULL)
    push_event (self, gst_event_new_caps (caps));
  return buffer != NULL ? push_buffer (self, g_steal_pointer (&buffer))
                        : GST_FLOW_OK;
}

/* --- task --- */

static void
loop (gpointer data)
{
  GstInferFilter *self = data;
  GstFlowReturn flow = GST_FLOW_OK;
  GstInferItem item;

  if (!gst_infer_queue_take (self->queue, &item)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  switch (item.kind) {
    case GST_INFER_ITEM_JOB:
      flow = push_job (self, item.object);
      break;
    case GST_INFER_ITEM_EVENT:
      gst_infer_filter_event_left (self, FALSE);
      flow = push_event (self, item.object);
      break;
    case GST_INFER_ITEM_QUERY:
      gst_infer_queue_answer (self->queue, item.object,
          gst_pad_peer_query (self->srcpad, item.object));
      break;
  }
  if (flow != GST_FLOW_OK) {
    GST_DEBUG_OBJECT (self, "stopping: %s", gst_flow_get_name (flow));
    gst_infer_queue_stop (self->queue, flow);
    gst_pad_pause_task (self->srcpad);
    /* Upstream's own may be in the line that is dropped now. */
    if (flow == GST_FLOW_ERROR || flow == GST_FLOW_EOS)
      gst_pad_push_event (self->srcpad, gst_event_new_eos ());
    else if (flow != GST_FLOW_FLUSHING && g_atomic_int_get (&self->eos))
      GST_ELEMENT_FLOW_ERROR (self, flow); /* nobody else will tell */
  }
}

void
gst_infer_filter_start_task (GstInferFilter *self)
{
  gst_infer_queue_start (self->queue);
  gst_pad_start_task (self->srcpad, loop, self, NULL);
}

gboolean
gst_infer_filter_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active) {
    gst_infer_filter_start_task (self);
    return TRUE;
  }
  gst_infer_filter_interrupt (self);
  return gst_pad_stop_task (pad);
}

/* --- upstream events and queries --- */

gboolean
gst_infer_filter_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE
      && gst_infer_queue_get_flow (self->queue) == GST_FLOW_NOT_LINKED)
    gst_infer_filter_start_task (self);
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    gst_infer_filter_note_qos (self, event);
  if (gst_infer_is_reset_event (event)) {
    g_atomic_int_set (&self->restored, FALSE);
    g_atomic_int_set (&self->reset_pending, TRUE);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
answer_latency (GstInferFilter *self, GstQuery *query)
{
  GstClockTime min, max, own;
  gboolean live;

  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  own =
      self->window_time + self->processing + gst_infer_filter_batch_wait (self);
  self->reported = own;
  GST_OBJECT_UNLOCK (self);
  min += own;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += own;
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

gboolean
gst_infer_filter_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return answer_latency (self, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    g_autoptr (GstCaps) caps = gst_infer_filter_src_caps (self);
    gst_infer_answer_caps (self, query, caps, NULL);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}
