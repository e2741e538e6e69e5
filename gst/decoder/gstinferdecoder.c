/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferdecoder
 * @title: inferdecoder
 * @short_description: turns tensors into text, JSON or results on video
 *
 * Decodes the output of inferfilter.
 *
 * Input `other/tensors`: `ctc` outputs words as `text/x-raw`, each in a buffer
 * of its own with its timestamp and followed by #GstInferDecoder:separator (a
 * newline by default), and GAP events for silence; `json` outputs a line for
 * each buffer.
 *
 * `classification` outputs the #GstInferDecoder:top-k best classes of each
 * buffer (audio tagging, key words) of at least #GstInferDecoder:threshold: a
 * line of class and confidence for each, or a GAP event where there is none;
 * where the next element takes `application/json` only, a line of JSON with
 * `pts`, `duration` and `classes`.
 *
 * `vad` takes the probabilities of speech that a model gives, one or more in a
 * buffer, and outputs `speech-start` and `speech-end`, as text or, if the next
 * element takes `application/json` only, as a line of JSON with `pts`, `event`
 * and `probability`.  The rules are those of silero-vad's utilities, applied as
 * the stream goes: see #GstInferDecoder:threshold,
 * #GstInferDecoder:neg-threshold, #GstInferDecoder:min-speech-duration-ms,
 * #GstInferDecoder:min-silence-duration-ms and #GstInferDecoder:speech-pad-ms.
 * With each, an element message `voice-activity` is posted, with
 * `stream-has-voice` (boolean), `timestamp`, `stream-time`, `running-time`
 * (guint64) and `probability` (double).
 *
 * Input of video frames with tensors (inferfilter does that by itself where
 * video leaves here, else set its `output=media-with-meta`): the frames
 * pass unchanged, with the results as metas: objects as
 * #GstVideoRegionOfInterestMeta with DL Streamer's param `detection`, classes
 * and text as further params of the regions they belong to, keypoints and
 * masks.  inferoverlay draws them, infertrack gives the objects identities,
 * inferpublish writes them as JSON.
 *
 * A word is given out when it is final, which is after it: LATENCY says how
 * long after, as far as seen, and a message follows when it becomes longer.
 *
 * The decoder is chosen by #GstInferDecoder:mode, else by the model's
 * `model_type`, else by the shapes of its outputs.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! inferfilter model=digits-wave.xml ! inferdecoder ! fdsink
 * gst-launch-1.0 v4l2src ! videoconvert ! inferfilter model=faces.xml ! \
 *     inferdecoder ! inferoverlay ! videoconvert ! autovideosink
 * ]|
 */

#include "gst/decoder/gstinferdecoder.h"

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/common/model-info.h"

GST_DEBUG_CATEGORY (gst_infer_decoder_debug);
#define GST_CAT_DEFAULT gst_infer_decoder_debug

#define VIDEO_CAPS "video/x-raw(ANY)"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_INFER_TENSOR_CAPS "; " VIDEO_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferDecoder, gst_infer_decoder, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_decoder_debug, "inferdecoder", 0, "inferdecoder element"))
GST_ELEMENT_REGISTER_DECLARE (inferdecoder)
GST_ELEMENT_REGISTER_DEFINE (
    inferdecoder, "inferdecoder", GST_RANK_NONE, GST_TYPE_INFER_DECODER)

/* --- chain --- */

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferDecoder *self = GST_INFER_DECODER (parent);

  if (!self->have_caps) {
    gst_buffer_unref (buffer);
    GST_ELEMENT_ERROR (
        self, STREAM, FORMAT, ("A buffer came before the caps"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  return self->is_video ? gst_infer_decoder_frame (self, buffer)
                        : gst_infer_decoder_stream (self, buffer);
}

/* --- events --- */

static gboolean
set_video_caps (GstInferDecoder *self, GstEvent *event)
{
  g_autoptr (GError) error = NULL;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_video_info_from_caps (&self->video, caps)) {
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT, "they are incomplete");
    gst_infer_post_caps_error (self, caps, error);
    gst_event_unref (event);
    return FALSE;
  }
  GST_INFO_OBJECT (
      self, "results are added to frames of %" GST_PTR_FORMAT, (void *) caps);
  gst_infer_decoder_finish (self, "frames follow");
  gst_infer_decoder_drop (self);
  self->kind = NULL;
  self->have_caps = self->is_video = TRUE;
  if (!gst_pad_push_event (self->srcpad, event))
    return FALSE;
  gst_infer_decoder_push_held (self);
  return TRUE;
}

static gboolean
set_tensor_caps (GstInferDecoder *self, GstEvent *event)
{
  g_autoptr (GstEvent) owned = event;
  g_autoptr (GError) error = NULL;
  GstInferTensors tensors;
  GstCaps *caps;

  gst_event_parse_caps (owned, &caps);
  if (!gst_infer_tensors_from_caps (caps, &tensors, &error)) {
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  GST_INFO_OBJECT (self, "tensors of %" GST_PTR_FORMAT, (void *) caps);
  /* The number of steps may change, the size of a step may not. */
  for (guint i = 0; i < tensors.n && self->decoder != NULL; i++) {
    const InferShape *a = &tensors.descs[i].shape;
    const InferShape *b = &self->tensors.descs[i].shape;

    if (tensors.n != self->tensors.n || a->rank != b->rank
        || a->dims[a->rank - 1] != b->dims[b->rank - 1]) {
      gst_infer_decoder_finish (self, "tensors of another size");
      gst_infer_decoder_drop (self);
    }
  }
  if (self->is_video)
    self->kind = NULL;
  self->tensors = tensors;
  self->have_caps = TRUE;
  self->is_video = FALSE;
  return TRUE;
}

static gboolean
set_caps (GstInferDecoder *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  return gst_structure_has_name (
             gst_caps_get_structure (caps, 0), "video/x-raw")
             ? set_video_caps (self, event)
             : set_tensor_caps (self, event);
}

static void
set_info (GstInferDecoder *self, const GstStructure *info)
{
  if (self->info != NULL && gst_infer_model_info_equal (self->info, info))
    return;
  GST_INFO_OBJECT (
      self, "the model's info: %" GST_PTR_FORMAT, (gconstpointer) info);
  gst_infer_decoder_finish (self, "another model");
  gst_infer_decoder_drop (self);
  g_clear_pointer (&self->info, gst_structure_free);
  self->info = gst_structure_copy (info);
  /* Another model may need another decoder: the caps are sent again. */
  self->kind = NULL;
}

static void
set_segment (GstInferDecoder *self, GstEvent *event)
{
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (&self->segment, &segment, self->next)) {
    gst_infer_decoder_finish (self, "a segment that does not continue");
    self->discont = TRUE;
  }
  self->segment = segment;
}

/* Pushes a serialized event, or holds it until the caps are sent. */
static gboolean
pass_on (GstInferDecoder *self, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);
  g_autoptr (GError) error = NULL;

  if (self->kind == NULL && !self->is_video && type != GST_EVENT_STREAM_START) {
    if (type != GST_EVENT_EOS)
      g_queue_push_tail (&self->held, event);
    if ((type == GST_EVENT_GAP || type == GST_EVENT_EOS)
        && !gst_infer_decoder_begin (self, &error))
      GST_DEBUG_OBJECT (self, "no decoder yet: %s", error->message);
    if (type != GST_EVENT_EOS)
      return TRUE;
    gst_infer_push_before_eos (self->srcpad, &self->held);
  }
  return gst_pad_push_event (self->srcpad, event);
}

static void
forget_held (GstInferDecoder *self)
{
  GQueue events = self->held;
  GstEvent *event;

  g_queue_init (&self->held);
  while ((event = g_queue_pop_head (&events)) != NULL) {
    if (gst_infer_survives_flush (event))
      g_queue_push_tail (&self->held, event);
    else
      gst_event_unref (event);
  }
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferDecoder *self = GST_INFER_DECODER (parent);
  const GstStructure *info = gst_infer_model_info_parse (event);

  if (GST_EVENT_IS_SERIALIZED (event)
      && GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP)
    gst_infer_decoder_run_unit (self);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return set_caps (self, event);
    case GST_EVENT_FLUSH_STOP:
      GST_DEBUG_OBJECT (self, "the flush ends: what was begun is dropped");
      gst_infer_decoder_forget (self);
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      forget_held (self);
      return gst_pad_event_default (pad, parent, event);
    case GST_EVENT_SEGMENT:
      set_segment (self, event);
      break;
    case GST_EVENT_GAP:
      gst_event_parse_gap (event, &self->reached, NULL);
      gst_infer_decoder_finish (self, "a gap");
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
      gst_infer_decoder_finish (self, GST_EVENT_TYPE_NAME (event));
      break;
    default:
      break;
  }
  if (info != NULL)
    set_info (self, info);
  if (!GST_EVENT_IS_SERIALIZED (event)
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    return gst_pad_event_default (pad, parent, event);
  return pass_on (self, event);
}

/* --- queries --- */

/* The mode is for tensors alone, or it gives text to whoever takes anything:
 * inferfilter output=auto should not give it video. */
static gboolean
prefers_tensors (GstInferDecoder *self)
{
  GST_OBJECT_LOCK (self);
  int mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);
  if (mode == GST_INFER_DECODER_AUTO)
    return FALSE;
  const GstInferDecoderKind *kind = gst_infer_decoder_of_mode (mode);
  if (kind->decode == NULL || kind->decode_frame == NULL)
    return kind->decode != NULL;
  g_autoptr (GstCaps) next = gst_pad_peer_query_caps (self->srcpad, NULL);
  return gst_caps_is_any (next);
}

/* Video passes unchanged: its caps are those of the peer of the other pad. */
static GstCaps *
list_caps (GstInferDecoder *self, GstPad *pad)
{
  GstPad *other = pad == self->sinkpad ? self->srcpad : self->sinkpad;
  g_autoptr (GstCaps) own = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstCaps) video = gst_caps_from_string (VIDEO_CAPS);
  GstCaps *passed = gst_pad_peer_query_caps (other, video);
  GstCaps *made = gst_caps_new_empty ();
  guint n = gst_caps_get_size (own);

  for (guint i = 0; i < n; i++) {
    GstStructure *s = gst_caps_get_structure (own, i);

    if (!gst_structure_has_name (s, "video/x-raw"))
      made = gst_caps_merge_structure (made, gst_structure_copy (s));
  }
  return prefers_tensors (self) ? gst_caps_merge (made, passed)
                                : gst_caps_merge (passed, made);
}

static gboolean
query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferDecoder *self = GST_INFER_DECODER (parent);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return self->is_video && gst_pad_peer_query (self->srcpad, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return gst_infer_decoder_answer_latency (self, query);
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  g_autoptr (GstCaps) caps = list_caps (self, pad);
  gst_infer_answer_caps (query, caps);
  return TRUE;
}

/* --- element --- */

static void
clear (GstInferDecoder *self)
{
  GST_OBJECT_LOCK (self);
  self->latency_told = FALSE;
  GST_OBJECT_UNLOCK (self);
  gst_infer_unit_clear (&self->reversal.unit);
  gst_infer_decoder_drop (self);
  self->kind = NULL;
  gst_infer_decoder_forget_models (self);
  self->have_caps = self->is_video = FALSE;
  self->next = self->reached = GST_CLOCK_TIME_NONE;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_clear_pointer (&self->info, gst_structure_free);
  g_queue_clear_full (&self->held, (GDestroyNotify) gst_event_unref);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS (gst_infer_decoder_parent_class)
          ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    clear (GST_INFER_DECODER (element));
  return result;
}

static void
finalize (GObject *object)
{
  GstInferDecoder *self = GST_INFER_DECODER (object);

  clear (self);
  gst_infer_decoder_clear_settings (self);
  G_OBJECT_CLASS (gst_infer_decoder_parent_class)->finalize (object);
}

/* The caps of all decoders, and video. */
static GstPadTemplate *
make_src_template (void)
{
  const GstInferDecoderKind *const *decoders = gst_infer_decoders ();
  g_autoptr (GstCaps) caps = gst_caps_new_empty ();

  for (guint i = 0; decoders[i] != NULL; i++)
    if (decoders[i]->caps != NULL)
      caps = gst_caps_merge (
          g_steal_pointer (&caps), gst_caps_from_string (decoders[i]->caps));
  caps = gst_caps_merge (
      g_steal_pointer (&caps), gst_caps_from_string (VIDEO_CAPS));
  return gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps);
}

static void
gst_infer_decoder_class_init (GstInferDecoderClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_infer_decoder_install_properties (G_OBJECT_CLASS (klass));
  gst_infer_results_init ();
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_pad_template (element_class, make_src_template ());
  gst_element_class_set_static_metadata (element_class, "Tensor decoder",
      "Filter/Converter/Tensor/Text/Video",
      "Turns tensors into text or JSON, or into results on video frames",
      "The inferfilter authors");
}

static void
gst_infer_decoder_init (GstInferDecoder *self)
{
  GstPadTemplate *src =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), "src");

  g_queue_init (&self->held);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->next = self->reached = GST_CLOCK_TIME_NONE;

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_query_function (self->sinkpad, query);
  GST_PAD_SET_ACCEPT_INTERSECT (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (src, "src");
  gst_pad_set_query_function (self->srcpad, query);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
