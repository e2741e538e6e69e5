/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/window.h"

static const char *const auto_pad_names[] = { "explicit", "valid", "same_upper",
  "same_lower", NULL };
static const char *const rounding_names[] = { "floor", "ceil", "ceil_torch",
  NULL };

/* Reads one list; all lists must have one length. */
static gboolean
parse_list (InferWindow *window, const InferAttributes *from, const char *name,
    gint64 least, gint64 *values, GError **error)
{
  guint n = 0;

  if (!infer_attr_small_ints (from, name, values, INFER_MAX_SPATIAL, &n, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  if (window->n != 0 && window->n != n)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute '%s' has %u values where others have %u", name, n,
        window->n);
  window->n = n;
  for (guint i = 0; i < n; i++) {
    if (values[i] < least || values[i] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute '%s' has the value %" G_GINT64_FORMAT
          ", not in %" G_GINT64_FORMAT " … %d",
          name, values[i], least, G_MAXINT32);
  }
  return TRUE;
}

gboolean
infer_window_parse (InferWindow *window, const InferAttributes *from,
    gboolean has_kernel, GError **error)
{
  /* Convolutions may crop with negative pads, poolings have none. */
  gint64 least_pad = has_kernel ? 0 : -G_MAXINT32;
  int auto_pad = INFER_AUTO_PAD_EXPLICIT;
  int rounding = INFER_ROUNDING_FLOOR;

  for (guint i = 0; i < INFER_MAX_SPATIAL; i++)
    window->strides[i] = window->dilations[i] = 1;

  if (has_kernel
      && (!infer_attr_require (from, error, "kernel", NULL)
          || !parse_list (window, from, "kernel", 1, window->kernel, error)))
    return FALSE;
  if (!infer_attr_require (from, error, "strides", NULL)
      || (!has_kernel && !infer_attr_require (from, error, "dilations", NULL))
      || !parse_list (window, from, "strides", 1, window->strides, error)
      || !parse_list (window, from, "dilations", 1, window->dilations, error)
      || !parse_list (
          window, from, "pads_begin", least_pad, window->pads_begin, error)
      || !parse_list (
          window, from, "pads_end", least_pad, window->pads_end, error))
    return FALSE;
  if (!infer_attr_enum (from, "auto_pad", auto_pad_names, &auto_pad, error)
      || (auto_pad == INFER_AUTO_PAD_EXPLICIT
          && !infer_attr_require (from, error, "pads_begin", "pads_end", NULL)))
    return FALSE;
  if (has_kernel
      && !infer_attr_enum (
          from, "rounding_type", rounding_names, &rounding, error))
    return FALSE;
  window->auto_pad = (InferAutoPad) auto_pad;
  window->rounding = (InferRounding) rounding;
  return TRUE;
}

gboolean
infer_window_check_rank (
    const InferWindow *window, const InferShape *data, GError **error)
{
  if (data->rank == INFER_DYNAMIC)
    return TRUE;
  if (data->rank < 3 || data->rank > 2 + INFER_MAX_SPATIAL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the input has rank %d, not 3, 4 or 5", data->rank);
  if (window->n != 0 && (int) window->n != data->rank - 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attributes for %u spatial dimensions, but the input has %d", window->n,
        data->rank - 2);
  return TRUE;
}

/* (in + pads - extent) / stride + 1, rounded by @rounding. */
static gboolean
count_windows (const InferWindow *window, guint i, gint64 in, gint64 extent,
    InferWindowDim *dim, GError **error)
{
  gint64 stride = window->strides[i];
  gint64 room, steps;

  if (__builtin_add_overflow (in, dim->pad_begin, &room)
      || __builtin_add_overflow (room, dim->pad_end, &room))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the padded size of spatial dimension %u overflows", i);
  if (room < extent)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a window of %" G_GINT64_FORMAT " does not fit into %" G_GINT64_FORMAT
        " (padding included) in spatial dimension %u",
        extent, room, i);
  steps = (room - extent) / stride;
  if (window->rounding != INFER_ROUNDING_FLOOR && (room - extent) % stride != 0)
    steps++;
  if (window->rounding == INFER_ROUNDING_CEIL_TORCH && steps > 0
      && steps * stride >= in + dim->pad_begin)
    steps--;
  dim->out = steps + 1;
  return TRUE;
}

gboolean
infer_window_resolve (const InferWindow *window, guint i, gint64 in,
    gint64 kernel, InferWindowDim *dim, GError **error)
{
  gint64 stride = window->strides[i];
  gint64 extent, total;

  *dim = (InferWindowDim){ .out = INFER_DYNAMIC };
  if (kernel == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the window has no size in spatial dimension %u", i);
  if (kernel > G_MAXINT32)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a window of %" G_GINT64_FORMAT " is too large", kernel);
  if (window->auto_pad == INFER_AUTO_PAD_EXPLICIT) {
    dim->pad_begin = window->pads_begin[i];
    dim->pad_end = window->pads_end[i];
  }
  if (in == INFER_DYNAMIC)
    return TRUE;
  if (window->auto_pad == INFER_AUTO_PAD_SAME_UPPER
      || window->auto_pad == INFER_AUTO_PAD_SAME_LOWER) {
    dim->out = in / stride + (in % stride != 0);
    if (kernel == INFER_DYNAMIC)
      return TRUE;
    extent = infer_window_extent (window, i, kernel);
    total = dim->out == 0 ? 0 : MAX ((dim->out - 1) * stride + extent - in, 0);
    dim->pad_begin = window->auto_pad == INFER_AUTO_PAD_SAME_UPPER
                         ? total / 2
                         : total - total / 2;
    dim->pad_end = total - dim->pad_begin;
    return TRUE;
  }
  if (kernel == INFER_DYNAMIC)
    return TRUE;
  return count_windows (
      window, i, in, infer_window_extent (window, i, kernel), dim, error);
}

gboolean
infer_window_resolve_all (const InferWindow *window, guint n, const gint64 *in,
    const gint64 *kernel, InferWindowDim *dims, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!infer_window_resolve (window, i, in[i], kernel[i], &dims[i], error))
      return FALSE;
  }
  return TRUE;
}
