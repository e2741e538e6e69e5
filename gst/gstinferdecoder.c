/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferdecoder
 * @title: inferdecoder
 * @short_description: turns tensors into what people use
 *
 * Decodes the tensors of a model: `ctc` gives words as `text/x-raw`, each in a
 * buffer of its own with its time, followed by #GstInferDecoder:separator (a
 * newline by default), and GAP events for silence; `json` a line for each
 * buffer.  Which one is told by what inferfilter says of the model, or by
 * #GstInferDecoder:mode.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 filesrc location=call.wav ! wavparse ! audioconvert ! \
 *     audioresample ! inferfilter model=digits-wave.xml ! inferdecoder ! fdsink
 * ]|
 */

#include "gst/gstinferdecoder.h"

#include "gst/continuity.h"
#include "gst/decoders/decoder.h"
#include "gst/error-message.h"
#include "gst/model-info.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_decoder_debug);
#define GST_CAT_DEFAULT gst_infer_decoder_debug

#define MODE_AUTO (-1)

typedef struct
{
  int mode; /* index into gst_infer_decoders () */
  char *labels, *labels_file, *separator;
  guint beam_width;
} Settings;

struct _GstInferDecoder
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  Settings settings; /* guarded by the object lock */

  /* Streaming thread. */
  GstStructure *info; /* NULL: nothing was said of the model */
  gboolean have_caps;
  GstInferTensors tensors;
  GstSegment segment;
  GstClockTime next;               /* end of the last buffer */
  const GstInferDecoderKind *kind; /* NULL: not chosen; caps not sent */
  gpointer decoder;                /* NULL: not made */
  GQueue held;                     /* events that wait for the caps */
};

enum
{
  PROP_0,
  PROP_MODE,
  PROP_LABELS,
  PROP_LABELS_FILE,
  PROP_BEAM_WIDTH,
  PROP_SEPARATOR,
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_INFER_TENSOR_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferDecoder, gst_infer_decoder, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_decoder_debug, "inferdecoder", 0, "inferdecoder element"))
GST_ELEMENT_REGISTER_DEFINE (
    inferdecoder, "inferdecoder", GST_RANK_NONE, GST_TYPE_INFER_DECODER)

/* --- properties --- */

#define READY                                                                  \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

/* `auto` and a value for each decoder of the list. */
static GType
mode_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    const GstInferDecoderKind *const *decoders = gst_infer_decoders ();
    GArray *values = g_array_new (TRUE, TRUE, sizeof (GEnumValue));
    GEnumValue value = { MODE_AUTO, "As the model says", "auto" };

    g_array_append_val (values, value);
    for (int i = 0; decoders[i] != NULL; i++) {
      value = (GEnumValue){ i, decoders[i]->description, decoders[i]->name };
      g_array_append_val (values, value);
    }
    g_once_init_leave (
        &type, g_enum_register_static ("GstInferDecoderMode",
                   (GEnumValue *) (gpointer) g_array_free (values, FALSE)));
  }
  return type;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferDecoder *self = GST_INFER_DECODER (object);
  Settings *s = &self->settings;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODE:
      s->mode = g_value_get_enum (value);
      break;
    case PROP_LABELS:
      g_free (s->labels);
      s->labels = g_value_dup_string (value);
      break;
    case PROP_LABELS_FILE:
      g_free (s->labels_file);
      s->labels_file = g_value_dup_string (value);
      break;
    case PROP_BEAM_WIDTH:
      s->beam_width = g_value_get_uint (value);
      break;
    case PROP_SEPARATOR:
      g_free (s->separator);
      s->separator = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstInferDecoder *self = GST_INFER_DECODER (object);
  const Settings *s = &self->settings;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODE:
      g_value_set_enum (value, s->mode);
      break;
    case PROP_LABELS:
      g_value_set_string (value, s->labels);
      break;
    case PROP_LABELS_FILE:
      g_value_set_string (value, s->labels_file);
      break;
    case PROP_BEAM_WIDTH:
      g_value_set_uint (value, s->beam_width);
      break;
    case PROP_SEPARATOR:
      g_value_set_string (value, s->separator);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  g_object_class_install_property (klass, PROP_MODE,
      g_param_spec_enum (
          "mode", "Mode", "Which decoder", mode_type (), MODE_AUTO, READY));
  g_object_class_install_property (klass, PROP_LABELS,
      g_param_spec_string ("labels", "Labels",
          "A label for each class, separated by spaces, commas or newlines; "
          "unset: as the model says",
          NULL, READY));
  g_object_class_install_property (klass, PROP_LABELS_FILE,
      g_param_spec_string ("labels-file", "Labels file",
          "The labels, one a line; 'labels' goes before it", NULL, READY));
  g_object_class_install_property (klass, PROP_BEAM_WIDTH,
      g_param_spec_uint ("beam-width", "Beam width",
          "ctc: prefixes kept by the beam search (1: the best class of each "
          "step)",
          1, 1024, 1, READY));
  g_object_class_install_property (klass, PROP_SEPARATOR,
      g_param_spec_string (
          "separator", "Separator", "ctc: follows each word", "\n", READY));
  gst_type_mark_as_plugin_api (mode_type (), 0);
}

/* --- choosing --- */

static gboolean
choose_by_model (
    GstInferDecoder *self, const GstInferDecoderKind **kind, GError **error)
{
  const GstInferDecoderKind *const *decoders = gst_infer_decoders ();
  const char *type =
      self->info ? gst_structure_get_string (self->info, "model_type") : NULL;

  for (guint i = 0; type != NULL && decoders[i] != NULL; i++) {
    if (g_strv_contains (decoders[i]->model_types, type)) {
      *kind = decoders[i];
      return TRUE;
    }
  }
  if (type == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "The model does not say what it gives (model_info/model_type): "
        "set the property 'mode'");
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "There is no decoder for model_type '%s': set the property 'mode'", type);
}

static void
push_held (GstInferDecoder *self)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&self->held)) != NULL)
    gst_pad_push_event (self->srcpad, event);
}

/* Chooses the decoder, which settles the source caps. */
static gboolean
choose (GstInferDecoder *self, GError **error)
{
  g_autoptr (GstCaps) caps = NULL;
  int mode;

  if (self->kind != NULL)
    return TRUE;
  GST_OBJECT_LOCK (self);
  mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);

  if (mode != MODE_AUTO)
    self->kind = gst_infer_decoders ()[mode];
  else if (!choose_by_model (self, &self->kind, error))
    return FALSE;
  caps = gst_caps_from_string (self->kind->caps);
  gst_pad_push_event (self->srcpad, gst_event_new_caps (caps));
  push_held (self);
  return TRUE;
}

static gboolean
make_decoder (GstInferDecoder *self, GError **error)
{
  g_auto (GStrv) labels = NULL;
  g_autofree char *file = NULL, *separator = NULL;
  GstInferDecoderConfig config = { .info = self->info,
    .tensors = &self->tensors };

  if (!choose (self, error))
    return FALSE;
  if (self->decoder != NULL)
    return TRUE;
  GST_OBJECT_LOCK (self);
  if (self->settings.labels != NULL)
    labels = gst_infer_labels_parse (self->settings.labels);
  file = g_strdup (self->settings.labels_file);
  separator = g_strdup (self->settings.separator);
  config.beam_width = self->settings.beam_width;
  GST_OBJECT_UNLOCK (self);

  if (labels == NULL && file != NULL) {
    labels = gst_infer_labels_load (file, error);
    if (labels == NULL)
      return FALSE;
  }
  config.labels = labels;
  config.separator = separator != NULL ? separator : "";
  self->decoder = self->kind->create (&config, error);
  return self->decoder != NULL;
}

static void
drop_decoder (GstInferDecoder *self)
{
  if (self->decoder != NULL)
    self->kind->free (self->decoder);
  self->decoder = NULL;
}

/* --- output --- */

static GstFlowReturn
push_output (GstInferDecoder *self, GstInferDecoderOutput *output)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while ((object = g_queue_pop_head (output)) != NULL) {
    if (flow != GST_FLOW_OK)
      gst_mini_object_unref (object);
    else if (GST_IS_EVENT (object))
      gst_pad_push_event (self->srcpad, GST_EVENT (object));
    else
      flow = gst_pad_push (self->srcpad, GST_BUFFER (object));
  }
  return flow;
}

static GstFlowReturn
finish_sequence (GstInferDecoder *self)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;

  self->next = GST_CLOCK_TIME_NONE;
  if (self->decoder == NULL || self->kind->finish == NULL)
    return GST_FLOW_OK;
  self->kind->finish (self->decoder, &output);
  return push_output (self, &output);
}

static void
forget_sequence (GstInferDecoder *self)
{
  self->next = GST_CLOCK_TIME_NONE;
  if (self->decoder != NULL && self->kind->reset != NULL)
    self->kind->reset (self->decoder);
}

/* --- chain --- */

/* Finds the tensors in the mapped buffer: a memory each, all dense. */
static gboolean
find_tensors (GstInferDecoder *self, const GstMapInfo *map,
    GstInferDecoderInput *input, GError **error)
{
  gsize offset = 0, size;

  for (guint i = 0; i < self->tensors.n; i++) {
    const InferDesc *desc = &self->tensors.descs[i];

    if (!infer_tensor_bytes (desc->type, &desc->shape, &size)
        || size > map->size - offset)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "A buffer of %" G_GSIZE_FORMAT " bytes ends within tensor %u",
          map->size, i);
    input->data[i] = map->data + offset;
    offset += size;
  }
  return TRUE;
}

static GstFlowReturn
decode (GstInferDecoder *self, GstBuffer *buffer)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;
  GstInferDecoderInput input = {
    .tensors = &self->tensors,
    .pts = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
  };
  g_autoptr (GError) error = NULL;
  gboolean ok;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL), ("buffer not mapped"));
    return GST_FLOW_ERROR;
  }
  ok = find_tensors (self, &map, &input, &error)
       && self->kind->decode (self->decoder, &input, &output, &error);
  gst_buffer_unmap (buffer, &map);
  if (!ok) {
    g_queue_clear_full (&output, (GDestroyNotify) gst_mini_object_unref);
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (GST_CLOCK_TIME_IS_VALID (input.pts)
      && GST_CLOCK_TIME_IS_VALID (input.duration))
    self->next = input.pts + input.duration;
  return push_output (self, &output);
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferDecoder *self = GST_INFER_DECODER (parent);
  g_autoptr (GstBuffer) owned = buffer;
  g_autoptr (GError) error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (!self->have_caps) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Data came before caps: the tensors are not known"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!make_decoder (self, &error)) {
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_DISCONT)
      || GST_BUFFER_FLAG_IS_SET (owned, GST_BUFFER_FLAG_RESYNC))
    flow = finish_sequence (self);
  return flow == GST_FLOW_OK ? decode (self, owned) : flow;
}

/* --- events --- */

static gboolean
take_caps (GstInferDecoder *self, GstEvent *event)
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
  /* The steps of a buffer may change; what a step is may not. */
  for (guint i = 0; i < tensors.n && self->decoder != NULL; i++) {
    const InferShape *a = &tensors.descs[i].shape;
    const InferShape *b = &self->tensors.descs[i].shape;

    if (tensors.n != self->tensors.n || a->rank != b->rank
        || a->dims[a->rank - 1] != b->dims[b->rank - 1]) {
      finish_sequence (self);
      drop_decoder (self);
    }
  }
  self->tensors = tensors;
  self->have_caps = TRUE;
  return TRUE;
}

static void
take_info (GstInferDecoder *self, const GstStructure *info)
{
  if (self->info != NULL && gst_structure_is_equal (self->info, info))
    return;
  finish_sequence (self);
  drop_decoder (self);
  g_clear_pointer (&self->info, gst_structure_free);
  self->info = gst_structure_copy (info);
  /* Another model may be of another type: its caps are sent anew. */
  self->kind = NULL;
}

static void
take_segment (GstInferDecoder *self, GstEvent *event)
{
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (&self->segment, &segment, self->next))
    finish_sequence (self);
  self->segment = segment;
}

/* Serialized events, after what they mean for the sequence. */
static gboolean
pass_on (GstInferDecoder *self, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);
  g_autoptr (GError) error = NULL;

  if (type == GST_EVENT_EOS)
    push_held (self);
  else if (self->kind == NULL && type != GST_EVENT_STREAM_START) {
    g_queue_push_tail (&self->held, event);
    if (type == GST_EVENT_GAP && !choose (self, &error))
      GST_DEBUG_OBJECT (self, "no decoder yet: %s", error->message);
    return TRUE;
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

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_FLUSH_STOP:
      forget_sequence (self);
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      forget_held (self);
      return gst_pad_event_default (pad, parent, event);
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
    case GST_EVENT_GAP:
      finish_sequence (self);
      break;
    default:
      break;
  }
  if (info != NULL)
    take_info (self, info);
  if (!GST_EVENT_IS_SERIALIZED (event)
      || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    return gst_pad_event_default (pad, parent, event);
  return pass_on (self, event);
}

/* --- element --- */

static void
clear (GstInferDecoder *self)
{
  drop_decoder (self);
  self->kind = NULL;
  self->have_caps = FALSE;
  self->next = GST_CLOCK_TIME_NONE;
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
  g_free (self->settings.labels);
  g_free (self->settings.labels_file);
  g_free (self->settings.separator);
  G_OBJECT_CLASS (gst_infer_decoder_parent_class)->finalize (object);
}

/* What the decoders of the list give. */
static GstPadTemplate *
make_src_template (void)
{
  const GstInferDecoderKind *const *decoders = gst_infer_decoders ();
  g_autoptr (GstCaps) caps = gst_caps_new_empty ();

  for (guint i = 0; decoders[i] != NULL; i++)
    caps = gst_caps_merge (
        g_steal_pointer (&caps), gst_caps_from_string (decoders[i]->caps));
  return gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps);
}

static void
gst_infer_decoder_class_init (GstInferDecoderClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_pad_template (element_class, make_src_template ());
  gst_element_class_set_static_metadata (element_class, "Tensor decoder",
      "Decoder/Tensor/Text", "Turns tensors into text or JSON",
      "The inferfilter authors");
}

static void
gst_infer_decoder_init (GstInferDecoder *self)
{
  GstPadTemplate *src =
      gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self), "src");

  g_queue_init (&self->held);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->next = GST_CLOCK_TIME_NONE;

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  GST_PAD_SET_ACCEPT_INTERSECT (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_template (src, "src");
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
