/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertrack: objects keep their identity.  See the SECTION block. */

#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_INFER_TRACK (gst_infer_track_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferTrack, gst_infer_track, GST, INFER_TRACK, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (infertrack)

G_END_DECLS
