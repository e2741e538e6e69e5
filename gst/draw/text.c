/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/text.h"

#include "gst/draw/font.h"

/* The edge is half a point wide, at least a pixel. */
static int
edge_of (int scale)
{
  return MAX (scale / 2, 1);
}

void
gst_infer_text_size (const char *text, int scale, int *width, int *height)
{
  int n = (int) g_utf8_strlen (text, -1);

  *width = n * GST_INFER_FONT_ADVANCE * scale + 2 * edge_of (scale);
  *height = GST_INFER_FONT_HEIGHT * scale + 2 * edge_of (scale);
}

/* Each point of the letter as a square, grown by @edge. */
static void
draw_letter (GstInferCanvas *canvas, const guint8 *rows, int x, int y,
    int scale, int edge)
{
  for (int row = 0; row < GST_INFER_FONT_HEIGHT; row++)
    for (int column = 0; column < GST_INFER_FONT_WIDTH; column++)
      if (rows[row] & (0x10 >> column))
        gst_infer_canvas_fill (canvas, x + column * scale - edge,
            y + row * scale - edge, scale + 2 * edge, scale + 2 * edge, 255);
}

static void
draw_letters (
    GstInferCanvas *canvas, const char *text, int x, int y, int scale, int edge)
{
  g_autofree gunichar *letters = g_utf8_to_ucs4_fast (text, -1, NULL);

  for (const gunichar *p = letters; *p != 0; p++) {
    draw_letter (canvas, gst_infer_font_glyph (*p), x, y, scale, edge);
    x += GST_INFER_FONT_ADVANCE * scale;
  }
}

void
gst_infer_text_draw (
    GstInferCanvas *canvas, const char *text, int x, int y, int scale)
{
  int edge = edge_of (scale);

  if (!g_utf8_validate (text, -1, NULL))
    return;
  gst_infer_canvas_set_color (canvas, GST_INFER_BLACK);
  draw_letters (canvas, text, x + edge, y + edge, scale, edge);
  gst_infer_canvas_set_color (canvas, GST_INFER_WHITE);
  draw_letters (canvas, text, x + edge, y + edge, scale, 0);
}
