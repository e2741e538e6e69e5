/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text that is legible on any background: white, with a black edge.  ASCII in a
 * font of our own; all else through Pango if the build has it, otherwise as
 * boxes. */

#pragma once

#include "gst/draw/canvas.h"

/* Gets the size of one line, edges included.  @scale: pixels per point of the
 * font. */
void gst_infer_text_size (const char *text, int scale, int *width, int *height);

/* Draws @text (UTF-8, one line) on a plate of @color, moved into the canvas.
 * Returns the height. */
int gst_infer_text_draw_plate (GstInferCanvas *canvas, const char *text, int x,
    int y, int scale, GstInferColor color);
