/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Draws the results on a frame (gst/infer/results.h) into it. */

#pragma once

#include "gst/results/kind.h"

typedef struct
{
  gboolean shapes[GST_INFER_N_RESULT_KINDS]; /* of each kind of kind-list.h */
  gboolean labels;
  double mask_alpha; /* 0 … 1 */
  guint scale;       /* of text and lines; 0: from the frame's size */
} GstInferOverlayStyle;

/* Whether there is anything to draw; if not, @buffer need not be mapped. */
gboolean gst_infer_overlay_has_work (
    GstBuffer *buffer, const GstInferOverlayStyle *style);

void gst_infer_overlay_draw (GstInferCanvas *canvas, GstBuffer *buffer,
    const GstInferOverlayStyle *style);
