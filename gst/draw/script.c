/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/script.h"

#include <gst/gst.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "gst/common/library.h"

/* --- Pango --- */

#define CALLS(CALL)                                                            \
  CALL (cairo_create)                                                          \
  CALL (cairo_destroy)                                                         \
  CALL (cairo_format_stride_for_width)                                         \
  CALL (cairo_image_surface_create)                                            \
  CALL (cairo_image_surface_create_for_data)                                   \
  CALL (cairo_move_to)                                                         \
  CALL (cairo_surface_destroy)                                                 \
  CALL (cairo_surface_flush)                                                   \
  CALL (pango_cairo_create_layout)                                             \
  CALL (pango_cairo_show_layout)                                               \
  CALL (pango_font_description_free)                                           \
  CALL (pango_font_description_from_string)                                    \
  CALL (pango_font_description_set_absolute_size)                              \
  CALL (pango_layout_get_pixel_size)                                           \
  CALL (pango_layout_set_font_description)                                     \
  CALL (pango_layout_set_single_paragraph_mode)                                \
  CALL (pango_layout_set_text)

static struct
{
  CALLS (GST_INFER_CALL)
} pango;

static const char *const call_names[] = { CALLS (GST_INFER_CALL_NAME) };

static GstInferLibrary library = { .file = "libpangocairo-1.0.so.0",
  .package = "Pango (pangocairo)",
  .names = call_names,
  .n = G_N_ELEMENTS (call_names),
  .functions = &pango };

#define LONGEST 4096 /* pixels */

/* Makes a line with room for its edge.  (transfer full) */
static PangoLayout *
make_layout (cairo_t *cairo, const char *text, int height)
{
  PangoLayout *layout = pango.pango_cairo_create_layout (cairo);
  PangoFontDescription *font =
      pango.pango_font_description_from_string ("Sans");

  pango.pango_font_description_set_absolute_size (
      font, height * 0.72 * PANGO_SCALE);
  pango.pango_layout_set_font_description (layout, font);
  pango.pango_font_description_free (font);
  pango.pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango.pango_layout_set_text (layout, text, -1);
  return layout;
}

static int
width_of (const char *text, int height)
{
  cairo_surface_t *nothing =
      pango.cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);
  cairo_t *cairo = pango.cairo_create (nothing);
  PangoLayout *layout = make_layout (cairo, text, height);
  int width;

  pango.pango_layout_get_pixel_size (layout, &width, NULL);
  g_object_unref (layout);
  pango.cairo_destroy (cairo);
  pango.cairo_surface_destroy (nothing);
  return CLAMP (width + 4, 4, LONGEST);
}

static void
warn_once (const GError *error)
{
  static gint warned;

  if (g_atomic_int_compare_and_exchange (&warned, FALSE, TRUE))
    GST_WARNING ("only ASCII can be drawn: %s", error->message);
}

gboolean
gst_infer_script_render (const char *text, int height, GstInferGlyphs *glyphs)
{
  g_autoptr (GError) error = NULL;

  if (!gst_infer_library_load (&library, &error)) {
    warn_once (error);
    return FALSE;
  }
  int width = width_of (text, height);
  int stride = pango.cairo_format_stride_for_width (CAIRO_FORMAT_A8, width);
  guint8 *data = g_malloc0 ((gsize) stride * (gsize) height);
  cairo_surface_t *surface = pango.cairo_image_surface_create_for_data (
      data, CAIRO_FORMAT_A8, width, height, stride);
  cairo_t *cairo = pango.cairo_create (surface);
  PangoLayout *layout = make_layout (cairo, text, height);
  int used;

  pango.pango_layout_get_pixel_size (layout, NULL, &used);
  pango.cairo_move_to (cairo, 2, (height - used) / 2.0);
  pango.pango_cairo_show_layout (cairo, layout);
  pango.cairo_surface_flush (surface);
  g_object_unref (layout);
  pango.cairo_destroy (cairo);
  pango.cairo_surface_destroy (surface);
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
