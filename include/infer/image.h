/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A picture in memory, of any format, as a plane for each component: packed,
 * planar, semi-planar and subsampled formats differ only in the planes' places.
 * Plain values; the memory is the caller's. */

#pragma once

#include "infer/api.h"
#include "infer/tensor.h"

G_BEGIN_DECLS

#define INFER_IMAGE_MAX_CHANNELS 4

typedef struct
{
  gconstpointer data;     /* the first sample */
  gint64 row, step;       /* bytes from row to row, from sample to sample */
  guint h_shift, v_shift; /* a sample covers 1 << shift pixels */
} InferPlane;

typedef struct
{
  InferType type; /* u8, u16 or f32 */
  float unit;     /* u16: what a step is worth in 0 … 255; else 1 or 0 */
  gint64 width, height; /* pixels, ≥ 1 */
  /* 1: grey; 3: red, green, blue or Y, U, V; 4: with alpha at the end. */
  guint n;
  InferPlane planes[INFER_IMAGE_MAX_CHANNELS];
  /* For Y, U, V: the weights of red and blue in Y; black is 0 if full_range,
   * otherwise 16. */
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
  INFER_SAMPLING_CUBIC, /* the same with four samples per axis */
  INFER_SAMPLING_AREA,  /* the mean of the area that a pixel covers */
} InferSampling;

/* Describes @data [@size bytes], which stays the caller's.  @format:
 * GStreamer's RGB, BGR, RGBx, BGRx, xRGB, xBGR, GRAY8, or NV12 and I420
 * (BT.601, black at 16); @row: bytes from row to row, for NV12 and I420 of Y.
 */
INFER_API gboolean infer_image_init (InferImage *image, const char *format,
    gconstpointer data, gsize size, gint64 width, gint64 height, gint64 row,
    GError **error);

G_END_DECLS
