/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A row of pixels, each with a colour and an opacity, that is drawn onto
 * several rows of a canvas: masks are coarser than frames.  One thread at a
 * time. */

#pragma once

#include "gst/draw/canvas.h"

typedef struct _GstInferStencil GstInferStencil;

/* For @canvas, which must stay valid.  Nothing is drawn before
 * gst_infer_stencil_set. */
GstInferStencil *gst_infer_stencil_new (GstInferCanvas *canvas);
void gst_infer_stencil_free (GstInferStencil *stencil);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferStencil, gst_infer_stencil_free)

/* Sets pixels [x0, x1) of the canvas: opacities (0 … 255) and colours (indices
 * of the palette). */
void gst_infer_stencil_set (GstInferStencil *stencil, int x0, int x1,
    const guint8 *alphas, const guint8 *colors);
/* Draws the row onto row @y of the canvas. */
void gst_infer_stencil_draw (const GstInferStencil *stencil, int y);
