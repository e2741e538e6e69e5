/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/script.h"

#include <pango/pangocairo.h>
#include <string.h>

#define LONGEST 4096 /* pixels */

/* Makes a line with room for its edge.  (transfer full) */
static PangoLayout *
make_layout (cairo_t *cairo, const char *text, int height)
{
  PangoLayout *layout = pango_cairo_create_layout (cairo);
  PangoFontDescription *font = pango_font_description_from_string ("Sans");

  pango_font_description_set_absolute_size (font, height * 0.72 * PANGO_SCALE);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_text (layout, text, -1);
  return layout;
}

static int
width_of (const char *text, int height)
{
  cairo_surface_t *nothing = cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cairo = cairo_create (nothing);
  PangoLayout *layout = make_layout (cairo, text, height);
  int width;

  pango_layout_get_pixel_size (layout, &width, NULL);
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (nothing);
  return CLAMP (width + 4, 4, LONGEST);
}

gboolean
gst_infer_script_render (const char *text, int height, GstInferGlyphs *glyphs)
{
  int width = width_of (text, height);
  int stride = cairo_format_stride_for_width (CAIRO_FORMAT_A8, width);
  guint8 *data = g_malloc0 ((gsize) stride * (gsize) height);
  cairo_surface_t *surface = cairo_image_surface_create_for_data (
      data, CAIRO_FORMAT_A8, width, height, stride);
  cairo_t *cairo = cairo_create (surface);
  PangoLayout *layout = make_layout (cairo, text, height);
  int used;

  pango_layout_get_pixel_size (layout, NULL, &used);
  cairo_move_to (cairo, 2, (height - used) / 2.0);
  pango_cairo_show_layout (cairo, layout);
  cairo_surface_flush (surface);
  g_object_unref (layout);
  cairo_destroy (cairo);
  cairo_surface_destroy (surface);
  for (int y = 1; y < height; y++)
    memmove (data + (gsize) y * (gsize) width,
        data + (gsize) y * (gsize) stride, (gsize) width);
  *glyphs = (GstInferGlyphs){ width, height, data };
  return TRUE;
}

void
gst_infer_glyphs_clear (GstInferGlyphs *glyphs)
{
  g_clear_pointer (&glyphs->data, g_free);
}
