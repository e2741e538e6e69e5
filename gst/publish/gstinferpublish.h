/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferpublish: results as lines of JSON.  See the SECTION block. */

#pragma once

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_INFER_PUBLISH (gst_infer_publish_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferPublish, gst_infer_publish, GST, INFER_PUBLISH, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (inferpublish)

G_END_DECLS
