/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta: results on their way to a frame.  Source-pad task
 * only. */

#pragma once

#include "gst/filter/job.h"

typedef struct
{
  GPtrArray *current;  /* of the frame's regions so far */
  GPtrArray *previous; /* of the last frame that was inferred */
  guint age;           /* of those, in frames */
} GstInferFrameResults;

void gst_infer_frame_results_init (GstInferFrameResults *results);
void gst_infer_frame_results_clear (GstInferFrameResults *results);
/* Drops all results. */
void gst_infer_frame_results_reset (GstInferFrameResults *results);

/* Copies the outputs of @job, which is done, to the current results. */
gboolean gst_infer_frame_results_add (
    GstInferFrameResults *results, const GstInferJob *job, GError **error);
/* Adds a meta to @frame for each current result, which become the previous
 * ones; @skipped: for each of the previous results, which are older then. */
void gst_infer_frame_results_attach (
    GstInferFrameResults *results, GstBuffer *frame, gboolean skipped);
