/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/overlay/draw.h"

static gboolean
has_meta (GstBuffer *buffer, GType api)
{
  gpointer state = NULL;

  return gst_buffer_iterate_meta_filtered (buffer, &state, api) != NULL;
}

static gboolean
draws_shapes (const GstInferOverlayStyle *style, guint i)
{
  return style->shapes[i] && gst_infer_result_kinds[i]->draw_shapes != NULL;
}

static gboolean
draws_texts (const GstInferOverlayStyle *style, guint i)
{
  return style->labels && gst_infer_result_kinds[i]->draw_texts != NULL;
}

gboolean
gst_infer_overlay_has_work (
    GstBuffer *buffer, const GstInferOverlayStyle *style)
{
  for (guint i = 0; i < GST_INFER_N_RESULT_KINDS; i++)
    if ((draws_shapes (style, i) || draws_texts (style, i))
        && has_meta (buffer, gst_infer_result_kinds[i]->api ()))
      return TRUE;
  return FALSE;
}

void
gst_infer_overlay_draw (GstInferCanvas *canvas, GstBuffer *buffer,
    const GstInferOverlayStyle *style)
{
  g_autoptr (GArray) taken =
      g_array_new (FALSE, FALSE, sizeof (GstVideoRectangle));
  int side = MIN (canvas->width, canvas->height);
  GstInferDrawing drawing = { canvas, style->mask_alpha,
    style->scale > 0 ? (int) style->scale : CLAMP ((side + 240) / 360, 1, 8),
    taken };

  for (guint i = GST_INFER_N_RESULT_KINDS; i-- > 0;)
    if (draws_shapes (style, i))
      gst_infer_result_kinds[i]->draw_shapes (&drawing, buffer);
  for (guint i = 0; i < GST_INFER_N_RESULT_KINDS; i++)
    if (draws_texts (style, i))
      gst_infer_result_kinds[i]->draw_texts (&drawing, buffer);
}
