/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"
#include "gst/features/gstinferfeatures.h"

#define FIELD(name) G_STRUCT_OFFSET (GstInferFeatures, settings.name)

static GEnumValue
value_of (int number)
{
  const InferFeaturesKind *kind = infer_features_kind (number);

  return (GEnumValue){ number, infer_features_kind_description (kind),
    infer_features_kind_name (kind) };
}

/* A value for each kind of the list. */
static GType
register_types (void)
{
  const GEnumValue values[] = {
#define FEATURES(id, number) value_of (number),
#include "inference/media/features/kind-list.h"
#undef FEATURES
    { 0, NULL, NULL },
  };

  return gst_infer_enum_type (
      "GstInferFeaturesType", g_memdup2 (values, sizeof values));
}

const InferFeaturesKind *
gst_infer_features_resolve (GstInferFeaturesSettings *settings)
{
  const InferFeaturesKind *kind = infer_features_kind (settings->type);
  InferFeaturesConfig *c = &settings->config;

  infer_features_fill (kind, c);
  if (c->block > 0 && settings->frames > 0)
    c->block = settings->frames;
  if (settings->frames == 0)
    settings->frames = MAX (c->block, 1);
  return kind;
}

void
gst_infer_features_install_properties (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    guint min, max, initial;
  } numbers[] = {
    { FIELD (frames), "frames", "Frames",
        "Frames in a buffer; 0: 3000 of whisper, else 1", 0, 65536, 0 },
    { FIELD (config.sample_rate), "sample-rate", "Sample rate", "Hz", 1, 768000,
        16000 },
    { FIELD (config.window), "window", "Window",
        "Samples that a frame looks at; 0: 25 ms", 0, 65536, 0 },
    { FIELD (config.hop), "hop", "Hop",
        "Samples from one frame to the next; 0: 10 ms", 0, 65536, 0 },
    { FIELD (config.fft), "fft-size", "FFT size",
        "Points of the transform: a power of two, or the window; 0: the power of "
        "two from the window on, of whisper the window",
        0, 65536, 0 },
    { FIELD (config.bands), "bands", "Bands",
        "Mel bands; 0: 40 of log-mel, 80 of whisper, else 23", 0, 4096, 0 },
    { FIELD (config.coefficients), "coefficients", "Coefficients",
        "mfcc: values of a frame; 0: 13", 0, 4096, 0 },
  };
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    double min, max, initial;
  } reals[] = {
    { FIELD (config.fmin), "fmin", "Lowest frequency",
        "Hz, where the bands begin; -1: 0 of whisper, else 20", -1, 384000,
        -1 },
    { FIELD (config.fmax), "fmax", "Highest frequency",
        "Hz, where the bands end; -1: 7600 of log-mel, 8000 of whisper, else "
        "half the sample rate",
        -1, 384000, -1 },
    { FIELD (config.floor), "floor", "Floor",
        "Energies of bands below count as this; -1: as the type has it", -1,
        1e6, -1 },
    { FIELD (config.preemphasis), "preemphasis", "Preemphasis",
        "fbank, mfcc: part of the sample before that is taken away; -1: 0.97",
        -1, 1, -1 },
    { FIELD (config.scale), "sample-scale", "Scale of samples",
        "Samples from -1 to 1 are multiplied by it; -1: 32768 of fbank and mfcc, "
        "else 1",
        -1, 1e6, -1 },
    { FIELD (config.energy_floor), "energy-floor", "Least energy",
        "mfcc: energy below counts as this; -1: 0", -1, 1e12, -1 },
  };

  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (type),
      g_param_spec_enum ("type", "Type", "Kind of features", register_types (),
          0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (config.snip_edges),
      g_param_spec_boolean ("snip-edges", "Snip edges",
          "fbank, mfcc: frames of whole windows only; FALSE: one for each hop, "
          "the samples mirrored at both ends",
          TRUE, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (config.use_energy),
      g_param_spec_boolean ("use-energy", "Use energy",
          "mfcc: the first value is the logarithm of the energy", TRUE,
          GST_INFER_READY));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_object_class_install_property (klass, numbers[i].id,
        g_param_spec_uint (numbers[i].name, numbers[i].nick, numbers[i].blurb,
            numbers[i].min, numbers[i].max, numbers[i].initial,
            GST_INFER_READY));
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    g_object_class_install_property (klass, reals[i].id,
        g_param_spec_double (reals[i].name, reals[i].nick, reals[i].blurb,
            reals[i].min, reals[i].max, reals[i].initial, GST_INFER_READY));
}
