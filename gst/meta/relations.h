/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects as GStreamer's own GstAnalyticsRelationMeta beside the regions of
 * interest, for its elements.  Built from relations.c where the library has all
 * of it (1.26), else from relations-none.c.
 *
 *  - An object: object-detection; what else is said of it has RELATE_TO from
 * it.
 *  - A class: classification.  Transcripts are left out: the names of classes
 *    are quarks, which are never freed.
 *  - Its identity: tracking.
 *  - A mask: segmentation, with N_TO_N to a classification that names its
 *    regions where they have names. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"

G_BEGIN_DECLS

/* @roi, which has its param "detection" already. */
void gst_infer_relate_object (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* What is said of @roi, or (NULL) of the whole frame. */
void gst_infer_relate_label (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* @mask, which is on @buffer and has its roi_id. */
void gst_infer_relate_mask (GstBuffer *buffer, const GstInferMaskMeta *mask);
/* @roi is object @id of infertrack, seen on the frames of @first … @last;
 * @lost: where it should be. */
void gst_infer_relate_track (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, int id, GstClockTime first,
    GstClockTime last, gboolean lost);

G_END_DECLS
