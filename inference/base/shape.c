/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/shape.h"

#include <string.h>

#include "infer/error.h"

#define SPACE " \t\n\v\f\r"
#define MAX_DIGITS 18

InferShape
infer_shape_new (int rank, const gint64 *dims)
{
  g_assert (rank >= 0 && rank <= INFER_MAX_RANK);
  InferShape shape = { .rank = rank };
  for (int i = 0; i < rank; i++)
    shape.dims[i] = dims[i];
  return shape;
}

InferShape
infer_shape_make (int rank, ...)
{
  g_assert (rank >= 0 && rank <= INFER_MAX_RANK);
  InferShape shape = { .rank = rank };
  va_list args;
  va_start (args, rank);
  for (int i = 0; i < rank; i++)
    shape.dims[i] = va_arg (args, gint64);
  va_end (args);
  return shape;
}

InferShape
infer_shape_scalar (void)
{
  return (InferShape){ .rank = 0 };
}

InferShape
infer_shape_dynamic (void)
{
  return (InferShape){ .rank = INFER_DYNAMIC };
}

InferShape
infer_shape_of_rank (int rank)
{
  g_assert (rank >= 0 && rank <= INFER_MAX_RANK);
  InferShape shape = { .rank = rank };
  for (int i = 0; i < rank; i++)
    shape.dims[i] = INFER_DYNAMIC;
  return shape;
}

gboolean
infer_shape_is_static (const InferShape *shape)
{
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0)
      return FALSE;
  return shape->rank >= 0;
}

gboolean
infer_shape_equal (const InferShape *a, const InferShape *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    if (a->dims[i] != b->dims[i])
      return FALSE;
  return TRUE;
}

gboolean
infer_shape_matches (const InferShape *pattern, const InferShape *actual)
{
  if (!infer_shape_is_static (actual))
    return FALSE;
  if (pattern->rank < 0)
    return TRUE;
  if (pattern->rank != actual->rank)
    return FALSE;
  for (int i = 0; i < pattern->rank; i++)
    if (pattern->dims[i] >= 0 && pattern->dims[i] != actual->dims[i])
      return FALSE;
  return TRUE;
}

gboolean
infer_shape_elements (const InferShape *shape, gsize *n)
{
  gboolean empty = FALSE, overflow = FALSE;
  gsize product = 1;
  if (!infer_shape_is_static (shape))
    return FALSE;
  for (int i = 0; i < shape->rank; i++) {
    empty |= shape->dims[i] == 0;
    overflow |= !g_size_checked_mul (
        &product, product, MAX ((gsize) shape->dims[i], 1));
  }
  /* Offsets are counted in gint64. */
  if (overflow || product > (gsize) G_MAXINT64)
    return FALSE;
  *n = empty ? 0 : product;
  return TRUE;
}

gsize
infer_shape_count (const InferShape *shape)
{
  return infer_shape_count_range (shape, 0, shape->rank);
}

gsize
infer_shape_count_range (const InferShape *shape, int from, int to)
{
  gsize n = 1;
  for (int i = from; i < to; i++)
    n *= (gsize) shape->dims[i];
  return n;
}

void
infer_shape_strides (const InferShape *shape, gint64 *strides)
{
  gint64 stride = 1;
  for (int i = shape->rank - 1; i >= 0; i--) {
    strides[i] = stride;
    /* Unsigned: without elements the other dims may be of any size. */
    stride = (gint64) ((gsize) stride * (gsize) shape->dims[i]);
  }
}

gboolean
infer_shape_normalize_axis (
    const InferShape *shape, gint64 *axis, GError **error)
{
  if (shape->rank < 0) {
    if (*axis < -INFER_MAX_RANK || *axis >= INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " is beyond any rank", *axis);
    return TRUE;
  }
  if (*axis < -shape->rank || *axis >= shape->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "axis %" G_GINT64_FORMAT " is out of range for rank %d", *axis,
        shape->rank);
  if (*axis < 0)
    *axis += shape->rank;
  return TRUE;
}

gboolean
infer_dim_merge (gint64 a, gint64 b, gint64 *merged)
{
  if (a >= 0 && b >= 0 && a != b)
    return FALSE;
  *merged = a >= 0 ? a : b;
  return TRUE;
}

gboolean
infer_shape_merge (const InferShape *a, const InferShape *b, InferShape *merged)
{
  if (a->rank < 0 || b->rank < 0) {
    *merged = a->rank < 0 ? *b : *a;
    return TRUE;
  }
  if (a->rank != b->rank)
    return FALSE;
  InferShape out = { .rank = a->rank };
  for (int i = 0; i < a->rank; i++)
    if (!infer_dim_merge (a->dims[i], b->dims[i], &out.dims[i]))
      return FALSE;
  *merged = out;
  return TRUE;
}

/* NumPy broadcast of two dims. */
static gboolean
dim_broadcast (gint64 a, gint64 b, gint64 *out)
{
  if (a == 1 || b == 1) {
    *out = a == 1 ? b : a;
    return TRUE;
  }
  return infer_dim_merge (a, b, out);
}

static gboolean
broadcast_numpy (const InferShape *a, const InferShape *b, InferShape *out)
{
  if (a->rank < 0 || b->rank < 0) {
    *out = infer_shape_dynamic ();
    return TRUE;
  }
  InferShape shape = { .rank = MAX (a->rank, b->rank) };
  for (int i = 1; i <= shape.rank; i++) {
    gint64 da = i <= a->rank ? a->dims[a->rank - i] : 1;
    gint64 db = i <= b->rank ? b->dims[b->rank - i] : 1;
    if (!dim_broadcast (da, db, &shape.dims[shape.rank - i]))
      return FALSE;
  }
  *out = shape;
  return TRUE;
}

static gboolean
broadcast_pdpd (
    const InferShape *a, const InferShape *b, gint64 axis, InferShape *out)
{
  if (a->rank < 0 || b->rank < 0) {
    *out = *a;
    return TRUE;
  }
  if (axis < 0)
    axis = a->rank - b->rank;
  int n = b->rank;
  while (n > 0 && b->dims[n - 1] == 1)
    n--;
  if (axis < 0 || axis > a->rank - n)
    return FALSE;
  InferShape shape = *a;
  for (int i = 0; i < n; i++)
    if (b->dims[i] != 1
        && !infer_dim_merge (
            a->dims[axis + i], b->dims[i], &shape.dims[axis + i]))
      return FALSE;
  *out = shape;
  return TRUE;
}

gboolean
infer_shape_broadcast (const InferShape *a, const InferShape *b,
    InferBroadcast rule, gint64 axis, InferShape *out, GError **error)
{
  gboolean ok = rule == INFER_BROADCAST_NONE ? infer_shape_merge (a, b, out)
                : rule == INFER_BROADCAST_NUMPY
                    ? broadcast_numpy (a, b, out)
                    : broadcast_pdpd (a, b, axis, out);
  if (ok)
    return TRUE;
  static const char *const names[] = { "none", "numpy", "pdpd" };
  g_autofree char *as = infer_shape_to_string (a);
  g_autofree char *bs = infer_shape_to_string (b);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "shapes %s and %s do not fit (broadcast: %s)", as, bs, names[rule]);
}

char *
infer_shape_to_string (const InferShape *shape)
{
  if (shape->rank < 0)
    return g_strdup ("[...]");
  GString *text = g_string_new ("[");
  for (int i = 0; i < shape->rank; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    if (shape->dims[i] < 0)
      g_string_append_c (text, '?');
    else
      g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dims[i]);
  }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* A bound of a dim; leaves *value if the text is empty. */
static gboolean
parse_bound (const char *text, gint64 *value)
{
  return *text == '\0'
         || g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, value, NULL);
}

static gboolean
parse_dim (char *text, gint64 *lower, gint64 *upper)
{
  *lower = 0;
  *upper = G_MAXINT64;
  g_strstrip (text);
  if (strcmp (text, "?") == 0 || strcmp (text, "-1") == 0)
    return TRUE;
  char *dots = strstr (text, "..");
  if (dots != NULL) {
    *dots = '\0';
    return parse_bound (g_strchomp (text), lower)
           && parse_bound (g_strchug (dots + 2), upper) && *lower <= *upper;
  }
  if (*text == '\0' || !parse_bound (text, lower))
    return FALSE;
  *upper = *lower;
  return TRUE;
}

/* Skips the brackets that some writers put around a shape. */
static char *
shape_body (const char *text)
{
  char *body = g_strstrip (g_strdup (text));
  gsize n = strlen (body);
  if (n >= 2 && body[0] == '[' && body[n - 1] == ']') {
    body[n - 1] = ' ';
    body[0] = ' ';
    g_strstrip (body);
  }
  return body;
}

gboolean
infer_list_number (const char **text, gint64 *number, gboolean *more)
{
  const char *at = *text + strspn (*text, SPACE);
  const gboolean negative = *at == '-';
  gint64 value = 0;
  guint n = 0;

  at += negative;
  for (; g_ascii_isdigit (*at) && n < MAX_DIGITS; n++, at++)
    value = value * 10 + (*at - '0');
  at += strspn (at, SPACE);
  if (n == 0 || (*at != ',' && *at != '\0'))
    return FALSE;
  *number = negative ? -value : value;
  *more = *at == ',';
  *text = at + *more;
  return TRUE;
}

/* The common case: numbers separated by commas. */
static gboolean
parse_plain (const char *text, InferShape *shape)
{
  gboolean more = TRUE;

  for (shape->rank = 0; more; shape->rank++)
    if (shape->rank == INFER_MAX_RANK
        || !infer_list_number (&text, &shape->dims[shape->rank], &more)
        || shape->dims[shape->rank] < 0)
      return FALSE;
  return TRUE;
}

static gboolean
parse_any (const char *text, InferShape *shape, InferShape *lower,
    InferShape *upper, GError **error)
{
  g_autofree char *body = shape_body (text);
  InferShape lo = infer_shape_scalar (), hi = lo, out = lo;
  if (strcmp (body, "...") == 0) {
    out = lo = hi = infer_shape_dynamic ();
  } else if (*body != '\0') {
    g_auto (GStrv) parts = g_strsplit (body, ",", INFER_MAX_RANK + 1);
    int rank = (int) g_strv_length (parts);
    if (rank > INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "shape '%.100s' has more than %d dimensions", text, INFER_MAX_RANK);
    for (int i = 0; i < rank; i++) {
      if (!parse_dim (parts[i], &lo.dims[i], &hi.dims[i]))
        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "'%.100s' is no shape (dimension %d)", text, i);
      out.dims[i] = lo.dims[i] == hi.dims[i] ? lo.dims[i] : INFER_DYNAMIC;
    }
    out.rank = lo.rank = hi.rank = rank;
  }
  *shape = out;
  if (lower != NULL)
    *lower = lo;
  if (upper != NULL)
    *upper = hi;
  return TRUE;
}

gboolean
infer_shape_parse (const char *text, InferShape *shape, InferShape *lower,
    InferShape *upper, GError **error)
{
  InferShape plain = infer_shape_scalar ();

  if (!parse_plain (text, &plain))
    return parse_any (text, shape, lower, upper, error);
  *shape = plain;
  if (lower != NULL)
    *lower = plain;
  if (upper != NULL)
    *upper = plain;
  return TRUE;
}
