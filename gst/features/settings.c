/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/features/gstinferfeatures.h"

enum
{
  PROP_0,
  PROP_TYPE,
  PROP_FRAMES,
  PROP_SAMPLE_RATE,
  PROP_WINDOW,
  PROP_HOP,
  PROP_FFT_SIZE,
  PROP_BANDS,
  PROP_FMIN,
  PROP_FMAX,
  PROP_FLOOR,
};

#define READY                                                                  \
  (GParamFlags) (G_PARAM_READWRITE | G_PARAM_CONSTRUCT                         \
                 | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static GType
features_type (void)
{
  static const GEnumValue values[] = {
    { GST_INFER_FEATURES_LOG_MEL, "Logarithm of mel bands' energy", "log-mel" },
    { GST_INFER_FEATURES_MFCC, "Mel cepstrum (not available yet)", "mfcc" },
    { GST_INFER_FEATURES_FBANK, "Kaldi's filter banks (not available yet)",
        "fbank" },
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("GstInferFeaturesType", values));
  return type;
}

static guint *
uint_setting (GstInferFeaturesSettings *s, guint id)
{
  switch (id) {
    case PROP_FRAMES:
      return &s->frames;
    case PROP_SAMPLE_RATE:
      return &s->config.sample_rate;
    case PROP_WINDOW:
      return &s->config.window;
    case PROP_HOP:
      return &s->config.hop;
    case PROP_FFT_SIZE:
      return &s->config.fft;
    case PROP_BANDS:
      return &s->config.bands;
    default:
      return NULL;
  }
}

static double *
double_setting (GstInferFeaturesSettings *s, guint id)
{
  switch (id) {
    case PROP_FMIN:
      return &s->config.fmin;
    case PROP_FMAX:
      return &s->config.fmax;
    case PROP_FLOOR:
      return &s->config.floor;
    default:
      return NULL;
  }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstInferFeatures *self = GST_INFER_FEATURES (object);
  guint *number = uint_setting (&self->settings, id);
  double *real = double_setting (&self->settings, id);

  GST_OBJECT_LOCK (self);
  if (number != NULL)
    *number = g_value_get_uint (value);
  else if (real != NULL)
    *real = g_value_get_double (value);
  else if (id == PROP_TYPE)
    self->settings.type = (GstInferFeaturesType) g_value_get_enum (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstInferFeatures *self = GST_INFER_FEATURES (object);
  guint *number = uint_setting (&self->settings, id);
  double *real = double_setting (&self->settings, id);

  GST_OBJECT_LOCK (self);
  if (number != NULL)
    g_value_set_uint (value, *number);
  else if (real != NULL)
    g_value_set_double (value, *real);
  else if (id == PROP_TYPE)
    g_value_set_enum (value, self->settings.type);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
  GST_OBJECT_UNLOCK (self);
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
    { PROP_FRAMES, "frames", "Frames", "Frames in a buffer", 1, 65536, 1 },
    { PROP_SAMPLE_RATE, "sample-rate", "Sample rate", "Hz", 1, 768000, 16000 },
    { PROP_WINDOW, "window", "Window", "Samples that a frame looks at", 1,
        65536, 400 },
    { PROP_HOP, "hop", "Hop", "Samples from one frame to the next", 1, 65536,
        160 },
    { PROP_FFT_SIZE, "fft-size", "FFT size",
        "Points of the transform, a power of two, at least the window", 16,
        65536, 512 },
    { PROP_BANDS, "bands", "Bands", "Mel bands", 1, 4096, 40 },
  };
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    double min, max, initial;
  } reals[] = {
    { PROP_FMIN, "fmin", "Lowest frequency", "Hz, where the bands begin", 0,
        384000, 20 },
    { PROP_FMAX, "fmax", "Highest frequency", "Hz, where the bands end", 0,
        384000, 7600 },
    { PROP_FLOOR, "floor", "Floor", "Energies below count as this", 0, 1e6,
        1e-6 },
  };

  klass->set_property = set_property;
  klass->get_property = get_property;
  g_object_class_install_property (klass, PROP_TYPE,
      g_param_spec_enum ("type", "Type", "Kind of features", features_type (),
          GST_INFER_FEATURES_LOG_MEL, READY));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_object_class_install_property (klass, numbers[i].id,
        g_param_spec_uint (numbers[i].name, numbers[i].nick, numbers[i].blurb,
            numbers[i].min, numbers[i].max, numbers[i].initial, READY));
  for (guint i = 0; i < G_N_ELEMENTS (reals); i++)
    g_object_class_install_property (klass, reals[i].id,
        g_param_spec_double (reals[i].name, reals[i].nick, reals[i].blurb,
            reals[i].min, reals[i].max, reals[i].initial, READY));
  gst_type_mark_as_plugin_api (features_type (), 0);
}
