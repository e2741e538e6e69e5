/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferfilter
 * @title: inferfilter
 * @short_description: runs a neural network on a stream
 *
 * Runs an OpenVINO IR model on audio, video or tensors, several inferences at a
 * time, and pushes its outputs in the order of the input.  Buffers may be of
 * any size: they are cut into the model's windows, with exact timestamps.  A
 * model with variables keeps them from window to window and starts afresh at
 * every discontinuity
 * (#GstInferFilter:state-reset).
 *
 * In reverse playback, buffers of audio or features that adjoin are collected
 * to units of half a second; each is computed forwards from fresh states, and
 * its results leave last first.
 *
 * ## What leaves
 *
 * #GstInferFilter:output is `tensors` (`other/tensors`), `media-with-meta` (the
 * untouched frame with the tensors as metas), `media` (the model's output as
 * audio or video), or `auto`, which is one of these: where the next element
 * takes anything (fakesink, filesink, appsink without caps), or none is linked,
 * tensors; else the first media type of those that it takes, in its own order,
 * that can be made of the input:
 *
 * * `other/tensors`: tensors;
 * * `audio/x-raw`, for audio: media;
 * * `video/x-raw`, for video: media, if the model gives pictures like those
 *   that it takes (as many channels, no smaller; or `model_info` has
 *   `output_range`), has no `model_type`, and the next element takes only
 *   video; else media-with-meta.
 *
 * inferdecoder takes video before tensors, so detectors, classifiers, … give it
 * frames; with `mode=json`, and with `mode=ctc` before an element that takes
 * anything, it takes tensors first.  The choice is made anew when another
 * element is linked.
 *
 * ## When properties take effect
 *
 * #GstInferFilter:qos and #GstInferFilter:stats take effect at once,
 * #GstInferFilter:model as follows, and all others when the element goes from
 * READY to PAUSED.
 *
 * ## Another model while data flows
 *
 * #GstInferFilter:model may be set at any time, in one call of g_object_set()
 * with the #GstInferFilter:weights and #GstInferFilter:model-info of the new
 * model, in any order; those of the previous model stay set unless they are
 * set to %NULL.  The model is loaded in the background and takes over, with
 * fresh states, at a later buffer.  If it cannot be loaded or does not take the
 * stream, a WARNING says why, the previous one stays in use, and the three
 * properties name that one again, with `notify` signals.
 *
 * ## States
 *
 * The model's variables are named by #GstInferFilter:state-names.  The action
 * signal #GstInferFilter::get-state gives the value of one as a #GstSample, and
 * #GstInferFilter::set-state takes such a sample: caps `other/tensors,
 * format=static, num_tensors=1, types=(string)float32,
 * dimensions=(string)256:1, framerate=(fraction)0/1` (here for a value of shape
 * [1,256]: the innermost dimension comes first), and one buffer with the dense
 * values in the machine's byte order.  States can so be kept over a restart, or
 * carried to another element:
 * |[<!-- language="C" -->
 * GstSample *sample = NULL;
 * gboolean done;
 *
 * g_signal_emit_by_name (filter, "get-state", "h", &sample);
 * g_signal_emit_by_name (other, "set-state", "h", sample, &done);
 * ]|
 * set-state before a model is loaded keeps the sample and applies it when one
 * is; a name or value that does not fit the model is then a WARNING.  The
 * custom event `inferfilter/reset-state`, upstream or downstream, resets them
 * like #GstInferFilter::reset-state; downstream it is in order with the
 * buffers.
 *
 * ## Messages
 *
 * * PROGRESS `load-model`: START, then COMPLETE, ERROR, or CANCELED (the
 *   element was stopped, or another model was set);
 * * element message `inferfilter-stats`, every
 *   #GstInferFilter:stats-interval, with the fields of #GstInferFilter:stats:
 *   `buffers`, `inferences`, `resets`, `errors`, `dropped` (by qos), `skipped`
 *   (by inference-interval), `queue-depth`, `in-flight`, and the structures
 *   `preprocess`, `execute`, `postprocess`, `total` and `push` with their
 *   number `n`, and `mean`, `p50`, `p95`, `p99` and `max` in nanoseconds;
 * * QOS for each buffer that #GstInferFilter:qos drops, LATENCY when, in a live
 *   pipeline, the measured latency changes;
 * * ERROR where upstream has no caps that the model takes: what the model
 *   lacks, or what to put before the element.
 *
 * ## Caps of tensors in gst-launch-1.0
 *
 * `dimensions` and `types` are strings, and need that type in a pipeline
 * description: of `dimensions=576:1` flags would be made, which fit no caps.
 * `other/tensors,dimensions=(string)576:1` is right.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! inferfilter model=digits-wave.xml ! inferdecoder ! fdsink
 * ]|
 * Noise is removed from speech; each sample keeps its timestamp:
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! inferfilter model=denoiser.xml ! \
 *     audioconvert ! wavenc ! filesink location=clean.wav
 * ]|
 * The frames leave untouched, with the objects found in them:
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! inferfilter model=faces.xml ! \
 *     inferdecoder ! inferoverlay ! videoconvert ! autovideosink
 * ]|
 */

#include "gst/filter/gstinferfilter.h"

#include "gst/common/error-message.h"
#include "gst/filter/filter.h"
#include "gst/filter/input/video-image.h"

GST_DEBUG_CATEGORY (gst_infer_filter_debug);
#define GST_CAT_DEFAULT gst_infer_filter_debug

/* As gst_infer_video_caps has them. */
#define VIDEO_CAPS                                                                        \
  GST_VIDEO_CAPS_MAKE (GST_INFER_VIDEO_FORMATS)                                           \
  "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:DMABuf",                                \
      GST_INFER_VIDEO_FORMATS) "; " GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:GLMemory", \
      GST_INFER_VIDEO_FORMATS)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_INFER_AUDIO_CAPS
            "rate = [ 1, max ], channels = [ 1, max ]; " VIDEO_CAPS
            "; " GST_INFER_TENSOR_CAPS));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_INFER_TENSOR_CAPS "; " GST_INFER_AUDIO_OUT_CAPS
                                               "; " VIDEO_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferFilter, gst_infer_filter, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_filter_debug, "inferfilter", 0, "inferfilter element"))
GST_ELEMENT_REGISTER_DEFINE (
    inferfilter, "inferfilter", GST_RANK_NONE, GST_TYPE_INFER_FILTER)

static gboolean
start (GstInferFilter *self)
{
  g_autoptr (GError) error = NULL;

  gst_infer_position_init (&self->position);
  gst_infer_states_start (&self->states);
  gst_infer_source_task_start (&self->task);
  gst_infer_stats_reset (&self->stats);
  if (gst_infer_filter_open (self, &error))
    return TRUE;
  gst_infer_post_error (self, error);
  gst_infer_filter_close (self);
  return FALSE;
}

static void
stop (GstInferFilter *self)
{
  gst_infer_filter_forget (self);
  gst_infer_source_task_stop (&self->task);
  gst_infer_negotiated_clear (&self->negotiated);
  gst_infer_forget_unmet (self, &self->unmet);
  gst_infer_filter_close (self);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstInferFilter *self = GST_INFER_FILTER (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_infer_filter_interrupt (self);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED
      || transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_infer_batch_set_paused (&self->batch, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    gst_infer_batch_set_paused (&self->batch, FALSE);

  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_infer_filter_parent_class)
          ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && result == GST_STATE_CHANGE_FAILURE))
    stop (self);
  return result;
}

static void
finalize (GObject *object)
{
  GstInferFilter *self = GST_INFER_FILTER (object);

  gst_infer_settings_clear (&self->settings);
  g_clear_pointer (&self->host, infer_executor_unref);
  g_clear_pointer (&self->queue, gst_infer_queue_free);
  g_clear_pointer (&self->states.restore, g_hash_table_unref);
  gst_infer_frame_results_clear (&self->task.results);
  gst_infer_allocation_clear (&self->task.allocation);
  g_cond_clear (&self->loader.changed);
  g_mutex_clear (&self->batch.lock);
  g_mutex_clear (&self->latency.lock);
  g_mutex_clear (&self->states.lock);
  g_mutex_clear (&self->stats.lock);
  G_OBJECT_CLASS (gst_infer_filter_parent_class)->finalize (object);
}

static void
gst_infer_filter_class_init (GstInferFilterClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_infer_filter_install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Inference filter",
      "Filter/Audio/Video/Tensor",
      "Runs an OpenVINO IR model on audio, video or tensors",
      "The inferfilter authors");
}

static void
gst_infer_filter_init (GstInferFilter *self)
{
  /* Before the pads, whose functions use them. */
  self->queue = gst_infer_queue_new ();
  self->host =
      infer_executor_new_custom (gst_infer_queue_host, self->queue, NULL);
  g_cond_init (&self->loader.changed);
  g_mutex_init (&self->batch.lock);
  g_mutex_init (&self->latency.lock);
  g_mutex_init (&self->states.lock);
  g_mutex_init (&self->stats.lock);
  self->qos = GST_INFER_QOS_NONE;
  gst_infer_position_init (&self->position);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_infer_filter_chain);
  gst_pad_set_event_function (self->sinkpad, gst_infer_filter_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_infer_filter_sink_query);
  gst_pad_set_activatemode_function (
      self->sinkpad, gst_infer_filter_sink_activate);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_infer_source_task_init (&self->task, self->srcpad);
  gst_pad_set_event_function (self->srcpad, gst_infer_filter_src_event);
  gst_pad_set_query_function (self->srcpad, gst_infer_filter_src_query);
  gst_pad_set_activatemode_function (
      self->srcpad, gst_infer_filter_src_activate);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
