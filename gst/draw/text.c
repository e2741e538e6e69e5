/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/text.h"

#include "gst/draw/font.h"
#include "gst/draw/script.h"

#define PLATE_ALPHA 150

/* The edge is half a point wide, at least a pixel. */
static int
edge_of (int scale)
{
  return MAX (scale / 2, 1);
}

/* Renders @text through Pango if the small font lacks a letter.  FALSE: it has
 * all, or Pango is absent. */
static gboolean
render_script (const char *text, int scale, GstInferGlyphs *glyphs)
{
  return !g_str_is_ascii (text)
         && gst_infer_script_render (text,
             GST_INFER_FONT_HEIGHT * scale * 4 / 3 + 2 * edge_of (scale),
             glyphs);
}

void
gst_infer_text_size (const char *text, int scale, int *width, int *height)
{
  g_auto (GstInferGlyphs) glyphs = { 0 };

  if (render_script (text, scale, &glyphs)) {
    *width = glyphs.width;
    *height = glyphs.height;
    return;
  }
  int n = (int) g_utf8_strlen (text, -1);

  *width = n * GST_INFER_FONT_ADVANCE * scale + 2 * edge_of (scale);
  *height = GST_INFER_FONT_HEIGHT * scale + 2 * edge_of (scale);
}

/* Draws each point of the letter as a square, @edge larger on each side. */
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

static void
draw_glyphs (GstInferCanvas *canvas, const GstInferGlyphs *glyphs, int x, int y)
{
  for (int row = 0; row < glyphs->height; row++) {
    const guint8 *p = glyphs->data + (gsize) row * (gsize) glyphs->width;

    for (int column = 0; column < glyphs->width; column++)
      if (p[column] > 0)
        gst_infer_canvas_span (
            canvas, y + row, x + column, x + column + 1, p[column]);
  }
}

/* With its left upper corner, edges included, at (@x, @y). */
static void
draw_text (GstInferCanvas *canvas, const char *text, int x, int y, int scale)
{
  int edge = edge_of (scale);
  g_auto (GstInferGlyphs) glyphs = { 0 };

  if (!g_utf8_validate (text, -1, NULL))
    return;
  gboolean script = render_script (text, scale, &glyphs);
  gst_infer_canvas_set_color (canvas, GST_INFER_BLACK);
  for (int i = 0; script && i < 9; i++)
    draw_glyphs (
        canvas, &glyphs, x + (i % 3 - 1) * edge, y + (i / 3 - 1) * edge);
  if (script) {
    gst_infer_canvas_set_color (canvas, GST_INFER_WHITE);
    draw_glyphs (canvas, &glyphs, x, y);
    return;
  }
  draw_letters (canvas, text, x + edge, y + edge, scale, edge);
  gst_infer_canvas_set_color (canvas, GST_INFER_WHITE);
  draw_letters (canvas, text, x + edge, y + edge, scale, 0);
}

int
gst_infer_text_draw_plate (GstInferCanvas *canvas, const char *text, int x,
    int y, int scale, GstInferColor color)
{
  int width, height;

  gst_infer_text_size (text, scale, &width, &height);
  x = CLAMP (x, 0, MAX (canvas->width - width, 0));
  y = CLAMP (y, 0, MAX (canvas->height - height, 0));
  gst_infer_canvas_set_color (canvas, color);
  gst_infer_canvas_fill (canvas, x, y, width, height, PLATE_ALPHA);
  draw_text (canvas, text, x, y, scale);
  return height;
}
