/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A picture where it lies in memory, whatever its format: a plane for each
 * component.  Packed, planar, semi-planar and subsampled formats differ only in
 * where the planes are.  Plain values; the memory is the caller's. */

#pragma once

#include "infer/tensor.h"

G_BEGIN_DECLS

#define INFER_IMAGE_MAX_CHANNELS 4

typedef struct
{
  gconstpointer data;     /* the first sample */
  gint64 row, step;       /* bytes from row to row, from sample to sample */
  guint h_shift, v_shift; /* a sample is of 1 << shift pixels */
} InferPlane;

typedef struct
{
  InferType type;       /* u8, u16 or f32 */
  float unit;           /* u16: a step of a sample, of 0 … 255; else 1 or 0 */
  gint64 width, height; /* pixels, ≥ 1 */
  /* 1: grey; 3: red, green, blue or Y, U, V; 4: with alpha at the end. */
  guint n;
  InferPlane planes[INFER_IMAGE_MAX_CHANNELS];
  /* Y, U, V: weights of red and blue in Y, and whether black is 0 or 16. */
  gboolean yuv, full_range;
  double kr, kb;
} InferImage;

typedef struct
{
  gint64 x, y, width, height;
} InferBox;

typedef enum
{
  INFER_SAMPLING_LINEAR, /* centres of pixels aligned, no anti-aliasing */
  INFER_SAMPLING_NEAREST,
  INFER_SAMPLING_CUBIC, /* the same with four samples each way */
  INFER_SAMPLING_AREA,  /* the mean of what a pixel covers */
} InferSampling;

/* @format: RGB, BGR, RGBx, BGRx, xRGB, xBGR, GRAY8, or NV12 and I420 (of
 * BT.601, black at 16), as GStreamer's; @row bytes from row to row, of Y where
 * there is one.  The memory stays the caller's. */
gboolean infer_image_init (InferImage *image, const char *format,
    gconstpointer data, gsize size, gint64 width, gint64 height, gint64 row,
    GError **error);

G_END_DECLS
