/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/filter.h"

enum
{
  PROP_0,
  PROP_MODEL,
  PROP_WEIGHTS,
  PROP_DEVICE,
  PROP_CONFIG,
  PROP_NIREQ,
  PROP_WINDOW,
  PROP_HOP,
  PROP_TAIL,
  PROP_STATE_RESET,
  PROP_MAX_GAP,
  PROP_EXTRA_OUTPUTS,
  PROP_LOW_LATENCY,
  PROP_STATE_PAIRS,
  PROP_DUMP,
  PROP_DUMP_DIR,
  PROP_OUTPUT,
  PROP_MODEL_INFO,
  PROP_REGION,
  PROP_OBJECT_CLASS,
  PROP_CROP,
  PROP_MODEL_INSTANCE_ID,
  PROP_BATCH_SIZE,
  PROP_BATCH_TIMEOUT,
  PROP_QOS,
  PROP_ASYNC_LOAD,
  PROP_STATS_INTERVAL,
  PROP_INTERVAL,
  PROP_MAX_DELAY,
  PROP_STATE_NAMES,
  PROP_STATS,
};

#define READY                                                                  \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define PLAYING                                                                \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (GParamFlags) (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GType
tail_type (void)
{
  static const GEnumValue values[] = {
    { GST_INFER_TAIL_PAD, "Pad to a whole window", "pad" },
    { GST_INFER_TAIL_DROP, "Drop it", "drop" },
    { GST_INFER_TAIL_RUN, "Pad to the model's multiple", "run" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstInferFilterTail", values));
  return type;
}

static GType
output_type (void)
{
  static const GEnumValue values[] = {
    { GST_INFER_OUTPUT_TENSORS, "The model's outputs", "tensors" },
    { GST_INFER_OUTPUT_MEDIA_WITH_META,
        "The input with the outputs as metadata", "media-with-meta" },
    { GST_INFER_OUTPUT_MEDIA, "The output as audio or video", "media" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstInferFilterOutput", values));
  return type;
}

static GType
region_type (void)
{
  static const GEnumValue values[] = {
    { GST_INFER_REGION_FULL_FRAME, "The whole frame", "full-frame" },
    { GST_INFER_REGION_ROI_LIST, "Each region of interest of the frame",
        "roi-list" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstInferFilterRegion", values));
  return type;
}

static GType
reset_type (void)
{
  static const GFlagsValue values[] = {
    { GST_INFER_RESET_DISCONT, "DISCONT or RESYNC buffers", "discont" },
    { GST_INFER_RESET_FLUSH, "Flushes", "flush" },
    { GST_INFER_RESET_SEGMENT, "Segments that do not continue", "segment" },
    { GST_INFER_RESET_STREAM_START, "New streams", "stream-start" },
    { GST_INFER_RESET_GAP, "Gaps longer than max-gap", "gap" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_flags_register_static ("GstInferFilterReset", values));
  return type;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferFilter *self = GST_INFER_FILTER (object);
  gboolean load = FALSE;

  if (id == PROP_STATS) {
    gst_infer_stats_reset (&self->stats);
    return;
  }
  GST_OBJECT_LOCK (self);
  if (!gst_infer_settings_set (&self->settings, spec->name, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  if (id == PROP_MODEL)
    load = (self->use.shared != NULL || self->loader.loading)
           && self->settings.model != NULL;
  GST_OBJECT_UNLOCK (self);
  if (load)
    gst_infer_filter_start_loading (self);
}

/* With the object lock. */
static GStrv
list_states (InferStateSet *states)
{
  guint n = states != NULL ? infer_state_set_n_states (states) : 0;
  GStrv names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] =
        g_strdup (infer_state_get_name (infer_state_set_get (states, i)));
  return names;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstInferFilter *self = GST_INFER_FILTER (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_infer_filter_make_stats (self, "stats"));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_MAX_DELAY)
    g_value_set_uint64 (value, gst_infer_stats_get_max_delay (&self->stats));
  else if (id == PROP_STATE_NAMES)
    g_value_take_boxed (value, list_states (self->use.states));
  else if (!gst_infer_settings_get (&self->settings, spec->name, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  GST_OBJECT_UNLOCK (self);
}

static void
install_model_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL,
      g_param_spec_string ("model", "Model",
          "OpenVINO IR file (.xml); another one set while data flows is loaded "
          "in the background and used from a later buffer on",
          NULL, PLAYING));
  g_object_class_install_property (klass, PROP_ASYNC_LOAD,
      g_param_spec_boolean ("async-load", "Load asynchronously",
          "Load the model in a thread of its own: the change to PAUSED does not "
          "wait for it, the first buffer does",
          FALSE, READY));
  g_object_class_install_property (klass, PROP_WEIGHTS,
      g_param_spec_string ("weights", "Weights",
          "Weights file; unset: the model's name with .bin", NULL, READY));
  g_object_class_install_property (klass, PROP_DEVICE,
      g_param_spec_string ("device", "Device",
          "Where the model runs: CPU, OPENCL, OPENCL.1, OPENCL:part of a name, "
          "AUTO, MULTI:a,b, HETERO:a,b",
          "CPU", READY));
  g_object_class_install_property (klass, PROP_CONFIG,
      g_param_spec_string ("config", "Config",
          "OpenVINO property keys of the device: KEY=value,KEY=value", NULL,
          READY));
  g_object_class_install_property (klass, PROP_NIREQ,
      g_param_spec_uint ("nireq", "Requests",
          "Inference requests that may be under way (0: chosen by the device); "
          "does not change results",
          0, 64, 0, READY));
  g_object_class_install_property (klass, PROP_EXTRA_OUTPUTS,
      g_param_spec_string ("extra-outputs", "Extra outputs",
          "Ports whose values become further output tensors: OPERATION or "
          "OPERATION:PORT, separated by commas",
          NULL, READY));
  g_object_class_install_property (klass, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "Form of the output",
          output_type (), GST_INFER_OUTPUT_TENSORS, READY));
}

static void
install_change_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LOW_LATENCY,
      g_param_spec_boolean ("low-latency", "Low latency",
          "Turn the values that loops and recurrent operations carry on into "
          "variables, so that a sequence may arrive in pieces",
          FALSE, READY));
  g_object_class_install_property (klass, PROP_STATE_PAIRS,
      g_param_spec_string ("state-pairs", "State pairs",
          "Inputs, and the outputs that feed them in the next inference, that "
          "become variables: INPUT=OUTPUT,INPUT=OUTPUT",
          NULL, READY));
  g_object_class_install_property (klass, PROP_DUMP,
      g_param_spec_string ("dump", "Dump",
          "Regular expression: inputs and outputs of operations with matching "
          "names are written to files in dump-dir",
          NULL, READY));
  g_object_class_install_property (klass, PROP_DUMP_DIR,
      g_param_spec_string ("dump-dir", "Dump folder",
          "Folder for the files <inference>_<operation>_<in|out><k>.npy of "
          "dump; unset: the current folder",
          NULL, READY));
}

static void
install_video_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL_INFO,
      g_param_spec_string ("model-info", "Model info",
          "Model info that the model's file lacks: KEY=value;KEY=value with the "
          "keys of rt_info model_info (mean_values, scale_values, "
          "resize_type, \u2026)",
          NULL, READY));
  g_object_class_install_property (klass, PROP_REGION,
      g_param_spec_enum ("inference-region", "Inference region",
          "Part of a video frame that the model gets", region_type (),
          GST_INFER_REGION_FULL_FRAME, READY));
  g_object_class_install_property (klass, PROP_OBJECT_CLASS,
      g_param_spec_string ("object-class", "Object class",
          "Only regions of interest of this type; unset: all", NULL, READY));
  g_object_class_install_property (klass, PROP_CROP,
      g_param_spec_string ("crop", "Crop",
          "Part of each frame that the model gets instead of the whole: "
          "X,Y,WIDTH,HEIGHT in pixels",
          NULL, READY));
}

static void
install_skip_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_QOS,
      g_param_spec_boolean ("qos", "QoS",
          "Drop buffers that would reach downstream too late", FALSE, PLAYING));
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint ("inference-interval", "Inference interval",
          "Infer every n-th frame or buffer of tensors (1: all); the frames "
          "between leave with the last results and their age",
          1, G_MAXUINT, 1, READY));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Milliseconds between element messages inferfilter-stats, with the "
          "fields of stats (0: none)",
          0, G_MAXUINT, 0, READY));
  g_object_class_install_property (klass, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-observed-delay", "Longest delay",
          "Longest time in nanoseconds from the first sample of a window to its "
          "result; reset with stats",
          0, G_MAXUINT64, 0, READ_ONLY));
}

static void
install_sharing_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL_INSTANCE_ID,
      g_param_spec_string ("model-instance-id", "Model instance",
          "Elements with the same ID share a loaded model, with different IDs "
          "they do not; unset: those with equal model, device and config share",
          NULL, READY));
  g_object_class_install_property (klass, PROP_BATCH_SIZE,
      g_param_spec_uint ("batch-size", "Batch size",
          "Inferences, of all elements that share the model, that are computed "
          "as one",
          1, 1024, 1, READY));
  g_object_class_install_property (klass, PROP_BATCH_TIMEOUT,
      g_param_spec_int ("batch-timeout", "Batch timeout",
          "Milliseconds that an inference waits for its batch to fill (-1: "
          "unlimited)",
          -1, 60000, 10, READY));
}

static void
install_stream_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_WINDOW,
      g_param_spec_uint ("window", "Window",
          "Milliseconds of audio or features per inference, for models that "
          "leave the length open; rounded to a multiple that the model takes",
          1, 600000, 100, READY));
  g_object_class_install_property (klass, PROP_HOP,
      g_param_spec_uint ("hop", "Hop",
          "Milliseconds from one window to the next (0: no overlap)", 0, 600000,
          0, READY));
  g_object_class_install_property (klass, PROP_TAIL,
      g_param_spec_enum ("tail", "Tail",
          "Handling of the last, incomplete window of a sequence", tail_type (),
          GST_INFER_TAIL_PAD, READY));
  g_object_class_install_property (klass, PROP_STATE_RESET,
      g_param_spec_flags ("state-reset", "State reset",
          "Events that begin a new sequence, with fresh states", reset_type (),
          GST_INFER_RESET_ALL, READY));
  g_object_class_install_property (klass, PROP_MAX_GAP,
      g_param_spec_uint64 ("max-gap", "Longest gap",
          "Nanoseconds without data that are filled with silence; a longer gap "
          "ends the sequence",
          0, G_MAXUINT64, GST_SECOND, READY));
  g_object_class_install_property (klass, PROP_STATE_NAMES,
      g_param_spec_boxed ("state-names", "State names",
          "Names of the model's variables, while it is loaded", G_TYPE_STRV,
          READ_ONLY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counts, queue depth and nanoseconds per stage; setting it to any "
          "value resets it",
          GST_TYPE_STRUCTURE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
}

void
gst_infer_filter_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_model_properties (klass);
  install_sharing_properties (klass);
  install_skip_properties (klass);
  install_change_properties (klass);
  install_stream_properties (klass);
  install_video_properties (klass);
  gst_infer_filter_install_signals (klass);
  gst_type_mark_as_plugin_api (tail_type (), 0);
  gst_type_mark_as_plugin_api (output_type (), 0);
  gst_type_mark_as_plugin_api (region_type (), 0);
  gst_type_mark_as_plugin_api (reset_type (), 0);
}
