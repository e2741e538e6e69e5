/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shapes, static and partial.  A plain value without allocations. */

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

/* TRUE if the static shape @actual has the rank and every known dim of
 * @pattern. */
INFER_API gboolean infer_shape_matches (
    const InferShape *pattern, const InferShape *actual);

/* Elements of a static shape (1 for a scalar); FALSE on overflow or where the
 * shape is not static. */
INFER_API gboolean infer_shape_elements (const InferShape *shape, gsize *n);

/* The same for a static shape whose size is known not to overflow. */
INFER_API gsize infer_shape_count (const InferShape *shape);

/* "[1,?,40]", "[]", "[...]"; (transfer full). */
INFER_API char *infer_shape_to_string (const InferShape *shape);

/* "1,?,40", "1, -1, 40", "2..5", "..": as in a Parameter's `shape`; the bounds
 * go to @lower and @upper (nullable), G_MAXINT64 for none. */
INFER_API gboolean infer_shape_parse (const char *text, InferShape *shape,
    InferShape *lower, InferShape *upper, GError **error);

G_END_DECLS
