/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: events and queries. */

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

static gboolean
resets_on (GstInferFilter *self, GstInferReset reason)
{
  return (self->active.state_reset & reason) != 0;
}

static void
cancel_job (gpointer data, gpointer unused)
{
  GstInferJob *job = data;

  infer_async_request_cancel (job->request);
}

void
gst_infer_filter_interrupt (GstInferFilter *self)
{
  gst_infer_allocation_set_flushing (&self->task.allocation, TRUE);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->batch.lock);

  gst_infer_batch_leave_locked (&self->batch);
  gst_infer_queue_set_flow (self->queue, GST_FLOW_FLUSHING);
  gst_infer_queue_foreach_running (self->queue, cancel_job, NULL);
  GST_OBJECT_LOCK (self);
  g_cond_broadcast (&self->loader.changed);
  GST_OBJECT_UNLOCK (self);
}

/* All jobs are idle: none of them keeps a frame from its pool. */
static void
clear_frames (GstInferFilter *self)
{
  g_autoptr (GPtrArray) jobs = gst_infer_queue_remove_jobs (self->queue);

  for (guint i = 0; i < jobs->len; i++) {
    gst_infer_job_clear_frame (jobs->pdata[i]);
    gst_infer_queue_give_idle (self->queue, jobs->pdata[i]);
  }
}

void
gst_infer_filter_forget (GstInferFilter *self)
{
  GQueue events = G_QUEUE_INIT;

  gst_infer_queue_clear (self->queue, &events);
  gst_infer_batch_reset (&self->batch);
  gst_infer_source_task_flush (&self->task, &events);
  clear_frames (self);
  gst_infer_filter_set_qos (self, GST_INFER_QOS_NONE);
  gst_infer_states_forget_preset (&self->states);
  if (self->negotiated.window != NULL)
    gst_infer_window_reset (self->negotiated.window);
  gst_infer_unit_clear (&self->position.unit);
  gst_infer_position_begin_sequence (&self->position);
  self->position.lost = FALSE;
}

/* FALSE: the tail could not be run, and the error has been posted.  Where
 * nothing can leave, it is lost like all data. */
static gboolean
end_sequence (GstInferFilter *self, gboolean reset, const char *why)
{
  return gst_infer_filter_end_sequence (self, reset, why) != GST_FLOW_ERROR
         || gst_infer_queue_get_flow (self->queue) != GST_FLOW_OK;
}

/* --- caps --- */

static gboolean
take_caps (GstInferFilter *self, GstEvent *event)
{
  g_autoptr (GstEvent) owned = event;
  g_autoptr (GError) error = NULL;
  const GstCaps *current = self->negotiated.caps;
  GstCaps *caps;

  gst_event_parse_caps (owned, &caps);
  if (current != NULL
      && (gst_caps_is_equal (current, caps)
          || gst_infer_filter_continue_caps (self, caps)))
    return TRUE;
  if (current != NULL && !end_sequence (self, TRUE, "new caps"))
    return FALSE;
  /* While flushing or unlinked, the next buffer switches models instead. */
  GstFlowReturn flow = gst_infer_filter_switch_model (self);
  if (flow == GST_FLOW_ERROR || self->use.shared == NULL)
    return FALSE;
  if (gst_infer_filter_negotiate (self, caps, &error))
    return TRUE;
  gst_infer_filter_refuse (self, caps, error);
  return FALSE;
}

/* --- events --- */

gboolean
gst_infer_filter_queue_event (GstInferFilter *self, GstEvent *event)
{
  gboolean replaced;

  gst_infer_batch_add_barrier (&self->batch);
  gboolean put = gst_infer_queue_put_event (self->queue, event, &replaced);
  if (!put || replaced)
    gst_infer_batch_remove_barrier (&self->batch);
  return put;
}

static gboolean
put_event (GstInferFilter *self, GstEvent *event)
{
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;

  if (eos)
    gst_infer_batch_leave (&self->batch);
  if (gst_infer_filter_queue_event (self, event))
    return TRUE;
  GstFlowReturn flow = gst_infer_queue_get_flow (self->queue);
  /* Nothing follows an EOS that could report this. */
  if (eos && !self->position.failed
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return FALSE;
}

static gboolean
flush_start (GstInferFilter *self, GstEvent *event)
{
  GST_DEBUG_OBJECT (self, "a flush begins: inferences are cancelled");
  gst_infer_filter_interrupt (self);
  gboolean result = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return result;
}

static gboolean
flush_stop (GstInferFilter *self, GstEvent *event)
{
  /* Wait until the task has pushed what it had taken, which downstream refuses
   * now: it must not arrive after the flush. */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_infer_filter_forget (self);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  gboolean reset = resets_on (self, GST_INFER_RESET_FLUSH);
  GST_DEBUG_OBJECT (
      self, "the flush ends%s", reset ? ", states start afresh" : "");
  if (reset)
    gst_infer_states_reset (&self->states);
  gst_segment_init (&self->position.segment, GST_FORMAT_UNDEFINED);

  gboolean result = gst_pad_push_event (self->srcpad, event);
  gst_infer_filter_switch_idle_model (self);
  gst_infer_filter_start_task (self);
  return result;
}

/* Upstream negotiates next, and is to know by then what the model takes: this
 * waits for a model that still loads, so that no query has to. */
static gboolean
take_stream_start (GstInferFilter *self, GstEvent *event)
{
  gboolean ended = !resets_on (self, GST_INFER_RESET_STREAM_START)
                   || end_sequence (self, TRUE, "STREAM_START");

  ended = put_event (self, event) && ended;
  if (self->use.shared == NULL && gst_infer_filter_await_model (self))
    gst_pad_push_event (self->sinkpad, gst_event_new_reconfigure ());
  return ended;
}

static gboolean
take_segment (GstInferFilter *self, GstEvent *event)
{
  GstInferPosition *position = &self->position;
  const GstInferWindow *window = self->negotiated.window;
  GstClockTime next =
      window != NULL ? gst_infer_window_next_pts (window) : position->next_pts;
  GstSegment segment;
  gboolean ended = TRUE;

  gst_event_copy_segment (event, &segment);
  if (resets_on (self, GST_INFER_RESET_SEGMENT)
      && !gst_infer_segment_continues (&position->segment, &segment, next))
    ended = end_sequence (self, TRUE, "a segment that does not continue");
  position->segment = segment;
  return put_event (self, event) && ended;
}

/* A short gap becomes rows of silence, so that time passes inside the model
 * too; a long one ends the sequence and is passed on. */
static gboolean
take_gap (GstInferFilter *self, GstEvent *event)
{
  const GstInferNegotiated *to = &self->negotiated;
  GstClockTime pts, duration;
  gboolean ended = TRUE;

  gst_event_parse_gap (event, &pts, &duration);
  if (to->caps != NULL) {
    GstFlowReturn flow = gst_infer_filter_begin_data (self);
    if (gst_infer_filter_note_loss (self, flow) != GST_FLOW_OK) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  if (!GST_CLOCK_TIME_IS_VALID (duration) || to->caps == NULL)
    return put_event (self, event);
  if (duration > self->active.max_gap) {
    if (resets_on (self, GST_INFER_RESET_GAP))
      ended = end_sequence (self, TRUE, "a gap longer than max-gap");
    return put_event (self, event) && ended;
  }
  if (to->window == NULL)
    gst_infer_position_advance (&self->position, pts, duration,
        to->input.tensors.fps_n, to->input.tensors.fps_d);
  if (to->window == NULL || to->input.row_num == 0
      || self->position.segment.rate < 0)
    return put_event (self, event);
  gst_event_unref (event);
  return gst_infer_filter_run_gap (self, pts, duration) == GST_FLOW_OK;
}

gboolean
gst_infer_filter_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);
  gboolean ended = TRUE;

  if (GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    gst_infer_filter_run_unit (self);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      return flush_start (self, event);
    case GST_EVENT_FLUSH_STOP:
      return flush_stop (self, event);
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_SEGMENT:
      return take_segment (self, event);
    case GST_EVENT_GAP:
      return take_gap (self, event);
    case GST_EVENT_STREAM_START:
      return take_stream_start (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      ended = end_sequence (self, FALSE, GST_EVENT_TYPE_NAME (event));
      if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
        gst_infer_post_unmet (self, pad, &self->unmet);
      return put_event (self, event) && ended;
    default:
      break;
  }
  if (gst_infer_is_reset_event (event)) {
    gst_infer_states_forget_preset (&self->states);
    if (GST_EVENT_IS_SERIALIZED (event))
      ended = end_sequence (self, TRUE, "reset-state");
    else
      gst_infer_states_reset (&self->states);
  }
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, parent, event);
  return put_event (self, event) && ended;
}

/* --- queries --- */

/* Why the model takes nothing of the kind of media that @caps are; NULL: it
 * does, or there is none.  (transfer full) */
static char *
why_not (GstInferFilter *self, const GstCaps *caps)
{
  GstInferOutput output;
  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);

  return model != NULL && !gst_caps_is_empty (caps) && !gst_caps_is_any (caps)
             ? gst_infer_input_advise (model, caps)
             : NULL;
}

/* The model takes @caps, so it is the next element that takes no such frames.
 */
static gboolean
fits_model (GstInferFilter *self, const GstCaps *caps)
{
  GstInferOutput output;
  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);

  if (model == NULL)
    return FALSE;
  g_autoptr (GstCaps) taken = gst_infer_input_caps (model, FALSE);
  return gst_caps_can_intersect (caps, taken);
}

/* TRUE: a stream has begun whose kind of media the model does not take, or
 * whose frames the next element does not take.  It is let through to the CAPS
 * event, whose error says why; upstream's would only say "not negotiated". */
static gboolean
is_to_be_refused (GstInferFilter *self, GstPad *pad, const GstCaps *asked)
{
  g_autofree char *reason = why_not (self, asked);

  return (reason != NULL || fits_model (self, asked))
         && gst_infer_lacks_caps (pad);
}

static void
answer_caps (GstInferFilter *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps) caps = gst_infer_filter_sink_caps (self);
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  GstCaps *offer;

  if (gst_infer_answer_caps (query, caps))
    return;
  gst_query_parse_caps (query, &offer);
  if (!is_to_be_refused (self, pad, offer)
      || !gst_infer_answer_caps (query, all))
    gst_infer_note_offer (self, pad, query, caps, NULL, &self->unmet);
}

/* Into the queue, until it is answered: no batch waits for more. */
static gboolean
queue_query (GstInferFilter *self, GstQuery *query)
{
  gst_infer_batch_begin_flush (&self->batch);
  gboolean answer = gst_infer_queue_put_query (self->queue, query);
  gst_infer_batch_end_flush (&self->batch);
  return answer;
}

/* Frames may have any strides; where they leave untouched, downstream decides.
 */
static gboolean
answer_allocation (GstInferFilter *self, GstQuery *query)
{
  const GstInferNegotiated *to = &self->negotiated;

  if (to->form != NULL && to->form->passes_input)
    return queue_query (self, query);
  if (to->input.kind != GST_INFER_INPUT_VIDEO)
    return FALSE; /* the output has nothing in common with the input */
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static void
answer_accept_caps (GstInferFilter *self, GstPad *pad, GstQuery *query)
{
  if (gst_infer_are_caps_sent (pad, query)) {
    gst_query_set_accept_caps_result (query, TRUE);
    return;
  }
  GstCaps *asked;
  gst_query_parse_accept_caps (query, &asked);
  g_autoptr (GstCaps) caps = is_to_be_refused (self, pad, asked)
                                 ? gst_pad_get_pad_template_caps (pad)
                                 : gst_infer_filter_sink_caps (self);
  gst_infer_answer_accept_caps (query, caps);
}

gboolean
gst_infer_filter_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (GST_QUERY_IS_SERIALIZED (query))
    gst_infer_filter_run_unit (self);
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      answer_caps (self, pad, query);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      answer_accept_caps (self, pad, query);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      return answer_allocation (self, query);
    default:
      break;
  }
  if (GST_QUERY_IS_SERIALIZED (query))
    return queue_query (self, query);
  return gst_pad_query_default (pad, parent, query);
}

gboolean
gst_infer_filter_sink_activate (
    GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    gst_infer_queue_set_flow (self->queue, GST_FLOW_OK);
  else
    gst_infer_filter_interrupt (self);
  return TRUE;
}
