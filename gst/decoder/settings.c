/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/decoder/gstinferdecoder.h"
#include "gst/common/model-info.h"
#include "gst/common/properties.h"

#define FIELD(name) G_STRUCT_OFFSET (GstInferDecoder, settings.name)

static GEnumValue
value_of (int mode, const GstInferDecoderKind *kind)
{
  return (GEnumValue){ mode, kind->description, kind->name };
}

/* `auto` and a value for each decoder of the list. */
static GType
register_modes (void)
{
  const GEnumValue values[] = {
    { GST_INFER_DECODER_AUTO, "As the model says", "auto" },
#define DECODER(id, mode) value_of (mode, &gst_infer_decoder_##id),
#include "gst/decoder/decoders/decoder-list.h"
#undef DECODER
    { 0, NULL, NULL },
  };

  return gst_infer_enum_type (
      "GstInferDecoderMode", g_memdup2 (values, sizeof values));
}

static void
install_video_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (model_instance_id),
      g_param_spec_string ("model-instance-id", "Model instance",
          "video: decodes only tensors of the inferfilter with this "
          "model-instance-id; unset: all",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (threshold),
      g_param_spec_double ("threshold", "Threshold",
          "Least confidence; -1: as the model says, else the default of the "
          "mode (0.5; 0.6 of text-detection, 0 of classification)",
          -1, 1, -1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (iou_threshold),
      g_param_spec_double ("iou-threshold", "IoU threshold",
          "video: boxes of one label that overlap more are one object; -1: as "
          "the model says, else the default of its family",
          -1, 1, -1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (max_results),
      g_param_spec_uint ("max-results", "Most results",
          "video: most objects of a frame", 1, 100000, 300, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (top_k),
      g_param_spec_uint ("top-k", "Top k",
          "classification: number of best classes", 1, 100, 1,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (keep_tensors),
      g_param_spec_boolean ("keep-tensors", "Keep tensors",
          "video: leave the tensors on the buffer after decoding", FALSE,
          GST_INFER_READY));
}

static void
install_vad_properties (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
  } durations[] = {
    { FIELD (min_speech), "min-speech-duration-ms", "Shortest speech",
        "vad: speech that is not longer is dropped; -1: as the model says, else "
        "250" },
    { FIELD (min_silence), "min-silence-duration-ms", "Shortest silence",
        "vad: speech ends after so long a silence; -1: as the model says, else "
        "100" },
    { FIELD (speech_pad), "speech-pad-ms", "Padding",
        "vad: added before and after speech; -1: as the model says, else 30" },
  };

  g_object_class_install_property (klass, FIELD (neg_threshold),
      g_param_spec_double ("neg-threshold", "Threshold of silence",
          "vad: probabilities below it are silence; -1: as the model says, else "
          "the threshold less 0.15",
          -1, 1, -1, GST_INFER_READY));
  for (guint i = 0; i < G_N_ELEMENTS (durations); i++)
    g_object_class_install_property (klass, durations[i].id,
        g_param_spec_int (durations[i].name, durations[i].nick,
            durations[i].blurb, -1, 3600000, -1, GST_INFER_READY));
}

void
gst_infer_decoder_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (mode),
      g_param_spec_enum ("mode", "Mode", "Which decoder", register_modes (),
          GST_INFER_DECODER_AUTO, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (model_type),
      g_param_spec_string ("model-type", "Model type",
          "The model's family (yolov8, yolox, ssd, …), instead of its "
          "model_type",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (labels),
      g_param_spec_string ("labels", "Labels",
          "A label for each class, separated by spaces, commas or newlines; "
          "unset: as the model says",
          NULL, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (labels_file),
      g_param_spec_string ("labels-file", "Labels file",
          "File of labels, one per line; 'labels' has precedence", NULL,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (beam_width),
      g_param_spec_uint ("beam-width", "Beam width",
          "ctc: prefixes kept by the beam search; 1: the best class of each "
          "step",
          1, 1024, 1, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (separator),
      g_param_spec_string ("separator", "Separator",
          "ctc, vad: appended to each text", "\n", GST_INFER_READY));
  install_video_properties (klass);
  install_vad_properties (klass);
}

void
gst_infer_decoder_clear_settings (GstInferDecoder *self)
{
  g_free (self->settings.labels);
  g_free (self->settings.labels_file);
  g_free (self->settings.separator);
  g_free (self->settings.model_type);
  g_free (self->settings.model_instance_id);
}

void
gst_infer_decoder_strings_clear (GstInferDecoderStrings *keep)
{
  g_clear_pointer (&keep->labels, g_strfreev);
  g_clear_pointer (&keep->separator, g_free);
  g_clear_pointer (&keep->type, g_free);
}

gboolean
gst_infer_decoder_read_settings (GstInferDecoder *self,
    const GstStructure *info, GstInferDecoderConfig *config,
    GstInferDecoderStrings *keep, GError **error)
{
  const GstInferDecoderSettings *s = &self->settings;

  *keep = (GstInferDecoderStrings){ 0 };
  GST_OBJECT_LOCK (self);
  if (s->labels != NULL)
    keep->labels = gst_infer_labels_parse (s->labels);
  g_autofree char *file = g_strdup (s->labels_file);
  keep->separator = g_strdup (s->separator != NULL ? s->separator : "");
  keep->type = g_strdup (s->model_type);
  config->beam_width = s->beam_width;
  config->threshold = s->threshold;
  config->iou_threshold = s->iou_threshold;
  config->neg_threshold = s->neg_threshold;
  config->min_speech = s->min_speech;
  config->min_silence = s->min_silence;
  config->speech_pad = s->speech_pad;
  config->max_results = s->max_results;
  config->top_k = s->top_k;
  GST_OBJECT_UNLOCK (self);

  if (keep->type == NULL && info != NULL)
    keep->type = g_strdup (gst_structure_get_string (info, "model_type"));
  if (keep->labels == NULL && file != NULL) {
    keep->labels = gst_infer_labels_load (file, error);
    if (keep->labels == NULL)
      return FALSE;
  }
  config->info = info;
  config->labels = keep->labels;
  config->separator = keep->separator;
  config->type = keep->type;
  return TRUE;
}

static gboolean
is_of_type (const GstInferDecoderKind *kind, const char *type)
{
  for (guint i = 0; kind->model_types[i] != NULL; i++)
    if (g_ascii_strcasecmp (kind->model_types[i], type) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
can_do (const GstInferDecoderKind *kind, gboolean for_video)
{
  return for_video ? kind->decode_frame != NULL : kind->decode != NULL;
}

/* Chooses by the type, else by the best fit of the tensors. */
static const GstInferDecoderKind *
choose_by_model (const GstInferDecoderConfig *config, gboolean for_video)
{
  const GstInferDecoderKind *const *kinds = gst_infer_decoders ();
  const GstInferDecoderKind *best = NULL;
  GstInferFit best_fit = GST_INFER_FIT_NONE;

  for (guint i = 0; config->type != NULL && kinds[i] != NULL; i++)
    if (can_do (kinds[i], for_video) && is_of_type (kinds[i], config->type))
      return kinds[i];
  for (guint i = 0; for_video && kinds[i] != NULL; i++) {
    GstInferFit fit = can_do (kinds[i], TRUE) && kinds[i]->fit != NULL
                          ? kinds[i]->fit (config)
                          : GST_INFER_FIT_NONE;

    if (fit > best_fit) {
      best_fit = fit;
      best = kinds[i];
    }
  }
  return best;
}

static gboolean
knows_type (
    const GstInferDecoderKind *kind, const GstInferDecoderConfig *config)
{
  GstInferFit fit = kind->fit != NULL ? kind->fit (config) : GST_INFER_FIT_NONE;

  return is_of_type (kind, config->type) || fit == GST_INFER_FIT_TYPE
         || fit == GST_INFER_FIT_BOTH;
}

/* No decoder takes what came: names the one that takes the other. */
static void
fail_choice (
    const GstInferDecoderConfig *config, gboolean for_video, GError **error)
{
  const GstInferDecoderKind *other = choose_by_model (config, !for_video);
  const char *type = config->type;

  if (other != NULL && type != NULL && knows_type (other, config))
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        for_video ? "model_type '%s' is not for video, its decoder takes "
                    "tensors: set inferfilter output=tensors"
                  : "model_type '%s' needs the video that the tensors belong "
                    "to: set inferfilter output=media-with-meta",
        type);
  else if (type != NULL)
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "There is no decoder for model_type '%s': set the property 'mode'",
        type);
  else if (other != NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "The model has no model_info/model_type, and its outputs have the "
        "shapes of mode=%s, which needs the video that they belong to: set "
        "inferfilter output=media-with-meta, or the property 'mode'",
        other->name);
  else
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "The model has no model_info/model_type%s: set the property 'mode'",
        for_video ? ", and no decoder fits the shapes of its outputs" : "");
}

const GstInferDecoderKind *
gst_infer_decoder_choose (GstInferDecoder *self,
    const GstInferDecoderConfig *config, gboolean for_video, GError **error)
{
  GST_OBJECT_LOCK (self);
  int mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);
  const GstInferDecoderKind *kind = mode != GST_INFER_DECODER_AUTO
                                        ? gst_infer_decoder_of_mode (mode)
                                        : choose_by_model (config, for_video);
  if (kind != NULL && !can_do (kind, for_video)) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        for_video ? "mode=%s is not for video, it decodes tensors: set "
                    "inferfilter output=tensors"
                  : "mode=%s needs the video that the tensors belong to: set "
                    "inferfilter output=media-with-meta",
        kind->name);
    return NULL;
  }
  if (kind == NULL)
    fail_choice (config, for_video, error);
  return kind;
}
