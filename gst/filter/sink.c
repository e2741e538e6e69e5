/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/continuity.h"
#include "gst/filter/filter-private.h"
#include "gst/common/error-message.h"
#include "gst/common/model-info.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

static gboolean
resets_on (GstInferFilter *self, GstInferReset what)
{
  return (self->active.state_reset & what) != 0;
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
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  gst_infer_filter_leave_batch (self);
  gst_infer_queue_stop (self->queue, GST_FLOW_FLUSHING);
  gst_infer_queue_foreach_running (self->queue, cancel_job, NULL);
  GST_OBJECT_LOCK (self);
  g_cond_broadcast (&self->loaded);
  GST_OBJECT_UNLOCK (self);
}

/* What a flush leaves valid is sent after it, as nobody else will send it
 * again: into the pad, or to what waits for the caps. */
static void
keep_event (GstInferFilter *self, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);
  GstCaps *caps;

  if (!gst_infer_survives_flush (event)) {
    gst_event_unref (event);
    return;
  }
  if (type == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_infer_tensors_from_caps (caps, &self->out, NULL);
    self->negotiated = TRUE;
  } else if (type != GST_EVENT_STREAM_START && !self->negotiated) {
    g_queue_push_tail (&self->held, event);
    return;
  }
  gst_pad_store_sticky_event (self->srcpad, event);
  gst_event_unref (event);
}

/* All jobs are idle: none of them keeps a frame from its pool. */
static void
forget_frames (GstInferFilter *self)
{
  g_autoptr (GPtrArray) jobs = gst_infer_queue_remove_jobs (self->queue);

  for (guint i = 0; i < jobs->len; i++) {
    gst_infer_job_forget_frame (jobs->pdata[i]);
    gst_infer_queue_give_idle (self->queue, jobs->pdata[i]);
  }
  g_ptr_array_set_size (self->results, 0);
  g_ptr_array_set_size (self->previous, 0);
  gst_infer_filter_forget_qos (self);
  g_atomic_int_set (&self->restored, FALSE);
  self->turn = 0;
}

void
gst_infer_filter_forget (GstInferFilter *self)
{
  GQueue events = self->held;
  GstEvent *event;

  g_queue_init (&self->held);
  gst_infer_queue_clear (self->queue, &events);
  gst_infer_filter_event_left (self, TRUE);
  g_mutex_lock (&self->starting);
  self->withheld = 0;
  g_mutex_unlock (&self->starting);
  while ((event = g_queue_pop_head (&events)) != NULL)
    keep_event (self, event);
  if (self->negotiated) {
    events = self->held;
    g_queue_init (&self->held);
    while ((event = g_queue_pop_head (&events)) != NULL)
      keep_event (self, event);
  }
  forget_frames (self);
  if (self->window != NULL)
    gst_infer_window_reset (self->window);
  self->after = GST_CLOCK_TIME_NONE;
  self->fresh = 0;
  self->discont = TRUE;
  g_atomic_int_set (&self->eos, FALSE);
}

/* --- caps --- */

static gboolean
announce_output (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) failure = NULL;

  if (!gst_infer_filter_choose_form (self, error))
    return FALSE;
  caps = self->form->caps (self, sink_caps, &failure);
  if (failure != NULL) {
    g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  gst_clear_event (&self->model_info);
  self->model_info = gst_infer_model_info_event (self->model);
  gst_infer_filter_queue_event (self, gst_event_ref (self->model_info));
  if (caps != NULL)
    gst_infer_filter_queue_event (self, gst_event_new_caps (caps));
  return TRUE;
}

static void
measure_window (GstInferFilter *self)
{
  GST_OBJECT_LOCK (self);
  self->window_seen = FALSE;
  self->window_time = self->window != NULL
                          ? gst_infer_window_duration (self->window, self->late)
                          : 0;
  GST_OBJECT_UNLOCK (self);
}

gboolean
gst_infer_filter_negotiate (GstInferFilter *self, GstCaps *caps, GError **error)
{
  const GstInferSettings *settings = &self->active;

  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->window, gst_infer_window_free);
  self->late = 0;
  g_clear_pointer (&self->picture, gst_infer_picture_unref);
  if (!gst_infer_input_negotiate (&self->input, self->model, caps,
          settings->window, settings->hop, settings->crop, error)
      || !gst_infer_filter_begin_video (self, error)
      || !announce_output (self, caps, error))
    return FALSE;
  if (self->input.kind == GST_INFER_INPUT_AUDIO
      || self->input.kind == GST_INFER_INPUT_ROWS)
    self->window = gst_infer_window_new (self->input.width, self->input.length,
        self->input.hop, self->input.row_num, self->input.row_den);
  self->caps = gst_caps_ref (caps);
  measure_window (self);
  return TRUE;
}

static gboolean
take_caps (GstInferFilter *self, GstCaps *caps)
{
  g_autoptr (GError) error = NULL;

  if (self->caps != NULL && gst_caps_is_equal (self->caps, caps))
    return TRUE;
  if (self->caps != NULL)
    gst_infer_filter_end_sequence (self, TRUE);
  if (gst_infer_filter_take_over (self) != GST_FLOW_OK)
    return FALSE;
  if (gst_infer_filter_negotiate (self, caps, &error))
    return TRUE;
  gst_infer_post_caps_error (self, caps, error);
  return FALSE;
}

/* --- events --- */

static gboolean
put_event (GstInferFilter *self, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);
  gboolean sticky = GST_EVENT_IS_STICKY (event);
  GstFlowReturn flow;

  g_atomic_int_set (&self->eos, type == GST_EVENT_EOS);
  if (type == GST_EVENT_EOS) {
    g_mutex_lock (&self->starting);
    gst_infer_filter_leave_batch (self);
    g_mutex_unlock (&self->starting);
  }
  if (gst_infer_filter_queue_event (self, event))
    return TRUE;
  flow = gst_infer_queue_get_flow (self->queue);
  /* Nothing follows an EOS that could report this. */
  if (type == GST_EVENT_EOS
      && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS))
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return sticky && type != GST_EVENT_EOS && flow != GST_FLOW_FLUSHING;
}

static gboolean
flush_start (GstInferFilter *self, GstEvent *event)
{
  gboolean result;

  gst_infer_filter_interrupt (self);
  result = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return result;
}

static gboolean
flush_stop (GstInferFilter *self, GstEvent *event)
{
  gboolean result;

  /* What the task had in hand is refused downstream; wait until it let go, or
   * it would be pushed after the flush. */
  GST_PAD_STREAM_LOCK (self->srcpad);
  gst_infer_filter_forget (self);
  GST_PAD_STREAM_UNLOCK (self->srcpad);
  if (resets_on (self, GST_INFER_RESET_FLUSH))
    g_atomic_int_set (&self->reset_pending, TRUE);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);

  result = gst_pad_push_event (self->srcpad, event);
  gst_infer_filter_start_task (self);
  return result;
}

static gboolean
take_segment (GstInferFilter *self, GstEvent *event)
{
  GstClockTime next = self->after;
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (self->window != NULL)
    next = gst_infer_window_next_pts (self->window);
  if (resets_on (self, GST_INFER_RESET_SEGMENT)
      && !gst_infer_segment_continues (&self->segment, &segment, next))
    gst_infer_filter_end_sequence (self, TRUE);
  self->segment = segment;
  return put_event (self, event);
}

/* A short gap is filled, so that time goes on inside the model too; a long one
 * ends the sequence and is passed on. */
static gboolean
take_gap (GstInferFilter *self, GstEvent *event)
{
  GstClockTime pts, duration;

  gst_event_parse_gap (event, &pts, &duration);
  if (!GST_CLOCK_TIME_IS_VALID (duration) || self->caps == NULL)
    return put_event (self, event);
  if (duration > self->active.max_gap) {
    if (resets_on (self, GST_INFER_RESET_GAP))
      gst_infer_filter_end_sequence (self, TRUE);
    return put_event (self, event);
  }
  if (self->window == NULL)
    gst_infer_filter_note_time (self, pts, duration);
  if (self->window == NULL || self->input.row_num == 0)
    return put_event (self, event);
  gst_event_unref (event);
  return gst_infer_filter_fill_gap (self, pts, duration) == GST_FLOW_OK;
}

static gboolean
take_caps_event (GstInferFilter *self, GstEvent *event)
{
  g_autoptr (GstEvent) owned = event;
  GstCaps *caps;

  gst_event_parse_caps (owned, &caps);
  return take_caps (self, caps);
}

gboolean
gst_infer_filter_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      return flush_start (self, event);
    case GST_EVENT_FLUSH_STOP:
      return flush_stop (self, event);
    case GST_EVENT_CAPS:
      return take_caps_event (self, event);
    case GST_EVENT_SEGMENT:
      return take_segment (self, event);
    case GST_EVENT_GAP:
      return take_gap (self, event);
    case GST_EVENT_STREAM_START:
      if (resets_on (self, GST_INFER_RESET_STREAM_START))
        gst_infer_filter_end_sequence (self, TRUE);
      return put_event (self, event);
    case GST_EVENT_EOS:
    case GST_EVENT_SEGMENT_DONE:
      gst_infer_filter_end_sequence (self, FALSE);
      return put_event (self, event);
    default:
      break;
  }
  if (gst_infer_is_reset_event (event)) {
    g_atomic_int_set (&self->restored, FALSE);
    if (GST_EVENT_IS_SERIALIZED (event))
      gst_infer_filter_end_sequence (self, TRUE);
    else
      g_atomic_int_set (&self->reset_pending, TRUE);
  }
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, parent, event);
  return put_event (self, event);
}

/* --- queries --- */

static void
answer_caps (GstInferFilter *self, GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps) caps = gst_infer_filter_sink_caps (self);

  gst_infer_answer_caps (self, query, caps, &self->warned);
}

/* Frames may have any strides; what leaves untouched is as downstream wants
 * it. */
static gboolean
answer_allocation (GstInferFilter *self, GstQuery *query)
{
  if (self->form == &gst_infer_form_meta)
    return gst_infer_queue_put_query (self->queue, query);
  if (self->input.kind != GST_INFER_INPUT_VIDEO)
    return FALSE; /* what leaves is nothing like what comes */
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Whatever may be meant for this element is accepted here, so that the CAPS
 * event can say in words what is wrong with it. */
static void
answer_accept_caps (GstPad *pad, GstQuery *query)
{
  GstCaps *caps;
  gboolean known;

  gst_query_parse_accept_caps (query, &caps);
  known = gst_caps_is_fixed (caps)
          && (gst_structure_has_name (
                  gst_caps_get_structure (caps, 0), "audio/x-raw")
              || gst_structure_has_name (
                  gst_caps_get_structure (caps, 0), "video/x-raw")
              || gst_structure_has_name (
                  gst_caps_get_structure (caps, 0), "other/tensors"));
  gst_query_set_accept_caps_result (query, known);
}

gboolean
gst_infer_filter_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      answer_caps (self, pad, query);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      answer_accept_caps (pad, query);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      return answer_allocation (self, query);
    default:
      break;
  }
  if (GST_QUERY_IS_SERIALIZED (query)) {
    gboolean answer;

    gst_infer_filter_urge (self);
    answer = gst_infer_queue_put_query (self->queue, query);
    gst_infer_filter_relax (self);
    return answer;
  }
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
    gst_infer_queue_start (self->queue);
  else
    gst_infer_filter_interrupt (self);
  return TRUE;
}
