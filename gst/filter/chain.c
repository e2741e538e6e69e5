/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: buffers, and where sequences begin and end. */

#include "gst/common/samples.h"
#include "gst/common/still.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- qos --- */

static void
post_qos (GstInferFilter *self, GstClockTime running, GstClockTime pts,
    GstClockTime duration, GstClockTimeDiff jitter, double proportion)
{
  guint64 stream = gst_segment_to_stream_time (
      &self->position.segment, GST_FORMAT_TIME, pts);
  GstMessage *message = gst_message_new_qos (
      GST_OBJECT (self), FALSE, running, stream, pts, duration);
  guint64 processed, dropped;

  dropped = gst_infer_stats_count_dropped (&self->stats, &processed);
  gst_message_set_qos_values (message, jitter, proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, processed, dropped);
  gst_element_post_message (GST_ELEMENT (self), message);
}

void
gst_infer_filter_set_qos (GstInferFilter *self, GstInferQos qos)
{
  GST_OBJECT_LOCK (self);
  self->qos = qos;
  GST_OBJECT_UNLOCK (self);
}

gboolean
gst_infer_filter_is_late (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration)
{
  const GstSegment *segment = &self->position.segment;

  GST_OBJECT_LOCK (self);
  gboolean is_on = self->settings.qos;
  GstInferQos qos = self->qos;
  GST_OBJECT_UNLOCK (self);
  if (!is_on || !GST_CLOCK_TIME_IS_VALID (qos.earliest)
      || !GST_CLOCK_TIME_IS_VALID (pts) || segment->format != GST_FORMAT_TIME)
    return FALSE;
  GstClockTime running =
      gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  if (!GST_CLOCK_TIME_IS_VALID (running) || running > qos.earliest)
    return FALSE;
  GST_DEBUG_OBJECT (self,
      "dropped, as downstream would get it too late: %" GST_TIME_FORMAT
      " of running time, wanted after %" GST_TIME_FORMAT,
      GST_TIME_ARGS (running), GST_TIME_ARGS (qos.earliest));
  post_qos (self, running, pts, duration,
      GST_CLOCK_DIFF (running, qos.earliest), qos.proportion);
  self->position.discont = self->position.lost = TRUE;
  if ((self->active.state_reset & GST_INFER_RESET_DISCONT) != 0)
    gst_infer_states_reset (&self->states);
  return TRUE;
}

/* --- sequences --- */

GstFlowReturn
gst_infer_filter_end_sequence (
    GstInferFilter *self, gboolean reset, const char *why)
{
  GstInferWindow *window = self->negotiated.window;
  GstFlowReturn flow = GST_FLOW_OK;

  if (why != NULL)
    GST_DEBUG_OBJECT (self, "%s: the sequence ends%s", why,
        reset ? ", states start afresh" : "");
  if (window != NULL) {
    flow = gst_infer_filter_run_tail (self);
    gst_infer_window_reset (window);
  }
  gst_infer_position_begin_sequence (&self->position);
  if (reset)
    gst_infer_states_reset (&self->states);
  return flow;
}

/* Lost data shows in the timestamps even where no flag says so. */
static gboolean
has_jumped (GstInferFilter *self, GstBuffer *buffer)
{
  if (self->negotiated.window == NULL || !GST_BUFFER_PTS_IS_VALID (buffer))
    return FALSE;
  GstClockTime next = gst_infer_window_next_pts (self->negotiated.window);
  return GST_CLOCK_TIME_IS_VALID (next)
         && ABS (GST_CLOCK_DIFF (next, GST_BUFFER_PTS (buffer)))
                > (GstClockTimeDiff) MIN (
                    self->active.max_gap, (GstClockTime) G_MAXINT64);
}

/* Why @buffer begins a sequence; NULL: it does not. */
static const char *
begins_sequence (GstInferFilter *self, GstBuffer *buffer)
{
  GstInferReset policy = self->active.state_reset;

  if ((policy & GST_INFER_RESET_DISCONT) != 0
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    return "flag DISCONT";
  if ((policy & GST_INFER_RESET_DISCONT) != 0
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC))
    return "flag RESYNC";
  return (policy & GST_INFER_RESET_GAP) != 0 && has_jumped (self, buffer)
             ? "a jump of the timestamps"
             : NULL;
}

/* --- reverse playback --- */

GstFlowReturn
gst_infer_filter_run_unit (GstInferFilter *self)
{
  GstInferPosition *position = &self->position;
  gboolean reset = (self->active.state_reset & GST_INFER_RESET_DISCONT) != 0;
  GstFlowReturn flow;
  GstBuffer *buffer;

  if (g_queue_is_empty (&position->unit.buffers))
    return GST_FLOW_OK;
  position->in_unit = TRUE;
  flow = gst_infer_filter_end_sequence (self, reset, NULL);
  while (flow == GST_FLOW_OK
         && (buffer = gst_infer_unit_pop (&position->unit)) != NULL) {
    flow = gst_infer_filter_run_rows (self, buffer);
    gst_buffer_unref (buffer);
  }
  if (flow == GST_FLOW_OK)
    flow = gst_infer_filter_end_sequence (self, FALSE, NULL);
  position->in_unit = FALSE;
  gst_infer_unit_clear (&position->unit);
  gst_infer_filter_queue_event (self, gst_infer_source_task_unit_end ());
  return flow;
}

static GstFlowReturn
collect_unit (GstInferFilter *self, GstBuffer *buffer)
{
  const GstInferInput *input = &self->negotiated.input;
  gsize rows =
      input->kind == GST_INFER_INPUT_AUDIO
          ? gst_infer_samples_count (&input->audio, buffer)
          : gst_buffer_get_size (buffer) / (input->width * sizeof (float));
  GstInferUnit *unit = &self->position.unit;
  GstClockTime duration =
      gst_infer_window_rows_time (self->negotiated.window, rows);
  GstFlowReturn flow = GST_FLOW_OK;

  if (!gst_infer_unit_add (unit, buffer, duration)) {
    flow = gst_infer_filter_run_unit (self);
    gst_infer_unit_add (unit, buffer, duration);
  }
  if (flow == GST_FLOW_OK
      && gst_infer_unit_is_full (unit, GST_INFER_UNIT_LENGTH))
    flow = gst_infer_filter_run_unit (self);
  return flow;
}

/* --- buffers --- */

GstFlowReturn
gst_infer_filter_note_loss (GstInferFilter *self, GstFlowReturn flow)
{
  if (flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING)
    return flow;
  if (!self->position.lost)
    GST_DEBUG_OBJECT (self, "%s: data is lost", gst_flow_get_name (flow));
  if ((self->active.state_reset & GST_INFER_RESET_DISCONT) != 0) {
    if (self->negotiated.window != NULL)
      gst_infer_window_reset (self->negotiated.window);
    gst_infer_position_begin_sequence (&self->position);
    gst_infer_states_reset (&self->states);
  }
  self->position.discont = self->position.lost = TRUE;
  return flow;
}

GstFlowReturn
gst_infer_filter_begin_data (GstInferFilter *self)
{
  GstFlowReturn flow = gst_infer_queue_get_flow (self->queue);

  return flow == GST_FLOW_OK ? gst_infer_filter_switch_model (self) : flow;
}

/* @frame leaves as it is, the first after some that were dropped.  (transfer
 * full) */
static GstBuffer *
mark_loss (GstInferFilter *self, GstBuffer *frame)
{
  frame = gst_buffer_make_writable (frame);
  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
  self->position.lost = FALSE;
  return frame;
}

/* Takes @buffer: a frame, or tensors. */
static GstFlowReturn
run_buffer (GstInferFilter *self, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) owned = buffer;
  const GstInferInput *input = &self->negotiated.input;
  GstClockTime pts = GST_BUFFER_PTS (owned);
  GstClockTime duration = GST_BUFFER_DURATION (owned);

  gst_infer_position_advance (&self->position, pts, duration,
      input->tensors.fps_n, input->tensors.fps_d);
  if (gst_infer_filter_is_late (self, pts, duration))
    return GST_FLOW_OK;
  const gboolean still = input->kind == GST_INFER_INPUT_VIDEO
                         && gst_infer_is_still (owned)
                         && gst_infer_position_rest (&self->position);
  const gboolean skip =
      still
      || !gst_infer_position_is_turn (&self->position, self->active.interval);
  if (skip)
    gst_infer_stats_count (&self->stats, &self->stats.counters.skipped);
  if (self->position.lost && self->negotiated.form->passes_input)
    owned = mark_loss (self, g_steal_pointer (&owned));
  if (input->kind == GST_INFER_INPUT_VIDEO)
    return gst_infer_filter_run_frame (self, g_steal_pointer (&owned), skip);
  return skip ? GST_FLOW_OK : gst_infer_filter_run_tensors (self, owned);
}

/* Takes @buffer. */
static GstFlowReturn
take_buffer (GstInferFilter *self, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) owned = buffer;
  GstFlowReturn flow = gst_infer_filter_begin_data (self);

  if (flow != GST_FLOW_OK)
    return flow;
  if (self->negotiated.caps == NULL) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Data came before caps: the stream's format is not known"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (gst_pad_needs_reconfigure (self->srcpad))
    flow = gst_infer_filter_reconfigure (self);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_infer_stats_count (&self->stats, &self->stats.counters.buffers);

  if (self->position.segment.rate < 0 && self->negotiated.window != NULL)
    return collect_unit (self, owned);
  const char *why = begins_sequence (self, owned);
  if (why != NULL)
    flow = gst_infer_filter_end_sequence (self, TRUE, why);
  if (flow != GST_FLOW_OK)
    return flow;
  return self->negotiated.window != NULL
             ? gst_infer_filter_run_rows (self, owned)
             : run_buffer (self, g_steal_pointer (&owned));
}

GstFlowReturn
gst_infer_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);

  /* Always: whether somebody downstream asks for it is known when the frame
   * leaves, as all that was before it has left then. */
  self->position.arrived = gst_util_get_timestamp ();
  GstFlowReturn flow =
      gst_infer_filter_note_loss (self, take_buffer (self, buffer));

  self->position.failed = flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS;
  return flow;
}
