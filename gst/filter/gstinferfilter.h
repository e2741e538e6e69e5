/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element inferfilter; see the SECTION block. */

#pragma once

#include <gst/gst.h>

#define GST_TYPE_INFER_FILTER (gst_infer_filter_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferFilter, gst_infer_filter, GST, INFER_FILTER, GstElement)

GST_ELEMENT_REGISTER_DECLARE (inferfilter)
