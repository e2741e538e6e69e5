/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GstInferMap: from one grid of pixels to another, by a scale and an offset for
 * each axis.  A plain value; any thread. */

#pragma once

#include <gst/gst.h>

#include "gst/infer/api.h"

G_BEGIN_DECLS

/* to = x + from · scale_x, and the same for y; in pixels, the left upper corner
 * of the left upper pixel is (0, 0). */
typedef struct
{
  double x, y, scale_x, scale_y;
} GstInferMap;

#define GST_INFER_MAP_IDENTITY ((GstInferMap){ 0, 0, 1, 1 })

/* The map that applies @first, then @second. */
GST_INFER_API GstInferMap gst_infer_map_chain (
    GstInferMap first, GstInferMap second);

G_END_DECLS
