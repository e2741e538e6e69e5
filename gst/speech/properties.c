/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"
#include "gst/speech/transcriber.h"

#define FIELD(name) G_STRUCT_OFFSET (GstInferTranscriber, settings.name)

enum
{
  PROP_MAX_DELAY = sizeof (GstInferTranscriber), /* no field's offset */
  PROP_STATS,
};

static const GEnumValue vads[] = {
  { GST_INFER_VAD_AUTO, "Silero if there is a model of it, else the level",
      "auto" },
  { GST_INFER_VAD_NONE, "None: all audio but digital silence is recognised",
      "none" },
  { GST_INFER_VAD_LEVEL, "The level of the audio", "level" },
  { GST_INFER_VAD_SILERO, "Silero's model", "silero" },
  { 0, NULL, NULL },
};

static const GEnumValue granularities[] = {
  { GST_INFER_GRANULARITY_SEGMENT, "A buffer for each segment of speech",
      "segment" },
  { GST_INFER_GRANULARITY_WORD, "A buffer for each word", "word" },
  { 0, NULL, NULL },
};

static const GEnumValue commits[] = {
  { GST_INFER_COMMIT_FINAL, "When it is final", "final" },
  { GST_INFER_COMMIT_DEADLINE,
      "At the latest when 'latency' has passed, final or not", "deadline" },
  { 0, NULL, NULL },
};

/* Those that a stream takes at any time. */
static gboolean
is_of_stream (guint id)
{
  return id == FIELD (language) || id == FIELD (task)
         || id == FIELD (initial_prompt) || id == FIELD (phrases)
         || id == FIELD (options) || id == FIELD (beam);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (object);

  if (id == PROP_STATS) {
    gst_infer_speech_stats_reset (&self->stats);
    gst_infer_delays_forget_longest (&self->delays);
    return;
  }
  gst_infer_set_property (object, id, value, spec);
  if (!is_of_stream (id))
    return;
  GST_OBJECT_LOCK (self);
  self->settings.serial++;
  GST_OBJECT_UNLOCK (self);
}

static GstStructure *
make_stats (GstInferTranscriber *self)
{
  GST_OBJECT_LOCK (self);
  guint rate = self->rate;
  GST_OBJECT_UNLOCK (self);
  GstStructure *s = gst_infer_speech_stats_to_structure (&self->stats, rate);
  guint64 waiting = gst_infer_speech_queue_get_weight (self->input);

  gst_structure_set (s, "waiting", G_TYPE_UINT64,
      rate > 0 ? gst_util_uint64_scale (waiting, GST_SECOND, rate) : 0,
      "max-delay", G_TYPE_UINT64, gst_infer_delays_get_longest (&self->delays),
      NULL);
  return s;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstInferTranscriber *self = GST_INFER_TRANSCRIBER (object);

  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (self));
  else if (id == PROP_MAX_DELAY)
    g_value_set_uint (value,
        (guint) (gst_infer_delays_get_longest (&self->delays) / GST_MSECOND));
  else
    gst_infer_get_property (object, id, value, spec);
}

static void
install_model_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (model),
      g_param_spec_string ("model", "Model",
          "Folder of a speech model as it is published, or the file of a CTC "
          "model",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (kind),
      g_param_spec_string ("kind", "Kind",
          "Kind of speech model (whisper, ctc, \u2026); unset: by the files",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (device),
      g_param_spec_string ("device", "Device",
          "Where the model runs, as inferfilter's device", "CPU",
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (config),
      g_param_spec_string ("config", "Config",
          "OpenVINO property keys of the device: KEY=value,KEY=value", NULL,
          GST_INFER_READY));
}

static void
install_speech_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (vad),
      g_param_spec_enum ("vad", "Voice activity detection",
          "What tells speech from silence",
          gst_infer_enum_type ("GstInferTranscriberVad", vads),
          GST_INFER_VAD_AUTO, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (vad_model),
      g_param_spec_string ("vad-model", "VAD model",
          "File of silero's voice activity detector; unset: the one in the "
          "model's folder",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (threshold),
      g_param_spec_double ("threshold", "Threshold",
          "Least probability of speech", 0, 1, 0.5, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (min_speech),
      g_param_spec_uint ("min-speech", "Shortest speech",
          "Milliseconds; what is not longer is not recognised", 0, 60000, 100,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (min_silence),
      g_param_spec_uint ("min-silence", "Shortest silence",
          "Milliseconds without speech that end an utterance", 0, 60000, 500,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (max_utterance),
      g_param_spec_uint ("max-utterance", "Longest utterance",
          "Milliseconds after which an utterance is cut, where it is quietest; "
          "0: what the model can hear at a time",
          0, 3600000, 0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (pad),
      g_param_spec_uint ("pad", "Padding",
          "Milliseconds around speech that are recognised with it", 0, 10000,
          200, GST_INFER_READY));
}

static void
install_text_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (granularity),
      g_param_spec_enum ("granularity", "Granularity", "What is in a buffer",
          gst_infer_enum_type ("GstInferTranscriberGranularity", granularities),
          GST_INFER_GRANULARITY_SEGMENT, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (separator),
      g_param_spec_string ("separator", "Separator",
          "Text after each buffer's; unset: a newline where the next element "
          "takes anything, as fdsink does, else nothing",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (partial_interval),
      g_param_spec_uint ("partial-interval", "Interval of partial results",
          "Milliseconds of speech between partial results; 0: none", 0, 60000,
          0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (commit),
      g_param_spec_enum ("commit", "Commit", "When text leaves",
          gst_infer_enum_type ("GstInferTranscriberCommit", commits),
          GST_INFER_COMMIT_FINAL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (latency),
      g_param_spec_uint ("latency", "Latency",
          "Milliseconds that the element adds to the latency of a live pipeline; "
          "0: as long as texts were seen to take; of commit=deadline 4000",
          0, G_MAXUINT, 0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (lateness),
      g_param_spec_uint ("lateness", "Lateness",
          "Milliseconds by which texts are shown later than they were said", 0,
          G_MAXUINT, 0, GST_INFER_READY));
}

static void
install_stream_properties (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
  } strings[] = {
    { FIELD (language), "language-code", "Language code",
        "Language of the speech, as \"en\"; unset: the model's only one, or "
        "detected; a model that names no languages does not need it" },
    { FIELD (task), "task", "Task",
        "transcribe, or translate where the model can; unset: transcribe" },
    { FIELD (initial_prompt), "initial-prompt", "Initial prompt",
        "Text that the model takes for what was said before" },
    { FIELD (phrases), "phrases", "Phrases",
        "Words and phrases to be expected, one on each line, with a weight: "
        "TEXT:WEIGHT" },
    { FIELD (options), "options", "Options",
        "Further settings of the kind of model: KEY=VALUE;KEY=VALUE" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_object_class_install_property (klass, strings[i].id,
        g_param_spec_string (strings[i].name, strings[i].nick, strings[i].blurb,
            NULL, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (beam),
      g_param_spec_uint ("beam", "Beam",
          "Hypotheses that the search keeps; 0: the kind's default", 0, 64, 0,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, PROP_MAX_DELAY,
      g_param_spec_uint ("max-observed-delay", "Longest delay",
          "Longest time in milliseconds from the beginning of speech to its "
          "text; reset with stats",
          0, G_MAXUINT, 0, GST_INFER_READ_ONLY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counts, delays and the times of computation in nanoseconds; any "
          "value set resets them",
          GST_TYPE_STRUCTURE,
          (GParamFlags) (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
}

void
gst_infer_transcriber_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_model_properties (klass);
  install_speech_properties (klass);
  install_text_properties (klass);
  install_stream_properties (klass);
}
