/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text in scripts that the small font does not have, through Pango: built from
 * script.c where it is, else from script-none.c. */

#pragma once

#include "gst/overlay/canvas.h"

G_BEGIN_DECLS

/* A byte a pixel: how much of it is covered. */
typedef struct
{
  int width, height;
  guint8 *data; /* width · height */
} GstInferGlyphs;

/* One line of @height pixels at most.  FALSE: cannot be drawn. */
gboolean gst_infer_script_render (
    const char *text, int height, GstInferGlyphs *glyphs);
void gst_infer_glyphs_clear (GstInferGlyphs *glyphs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstInferGlyphs, gst_infer_glyphs_clear)

G_END_DECLS
