/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes, whole and partial.  A plain value: copy it, no allocation. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

#define INFER_MAX_RANK 16
#define INFER_DYNAMIC (-1)

typedef struct
{
  int rank;                    /* INFER_DYNAMIC: not even the rank is known */
  gint64 dims[INFER_MAX_RANK]; /* INFER_DYNAMIC where not known */
} InferShape;

INFER_API InferShape infer_shape_new (int rank, const gint64 *dims);
INFER_API InferShape infer_shape_make (
    int rank, ...); /* gint64 dims: pass (gint64) 3 */
INFER_API InferShape infer_shape_scalar (void);
INFER_API InferShape infer_shape_dynamic (void);     /* of dynamic rank */
INFER_API InferShape infer_shape_of_rank (int rank); /* every dim dynamic */

INFER_API gboolean infer_shape_is_static (const InferShape *shape);
INFER_API gboolean infer_shape_equal (const InferShape *a, const InferShape *b);

/* TRUE where a tensor of the whole shape @actual may stand for @pattern. */
INFER_API gboolean infer_shape_matches (
    const InferShape *pattern, const InferShape *actual);

/* Elements of a static shape (1 for a scalar); FALSE on overflow or where the
 * shape is not static. */
INFER_API gboolean infer_shape_elements (const InferShape *shape, gsize *n);

/* The same for a shape already checked. */
INFER_API gsize infer_shape_count (const InferShape *shape);

/* Product of dims [from, to) of a static, checked shape. */
INFER_API gsize infer_shape_count_range (
    const InferShape *shape, int from, int to);

/* Row-major strides in elements, of a static shape. */
INFER_API void infer_shape_strides (const InferShape *shape, gint64 *strides);

/* -rank ≤ axis < rank → 0 ≤ *axis < rank; FALSE with @error beyond that.  A
 * dynamic rank accepts only axis ≥ 0 and leaves it. */
INFER_API gboolean infer_shape_normalize_axis (
    const InferShape *shape, gint64 *axis, GError **error);

/* One dim that both must agree on. */
INFER_API gboolean infer_dim_merge (gint64 a, gint64 b, gint64 *merged);

/* Two shapes that must agree, e.g. the branches of an If; FALSE: they do not.
 */
INFER_API gboolean infer_shape_merge (
    const InferShape *a, const InferShape *b, InferShape *merged);

typedef enum
{
  INFER_BROADCAST_NONE,  /* equal shapes */
  INFER_BROADCAST_NUMPY, /* aligned at the last dim, both ways */
  INFER_BROADCAST_PDPD,  /* b is aligned with a at an axis, one way */
} InferBroadcast;

/* @axis: of PDPD, -1: aligned at the last dim. */
INFER_API gboolean infer_shape_broadcast (const InferShape *a,
    const InferShape *b, InferBroadcast rule, gint64 axis, InferShape *out,
    GError **error);

/* "[1,?,40]", "[]", "[...]"; (transfer full). */
INFER_API char *infer_shape_to_string (const InferShape *shape);

/* "1,?,40", "1, -1, 40", "2..5", "..": as in a Parameter's `shape`; the bounds
 * go to @lower and @upper (nullable), G_MAXINT64 for none. */
INFER_API gboolean infer_shape_parse (const char *text, InferShape *shape,
    InferShape *lower, InferShape *upper, GError **error);

/* The number of a list that *@text begins with: at most 18 digits and a sign,
 * white space around them, then ',' (*@more, skipped) or the end.  FALSE,
 * *@text as it was: it begins with something else. */
INFER_API gboolean infer_list_number (
    const char **text, gint64 *number, gboolean *more);

G_END_DECLS
