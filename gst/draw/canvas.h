/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drawing into the memory of video frames of 8 bits per component: RGB, YUV or
 * grey, planar or packed.  Only the pixels drawn are touched; drawing is
 * clipped to the frame.  One thread at a time. */

#pragma once

#include <gst/video/video.h>

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

/* @frame is mapped for reading and writing and must stay so. */
void gst_infer_canvas_init (GstInferCanvas *canvas, GstVideoFrame *frame);

/* Sets the colour for all further drawing. */
void gst_infer_canvas_set_color (GstInferCanvas *canvas, GstInferColor color);

/* Draws pixels [x0, x1) of row @y; @alpha: opacity, 0 … 255. */
void gst_infer_canvas_span (
    GstInferCanvas *canvas, int y, int x0, int x1, guint alpha);
void gst_infer_canvas_fill (
    GstInferCanvas *canvas, int x, int y, int width, int height, guint alpha);
/* Draws the edges of a box, @line pixels wide, inside of it. */
void gst_infer_canvas_box (
    GstInferCanvas *canvas, int x, int y, int width, int height, int line);
/* The pixel at @at, no farther than 1e6 from the first; NaN: 0. */
int gst_infer_canvas_pixel (double at);
void gst_infer_canvas_disc (GstInferCanvas *canvas, int x, int y, int radius);
void gst_infer_canvas_line (
    GstInferCanvas *canvas, int x0, int y0, int x1, int y1, int width);

/* Returns a colour for @index; those of adjacent indices differ. */
GstInferColor gst_infer_palette (int index);
