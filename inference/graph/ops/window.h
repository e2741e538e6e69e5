/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The arithmetic of sliding windows, for convolutions and poolings. */

#pragma once

#include "inference/graph/op.h"

#define INFER_MAX_SPATIAL 3

typedef enum
{
  INFER_AUTO_PAD_EXPLICIT,
  INFER_AUTO_PAD_VALID,
  INFER_AUTO_PAD_SAME_UPPER, /* an odd pixel of padding goes to the end */
  INFER_AUTO_PAD_SAME_LOWER, /* … to the beginning */
} InferAutoPad;

typedef enum
{
  INFER_ROUNDING_FLOOR,
  INFER_ROUNDING_CEIL,
  INFER_ROUNDING_CEIL_TORCH, /* ceil, but no window starts in the end padding */
} InferRounding;

/* Attributes as read.  Defaults: kernel 0, strides and dilations 1, pads 0. */
typedef struct
{
  guint n; /* length of the lists; 0: the file has none */
  gint64 kernel[INFER_MAX_SPATIAL];
  gint64 strides[INFER_MAX_SPATIAL], dilations[INFER_MAX_SPATIAL];
  gint64 pads_begin[INFER_MAX_SPATIAL], pads_end[INFER_MAX_SPATIAL];
  InferAutoPad auto_pad;
  InferRounding rounding;
} InferWindow;

/* One spatial dimension, resolved. */
typedef struct
{
  gint64 out; /* INFER_DYNAMIC if the input is */
  gint64 pad_begin, pad_end;
} InferWindowDim;

/* Reads strides, dilations, pads_begin, pads_end, auto_pad and, where
 * @has_kernel, kernel and rounding_type.  Refuses lists of different lengths,
 * windows of no size, steps of 0, and numbers beyond 2^31. */
gboolean infer_window_parse (InferWindow *window,
    const InferAttributes *attributes, gboolean has_kernel, GError **error);

/* @data is [N, C, spatial…] of rank 3 … 5 or of dynamic rank; fails if the
 * lists have another number of spatial dimensions. */
gboolean infer_window_check_rank (
    const InferWindow *window, const InferShape *data, GError **error);

/* Dimension @i of an input of size @in under a window of @kernel elements
 * (either may be INFER_DYNAMIC). */
gboolean infer_window_resolve (const InferWindow *window, guint i, gint64 in,
    gint64 kernel, InferWindowDim *dim, GError **error);

/* @n dimensions at once. */
gboolean infer_window_resolve_all (const InferWindow *window, guint n,
    const gint64 *in, const gint64 *kernel, InferWindowDim *dims,
    GError **error);

/* (kernel - 1) * dilation + 1 */
static inline gint64
infer_window_extent (const InferWindow *window, guint i, gint64 kernel)
{
  return (kernel - 1) * window->dilations[i] + 1;
}
