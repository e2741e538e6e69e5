/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects as GStreamer's own GstAnalyticsRelationMeta beside the regions of
 * interest, for its elements: there from 1.24 on.  Built from relations.c where
 * the library is, else from relations-none.c. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/results.h"

G_BEGIN_DECLS

/* @roi, which has its param "detection" already. */
void gst_infer_relate_object (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* What is said of @roi, or (NULL) of the whole frame. */
void gst_infer_relate_label (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* @roi is object @id of infertrack. */
void gst_infer_relate_track (
    GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi, int id);

G_END_DECLS
