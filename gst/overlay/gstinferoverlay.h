/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferoverlay: draws the results on video.  See the SECTION block. */

#pragma once

#include <gst/video/gstvideofilter.h>

G_BEGIN_DECLS

#define GST_TYPE_INFER_OVERLAY (gst_infer_overlay_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferOverlay, gst_infer_overlay, GST, INFER_OVERLAY, GstVideoFilter)

GST_ELEMENT_REGISTER_DECLARE (inferoverlay)

G_END_DECLS
