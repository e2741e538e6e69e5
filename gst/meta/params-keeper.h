/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer before 1.24 drops the params of a GstVideoRegionOfInterestMeta when
 * a frame is scaled.  A meta of our own copies them to the scaled region. */

#pragma once

#include <gst/video/gstvideometa.h>

/* Makes the params of region @roi_id survive scaling.  May be called any number
 * of times. */
void gst_infer_keep_params (GstBuffer *buffer, int roi_id);
