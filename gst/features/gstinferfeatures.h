/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of inferfeatures: gstinferfeatures.c (pads, samples in,
 * frames out) and settings.c (properties). */

#pragma once

#include <gst/audio/audio.h>

#include "gst/common/reversed.h"
#include "gst/common/sequence/timeline.h"
#include "gst/common/sequence/window.h"
#include "inference/media/features/features.h"

#define GST_TYPE_INFER_FEATURES (gst_infer_features_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferFeatures, gst_infer_features, GST, INFER_FEATURES, GstElement)

typedef struct
{
  int type;     /* number of the kind in kind-list.h */
  guint frames; /* in a buffer; 0: as the kind has it */
  InferFeaturesConfig config;
} GstInferFeaturesSettings;

struct _GstInferFeatures
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GstInferFeaturesSettings settings; /* guarded by the object lock */

  /* Made in READY → PAUSED, freed in PAUSED → READY. */
  GstInferFeaturesSettings active;
  InferFeatures *features;
  GstInferWindow *clock; /* frames waiting for a buffer, and their times */

  char *unmet; /* object lock: why there are no caps; nullable */

  /* Streaming thread. */
  gboolean have_caps, discont;
  GstAudioInfo audio; /* with have_caps */
  guint sent_frames;  /* in the caps sent last */
  GstSegment segment;
  guint64 samples, frames; /* since the reset */
  GstInferTimeline times;  /* of samples */
  GstInferReversal reversal;
};

/* settings.c */
void gst_infer_features_install_properties (GObjectClass *klass);
/* Sets what is not set as the kind has it; returns the kind. */
const InferFeaturesKind *gst_infer_features_resolve (
    GstInferFeaturesSettings *settings);
