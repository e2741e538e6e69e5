/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text in scripts that the small font lacks, through Pango: built from script.c
 * if the build has it, otherwise from script-none.c. */

#pragma once

#include "gst/draw/canvas.h"

/* Coverage of each pixel, 0 … 255. */
typedef struct
{
  int width, height;
  guint8 *data; /* [height, width] */
} GstInferGlyphs;

/* Renders one line of at most @height pixels.  FALSE: it cannot be rendered. */
gboolean gst_infer_script_render (
    const char *text, int height, GstInferGlyphs *glyphs);
void gst_infer_glyphs_clear (GstInferGlyphs *glyphs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstInferGlyphs, gst_infer_glyphs_clear)
