/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/script.h"

gboolean
gst_infer_script_render (const char *text, int height, GstInferGlyphs *glyphs)
{
  *glyphs = (GstInferGlyphs){ 0 };
  return FALSE;
}

void
gst_infer_glyphs_clear (GstInferGlyphs *glyphs)
{
}
