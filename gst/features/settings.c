/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"
#include "gst/features/gstinferfeatures.h"

#define FIELD(name) G_STRUCT_OFFSET (GstInferFeatures, settings.name)

static const GEnumValue types[] = {
  { GST_INFER_FEATURES_LOG_MEL, "Logarithm of mel bands' energy", "log-mel" },
  { GST_INFER_FEATURES_MFCC, "Mel cepstrum (not available yet)", "mfcc" },
  { GST_INFER_FEATURES_FBANK, "Kaldi's filter banks (not available yet)",
      "fbank" },
  { 0, NULL, NULL },
};

void
gst_infer_features_install_properties (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    guint min, max, initial;
  } numbers[] = {
    { FIELD (frames), "frames", "Frames", "Frames in a buffer", 1, 65536, 1 },
    { FIELD (config.sample_rate), "sample-rate", "Sample rate", "Hz", 1, 768000,
        16000 },
    { FIELD (config.window), "window", "Window",
        "Samples that a frame looks at", 1, 65536, 400 },
    { FIELD (config.hop), "hop", "Hop", "Samples from one frame to the next", 1,
        65536, 160 },
    { FIELD (config.fft), "fft-size", "FFT size",
        "Points of the transform, a power of two, at least the window", 16,
        65536, 512 },
    { FIELD (config.bands), "bands", "Bands", "Mel bands", 1, 4096, 40 },
  };
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb;
    double min, max, initial;
  } reals[] = {
    { FIELD (config.fmin), "fmin", "Lowest frequency",
        "Hz, where the bands begin", 0, 384000, 20 },
    { FIELD (config.fmax), "fmax", "Highest frequency",
        "Hz, where the bands end", 0, 384000, 7600 },
    { FIELD (config.floor), "floor", "Floor", "Energies below count as this", 0,
        1e6, 1e-6 },
  };

  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (type),
      g_param_spec_enum ("type", "Type", "Kind of features",
          gst_infer_enum_type ("GstInferFeaturesType", types),
          GST_INFER_FEATURES_LOG_MEL, GST_INFER_READY));
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
