/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text that can be read on any background: white, with a black edge.  ASCII in
 * a font of our own; all else through Pango, where the build has it, else as
 * boxes. */

#pragma once

#include "gst/overlay/canvas.h"

G_BEGIN_DECLS

/* Of one line, edges included; @scale: pixels of a point of the font. */
void gst_infer_text_size (const char *text, int scale, int *width, int *height);

/* The edges' left upper corner is (@x, @y).  @text: UTF-8, one line. */
void gst_infer_text_draw (
    GstInferCanvas *canvas, const char *text, int x, int y, int scale);

G_END_DECLS
