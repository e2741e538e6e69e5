/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/relations.h"

void
gst_infer_relate_object (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const GstInferLabel *label)
{
}

void
gst_infer_relate_label (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const GstInferLabel *label)
{
}

void
gst_infer_relate_mask (GstBuffer *buffer, const GstInferMaskMeta *mask)
{
}

void
gst_infer_relate_track (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    int id, GstClockTime first, GstClockTime last, gboolean lost)
{
}
