/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drawing into video frames of 8 bits a component, RGB, YUV or grey, planar or
 * packed, straight into their memory: only the pixels drawn are touched, and
 * whatever reaches beyond the frame is cut off. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What can be drawn into. */
#define GST_INFER_CANVAS_FORMATS                                               \
  "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, I420, YV12, "   \
  "NV12, NV21, YUY2, UYVY, Y42B, Y444, GRAY8 }"

typedef struct
{
  guint8 r, g, b;
} GstInferColor;

#define GST_INFER_WHITE ((GstInferColor){ 255, 255, 255 })
#define GST_INFER_BLACK ((GstInferColor){ 0, 0, 0 })

typedef struct
{
  int width, height;
  guint n; /* components */
  struct
  {
    guint8 *data;
    int stride, step, x_shift, y_shift;
    int plane, offset; /* bytes from the beginning of the plane */
  } components[4];
  gboolean yuv;
  double kr, kb;
  int offset[4], range[4]; /* of the components */
  guint8 ink[4];           /* the colour, as components */
} GstInferCanvas;

/* @frame: mapped for reading and writing, and stays so. */
void gst_infer_canvas_init (GstInferCanvas *canvas, GstVideoFrame *frame);

/* What is drawn with from now on. */
void gst_infer_canvas_set_color (GstInferCanvas *canvas, GstInferColor color);

/* Pixels [x0, x1) of row @y; @alpha 0…255: how much of the colour. */
void gst_infer_canvas_span (
    GstInferCanvas *canvas, int y, int x0, int x1, guint alpha);
void gst_infer_canvas_fill (
    GstInferCanvas *canvas, int x, int y, int width, int height, guint alpha);
/* The edges of a box, @line pixels wide, inside of it. */
void gst_infer_canvas_box (
    GstInferCanvas *canvas, int x, int y, int width, int height, int line);
void gst_infer_canvas_disc (GstInferCanvas *canvas, int x, int y, int radius);
void gst_infer_canvas_line (
    GstInferCanvas *canvas, int x0, int y0, int x1, int y1, int width);

/* A colour for a thing of this number: neighbours differ. */
GstInferColor gst_infer_palette (int index);

G_END_DECLS
