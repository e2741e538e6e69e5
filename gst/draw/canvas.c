/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/canvas.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1e6

void
gst_infer_canvas_init (GstInferCanvas *canvas, GstVideoFrame *frame)
{
  const GstVideoInfo *info = &frame->info;
  const GstVideoFormatInfo *format = info->finfo;

  *canvas = (GstInferCanvas){ .width = GST_VIDEO_FRAME_WIDTH (frame),
    .height = GST_VIDEO_FRAME_HEIGHT (frame),
    .n = GST_VIDEO_FRAME_N_COMPONENTS (frame),
    .yuv = !GST_VIDEO_INFO_IS_RGB (info) };
  for (guint i = 0; i < canvas->n; i++) {
    canvas->components[i].data = GST_VIDEO_FRAME_COMP_DATA (frame, i);
    canvas->components[i].stride = GST_VIDEO_FRAME_COMP_STRIDE (frame, i);
    canvas->components[i].step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i);
    canvas->components[i].plane = (int) GST_VIDEO_FORMAT_INFO_PLANE (format, i);
    canvas->components[i].offset =
        (int) GST_VIDEO_FORMAT_INFO_POFFSET (format, i);
    canvas->components[i].x_shift =
        (int) GST_VIDEO_FORMAT_INFO_W_SUB (format, i);
    canvas->components[i].y_shift =
        (int) GST_VIDEO_FORMAT_INFO_H_SUB (format, i);
  }
  if (!gst_video_color_matrix_get_Kr_Kb (
          info->colorimetry.matrix, &canvas->kr, &canvas->kb)) {
    canvas->kr = 0.299;
    canvas->kb = 0.114;
  }
  gst_video_color_range_offsets (
      info->colorimetry.range, format, canvas->offset, canvas->range);
  gst_infer_canvas_set_color (canvas, GST_INFER_WHITE);
}

static guint8
to_byte (double value)
{
  return (guint8) (CLAMP (value, 0, 255) + 0.5);
}

void
gst_infer_canvas_set_color (GstInferCanvas *canvas, GstInferColor color)
{
  double r = color.r / 255.0, g = color.g / 255.0, b = color.b / 255.0;
  double y =
      canvas->kr * r + (1 - canvas->kr - canvas->kb) * g + canvas->kb * b;

  canvas->ink[3] = 255; /* opaque */
  if (!canvas->yuv) {
    canvas->ink[0] = color.r;
    canvas->ink[1] = color.g;
    canvas->ink[2] = color.b;
    return;
  }
  canvas->ink[0] = to_byte (canvas->offset[0] + y * canvas->range[0]);
  canvas->ink[1] = to_byte (
      canvas->offset[1] + (b - y) / (2 - 2 * canvas->kb) * canvas->range[1]);
  canvas->ink[2] = to_byte (
      canvas->offset[2] + (r - y) / (2 - 2 * canvas->kr) * canvas->range[2]);
}

void
gst_infer_canvas_span (
    GstInferCanvas *canvas, int y, int x0, int x1, guint alpha)
{
  x0 = MAX (x0, 0);
  x1 = MIN (x1, canvas->width);
  if (y < 0 || y >= canvas->height || x0 >= x1 || alpha == 0)
    return;
  for (guint i = 0; i < canvas->n; i++) {
    int x_shift = canvas->components[i].x_shift;
    int y_shift = canvas->components[i].y_shift;
    int step = canvas->components[i].step;
    guint ink = canvas->ink[i];
    /* If pixels share a sample, the first of them sets it; an opaque one
     * always does, to give thin lines their colour. */
    gboolean any = alpha >= 255;
    int begin = (x0 + (any ? 0 : (1 << x_shift) - 1)) >> x_shift;
    int end = (x1 + (1 << x_shift) - 1) >> x_shift;
    guint8 *p = canvas->components[i].data
                + (gssize) (y >> y_shift) * canvas->components[i].stride
                + (gssize) begin * step;

    if (!any && (y & ((1 << y_shift) - 1)) != 0)
      continue;
    if (any && step == 1) {
      memset (p, (int) ink, (gsize) MAX (end - begin, 0));
      continue;
    }
    for (int x = begin; x < end && any; x++, p += step)
      *p = (guint8) ink;
    for (int x = begin; x < end && !any; x++, p += step)
      *p = (guint8) ((*p * (255 - alpha) + ink * alpha + 127) / 255);
  }
}

void
gst_infer_canvas_fill (
    GstInferCanvas *canvas, int x, int y, int width, int height, guint alpha)
{
  int end = MIN (y + height, canvas->height);

  for (int row = MAX (y, 0); row < end; row++)
    gst_infer_canvas_span (canvas, row, x, x + width, alpha);
}

void
gst_infer_canvas_box (
    GstInferCanvas *canvas, int x, int y, int width, int height, int line)
{
  line = MIN (line, MIN (width, height));
  gst_infer_canvas_fill (canvas, x, y, width, line, 255);
  gst_infer_canvas_fill (canvas, x, y + height - line, width, line, 255);
  gst_infer_canvas_fill (canvas, x, y, line, height, 255);
  gst_infer_canvas_fill (canvas, x + width - line, y, line, height, 255);
}

int
gst_infer_canvas_pixel (double at)
{
  return isnan (at) ? 0 : (int) lround (CLAMP (at, -FARTHEST, FARTHEST));
}

void
gst_infer_canvas_disc (GstInferCanvas *canvas, int x, int y, int radius)
{
  if (x < -radius || x > canvas->width + radius || y < -radius
      || y > canvas->height + radius)
    return;
  for (int dy = -radius; dy <= radius; dy++) {
    int half = (int) sqrt ((radius + 0.5) * (radius + 0.5) - dy * dy);

    gst_infer_canvas_span (canvas, y + dy, x - half, x + half + 1, 255);
  }
}

/* Clips the line with parameter 0 … 1 to [0, @limit] of a coordinate. */
static void
clip (double from, double delta, double limit, double *t0, double *t1)
{
  double a, b;

  if (delta == 0) {
    if (from < 0 || from > limit)
      *t1 = -1;
    return;
  }
  a = -from / delta;
  b = (limit - from) / delta;
  *t0 = MAX (*t0, MIN (a, b));
  *t1 = MIN (*t1, MAX (a, b));
}

/* A square moved along the line: one span on each row. */
void
gst_infer_canvas_line (
    GstInferCanvas *canvas, int x0, int y0, int x1, int y1, int width)
{
  double dx = (double) x1 - x0, dy = (double) y1 - y0, t0 = 0, t1 = 1;
  int before = width / 2, after = width - 1 - before, first, last;

  if (dy < 0) {
    gst_infer_canvas_line (canvas, x1, y1, x0, y0, width);
    return;
  }
  clip (x0, dx, canvas->width, &t0, &t1);
  clip (y0, dy, canvas->height, &t0, &t1);
  if (t0 > t1)
    return;
  first = (int) lround (y0 + t0 * dy) - before;
  last = (int) lround (y0 + t1 * dy) + after;
  for (int y = first; y <= last; y++) {
    double from = dy > 0 ? (y - after - 0.5 - y0) / dy : t0;
    double to = dy > 0 ? (y + before + 0.5 - y0) / dy : t1;
    double a = x0 + CLAMP (from, t0, t1) * dx;
    double b = x0 + CLAMP (to, t0, t1) * dx;

    gst_infer_canvas_span (canvas, y, (int) lround (MIN (a, b)) - before,
        (int) lround (MAX (a, b)) + after + 1, 255);
  }
}

GstInferColor
gst_infer_palette (int index)
{
  static const GstInferColor colors[] = { { 255, 80, 60 }, { 60, 170, 255 },
    { 80, 220, 90 }, { 255, 190, 40 }, { 200, 110, 255 }, { 60, 225, 215 },
    { 255, 120, 190 }, { 170, 215, 60 }, { 255, 150, 90 }, { 130, 150, 255 },
    { 235, 225, 90 }, { 110, 200, 160 } };

  return colors[(guint) index % G_N_ELEMENTS (colors)];
}
