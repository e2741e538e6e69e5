/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a picture differs from a reference, and where: cells of 16 × 16
 * pixels, of which every fourth row is looked at.
 *
 * A cell has changed where its texture or its mean differs by more than noise
 * does.  The noise of each cell is learnt from pictures that did not change,
 * and at least half of the cells of the picture are taken not to change at
 * once; what all cells have in common (light) is no change of the mean.  A
 * single cell is none either: two that touch are.  One thread at a time. */

#pragma once

#include <glib.h>

#define GST_INFER_CELL 16 /* pixels, each way */

typedef struct _GstInferMotionGrid GstInferMotionGrid;

/* For pictures of @width × @height samples, at least one cell each way.  NULL:
 * no memory. */
GstInferMotionGrid *gst_infer_motion_grid_new (guint width, guint height);
void gst_infer_motion_grid_free (GstInferMotionGrid *motion); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferMotionGrid, gst_infer_motion_grid_free)

/* Compares the picture at @data; @step: bytes from a sample to the next.
 * @sensitivity: 1 by default; half of it wants changes twice as large.  TRUE:
 * it has changed, or there is no reference. */
gboolean gst_infer_motion_grid_look (GstInferMotionGrid *motion,
    const guint8 *data, gsize stride, guint step, double sensitivity);
/* The picture becomes the reference. */
void gst_infer_motion_grid_keep (
    GstInferMotionGrid *motion, const guint8 *data, gsize stride, guint step);
/* There is no reference. */
void gst_infer_motion_grid_forget (GstInferMotionGrid *motion);

/* Boxes around what has changed, in cells; at most @most. */
typedef struct
{
  guint x0, y0, x1, y1; /* x1, y1: behind the last */
} GstInferMotionBox;
guint gst_infer_motion_grid_boxes (
    GstInferMotionGrid *motion, GstInferMotionBox *boxes, guint most);
