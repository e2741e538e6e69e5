/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfeatures: audio → log-mel features.  See the SECTION block. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_INFER_FEATURES (gst_infer_features_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferFeatures, gst_infer_features, GST, INFER_FEATURES, GstElement)

GST_ELEMENT_REGISTER_DECLARE (inferfeatures)

G_END_DECLS
