/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes: functions for shape inference and kernels. */

#pragma once

#include "infer/shape.h"

/* Product of dims [from, to) of a static, checked shape. */
gsize infer_shape_count_range (const InferShape *shape, int from, int to);

/* Row-major strides in elements, of a static shape. */
void infer_shape_strides (const InferShape *shape, gint64 *strides);

/* -rank ≤ axis < rank → 0 ≤ *axis < rank; FALSE with @error beyond that.  A
 * dynamic rank accepts only axis ≥ 0 and leaves it. */
gboolean infer_shape_normalize_axis (
    const InferShape *shape, gint64 *axis, GError **error);

/* One dim that both must agree on. */
gboolean infer_dim_merge (gint64 a, gint64 b, gint64 *merged);

/* Two shapes that must agree, e.g. the branches of an If; FALSE: they do not.
 */
gboolean infer_shape_merge (
    const InferShape *a, const InferShape *b, InferShape *merged);

typedef enum
{
  INFER_BROADCAST_NONE,  /* equal shapes */
  INFER_BROADCAST_NUMPY, /* aligned at the last dim, both ways */
  INFER_BROADCAST_PDPD,  /* b is aligned with a at an axis, one way */
} InferBroadcast;

/* @axis: of PDPD, -1: aligned at the last dim. */
gboolean infer_shape_broadcast (const InferShape *a, const InferShape *b,
    InferBroadcast rule, gint64 axis, InferShape *out, GError **error);

/* The number of a list that *@text begins with: at most 18 digits and a sign,
 * white space around them, then ',' (*@more, skipped) or the end.  FALSE,
 * *@text as it was: it begins with something else. */
gboolean infer_list_number (const char **text, gint64 *number, gboolean *more);
