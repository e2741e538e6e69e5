/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-infervad
 * @title: infervad
 * @short_description: tells where speech starts and ends in audio
 *
 * Audio of any format, rate and number of channels passes untouched.  Where
 * speech starts and where it ends, infervad
 *
 * * posts an element message `voice-activity`, with the fields
 *   `stream-has-voice` (boolean; speech starts), `timestamp`, `stream-time`,
 *   `running-time` (guint64, of the start or end itself) and `probability`
 *   (double, of the window that decided it);
 * * sends a custom downstream event with the last four of these fields, whose
 *   structure is `infervad/speech-start` or `infervad/speech-end`, in order
 * with the buffers.
 *
 * A start is decided after #GstInferVad:min-speech, an end after
 * #GstInferVad:min-silence, so both come later than the sound they speak of.
 * With `gate=gap` audio is held until then, and GAP events take the place of
 * what is not speech; #GstInferVad:pad before and after speech passes.  The
 * LATENCY query is answered with that time.  Audio of which nothing is decided
 * for longer passes.
 *
 * #GstInferVad:vad-model is silero's voice activity detector, as ONNX or
 * OpenVINO IR: `pipelines/get-model silero-vad` fetches it.  Without one the
 * level of the sound decides: `docs/guides/speech-activity.md` has measured how
 * much worse that is.
 *
 * Every discontinuity, GAP event and new format ends a stream, and so the
 * speech in it.  Playback in reverse passes and is not listened to.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 -m filesrc location=call.wav ! wavparse ! \
 *     infervad vad-model=silero-vad.xml gate=gap ! fakesink
 * ]|
 *
 * Since: 0.2
 */

#include <gst/audio/audio.h>

#include "gst/common/audio-caps.h"
#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/common/mono.h"
#include "gst/common/properties.h"
#include "gst/speech/vad-gate.h"
#include "infer/voice.h"
#include "inference/media/vad.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_vad_debug);
#define GST_CAT_DEFAULT gst_infer_vad_debug

/* Those of silero's utilities. */
#define DEFAULT_THRESHOLD 0.5
#define DEFAULT_MIN_SPEECH 250 /* ms */
#define DEFAULT_MIN_SILENCE 100
#define DEFAULT_PAD 30
#define HYSTERESIS 0.15

/* A timestamp that is further off moves the base that times are counted from.
 */
#define JITTER (40 * GST_MSECOND)

typedef enum
{
  GATE_NONE,
  GATE_GAP,
} GateMode;

typedef struct
{
  char *vad_model, *device;
  double threshold, neg_threshold;
  guint min_speech, min_silence, pad; /* ms */
  int gate;
} Settings;

typedef struct
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;
  Settings settings; /* guarded by the object lock */

  /* Set in READY → PAUSED. */
  InferVoiceModel *model;
  InferVoiceDetector *detector;
  guint rate;   /* of the model */
  guint64 wait; /* the longest from a sample to the decision */
  GateMode mode;

  /* Streaming thread; `audio` and `delay` also by queries, with the object
   * lock. */
  GstSegment segment;
  GstAudioInfo audio;
  gboolean have_caps;
  guint delay; /* of `mono` */
  GstInferMono *mono;
  InferVad vad;      /* in samples of the model */
  gboolean speaking; /* a start has been told, but no end */
  GstInferVadGate gate;
  GArray *samples; /* (element-type float), scratch */
  GArray *windows; /* (element-type InferVoiceWindow), scratch */
  GArray *told;    /* (element-type InferVadEvent), scratch */

  guint64 frames;    /* of this stream, in all */
  GstClockTime base; /* timestamp of frame base_frame; NONE: not known */
  guint64 base_frame;
} GstInferVad;

typedef struct
{
  GstElementClass parent_class;
} GstInferVadClass;

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            GST_INFER_AUDIO_CAPS "rate = [ 1, max ], channels = [ 1, max ]"));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            GST_INFER_AUDIO_CAPS "rate = [ 1, max ], channels = [ 1, max ]"));

GType gst_infer_vad_get_type (void);
G_DEFINE_TYPE_WITH_CODE (GstInferVad, gst_infer_vad, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_vad_debug, "infervad", 0, "infervad element"))
#define GST_INFER_VAD(object) ((GstInferVad *) (gpointer) (object))
GST_ELEMENT_REGISTER_DECLARE (infervad)
GST_ELEMENT_REGISTER_DEFINE (
    infervad, "infervad", GST_RANK_NONE, gst_infer_vad_get_type ())

/* --- times --- */

static guint64
frame_of (const GstInferVad *self, guint64 sample)
{
  return gst_util_uint64_scale (sample, (guint) self->audio.rate, self->rate);
}

static GstClockTime
time_of_frame (const GstInferVad *self, guint64 frame)
{
  guint rate = (guint) self->audio.rate;

  if (!GST_CLOCK_TIME_IS_VALID (self->base))
    return GST_CLOCK_TIME_NONE;
  if (frame >= self->base_frame)
    return self->base
           + gst_util_uint64_scale (frame - self->base_frame, GST_SECOND, rate);
  GstClockTime before =
      gst_util_uint64_scale (self->base_frame - frame, GST_SECOND, rate);
  return self->base > before ? self->base - before : 0;
}

static GstClockTime
time_of_sample (const GstInferVad *self, guint64 sample)
{
  GstClockTime base = time_of_frame (self, 0);

  if (self->base_frame != 0 || !GST_CLOCK_TIME_IS_VALID (base))
    return time_of_frame (self, frame_of (self, sample));
  return base + gst_util_uint64_scale (sample, GST_SECOND, self->rate);
}

/* Timestamps are counted from the first buffer. */
static void
align (GstInferVad *self, GstClockTime pts)
{
  GstClockTime expected = time_of_frame (self, self->frames);

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (expected)
      || ABS (GST_CLOCK_DIFF (pts, expected)) > (GstClockTimeDiff) JITTER) {
    self->base = pts;
    self->base_frame = self->frames;
  }
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
  if (flow != GST_FLOW_OK || self->mode == GATE_NONE)
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

/* What a failed detector means. */
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

static void
forget (GstInferVad *self)
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
  self->frames = self->base_frame = 0;
  self->base = GST_CLOCK_TIME_NONE;
}

/* Tells what the end of the stream decides. */
static GstFlowReturn
conclude (GstInferVad *self)
{
  infer_vad_finish (&self->vad, self->told);
  GstFlowReturn flow = give_told (self);
  return flow == GST_FLOW_OK ? release (self, self->frames) : flow;
}

/* Ends the stream; the next sample begins another one. */
static GstFlowReturn
end_stream (GstInferVad *self)
{
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (self->frames > 0) {
    gst_infer_mono_finish (self->mono, self->samples);
    flow = detect (self);
    if (flow == GST_FLOW_OK)
      flow = infer_voice_detector_finish (self->detector, self->windows, &error)
                 ? take_windows (self)
                 : fail_detection (self, error);
    if (flow == GST_FLOW_OK)
      flow = conclude (self);
  }
  forget (self);
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
  align (self, GST_BUFFER_PTS (buffer));
  self->frames += samples.n;
  if (self->mode == GATE_GAP)
    gst_infer_vad_gate_take (&self->gate, gst_buffer_ref (buffer), samples.n);
  read_thresholds (self);
  GstFlowReturn flow = listen (self, &samples);
  gst_infer_samples_unmap (&samples);
  return flow;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
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
    flow = end_stream (self);
  if (flow == GST_FLOW_OK)
    flow = take_buffer (self, buffer);
  if (flow == GST_FLOW_OK && self->mode == GATE_NONE)
    return gst_pad_push (self->srcpad, buffer);
  gst_buffer_unref (buffer);
  return flow;
}

/* --- events and queries --- */

static gboolean
set_caps (GstInferVad *self, GstCaps *caps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) known = gst_pad_get_pad_template_caps (self->sinkpad);
  GstAudioInfo info;

  if (!gst_caps_is_subset (caps, known)
      || !gst_audio_info_from_caps (&info, caps)) {
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "speech is looked for in raw audio: put a decoder or audioconvert "
        "before");
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  if (self->have_caps && gst_audio_info_is_equal (&self->audio, &info))
    return TRUE;
  end_stream (self);
  GstInferMono *mono = gst_infer_mono_new (&info, self->rate, &error);
  if (mono == NULL) {
    gst_infer_post_caps_error (self, caps, error);
    return FALSE;
  }
  gst_infer_mono_free (self->mono);
  self->mono = mono;
  GST_OBJECT_LOCK (self);
  self->audio = info;
  self->delay = gst_infer_mono_delay (mono);
  self->have_caps = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (self->mode != GATE_NONE)
    gst_element_post_message (
        GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  return TRUE;
}

static void
take_segment (GstInferVad *self, GstEvent *event)
{
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (
          &self->segment, &segment, time_of_frame (self, self->frames)))
    end_stream (self);
  self->segment = segment;
}

/* FLUSH_STOP; sticky events that were held stay valid. */
static gboolean
flush (GstInferVad *self, GstEvent *event)
{
  g_autoptr (GPtrArray) kept = gst_infer_vad_gate_take_sticky (&self->gate);

  if (self->detector != NULL)
    infer_voice_detector_set_cancelled (self->detector, FALSE);
  forget (self);
  g_array_set_size (self->samples, 0);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gboolean passed =
      gst_pad_event_default (self->sinkpad, GST_OBJECT (self), event);
  for (guint i = 0; i < kept->len; i++)
    gst_pad_store_sticky_event (self->srcpad, g_ptr_array_index (kept, i));
  return passed;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstInferVad *self = GST_INFER_VAD (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      if (!set_caps (self, caps)) {
        gst_event_unref (event);
        return FALSE;
      }
      break;
    case GST_EVENT_FLUSH_START:
      if (self->detector != NULL)
        infer_voice_detector_set_cancelled (self->detector, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      return flush (self, event);
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
      end_stream (self);
      break;
    default:
      if (gst_infer_is_reset_event (event) && GST_EVENT_IS_SERIALIZED (event))
        end_stream (self);
  }
  if (GST_EVENT_IS_SERIALIZED (event)
      && gst_infer_vad_gate_take_event (&self->gate, event))
    return TRUE;
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferVad *self = GST_INFER_VAD (parent);

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ACCEPT_CAPS:
      if (gst_infer_are_caps_sent (pad, query)) {
        gst_query_set_accept_caps_result (query, TRUE);
        return TRUE;
      }
      break;
    case GST_QUERY_ALLOCATION:
      /* Held buffers would exhaust downstream's pool. */
      if (self->mode != GATE_NONE)
        return FALSE;
      break;
    case GST_QUERY_DRAIN:
      end_stream (self);
      break;
    default:
      break;
  }
  return gst_pad_query_default (pad, parent, query);
}

static GstClockTime
own_latency (GstInferVad *self)
{
  GstClockTime own = 0;

  GST_OBJECT_LOCK (self);
  if (self->mode != GATE_NONE) {
    own = gst_util_uint64_scale_ceil (self->wait, GST_SECOND, self->rate);
    if (self->have_caps)
      own += gst_util_uint64_scale_ceil (
          self->delay, GST_SECOND, (guint) self->audio.rate);
  }
  GST_OBJECT_UNLOCK (self);
  return own;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstInferVad *self = GST_INFER_VAD (parent);
  GstClockTime min, max;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  GstClockTime own = own_latency (self);
  gst_query_parse_latency (query, &live, &min, &max);
  gst_query_set_latency (
      query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

/* --- element --- */

static void
stop (GstInferVad *self)
{
  forget (self);
  g_clear_pointer (&self->mono, gst_infer_mono_free);
  g_clear_pointer (&self->detector, infer_voice_detector_free);
  g_clear_pointer (&self->model, infer_voice_model_unref);
  GST_OBJECT_LOCK (self);
  self->have_caps = FALSE;
  GST_OBJECT_UNLOCK (self);
}

/* (transfer full) */
static InferVoiceModel *
load_model (GstInferVad *self, GError **error)
{
  GST_OBJECT_LOCK (self);
  g_autofree char *path = g_strdup (self->settings.vad_model);
  g_autofree char *device = g_strdup (self->settings.device);
  GST_OBJECT_UNLOCK (self);

  return infer_voice_model_load (path, device, error);
}

static gboolean
start (GstInferVad *self)
{
  g_autoptr (GError) error = NULL;

  self->model = load_model (self, &error);
  if (self->model != NULL)
    self->detector = infer_voice_detector_new (self->model, &error);
  if (self->detector == NULL) {
    gst_infer_post_error (self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  const Settings *settings = &self->settings;
  self->rate = infer_voice_model_get_rate (self->model);
  self->mode = (GateMode) settings->gate;
  guint64 unit = self->rate; /* per 1000 ms */
  self->vad.config.min_speech = settings->min_speech * unit / 1000;
  self->vad.config.min_silence = settings->min_silence * unit / 1000;
  self->vad.config.pad = settings->pad * unit / 1000;
  self->wait = 2 * infer_voice_model_get_window (self->model)
               + self->vad.config.min_speech + self->vad.config.min_silence
               + 2 * self->vad.config.pad;
  GST_OBJECT_UNLOCK (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  forget (self);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstInferVad *self = GST_INFER_VAD (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self)) {
    stop (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    infer_voice_detector_set_cancelled (self->detector, TRUE);
  GstStateChangeReturn result = GST_ELEMENT_CLASS (gst_infer_vad_parent_class)
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
  GstInferVad *self = GST_INFER_VAD (object);

  g_array_unref (self->samples);
  g_array_unref (self->windows);
  g_array_unref (self->told);
  g_free (self->settings.vad_model);
  g_free (self->settings.device);
  G_OBJECT_CLASS (gst_infer_vad_parent_class)->finalize (object);
}

/* --- properties --- */

static GType
gate_type (void)
{
  static const GEnumValue values[] = {
    { GATE_NONE, "All audio passes", "none" },
    { GATE_GAP, "GAP events take the place of what is not speech", "gap" },
    { 0, NULL, NULL },
  };

  return gst_infer_enum_type ("GstInferVadGate", values);
}

#define FIELD(name) G_STRUCT_OFFSET (GstInferVad, settings.name)

static void
install_properties (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    guint initial;
  } times[] = {
    { FIELD (min_speech), "min-speech", "Least speech",
        "Milliseconds; shorter speech is dropped", DEFAULT_MIN_SPEECH },
    { FIELD (min_silence), "min-silence", "Least silence",
        "Milliseconds of silence that end speech", DEFAULT_MIN_SILENCE },
    { FIELD (pad), "pad", "Padding",
        "Milliseconds before and after speech that belong to it", DEFAULT_PAD },
  };

  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  klass->finalize = finalize;
  g_object_class_install_property (klass, FIELD (vad_model),
      g_param_spec_string ("vad-model", "Model",
          "silero's voice activity detector, .onnx or .xml, or its folder; "
          "NULL: the level of the sound decides",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (device),
      g_param_spec_string ("device", "Device",
          "Where the model runs, as in inferfilter; NULL: CPU", NULL,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (gate),
      g_param_spec_enum ("gate", "Gate", "What happens to other sound",
          gate_type (), GATE_NONE, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (threshold),
      g_param_spec_double ("threshold", "Threshold",
          "Least probability of speech", 0, 1, DEFAULT_THRESHOLD,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (neg_threshold),
      g_param_spec_double ("neg-threshold", "Threshold of silence",
          "Probability below which speech may end; -1: 0.15 less than "
          "'threshold'",
          -1, 1, -1, GST_INFER_PLAYING));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    g_object_class_install_property (klass, times[i].id,
        g_param_spec_uint (times[i].name, times[i].nick, times[i].blurb, 0,
            60000, times[i].initial, GST_INFER_READY));
}

static void
gst_infer_vad_class_init (GstInferVadClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Voice activity",
      "Filter/Analyzer/Audio", "Tells where speech starts and ends in audio",
      "The inferfilter authors");
}

static void
gst_infer_vad_init (GstInferVad *self)
{
  self->samples = g_array_new (FALSE, FALSE, sizeof (float));
  self->windows = g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));
  self->told = g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  self->base = GST_CLOCK_TIME_NONE;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_query_function (self->sinkpad, sink_query);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_query_function (self->srcpad, src_query);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
