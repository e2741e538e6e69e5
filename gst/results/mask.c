/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Segmentation masks: a colour over the pixels of each class but the first, the
 * background; in JSON the area of each class. */

#include <math.h>

#include "gst/common/json-text.h"
#include "gst/draw/stencil.h"
#include "gst/infer/mask-meta.h"
#include "gst/results/kind.h"

/* Gets the alpha and the colour of the mask at each pixel of a row. */
static void
read_mask_row (const GstInferMaskMeta *mask, const guint8 *row,
    const gint32 *columns, int n, guint alpha, guint8 *alphas, guint8 *colors)
{
  for (int x = 0; x < n; x++) {
    guint8 value = row[columns[x]];

    if (mask->kind == GST_INFER_MASK_SOFT) {
      alphas[x] = (guint8) (alpha * value / 255);
      colors[x] = 1;
    } else {
      alphas[x] = value != 0 ? (guint8) alpha : 0;
      colors[x] = value != 0 ? (guint8) (value - 1) : 0;
    }
  }
}

/* Returns the pixel of the mask at pixel @at of the frame. */
static gint32
mask_index (int at, double offset, double scale, guint size)
{
  const double pixel = floor ((at + 0.5 - offset) / scale);

  return pixel > 0 ? (gint32) MIN (pixel, (double) size - 1) : 0; /* NaN: 0 */
}

/* @at as a border between pixels of the frame, of which there are @size. */
static int
border (double at, int size)
{
  return at > 0 ? (int) MIN (round (at), size) : 0; /* NaN: 0 */
}

static void
draw_mask (GstInferDrawing *d, const GstInferMaskMeta *mask)
{
  const GstInferMap *map = &mask->map;
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  guint alpha = (guint) (d->mask_alpha * 255 + 0.5);
  int x0 = border (map->x, d->canvas->width);
  int y0 = border (map->y, d->canvas->height);
  int x1 = border (map->x + mask->width * map->scale_x, d->canvas->width);
  int y1 = border (map->y + mask->height * map->scale_y, d->canvas->height);
  gint32 last = -1;
  int n = x1 - x0;

  if (n <= 0 || y1 <= y0)
    return;
  g_autoptr (GstInferStencil) stencil = gst_infer_stencil_new (d->canvas);
  g_autofree gint32 *columns = g_new (gint32, n);
  g_autofree guint8 *pixels = g_malloc (2 * (gsize) n);
  for (int x = 0; x < n; x++)
    columns[x] = mask_index (x0 + x, map->x, map->scale_x, mask->width);
  for (int y = y0; y < y1; y++) {
    gint32 row = mask_index (y, map->y, map->scale_y, mask->height);

    if (row != last) {
      read_mask_row (mask, data + (gsize) row * mask->width, columns, n, alpha,
          pixels, pixels + n);
      gst_infer_stencil_set (stencil, x0, x1, pixels, pixels + n);
    }
    last = row;
    gst_infer_stencil_draw (stencil, y);
  }
}

static void
draw_masks (GstInferDrawing *d, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_MASK_META_API_TYPE)))
    draw_mask (d, (const GstInferMaskMeta *) meta);
}

/* Appends each class in the mask, the background too, with its area. */
static void
add_mask (GString *line, const GstInferMaskMeta *mask)
{
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  gsize n = (gsize) mask->width * mask->height, counts[256] = { 0 };
  double sum = 0;

  for (gsize i = 0; i < n; i++) {
    counts[data[i]]++;
    sum += data[i] / 255.0;
  }
  for (guint c = 0; c < 256; c++) {
    gboolean soft = mask->kind == GST_INFER_MASK_SOFT;

    if (counts[c] == 0 || (soft && c > 0))
      continue;
    gst_infer_json_begin_item (line, '{');
    gst_infer_json_add_int (line, "label_id", soft ? 1 : c);
    if (mask->labels != NULL && c < mask->labels->len)
      gst_infer_json_add_string (
          line, "label", g_ptr_array_index (mask->labels, c));
    gst_infer_json_add_real (
        line, "area", (soft ? sum : (double) counts[c]) / (double) n);
    if (mask->roi_id >= 0)
      gst_infer_json_add_int (line, "region_id", mask->roi_id);
    g_string_append_c (line, '}');
  }
}

static guint
add_masks (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  /* A mask of a region is listed with those of the frame, by region_id. */
  if (roi != NULL)
    return 0;
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_MASK_META_API_TYPE))) {
    if (n++ == 0)
      gst_infer_json_begin (line, "segmentation", '[');
    add_mask (line, (GstInferMaskMeta *) meta);
  }
  if (n > 0)
    g_string_append_c (line, ']');
  return n;
}

const GstInferResultKind gst_infer_result_mask = {
  .property = "draw-masks",
  .nick = "Masks",
  .blurb = "Draw segmentation masks",
  .api = gst_infer_mask_meta_api_get_type,
  .draw_shapes = draw_masks,
  .add_json = add_masks,
};
