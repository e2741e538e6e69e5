/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Source-pad task: results, events and answers in order; upstream events and
 * queries. */

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/common/timing/arrival.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- results --- */

void
gst_infer_filter_done (
    InferAsyncRequest *request, const GError *error, gpointer data)
{
  GstInferJob *job = data;
  GstInferFilter *self = job->filter;

  if (error != NULL && job->error == NULL)
    job->error = g_error_copy (error);
  /* A cancelled inference may not have reset the states. */
  if (job->reset && g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED))
    gst_infer_states_reset (&self->states);
  gst_infer_batch_hold_request (&self->batch);
  gst_infer_queue_finish_job (self->queue, job, TRUE);
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

/* Towards the median: beside many threads some inferences take several times as
 * long as they compute. */
static void
note_execution (GstInferSourceTask *task, guint64 ns)
{
  const int now = (int) MIN (ns / 1000, G_USEC_PER_SEC);
  int typical = g_atomic_int_get (&task->execution_us);

  if (typical == 0)
    typical = now;
  else
    typical += now > typical ? typical / 8 + 1 : -(typical / 8);
  g_atomic_int_set (&task->execution_us, typical);
}

/* @took: ns from when it was put into the queue until its result was made. */
static void
account (GstInferFilter *self, const GstInferJob *job, guint64 took)
{
  const guint64 *ns = infer_request_get_timings (
      infer_async_request_get_request (job->request));
  guint64 execution = infer_count_from_stages (INFER_COUNT_EXECUTE, ns);
  guint64 filling = (guint64) MAX (job->filling_time, 0) * GST_USECOND;
  guint64 total = filling + took;
  gboolean changed;
  GstClockTime delay = gst_infer_latency_add (&self->latency, total, &changed);

  gst_infer_stats_add_inference (&self->stats, filling, execution,
      infer_count_from_stages (INFER_COUNT_POSTPROCESS, ns), total, delay);
  note_execution (&self->task, execution);
  if (!changed)
    return;
  GST_DEBUG_OBJECT (self,
      "the latency has changed: the last result took %" GST_TIME_FORMAT,
      GST_TIME_ARGS (delay));
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
}

GstStructure *
gst_infer_filter_make_stats (GstInferFilter *self, const char *name)
{
  guint depth, running;

  gst_infer_queue_get_depth (self->queue, &depth, &running);
  return gst_infer_stats_to_structure (&self->stats, name, depth, running);
}

static void
report_stats (GstInferFilter *self)
{
  if (gst_infer_stats_is_due (&self->stats, self->active.stats_interval))
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_element (GST_OBJECT (self),
            gst_infer_filter_make_stats (self, "inferfilter-stats")));
}

/* The job can be used for another inference. */
static void
give_back (GstInferFilter *self, GstInferJob *job)
{
  gst_clear_buffer (&job->frame); /* upstream's pool may wait for it */
  gst_infer_batch_release_request (&self->batch);
  gst_infer_queue_give_idle (self->queue, job);
}

static GstFlowReturn
fail_job (GstInferFilter *self, GstInferJob *job, const GError *error)
{
  gboolean cancelled =
      g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED);

  give_back (self, job);
  if (cancelled) { /* by a stop, and then the task was started again */
    self->task.lost = TRUE;
    return GST_FLOW_OK;
  }
  gst_infer_post_error (self, error);
  gst_infer_stats_count (&self->stats, &self->stats.counters.errors);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
push_buffer (GstInferFilter *self, GstBuffer *buffer)
{
  if (self->task.lost) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  self->task.links_seen = g_atomic_int_get (&self->task.links);
  gint64 start = g_get_monotonic_time ();
  GstFlowReturn flow = gst_pad_push (self->srcpad, buffer);
  gint64 took = MAX (g_get_monotonic_time () - start, 0);

  self->task.lost = flow != GST_FLOW_OK;
  gst_infer_stats_add_push (&self->stats, (guint64) took * GST_USECOND);
  return flow;
}

/* Pushes what was held of a unit of reverse playback, the last first. */
static GstFlowReturn
push_unit (GstInferFilter *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while (flow == GST_FLOW_OK
         && (object = gst_infer_reversed_next (&self->task.reversed)) != NULL) {
    if (GST_IS_EVENT (object))
      gst_infer_source_task_push_event (&self->task, GST_EVENT (object));
    else
      flow = push_buffer (self, GST_BUFFER (object));
  }
  if (flow != GST_FLOW_OK)
    gst_infer_source_task_drop_unit (&self->task);
  return flow;
}

static void
hold_result (GstInferFilter *self, GstBuffer *buffer, GstCaps *caps)
{
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (self->srcpad);

  gst_infer_reversed_hold (
      &self->task.reversed, GST_MINI_OBJECT (buffer), caps, sent);
}

/* output=auto: the result was made for what followed before, and the next one
 * will fit what follows now.  The pad is asked first: the streaming thread
 * changes task.output before it clears the pad's flag. */
static gboolean
is_outdated (GstInferFilter *self, GstInferOutput output)
{
  return self->active.output == GST_INFER_OUTPUT_AUTO
         && (gst_pad_needs_reconfigure (self->srcpad)
             || (int) output != g_atomic_int_get (&self->task.output));
}

/* Takes @buffer. */
static GstFlowReturn
push_result (GstInferFilter *self, GstBuffer *buffer, GstInferOutput output)
{
  GstFlowReturn flow = push_buffer (self, buffer);

  if (flow != GST_FLOW_NOT_NEGOTIATED || !is_outdated (self, output))
    return flow;
  GST_INFO_OBJECT (self, "another element follows: a result is dropped");
  return GST_FLOW_OK;
}

/* A model on a server: its state may be lost with the server, and the stream
 * goes on from the initial one if the URL says so. */
static void
report_loss (GstInferFilter *self, const GstInferJob *job)
{
  const char *loss = infer_request_get_state_loss (
      infer_async_request_get_request (job->request));

  if (G_LIKELY (loss == NULL))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, FAILED, ("%s", loss), (NULL));
  self->task.lost = TRUE;
}

/* @took: as in the item. */
static GstFlowReturn
push_job (GstInferFilter *self, GstInferJob *job, guint64 took)
{
  guint64 begin = gst_util_get_timestamp ();
  g_autoptr (GError) error = g_steal_pointer (&job->error);
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (self->task.eos) {
    give_back (self, job);
    return GST_FLOW_OK;
  }
  if (error == NULL)
    buffer = job->form->collect (&self->task, job, &caps, &error);
  if (error != NULL)
    return fail_job (self, job, error);
  if (buffer != NULL && !job->form->passes_input)
    stamp (buffer, job);
  if (!job->empty) {
    account (self, job, took + gst_util_get_timestamp () - begin);
    report_loss (self, job);
  }
  report_stats (self);
  gboolean hold = job->in_unit;
  GstInferOutput output = job->form->output;
  give_back (self, job);

  if (hold) {
    if (buffer != NULL)
      hold_result (self, g_steal_pointer (&buffer), caps);
    return GST_FLOW_OK;
  }
  if (caps != NULL)
    gst_infer_source_task_push_event (&self->task, gst_event_new_caps (caps));
  return buffer != NULL ? push_result (self, g_steal_pointer (&buffer), output)
                        : GST_FLOW_OK;
}

/* --- task --- */

/* Takes @event. */
static GstFlowReturn
push_event (GstInferFilter *self, GstEvent *event)
{
  GstFlowReturn flow = push_unit (self);

  gst_infer_batch_remove_barrier (&self->batch);
  if (gst_infer_ends_eos (event)) {
    self->task.eos = FALSE;
    flow = flow == GST_FLOW_EOS ? GST_FLOW_OK : flow;
  }
  if (gst_infer_source_task_is_unit_end (event)
      || (self->task.eos && !GST_EVENT_IS_STICKY (event)))
    gst_event_unref (event);
  else
    gst_infer_source_task_push_event (&self->task, event);
  return flow;
}

static gboolean
answer_query (GstInferFilter *self, GstQuery *query)
{
  return !self->task.eos && gst_pad_peer_query (self->srcpad, query);
}

/* Downstream wants no more buffers; upstream's EOS, or another segment, may
 * follow. */
static void
begin_eos (GstInferFilter *self)
{
  GST_DEBUG_OBJECT (self, "downstream returned EOS: results are dropped");
  self->task.eos = TRUE;
  gst_infer_queue_set_flow (self->queue, GST_FLOW_EOS);
  gst_infer_batch_leave (&self->batch);
}

/* TRUE: downstream has been linked since the last push began. */
static gboolean
is_relinked (GstInferFilter *self)
{
  return g_atomic_int_get (&self->task.links) != self->task.links_seen;
}

static void loop (gpointer data);

/* Downstream is linked again; not where the pad is being deactivated, or a
 * flush has begun. */
static void
go_on (GstInferFilter *self)
{
  if (!gst_infer_queue_relink (self->queue))
    return;
  GST_DEBUG_OBJECT (self, "linked again");
  gst_infer_batch_resume (&self->batch);
  gst_pad_start_task (self->srcpad, loop, self, NULL);
}

static void
stop (GstInferFilter *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_NOT_LINKED && is_relinked (self))
    return;
  GST_DEBUG_OBJECT (self, "stopping: %s", gst_flow_get_name (flow));
  /* First, as whoever sees the flow may start the task again. */
  gst_pad_pause_task (self->srcpad);
  gst_infer_queue_set_flow (self->queue, flow);
  gst_infer_batch_stop (&self->batch);
  if (flow == GST_FLOW_ERROR)
    gst_pad_push_event (self->srcpad, gst_event_new_eos ());
  /* Before the flow was set: RECONFIGURE has not started the task. */
  else if (flow == GST_FLOW_NOT_LINKED && is_relinked (self))
    go_on (self);
  else if (flow != GST_FLOW_FLUSHING && gst_infer_queue_has_eos (self->queue))
    GST_ELEMENT_FLOW_ERROR (self, flow); /* no buffer follows to return it */
}

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
      flow = push_job (self, item.object, item.took);
      break;
    case GST_INFER_ITEM_EVENT:
      flow = push_event (self, item.object);
      break;
    case GST_INFER_ITEM_QUERY:
      gst_infer_queue_answer (
          self->queue, item.object, answer_query (self, item.object));
      break;
  }
  if (flow == GST_FLOW_EOS)
    begin_eos (self);
  else if (flow != GST_FLOW_OK)
    stop (self, flow);
}

gboolean
gst_infer_filter_start_task (GstInferFilter *self)
{
  gst_infer_batch_resume (&self->batch);
  gst_infer_queue_set_flow (self->queue, GST_FLOW_OK);
  gst_infer_allocation_set_flushing (&self->task.allocation, FALSE);
  if (gst_pad_start_task (self->srcpad, loop, self, NULL))
    return TRUE;
  gst_infer_queue_set_flow (self->queue, GST_FLOW_ERROR);
  GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
      ("The thread for the results cannot be started; are there too many?"),
      (NULL));
  return FALSE;
}

gboolean
gst_infer_filter_src_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return gst_infer_filter_start_task (self);
  gst_infer_filter_interrupt (self);
  return gst_pad_stop_task (pad);
}

/* --- upstream events and queries --- */

gboolean
gst_infer_filter_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_atomic_int_inc (&self->task.links);
    go_on (self);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    gst_infer_filter_set_qos (self, gst_infer_qos_parse (event));
  if (gst_infer_is_arrival_request (event))
    g_atomic_int_set (&self->task.marks, TRUE);
  if (gst_infer_is_reset_event (event))
    GST_DEBUG_OBJECT (self, "reset-state from downstream");
  if (gst_infer_is_reset_event (event))
    gst_infer_states_reset_all (&self->states);
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
  own = gst_infer_latency_report (&self->latency, live);
  GST_DEBUG_OBJECT (self,
      "latency: %" GST_TIME_FORMAT " here, %" GST_TIME_FORMAT
      " upstream, which is %slive",
      GST_TIME_ARGS (own), GST_TIME_ARGS (min), live ? "" : "not ");
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
    gst_infer_answer_caps (query, caps);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}
