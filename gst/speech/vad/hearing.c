/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the detector on the samples, announces starts and ends of speech, and
 * pushes the buffers that the gate held until they were known. */

#include "gst/common/error-message.h"
#include "gst/speech/vad/vad.h"

#define GST_CAT_DEFAULT gst_infer_vad_debug

#define HYSTERESIS 0.15 /* as silero's utilities have it */

/* --- times --- */

static guint64
frame_of (const GstInferVad *self, guint64 sample)
{
  return gst_util_uint64_scale (sample, (guint) self->audio.rate, self->rate);
}

static GstClockTime
time_of_sample (const GstInferVad *self, guint64 sample)
{
  const GstInferTimeline *times = &self->times;

  /* Not rounded to frames. */
  if (times->base_index == 0 && GST_CLOCK_TIME_IS_VALID (times->base))
    return times->base + gst_util_uint64_scale (sample, GST_SECOND, self->rate);
  return gst_infer_timeline_at (times, frame_of (self, sample));
}

/* --- what is told --- */

static GstStructure *
describe (GstInferVad *self, const char *name, const InferVadEvent *event)
{
  GstClockTime pts = time_of_sample (self, event->time);
  GstClockTime running = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;

  if (self->segment.format == GST_FORMAT_TIME
      && GST_CLOCK_TIME_IS_VALID (pts)) {
    running =
        gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, pts);
    stream = gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, pts);
  }
  return gst_structure_new (name, "timestamp", G_TYPE_UINT64, pts,
      "stream-time", G_TYPE_UINT64, stream, "running-time", G_TYPE_UINT64,
      running, "probability", G_TYPE_DOUBLE, (double) event->probability, NULL);
}

static void
tell (GstInferVad *self, const InferVadEvent *event)
{
  GstStructure *message = describe (self, "voice-activity", event);
  GstStructure *custom = describe (self,
      event->speech ? "infervad/speech-start" : "infervad/speech-end", event);

  GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, (gpointer) custom);
  gst_structure_set (
      message, "stream-has-voice", G_TYPE_BOOLEAN, event->speech, NULL);
  gst_element_post_message (
      GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), message));
  gst_pad_push_event (
      self->srcpad, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, custom));
}

/* Frames before number @until are decided.  Events leave even where buffers
 * cannot. */
static GstFlowReturn
release (GstInferVad *self, guint64 until)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while ((object = gst_infer_vad_gate_next (
              &self->gate, &self->audio, until, self->speaking))
         != NULL) {
    if (GST_IS_EVENT (object))
      gst_pad_push_event (self->srcpad, GST_EVENT (object));
    else if (flow == GST_FLOW_OK)
      flow = gst_pad_push (self->srcpad, GST_BUFFER (object));
    else
      gst_mini_object_unref (object);
  }
  return flow;
}

static GstFlowReturn
give_told (GstInferVad *self)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < self->told->len && flow == GST_FLOW_OK; i++) {
    const InferVadEvent *event = &g_array_index (self->told, InferVadEvent, i);

    flow = release (self, frame_of (self, event->time));
    self->speaking = event->speech;
    tell (self, event);
  }
  g_array_set_size (self->told, 0);
  return flow;
}

/* --- detection --- */

static GstFlowReturn
take_window (GstInferVad *self, const InferVoiceWindow *window)
{
  infer_vad_push (
      &self->vad, window->probability, window->begin, window->end, self->told);
  GstFlowReturn flow = give_told (self);
  if (flow != GST_FLOW_OK || self->mode == GST_INFER_VAD_GATE_NONE)
    return flow;
  flow = release (self, frame_of (self, infer_vad_decided (&self->vad)));
  guint64 late = frame_of (self, window->end - MIN (self->wait, window->end));
  if (flow != GST_FLOW_OK || self->gate.given >= late)
    return flow;
  gboolean speaking = self->speaking;
  self->speaking = TRUE; /* it may be */
  flow = release (self, late);
  self->speaking = speaking;
  return flow;
}

static GstFlowReturn
take_windows (GstInferVad *self)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < self->windows->len && flow == GST_FLOW_OK; i++)
    flow =
        take_window (self, &g_array_index (self->windows, InferVoiceWindow, i));
  g_array_set_size (self->windows, 0);
  return flow;
}

/* Returns FLUSHING where the detector was cancelled; posts any other @error. */
static GstFlowReturn
fail_detection (GstInferVad *self, const GError *error)
{
  g_array_set_size (self->windows, 0);
  if (g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED))
    return GST_FLOW_FLUSHING;
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

/* Takes self->samples. */
static GstFlowReturn
detect (GstInferVad *self)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_voice_detector_push (self->detector,
      (const float *) (gpointer) self->samples->data, self->samples->len,
      self->windows, &error);

  g_array_set_size (self->samples, 0);
  return ok ? take_windows (self) : fail_detection (self, error);
}

void
gst_infer_vad_set_cancelled (GstInferVad *self, gboolean cancelled)
{
  GST_OBJECT_LOCK (self);
  if (self->detector != NULL)
    infer_voice_detector_set_cancelled (self->detector, cancelled);
  GST_OBJECT_UNLOCK (self);
}

void
gst_infer_vad_forget (GstInferVad *self)
{
  if (self->detector != NULL)
    infer_voice_detector_reset (self->detector);
  if (self->mono != NULL)
    gst_infer_mono_reset (self->mono);
  gst_infer_vad_gate_reset (&self->gate);
  infer_vad_reset (&self->vad);
  g_array_set_size (self->told, 0);
  g_array_set_size (self->windows, 0);
  self->speaking = FALSE;
  self->frames = 0;
  gst_infer_timeline_reset (&self->times);
}

/* Tells what the end of the stream decides. */
static GstFlowReturn
conclude (GstInferVad *self)
{
  infer_vad_finish (&self->vad, self->told);
  GstFlowReturn flow = give_told (self);
  return flow == GST_FLOW_OK ? release (self, self->frames) : flow;
}

/* Of what could not leave, sticky events stay valid, as of a queue. */
static void
drop_held (GstInferVad *self)
{
  g_autoptr (GPtrArray) kept =
      gst_infer_vad_gate_take_sticky (&self->gate, FALSE);

  for (guint i = 0; i < kept->len; i++)
    gst_pad_store_sticky_event (self->srcpad, g_ptr_array_index (kept, i));
  gst_infer_vad_forget (self);
}

/* Ends the stream; the next sample begins another one. */
GstFlowReturn
gst_infer_vad_end_stream (GstInferVad *self, const char *why)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (self->frames > 0) {
    GST_DEBUG_OBJECT (self, "%s: the stream ends", why);
    gst_infer_mono_finish (self->mono, self->samples);
    flow = detect (self);
    if (flow == GST_FLOW_OK)
      flow = infer_voice_detector_finish (self->detector, self->windows, &error)
                 ? take_windows (self)
                 : fail_detection (self, error);
    if (flow == GST_FLOW_OK)
      flow = conclude (self);
  }
  /* FLUSH_STOP, or the end, does it where the pad is flushing. */
  if (flow == GST_FLOW_OK || !GST_PAD_IS_FLUSHING (self->srcpad))
    drop_held (self);
  return flow;
}

/* --- buffers --- */

static void
read_thresholds (GstInferVad *self)
{
  GST_OBJECT_LOCK (self);
  double threshold = self->settings.threshold;
  double negative = self->settings.neg_threshold;
  GST_OBJECT_UNLOCK (self);
  self->vad.config.threshold = threshold;
  self->vad.config.neg_threshold =
      negative >= 0 ? negative : MAX (threshold - HYSTERESIS, 0.01);
}

static GstFlowReturn
listen (GstInferVad *self, const GstInferSamples *samples)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (gsize at = 0; at < samples->n && flow == GST_FLOW_OK;
       at += GST_INFER_MONO_BLOCK) {
    gst_infer_mono_read (self->mono, samples, at,
        MIN (samples->n - at, GST_INFER_MONO_BLOCK), self->samples);
    flow = detect (self);
  }
  return flow;
}

static GstFlowReturn
take_buffer (GstInferVad *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstInferSamples samples;

  if (!gst_infer_samples_map (&samples, &self->audio, buffer, &error)) {
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  gst_infer_timeline_note (&self->times, self->frames, GST_BUFFER_PTS (buffer));
  self->frames += samples.n;
  if (self->mode == GST_INFER_VAD_GATE_GAP)
    gst_infer_vad_gate_take (&self->gate, gst_buffer_ref (buffer), samples.n);
  read_thresholds (self);
  GstFlowReturn flow = listen (self, &samples);
  gst_infer_samples_unmap (&samples);
  return flow;
}

GstFlowReturn
gst_infer_vad_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferVad *self = GST_INFER_VAD (parent);
  GstFlowReturn flow = GST_FLOW_OK;

  if (!self->have_caps) {
    gst_buffer_unref (buffer);
    GST_ELEMENT_ERROR (
        self, STREAM, FORMAT, ("A buffer came before the caps"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (self->segment.rate < 0)
    return gst_pad_push (self->srcpad, buffer);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
      || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC))
    flow = gst_infer_vad_end_stream (self, "a buffer with DISCONT or RESYNC");
  if (flow == GST_FLOW_OK)
    flow = take_buffer (self, buffer);
  if (flow == GST_FLOW_OK && self->mode == GST_INFER_VAD_GATE_NONE)
    return gst_pad_push (self->srcpad, buffer);
  gst_buffer_unref (buffer);
  return flow;
}
