/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"
#include "gst/filter/filter.h"

#define FIELD(name) G_STRUCT_OFFSET (GstInferFilter, settings.name)

enum
{
  PROP_MAX_DELAY = sizeof (GstInferFilter), /* no field's offset */
  PROP_STATE_NAMES,
  PROP_STATS,
};

static GObjectClass *parent_class;

static const GEnumValue tails[] = {
  { GST_INFER_TAIL_PAD, "Pad to a whole window", "pad" },
  { GST_INFER_TAIL_DROP, "Drop it", "drop" },
  { GST_INFER_TAIL_RUN, "Pad to the model's multiple", "run" },
  { 0, NULL, NULL },
};

static const GEnumValue outputs[] = {
  { GST_INFER_OUTPUT_AUTO, "Chosen by the caps that the next element takes",
      "auto" },
  { GST_INFER_OUTPUT_TENSORS, "The model's outputs", "tensors" },
  { GST_INFER_OUTPUT_MEDIA_WITH_META, "The input with the outputs as metadata",
      "media-with-meta" },
  { GST_INFER_OUTPUT_MEDIA, "The output as audio or video", "media" },
  { 0, NULL, NULL },
};

static const GEnumValue regions[] = {
  { GST_INFER_REGION_FULL_FRAME, "The whole frame", "full-frame" },
  { GST_INFER_REGION_ROI_LIST, "Each region of interest of the frame",
      "roi-list" },
  { 0, NULL, NULL },
};

static const GFlagsValue resets[] = {
  { GST_INFER_RESET_DISCONT, "DISCONT or RESYNC buffers", "discont" },
  { GST_INFER_RESET_FLUSH, "Flushes", "flush" },
  { GST_INFER_RESET_SEGMENT, "Segments that do not continue", "segment" },
  { GST_INFER_RESET_STREAM_START, "New streams", "stream-start" },
  { GST_INFER_RESET_GAP, "Gaps longer than max-gap", "gap" },
  { 0, NULL, NULL },
};

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferFilter *self = GST_INFER_FILTER (object);

  if (id == PROP_STATS) {
    gst_infer_stats_reset (&self->stats);
    return;
  }
  gst_infer_set_property (object, id, value, spec);
  if (id != FIELD (model))
    return;
  GST_OBJECT_LOCK (self);
  self->loader.requested = TRUE;
  GST_OBJECT_UNLOCK (self);
}

/* Once for each call of g_object_set, after all of its properties are set: the
 * model is loaded with what was given together with it, in any order. */
static void
properties_changed (GObject *object, guint n, GParamSpec **specs)
{
  parent_class->dispatch_properties_changed (object, n, specs);
  gst_infer_filter_load_requested (GST_INFER_FILTER (object));
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
  } else if (id == PROP_MAX_DELAY) {
    g_value_set_uint64 (value, gst_infer_stats_get_max_delay (&self->stats));
  } else if (id == PROP_STATE_NAMES) {
    GST_OBJECT_LOCK (self);
    g_value_take_boxed (value, list_states (self->use.states));
    GST_OBJECT_UNLOCK (self);
  } else {
    gst_infer_get_property (object, id, value, spec);
  }
}

static void
install_model_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (model),
      g_param_spec_string ("model", "Model",
          "OpenVINO IR (.xml) or ONNX file; another one set while data flows is loaded "
          "in the background, with the weights and model-info that are set at "
          "that time, and used from a later buffer on",
          NULL, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (async_load),
      g_param_spec_boolean ("async-load", "Load asynchronously",
          "Load the model in a thread of its own: the change to PAUSED does not "
          "wait for it, the beginning of the stream does",
          FALSE, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (weights),
      g_param_spec_string ("weights", "Weights",
          "Weights file; unset: the model's name with .bin; set while data "
          "flows, it is for the next model",
          NULL, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (device),
      g_param_spec_string ("device", "Device",
          "Where the model runs: CPU, GPU, OPENCL, OPENCL.1, OPENCL:part of a "
          "name, AUTO, MULTI:a,b, HETERO:a,b",
          "CPU", GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (config),
      g_param_spec_string ("config", "Config",
          "OpenVINO property keys of the device: KEY=value,KEY=value", NULL,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (nireq),
      g_param_spec_uint ("nireq", "Requests",
          "Inference requests that may be under way (0: chosen by the device, "
          "and more while other streams keep it busy); does not change results",
          0, 64, 0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (extra_outputs),
      g_param_spec_string ("extra-outputs", "Extra outputs",
          "Ports whose values become further output tensors: OPERATION or "
          "OPERATION:PORT, separated by commas",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (output),
      g_param_spec_enum ("output", "Output",
          "Form of the output; auto: the first media type of the next element's "
          "caps that can be made of the input, tensors where it takes anything",
          gst_infer_enum_type ("GstInferFilterOutput", outputs),
          GST_INFER_OUTPUT_AUTO, GST_INFER_READY));
}

static void
install_change_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (low_latency),
      g_param_spec_boolean ("low-latency", "Low latency",
          "Turn the values that loops and recurrent operations carry on into "
          "variables, so that a sequence may arrive in pieces",
          FALSE, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (constant_inputs),
      g_param_spec_string ("constant-inputs", "Constant inputs",
          "Inputs of the model that no buffer brings, with their values: "
          "INPUT=VALUE:VALUE,INPUT=FILE.npy; orig_target_sizes of detectors and "
          "sr of speech models are known",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (state_pairs),
      g_param_spec_string ("state-pairs", "State pairs",
          "Inputs, and the outputs that feed them in the next inference, that "
          "become variables: INPUT=OUTPUT,INPUT=OUTPUT; \"auto\": all that have "
          "names, types and shapes of a state, such as h and hn",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (dump),
      g_param_spec_string ("dump", "Dump",
          "Regular expression: inputs and outputs of operations with matching "
          "names are written to files in dump-dir",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (dump_dir),
      g_param_spec_string ("dump-dir", "Dump folder",
          "Folder for the files <inference>_<operation>_<in|out><k>.npy of "
          "dump; unset: the current folder",
          NULL, GST_INFER_READY));
}

static void
install_video_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (model_info),
      g_param_spec_string ("model-info", "Model info",
          "Model info that the model's file lacks: KEY=value;KEY=value with the "
          "keys of rt_info model_info (mean_values, scale_values, "
          "resize_type, \u2026); set while data flows, it is for the next model",
          NULL, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (region),
      g_param_spec_enum ("inference-region", "Inference region",
          "Part of a video frame that the model gets",
          gst_infer_enum_type ("GstInferFilterRegion", regions),
          GST_INFER_REGION_FULL_FRAME, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (object_class),
      g_param_spec_string ("object-class", "Object class",
          "Only regions of interest of this type; unset: all", NULL,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (crop),
      g_param_spec_string ("crop", "Crop",
          "Part of each frame that the model gets instead of the whole: "
          "X,Y,WIDTH,HEIGHT in pixels",
          NULL, GST_INFER_READY));
}

static void
install_skip_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (qos),
      g_param_spec_boolean ("qos", "QoS",
          "Drop buffers that would reach downstream too late", FALSE,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (interval),
      g_param_spec_uint ("inference-interval", "Inference interval",
          "Infer every n-th frame or buffer of tensors (1: all); the frames "
          "between leave with the last results and their age",
          1, G_MAXUINT, 1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (stats_interval),
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Milliseconds between element messages inferfilter-stats, with the "
          "fields of stats (0: none)",
          0, G_MAXUINT, 0, GST_INFER_READY));
  g_object_class_install_property (klass, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-observed-delay", "Longest delay",
          "Longest time in nanoseconds from the first sample of a window to its "
          "result; reset with stats",
          0, G_MAXUINT64, 0, GST_INFER_READ_ONLY));
}

static void
install_sharing_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (instance),
      g_param_spec_string ("model-instance-id", "Model instance",
          "Elements with the same ID share a loaded model, with different IDs "
          "they do not; unset: those with equal model, device and config share",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (batch_size),
      g_param_spec_uint ("batch-size", "Batch size",
          "Inferences, of all elements that share the model, that are computed "
          "as one",
          1, 1024, 1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (batch_timeout),
      g_param_spec_int ("batch-timeout", "Batch timeout",
          "Milliseconds that an inference waits for its batch to fill (-1: "
          "unlimited)",
          -1, 60000, 10, GST_INFER_READY));
}

static void
install_stream_properties (GObjectClass *klass)
{
  GType resets_type = g_flags_register_static ("GstInferFilterReset", resets);

  gst_type_mark_as_plugin_api (resets_type, 0);
  g_object_class_install_property (klass, FIELD (window),
      g_param_spec_uint ("window", "Window",
          "Milliseconds of audio or features per inference, for models that "
          "leave the length open; rounded to a multiple that the model takes",
          1, 600000, 100, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (hop),
      g_param_spec_uint ("hop", "Hop",
          "Milliseconds from one window to the next (0: no overlap)", 0, 600000,
          0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (context),
      g_param_spec_int ("context", "Context",
          "Samples (or feature frames) before its own that each window begins "
          "with, zeros at the start of a sequence; -1: as the model says "
          "(model_info/context), else 0.  Times are those of the others",
          -1, 1000000, -1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (tail),
      g_param_spec_enum ("tail", "Tail",
          "Handling of the last, incomplete window of a sequence",
          gst_infer_enum_type ("GstInferFilterTail", tails), GST_INFER_TAIL_PAD,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (state_reset),
      g_param_spec_flags ("state-reset", "State reset",
          "Events that begin a new sequence, with fresh states", resets_type,
          GST_INFER_RESET_ALL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (max_gap),
      g_param_spec_uint64 ("max-gap", "Longest gap",
          "Nanoseconds without data that are filled with silence; a longer gap "
          "ends the sequence",
          0, G_MAXUINT64, GST_SECOND, GST_INFER_READY));
  g_object_class_install_property (klass, PROP_STATE_NAMES,
      g_param_spec_boxed ("state-names", "State names",
          "Names of the model's variables, while it is loaded", G_TYPE_STRV,
          GST_INFER_READ_ONLY));
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
  parent_class = g_type_class_peek_parent (klass);
  klass->dispatch_properties_changed = properties_changed;
  install_model_properties (klass);
  install_sharing_properties (klass);
  install_skip_properties (klass);
  install_change_properties (klass);
  install_stream_properties (klass);
  install_video_properties (klass);
  gst_infer_filter_install_signals (klass);
}
