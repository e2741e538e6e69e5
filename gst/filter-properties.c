/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter-private.h"
#include "gst/filter-signals.h"

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
  N_PROPS
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
    { GST_INFER_TAIL_PAD, "Fill up to a whole window", "pad" },
    { GST_INFER_TAIL_DROP, "Leave it out", "drop" },
    { GST_INFER_TAIL_RUN, "Fill up to the model's multiple", "run" },
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
    { GST_INFER_OUTPUT_MEDIA_WITH_META, "The input, outputs as metadata",
        "media-with-meta" },
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
copy_string (char **to, const char *from)
{
  g_free (*to);
  *to = g_strdup (from);
}

void
gst_infer_settings_clear (GstInferSettings *s)
{
  g_clear_pointer (&s->model, g_free);
  g_clear_pointer (&s->weights, g_free);
  g_clear_pointer (&s->device, g_free);
  g_clear_pointer (&s->config, g_free);
  g_clear_pointer (&s->extra_outputs, g_free);
  g_clear_pointer (&s->object_class, g_free);
  g_clear_pointer (&s->crop, g_free);
  g_clear_pointer (&s->model_info, g_free);
  g_clear_pointer (&s->instance, g_free);
  g_clear_pointer (&s->state_pairs, g_free);
  g_clear_pointer (&s->dump, g_free);
  g_clear_pointer (&s->dump_dir, g_free);
}

void
gst_infer_settings_copy (GstInferSettings *to, const GstInferSettings *from)
{
  gst_infer_settings_clear (to);
  *to = *from;
  to->model = g_strdup (from->model);
  to->weights = g_strdup (from->weights);
  to->device = g_strdup (from->device);
  to->config = g_strdup (from->config);
  to->extra_outputs = g_strdup (from->extra_outputs);
  to->object_class = g_strdup (from->object_class);
  to->crop = g_strdup (from->crop);
  to->model_info = g_strdup (from->model_info);
  to->instance = g_strdup (from->instance);
  to->state_pairs = g_strdup (from->state_pairs);
  to->dump = g_strdup (from->dump);
  to->dump_dir = g_strdup (from->dump_dir);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferFilter *self = GST_INFER_FILTER (object);
  GstInferSettings *s = &self->settings;
  gboolean another = FALSE;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODEL:
      copy_string (&s->model, g_value_get_string (value));
      another = (self->shared != NULL || self->loading) && s->model != NULL;
      break;
    case PROP_WEIGHTS:
      copy_string (&s->weights, g_value_get_string (value));
      break;
    case PROP_DEVICE:
      copy_string (&s->device, g_value_get_string (value));
      break;
    case PROP_CONFIG:
      copy_string (&s->config, g_value_get_string (value));
      break;
    case PROP_NIREQ:
      s->nireq = g_value_get_uint (value);
      break;
    case PROP_WINDOW:
      s->window = g_value_get_uint (value);
      break;
    case PROP_HOP:
      s->hop = g_value_get_uint (value);
      break;
    case PROP_TAIL:
      s->tail = (GstInferTail) g_value_get_enum (value);
      break;
    case PROP_STATE_RESET:
      s->state_reset = (GstInferReset) g_value_get_flags (value);
      break;
    case PROP_MAX_GAP:
      s->max_gap = g_value_get_uint64 (value);
      break;
    case PROP_EXTRA_OUTPUTS:
      copy_string (&s->extra_outputs, g_value_get_string (value));
      break;
    case PROP_LOW_LATENCY:
      s->low_latency = g_value_get_boolean (value);
      break;
    case PROP_STATE_PAIRS:
      copy_string (&s->state_pairs, g_value_get_string (value));
      break;
    case PROP_DUMP:
      copy_string (&s->dump, g_value_get_string (value));
      break;
    case PROP_DUMP_DIR:
      copy_string (&s->dump_dir, g_value_get_string (value));
      break;
    case PROP_OUTPUT:
      s->output = (GstInferOutput) g_value_get_enum (value);
      break;
    case PROP_REGION:
      s->region = (GstInferRegion) g_value_get_enum (value);
      break;
    case PROP_MODEL_INFO:
      copy_string (&s->model_info, g_value_get_string (value));
      break;
    case PROP_OBJECT_CLASS:
      copy_string (&s->object_class, g_value_get_string (value));
      break;
    case PROP_CROP:
      copy_string (&s->crop, g_value_get_string (value));
      break;
    case PROP_MODEL_INSTANCE_ID:
      copy_string (&s->instance, g_value_get_string (value));
      break;
    case PROP_BATCH_SIZE:
      s->batch_size = g_value_get_uint (value);
      break;
    case PROP_BATCH_TIMEOUT:
      s->batch_timeout = g_value_get_int (value);
      break;
    case PROP_STATS_INTERVAL:
      s->stats_interval = g_value_get_uint (value);
      break;
    case PROP_ASYNC_LOAD:
      s->async_load = g_value_get_boolean (value);
      break;
    case PROP_QOS:
      s->qos = g_value_get_boolean (value);
      break;
    case PROP_INTERVAL:
      s->interval = g_value_get_uint (value);
      break;
    case PROP_STATS:
      self->counters = (GstInferCounters){ 0 };
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (self);
  if (another)
    gst_infer_filter_load_aside (self);
}

/* With the object lock. */
static GStrv
list_states (GstInferFilter *self)
{
  guint n = self->states ? infer_state_set_n_states (self->states) : 0;
  GStrv names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] =
        g_strdup (infer_state_get_name (infer_state_set_get (self->states, i)));
  return names;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstInferFilter *self = GST_INFER_FILTER (object);
  const GstInferSettings *s = &self->settings;

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_infer_filter_make_stats (self, "stats"));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODEL:
      g_value_set_string (value, s->model);
      break;
    case PROP_WEIGHTS:
      g_value_set_string (value, s->weights);
      break;
    case PROP_DEVICE:
      g_value_set_string (value, s->device);
      break;
    case PROP_CONFIG:
      g_value_set_string (value, s->config);
      break;
    case PROP_NIREQ:
      g_value_set_uint (value, s->nireq);
      break;
    case PROP_WINDOW:
      g_value_set_uint (value, s->window);
      break;
    case PROP_HOP:
      g_value_set_uint (value, s->hop);
      break;
    case PROP_TAIL:
      g_value_set_enum (value, s->tail);
      break;
    case PROP_STATE_RESET:
      g_value_set_flags (value, s->state_reset);
      break;
    case PROP_MAX_GAP:
      g_value_set_uint64 (value, s->max_gap);
      break;
    case PROP_EXTRA_OUTPUTS:
      g_value_set_string (value, s->extra_outputs);
      break;
    case PROP_LOW_LATENCY:
      g_value_set_boolean (value, s->low_latency);
      break;
    case PROP_STATE_PAIRS:
      g_value_set_string (value, s->state_pairs);
      break;
    case PROP_DUMP:
      g_value_set_string (value, s->dump);
      break;
    case PROP_DUMP_DIR:
      g_value_set_string (value, s->dump_dir);
      break;
    case PROP_OUTPUT:
      g_value_set_enum (value, s->output);
      break;
    case PROP_REGION:
      g_value_set_enum (value, s->region);
      break;
    case PROP_MODEL_INFO:
      g_value_set_string (value, s->model_info);
      break;
    case PROP_OBJECT_CLASS:
      g_value_set_string (value, s->object_class);
      break;
    case PROP_CROP:
      g_value_set_string (value, s->crop);
      break;
    case PROP_MODEL_INSTANCE_ID:
      g_value_set_string (value, s->instance);
      break;
    case PROP_BATCH_SIZE:
      g_value_set_uint (value, s->batch_size);
      break;
    case PROP_BATCH_TIMEOUT:
      g_value_set_int (value, s->batch_timeout);
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint (value, s->stats_interval);
      break;
    case PROP_ASYNC_LOAD:
      g_value_set_boolean (value, s->async_load);
      break;
    case PROP_QOS:
      g_value_set_boolean (value, s->qos);
      break;
    case PROP_INTERVAL:
      g_value_set_uint (value, s->interval);
      break;
    case PROP_MAX_DELAY:
      g_value_set_uint64 (value, self->counters.max_delay);
      break;
    case PROP_STATE_NAMES:
      g_value_take_boxed (value, list_states (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_model_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL,
      g_param_spec_string ("model", "Model",
          "OpenVINO IR file (.xml); another one while data flows is loaded "
          "aside and takes over between two buffers",
          NULL, PLAYING));
  g_object_class_install_property (klass, PROP_ASYNC_LOAD,
      g_param_spec_boolean ("async-load", "Load asynchronously",
          "Load the model in a thread of its own, so that the change to PAUSED "
          "does not wait for it; data does",
          FALSE, READY));
  g_object_class_install_property (klass, PROP_WEIGHTS,
      g_param_spec_string ("weights", "Weights",
          "Weights file; unset: the model's name with .bin", NULL, READY));
  g_object_class_install_property (klass, PROP_DEVICE,
      g_param_spec_string ("device", "Device",
          "Where the model runs: CPU, OPENCL, OPENCL.1, AUTO, MULTI:a,b, "
          "HETERO:a,b",
          "CPU", READY));
  g_object_class_install_property (klass, PROP_CONFIG,
      g_param_spec_string ("config", "Config",
          "OpenVINO property keys of the device: KEY=value,KEY=value", NULL,
          READY));
  g_object_class_install_property (klass, PROP_NIREQ,
      g_param_spec_uint ("nireq", "Requests",
          "Inference requests that may be under way (0: chosen by the device); "
          "results never depend on it",
          0, 64, 0, READY));
  g_object_class_install_property (klass, PROP_EXTRA_OUTPUTS,
      g_param_spec_string ("extra-outputs", "Extra outputs",
          "Ports to give as further tensors: OPERATION or OPERATION:PORT, "
          "separated by commas",
          NULL, READY));
  g_object_class_install_property (klass, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "What leaves the element",
          output_type (), GST_INFER_OUTPUT_TENSORS, READY));
}

static void
install_change_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LOW_LATENCY,
      g_param_spec_boolean ("low-latency", "Low latency",
          "Keep what loops and recurrent operations carry round in variables, "
          "so that a sequence may come in pieces",
          FALSE, READY));
  g_object_class_install_property (klass, PROP_STATE_PAIRS,
      g_param_spec_string ("state-pairs", "State pairs",
          "Inputs and the outputs that feed them next, which become variables: "
          "INPUT=OUTPUT,INPUT=OUTPUT",
          NULL, READY));
  g_object_class_install_property (klass, PROP_DUMP,
      g_param_spec_string ("dump", "Dump",
          "Regular expression: what operations of matching names read and "
          "write goes to files in dump-dir",
          NULL, READY));
  g_object_class_install_property (klass, PROP_DUMP_DIR,
      g_param_spec_string ("dump-dir", "Dump folder",
          "Where dump writes <inference>_<operation>_<in|out><k>.npy; unset: "
          "the current folder",
          NULL, READY));
}

static void
install_video_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL_INFO,
      g_param_spec_string ("model-info", "Model info",
          "What the model does not say of itself: KEY=value;KEY=value with the "
          "keys of rt_info model_info (mean_values, scale_values, "
          "resize_type, \u2026)",
          NULL, READY));
  g_object_class_install_property (klass, PROP_REGION,
      g_param_spec_enum ("inference-region", "Inference region",
          "What of a video frame the model gets", region_type (),
          GST_INFER_REGION_FULL_FRAME, READY));
  g_object_class_install_property (klass, PROP_OBJECT_CLASS,
      g_param_spec_string ("object-class", "Object class",
          "Only regions of interest of this type; unset: all", NULL, READY));
  g_object_class_install_property (klass, PROP_CROP,
      g_param_spec_string ("crop", "Crop",
          "The part of each frame that the model gets instead of the whole: "
          "X,Y,WIDTH,HEIGHT in pixels",
          NULL, READY));
}

static void
install_skip_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_QOS,
      g_param_spec_boolean ("qos", "QoS",
          "Leave out what comes too late for downstream anyway", FALSE,
          PLAYING));
  g_object_class_install_property (klass, PROP_INTERVAL,
      g_param_spec_uint ("inference-interval", "Inference interval",
          "Infer each so many frames or buffers of tensors (1: all); frames "
          "between them leave with the last results and their age",
          1, G_MAXUINT, 1, READY));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint ("stats-interval", "Statistics interval",
          "Milliseconds between element messages inferfilter-stats, which have "
          "what stats has (0: none)",
          0, G_MAXUINT, 0, READY));
  g_object_class_install_property (klass, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-observed-delay", "Longest delay",
          "Nanoseconds from the first sample of a window to its result, the "
          "longest so far; zero again with stats",
          0, G_MAXUINT64, 0, READ_ONLY));
}

static void
install_sharing_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MODEL_INSTANCE_ID,
      g_param_spec_string ("model-instance-id", "Model instance",
          "Elements with the same one share a loaded model, with different "
          "ones do not; unset: those of equal model, device and config do",
          NULL, READY));
  g_object_class_install_property (klass, PROP_BATCH_SIZE,
      g_param_spec_uint ("batch-size", "Batch size",
          "Inferences of all elements that share the model which are computed "
          "as one",
          1, 1024, 1, READY));
  g_object_class_install_property (klass, PROP_BATCH_TIMEOUT,
      g_param_spec_int ("batch-timeout", "Batch timeout",
          "Milliseconds that an inference waits for its batch to be full (-1: "
          "for ever)",
          -1, 60000, 10, READY));
}

static void
install_stream_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_WINDOW,
      g_param_spec_uint ("window", "Window",
          "Milliseconds of audio or features per inference, for models that "
          "leave the length open; the nearest whole multiple of what they want "
          "is taken",
          1, 600000, 100, READY));
  g_object_class_install_property (klass, PROP_HOP,
      g_param_spec_uint ("hop", "Hop",
          "Milliseconds from one window to the next (0: no overlap)", 0, 600000,
          0, READY));
  g_object_class_install_property (klass, PROP_TAIL,
      g_param_spec_enum ("tail", "Tail",
          "What happens to the last, incomplete window of a sequence",
          tail_type (), GST_INFER_TAIL_PAD, READY));
  g_object_class_install_property (klass, PROP_STATE_RESET,
      g_param_spec_flags ("state-reset", "State reset",
          "What begins a new sequence, with fresh states", reset_type (),
          GST_INFER_RESET_ALL, READY));
  g_object_class_install_property (klass, PROP_MAX_GAP,
      g_param_spec_uint64 ("max-gap", "Longest gap",
          "Nanoseconds without data that are taken as silence; longer ones end "
          "the sequence",
          0, G_MAXUINT64, GST_SECOND, READY));
  g_object_class_install_property (klass, PROP_STATE_NAMES,
      g_param_spec_boxed ("state-names", "State names",
          "The model's variables, while it is loaded", G_TYPE_STRV, READ_ONLY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counts, queue depth and nanoseconds per stage; setting it (to "
          "anything) starts again from zero",
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
