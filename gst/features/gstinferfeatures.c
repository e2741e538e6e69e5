/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferfeatures
 * @title: inferfeatures
 * @short_description: computes features of audio: log-mel, Kaldi, Whisper
 *
 * Each #GstInferFeatures:hop samples give one frame, computed from
 * #GstInferFeatures:window samples.  #GstInferFeatures:type is
 *
 * * `log-mel`: the logarithm of the energy in HTK's mel bands of the window
 * that ends with the frame, without look-ahead;
 * * `fbank`: Kaldi's filter banks (povey window, preemphasis 0.97, no dither,
 *   no energy column; samples as 16-bit integers unless
 *   #GstInferFeatures:sample-scale is set);
 * * `mfcc`: Kaldi's mel cepstrum, 13 coefficients, lifter 22;
 * * `whisper`: Whisper's log-mel spectrogram.  A buffer of
 *   #GstInferFeatures:frames frames, 3000 if unset, is an utterance: its
 * samples are reflected at both ends, its values clamped to its greatest less
 * 8; the last one is filled with zeros, and its duration is that of its
 * samples.
 *
 * Other properties that are 0 or -1 are as that kind has them.
 *
 * The output is `other/tensors` [1, frames, values], of `whisper` [1, values,
 * frames] as its models want it, innermost dimension first in the caps; a
 * frame's timestamp is that of sample number hop times its own number.  Every
 * discontinuity begins a stream.
 * A buffer with fewer than #GstInferFeatures:frames frames, at the end of a
 * sequence, has caps of its own, which inferfilter takes as a continuation.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! inferfeatures ! inferfilter model=digits.xml ! \
 *     inferdecoder ! fdsink
 * ]|
 */

#include <gst/audio/audio.h>
#include <string.h>

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/features/gstinferfeatures.h"
#include "gst/common/audio-caps.h"
#include "gst/common/samples.h"
#include "gst/common/tensor-caps.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_features_debug);
#define GST_CAT_DEFAULT gst_infer_features_debug

/* Samples are converted to floats in blocks of this size. */
#define BLOCK 1024
#define MAX_WIDTH 4096 /* of a frame */

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_INFER_AUDIO_CAPS "rate = [ 1, max ], channels = 1"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_INFER_TENSOR_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferFeatures, gst_infer_features, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_features_debug, "inferfeatures", 0, "inferfeatures element"))
GST_ELEMENT_REGISTER_DECLARE (inferfeatures)
GST_ELEMENT_REGISTER_DEFINE (
    inferfeatures, "inferfeatures", GST_RANK_NONE, GST_TYPE_INFER_FEATURES)

/* --- sequence --- */

static void
forget (GstInferFeatures *self)
{
  infer_features_reset (self->features);
  gst_infer_window_reset (self->clock);
  gst_infer_timeline_reset (&self->times);
  self->samples = self->frames = 0;
  self->discont = TRUE;
}

/* Buffers of @frames frames per second; 0/1 where a fraction cannot say it. */
static void
set_rate (GstInferTensors *tensors, const InferFeaturesConfig *c, guint frames)
{
  guint64 samples = (guint64) c->hop * frames;
  guint64 common =
      gst_util_greatest_common_divisor_int64 (c->sample_rate, (gint64) samples);
  gboolean fits = samples / common <= G_MAXINT;

  tensors->fps_n = fits ? (int) (c->sample_rate / common) : 0;
  tensors->fps_d = fits ? (int) (samples / common) : 1;
}

/* (transfer full) */
static GstCaps *
make_caps (GstInferFeatures *self, guint frames)
{
  gint64 width = infer_features_width (self->features);
  gboolean bands_first = infer_features_bands_first (self->features);
  GstInferTensors tensors = { .n = 1 };

  tensors.descs[0] = (InferDesc){ INFER_TYPE_F32,
    infer_shape_make (3, (gint64) 1, bands_first ? width : (gint64) frames,
        bands_first ? (gint64) frames : width) };
  set_rate (&tensors, &self->active.config, frames);
  return gst_infer_tensors_to_caps (&tensors);
}

static void
send_caps (GstInferFeatures *self, guint frames)
{
  if (self->sent_frames == frames)
    return;
  g_autoptr (GstCaps) caps = make_caps (self, frames);
  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT " leaves", (void *) caps);
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  self->sent_frames = frames;
}

static void
hold_frames (GstInferFeatures *self, GstBuffer *buffer, guint frames)
{
  g_autoptr (GstCaps) caps = make_caps (self, frames);
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (self->srcpad);

  gst_infer_reversed_hold (
      &self->reversal.reversed, GST_MINI_OBJECT (buffer), caps, sent);
  self->sent_frames = 0; /* the caps that leave last are not known here */
}

/* @rows [@n, @width] → @to [@width, @n]. */
static void
transpose (const float *rows, gsize n, gsize width, float *to)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < width; k++)
      to[k * n + i] = rows[i * width + k];
}

static GstBuffer *
make_buffer (GstInferFeatures *self, const float *rows, gsize n)
{
  gsize width = infer_features_width (self->features);
  gsize size = n * width * sizeof (float);
  float *values = g_try_malloc (size);

  if (values == NULL)
    return NULL;
  memcpy (values, rows, size);
  infer_features_normalize (self->features, values, n);
  if (infer_features_bands_first (self->features)) {
    float *turned = g_try_malloc (size);

    if (turned != NULL)
      transpose (values, n, width, turned);
    g_free (values);
    values = turned;
  }
  return values != NULL ? gst_buffer_new_wrapped (values, size) : NULL;
}

static GstFlowReturn
fail_memory (GstInferFeatures *self, gsize frames)
{
  g_autoptr (GError) error = NULL;

  infer_fail (&error, INFER_ERROR_NO_MEMORY,
      "no memory for %" G_GSIZE_FORMAT " frames of features", frames);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
push_frames (
    GstInferFeatures *self, const float *rows, const GstInferSpan *span)
{
  GstBuffer *buffer = make_buffer (self, rows, span->rows);
  GstClockTime end = gst_infer_timeline_at (&self->times, self->samples);

  if (buffer == NULL)
    return fail_memory (self, span->rows);
  GST_BUFFER_PTS (buffer) = span->pts;
  GST_BUFFER_DURATION (buffer) = span->duration;
  /* An utterance that was filled with zeros is shorter. */
  if (self->active.config.block > 0 && GST_CLOCK_TIME_IS_VALID (end)
      && end < span->pts + span->duration)
    GST_BUFFER_DURATION (buffer) = end - span->pts;
  GST_BUFFER_OFFSET (buffer) = span->offset;
  GST_BUFFER_OFFSET_END (buffer) = span->offset_end;
  if (self->reversal.in_unit) {
    hold_frames (self, buffer, (guint) span->rows);
    return GST_FLOW_OK;
  }
  send_caps (self, (guint) span->rows);
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
  return gst_pad_push (self->srcpad, buffer);
}

/* --- chain --- */

static GstFlowReturn
take_frame (GstInferFeatures *self, const float *frame)
{
  guint width = infer_features_width (self->features);
  GstInferSpan span;
  float *to = gst_infer_window_grow (self->clock, 1,
      gst_infer_timeline_at (
          &self->times, self->frames++ * self->active.config.hop));

  if (to == NULL)
    return fail_memory (self, 1);
  memcpy (to, frame, width * sizeof (float));
  const float *rows = gst_infer_window_peek (self->clock, &span);
  if (rows == NULL)
    return GST_FLOW_OK;
  GstFlowReturn flow = push_frames (self, rows, &span);
  gst_infer_window_advance (self->clock);
  return flow;
}

/* Pushes the frames that the end completes, and those that do not fill a
 * buffer.  @why: for the log. */
static GstFlowReturn
end_sequence (GstInferFeatures *self, const char *why)
{
  float frame[MAX_WIDTH];
  GstFlowReturn flow = GST_FLOW_OK;
  GstInferSpan span;

  if (self->samples > 0)
    GST_DEBUG_OBJECT (self, "%s: the sequence ends", why);
  while (flow == GST_FLOW_OK && infer_features_finish (self->features, frame))
    flow = take_frame (self, frame);
  const float *rows = gst_infer_window_tail (self->clock, 1, 0, &span);
  if (rows != NULL && flow == GST_FLOW_OK)
    flow = push_frames (self, rows, &span);
  forget (self);
  return flow;
}

static GstFlowReturn
take_samples (GstInferFeatures *self, const float *samples, gsize n)
{
  float frame[MAX_WIDTH];
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean complete = TRUE;

  while ((n > 0 || complete) && flow == GST_FLOW_OK) {
    gsize taken =
        infer_features_push (self->features, samples, n, frame, &complete);

    self->samples += taken;
    samples += taken;
    n -= taken;
    if (complete)
      flow = take_frame (self, frame);
  }
  return flow;
}

static GstFlowReturn
take_all (GstInferFeatures *self, const GstInferSamples *samples)
{
  float block[BLOCK];
  GstFlowReturn flow = GST_FLOW_OK;

  for (gsize at = 0; at < samples->n && flow == GST_FLOW_OK; at += BLOCK) {
    gsize part = MIN (BLOCK, samples->n - at);

    gst_infer_samples_read (samples, at, part, block);
    flow = take_samples (self, block, part);
  }
  return flow;
}

static GstFlowReturn
take_buffer (GstInferFeatures *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  GstInferSamples samples;

  if (!gst_infer_samples_map (&samples, &self->audio, buffer, &error)) {
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  gst_infer_timeline_note (
      &self->times, self->samples, GST_BUFFER_PTS (buffer));
  GstFlowReturn flow = take_all (self, &samples);
  gst_infer_samples_unmap (&samples);
  return flow;
}

/* --- reverse playback --- */

static GstFlowReturn
unit_take (GstElement *element, GstBuffer *buffer)
{
  return take_buffer (GST_INFER_FEATURES (element), buffer);
}

static GstFlowReturn
unit_finish (GstElement *element)
{
  return end_sequence (
      GST_INFER_FEATURES (element), "a unit of reverse playback");
}

static const GstInferReversalFuncs unit_funcs = { GST_INFER_UNIT_LENGTH,
  unit_take, unit_finish };

static void
run_unit (GstInferFeatures *self)
{
  gst_infer_reversal_run (
      &self->reversal, &unit_funcs, GST_ELEMENT (self), self->srcpad);
}

static GstFlowReturn
collect_unit (GstInferFeatures *self, GstBuffer *buffer)
{
  GstClockTime duration = gst_infer_timeline_duration (
      &self->times, gst_infer_samples_count (&self->audio, buffer));

  return gst_infer_reversal_collect (&self->reversal, &unit_funcs,
      GST_ELEMENT (self), self->srcpad, buffer, duration);
}

/* --- buffers --- */

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferFeatures *self = GST_INFER_FEATURES (parent);
  g_autoptr (GstBuffer) owned = buffer;
  GstFlowReturn flow = GST_FLOW_OK;

  if (!self->have_caps) {
    GST_ELEMENT_ERROR (
        self, STREAM, FORMAT, ("A buffer came before the caps"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (self->segment.rate < 0)
    return collect_unit (self, owned);
  if (GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_DISCONT)
      || GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_RESYNC))
    flow = end_sequence (self, "a buffer with DISCONT or RESYNC");
  return flow == GST_FLOW_OK ? take_buffer (self, owned) : flow;
}

/* --- events and queries --- */

static GstCaps *
list_caps (GstInferFeatures *self, GstPad *pad)
{
  GstCaps *caps = gst_caps_make_writable (gst_pad_get_pad_template_caps (pad));

  GST_OBJECT_LOCK (self);
  gst_caps_set_simple (
      caps, "rate", G_TYPE_INT, (int) self->settings.config.sample_rate, NULL);
  GST_OBJECT_UNLOCK (self);
  return caps;
}

static gboolean
set_caps (GstInferFeatures *self, GstEvent *event)
{
  g_autoptr (GstEvent) owned = event;
  guint rate = self->active.config.sample_rate;
  g_autoptr (GError) error = NULL;
  GstAudioInfo info;
  GstCaps *caps;

  gst_event_parse_caps (owned, &caps);
  g_autoptr (GstCaps) known = list_caps (self, self->sinkpad);
  if (!gst_caps_is_subset (caps, known)
      || !gst_audio_info_from_caps (&info, caps) || (guint) info.rate != rate) {
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "features are computed from raw mono audio at %u Hz: put audioconvert "
        "and audioresample before",
        rate);
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  if (self->have_caps && gst_audio_info_is_equal (&self->audio, &info))
    return TRUE;
  if (self->have_caps)
    end_sequence (self, "other caps");
  GST_INFO_OBJECT (self, "features of %" GST_PTR_FORMAT, (void *) caps);
  self->audio = info;
  self->have_caps = TRUE;
  send_caps (self, self->active.frames);
  return TRUE;
}

static void
take_segment (GstInferFeatures *self, GstEvent *event)
{
  GstClockTime next = gst_infer_timeline_at (&self->times, self->samples);
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (&self->segment, &segment, next))
    end_sequence (self, "a segment that does not continue");
  self->segment = segment;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferFeatures *self = GST_INFER_FEATURES (parent);

  if (GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    run_unit (self);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return set_caps (self, event);
    case GST_EVENT_FLUSH_STOP:
      GST_DEBUG_OBJECT (self, "the flush ends: what was begun is dropped");
      forget (self);
      gst_infer_unit_clear (&self->reversal.unit);
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      break;
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
      end_sequence (self, GST_EVENT_TYPE_NAME (event));
      if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
        gst_infer_post_unmet (self, pad, &self->unmet);
      break;
    default:
      if (gst_infer_is_reset_event (event) && GST_EVENT_IS_SERIALIZED (event))
        end_sequence (self, "reset-state");
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferFeatures *self = GST_INFER_FEATURES (parent);
  g_autoptr (GstCaps) caps = list_caps (self, pad);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      if (!gst_infer_answer_caps (query, caps) && pad == self->sinkpad)
        gst_infer_note_offer (self, pad, query, caps, NULL, &self->unmet);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      if (gst_infer_are_caps_sent (pad, query))
        gst_query_set_accept_caps_result (query, TRUE);
      else
        gst_infer_answer_accept_caps (query, caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      return FALSE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* A frame is complete with the last sample of its window. */
static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferFeatures *self = GST_INFER_FEATURES (parent);
  GstClockTime min, max, own;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  GstInferFeaturesSettings settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  const InferFeaturesKind *kind = gst_infer_features_resolve (&settings);
  own = gst_util_uint64_scale (
      infer_features_delay (kind, &settings.config, settings.frames),
      GST_SECOND, settings.config.sample_rate);
  GST_DEBUG_OBJECT (self,
      "latency: %" GST_TIME_FORMAT " here, %" GST_TIME_FORMAT
      " upstream, which is %slive",
      GST_TIME_ARGS (own), GST_TIME_ARGS (min), live ? "" : "not ");
  gst_query_set_latency (
      query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

/* --- element --- */

static void
stop (GstInferFeatures *self)
{
  g_clear_pointer (&self->features, infer_features_free);
  g_clear_pointer (&self->clock, gst_infer_window_free);
  gst_infer_unit_clear (&self->reversal.unit);
  self->have_caps = FALSE;
  gst_infer_forget_unmet (self, &self->unmet);
}

static gboolean
start (GstInferFeatures *self)
{
  g_autoptr (GError) error = NULL;
  const InferFeaturesConfig *c = &self->active.config;

  GST_OBJECT_LOCK (self);
  self->active = self->settings;
  GST_OBJECT_UNLOCK (self);
  const InferFeaturesKind *kind = gst_infer_features_resolve (&self->active);
  self->features = infer_features_new (kind, c, &error);
  if (self->features == NULL) {
    gst_infer_post_error (self, error);
    return FALSE;
  }
  self->clock = gst_infer_window_new (infer_features_width (self->features),
      self->active.frames, self->active.frames, c->hop * GST_SECOND,
      c->sample_rate);
  self->times.num = GST_SECOND;
  self->times.den = c->sample_rate;
  self->sent_frames = 0;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  forget (self);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstInferFeatures *self = GST_INFER_FEATURES (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_infer_features_parent_class)
          ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
gst_infer_features_class_init (GstInferFeaturesClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_infer_features_install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Audio features",
      "Filter/Analyzer/Audio",
      "Computes features of audio: log-mel, fbank and mfcc of Kaldi, Whisper",
      "The inferfilter authors");
}

static void
gst_infer_features_init (GstInferFeatures *self)
{
  gst_infer_timeline_reset (&self->times);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_query_function (self->sinkpad, sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_query_function (self->srcpad, src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
