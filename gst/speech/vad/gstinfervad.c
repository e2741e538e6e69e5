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
 * Buffers keep their metas. Where only a part of a buffer passes, its reference
 * timestamp is that of the part, and #GstAudioLevelMeta, the level of the
 * whole, is dropped.
 *
 * PROGRESS messages `load-model` say when the model begins to load, and that it
 * is loaded or has failed.
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

#include "gst/common/audio-caps.h"
#include "gst/common/error-message.h"
#include "gst/common/progress.h"
#include "gst/common/properties.h"
#include "gst/speech/vad/vad.h"

GST_DEBUG_CATEGORY (gst_infer_vad_debug);
#define GST_CAT_DEFAULT gst_infer_vad_debug

/* Those of silero's utilities. */
#define DEFAULT_THRESHOLD 0.5
#define DEFAULT_MIN_SPEECH 250 /* ms */
#define DEFAULT_MIN_SILENCE 100
#define DEFAULT_PAD 30

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
GST_ELEMENT_REGISTER_DECLARE (infervad)
GST_ELEMENT_REGISTER_DEFINE (
    infervad, "infervad", GST_RANK_NONE, gst_infer_vad_get_type ())

/* --- element --- */

static void
stop (GstInferVad *self)
{
  GST_OBJECT_LOCK (self);
  InferVoiceDetector *detector = g_steal_pointer (&self->detector);
  GST_OBJECT_UNLOCK (self);
  gst_infer_vad_forget (self);
  g_clear_pointer (&self->mono, gst_infer_mono_free);
  infer_voice_detector_free (detector);
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

  const char *name = path != NULL ? path : "the built-in detector";

  gst_infer_post_progress (self, GST_PROGRESS_TYPE_START, name);
  InferVoiceModel *model = infer_voice_model_load (path, device, error);
  gst_infer_post_progress (self,
      model != NULL ? GST_PROGRESS_TYPE_COMPLETE : GST_PROGRESS_TYPE_ERROR,
      name);
  return model;
}

static gboolean
start (GstInferVad *self)
{
  g_autoptr (GError) error = NULL;

  self->model = load_model (self, &error);
  InferVoiceDetector *detector =
      self->model != NULL ? infer_voice_detector_new (self->model, &error)
                          : NULL;
  if (detector == NULL) {
    gst_infer_post_error (self, error);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->detector = detector;
  const GstInferVadSettings *settings = &self->settings;
  self->rate = infer_voice_model_get_rate (self->model);
  self->mode = (GstInferVadGateMode) settings->gate;
  guint64 unit = self->rate; /* per 1000 ms */
  self->vad.config.min_speech = settings->min_speech * unit / 1000;
  self->vad.config.min_silence = settings->min_silence * unit / 1000;
  self->vad.config.pad = settings->pad * unit / 1000;
  self->wait = 2 * infer_voice_model_get_window (self->model)
               + self->vad.config.min_speech + self->vad.config.min_silence
               + 2 * self->vad.config.pad;
  GST_OBJECT_UNLOCK (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_infer_vad_forget (self);
  GST_INFO_OBJECT (self, "speech is found by %s at %u Hz",
      infer_voice_model_get_kind (self->model), self->rate);
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
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    /* First, so that no event leaves after the data that the cancelled detector
     * drops. */
    gst_pad_set_active (self->srcpad, FALSE);
    gst_infer_vad_set_cancelled (self, TRUE);
  }
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
    { GST_INFER_VAD_GATE_NONE, "All audio passes", "none" },
    { GST_INFER_VAD_GATE_GAP, "GAP events take the place of what is not speech",
        "gap" },
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
          gate_type (), GST_INFER_VAD_GATE_NONE, GST_INFER_READY));
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
  self->times.num = GST_SECOND;
  gst_infer_timeline_reset (&self->times);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_infer_vad_chain);
  gst_pad_set_event_function (self->sinkpad, gst_infer_vad_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_infer_vad_sink_query);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_query_function (self->srcpad, gst_infer_vad_src_query);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
