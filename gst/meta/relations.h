/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same results as GStreamer's own GstAnalyticsRelationMeta, for its
 * elements. Built from relations.c if the library has all of it (1.26),
 * otherwise from relations-none.c.
 *
 *  - An object: object-detection, with RELATE_TO to its other results.
 *  - A class: classification.  Texts are left out: names of classes are quarks,
 *    which are never freed.
 *  - An identity: tracking.
 *  - A mask: segmentation, with N_TO_N to a classification with the names of
 * its regions if they have any. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"

/* Adds @roi, which has its param "detection" already. */
void gst_infer_relate_object (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* Adds a label of @roi, or (NULL) of the whole frame. */
void gst_infer_relate_label (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, const GstInferLabel *label);
/* Adds @mask, which is on @buffer and has its roi_id. */
void gst_infer_relate_mask (GstBuffer *buffer, const GstInferMaskMeta *mask);
/* Adds identity @id of @roi, detected on frames with timestamps @first … @last;
 * @lost: its box is predicted. */
void gst_infer_relate_track (GstBuffer *buffer,
    GstVideoRegionOfInterestMeta *roi, int id, GstClockTime first,
    GstClockTime last, gboolean lost);
