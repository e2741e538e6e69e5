/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A row of pixels of many colours, each as much as it covers, that is drawn
 * onto one row of a canvas after another: masks are coarser than frames. */

#pragma once

#include "gst/overlay/canvas.h"

G_BEGIN_DECLS

typedef struct _GstInferStencil GstInferStencil;

/* For @canvas, which stays valid; the colours of its inks now.  Nothing is
 * drawn until `set`. */
GstInferStencil *gst_infer_stencil_new (GstInferCanvas *canvas);
void gst_infer_stencil_free (GstInferStencil *stencil);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferStencil, gst_infer_stencil_free)

/* Pixels [x0, x1) within the canvas: how much they cover (0 … 255) and their
 * colours, numbers of the palette. */
void gst_infer_stencil_set (GstInferStencil *stencil, int x0, int x1,
    const guint8 *alphas, const guint8 *colors);
/* Onto row @y of the canvas. */
void gst_infer_stencil_draw (const GstInferStencil *stencil, int y);

G_END_DECLS
