/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PriorBox and PriorBoxClustered. */

#include "inference/graph/ops/prior-box.h"

#include "inference/graph/ops/detection.h"

#include <math.h>

static double
number (const GArray *list, guint i)
{
  return g_array_index (list, double, i);
}

static void
clear (gpointer data)
{
  InferPriorBox *attrs = data;
  GArray **lists[] = { &attrs->min_sizes, &attrs->max_sizes, &attrs->ratios,
    &attrs->densities, &attrs->fixed_ratios, &attrs->fixed_sizes,
    &attrs->widths, &attrs->heights, &attrs->variance };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    g_clear_pointer (lists[i], g_array_unref);
}

/* A list of numbers of at least @min, empty if the attribute is absent. */
static gboolean
parse_list (const InferAttributes *from, const char *name, double min,
    GArray **list, GError **error)
{
  *list = g_array_new (FALSE, FALSE, sizeof (double));
  if (!infer_attr_doubles (from, name, list, error))
    return FALSE;
  for (guint i = 0; i < (*list)->len; i++)
    if (!(number (*list, i) >= min) || !isfinite (number (*list, i)))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute %s has the element %g", name, number (*list, i));
  return TRUE;
}

static gboolean
parse_variance (
    InferPriorBox *attrs, const InferAttributes *from, GError **error)
{
  const double usual = 0.1;

  if (!parse_list (from, "variance", 0, &attrs->variance, error))
    return FALSE;
  if (attrs->variance->len == 0)
    g_array_append_val (attrs->variance, usual);
  return attrs->variance->len == 1 || attrs->variance->len == 4
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%u variances, not 0, 1 or 4", attrs->variance->len);
}

/* Distinct ratios, each followed by its inverse. */
static gboolean
parse_ratios (InferPriorBox *attrs, const InferAttributes *from, GError **error)
{
  g_autoptr (GArray) given = NULL;
  const double square = 1;
  gboolean flip = FALSE;

  if (!parse_list (from, "aspect_ratio", G_MINFLOAT, &given, error)
      || !infer_attr_bool (from, "flip", &flip, error))
    return FALSE;
  attrs->ratios = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_append_val (attrs->ratios, square);
  for (guint i = 0; i < given->len; i++) {
    double ratio = number (given, i), inverse = 1 / ratio;
    gboolean known = FALSE;

    for (guint k = 0; k < attrs->ratios->len; k++)
      known |= fabs (number (attrs->ratios, k) - ratio) < 1e-6;
    if (!known)
      g_array_append_val (attrs->ratios, ratio);
    if (!known && flip)
      g_array_append_val (attrs->ratios, inverse);
  }
  return TRUE;
}

static gint64
density (const InferPriorBox *attrs, guint i)
{
  return attrs->densities->len == 0 ? 1 : (gint64) number (attrs->densities, i);
}

static gboolean
count_boxes (InferPriorBox *attrs, GError **error)
{
  gint64 ratios = attrs->ratios->len, sizes = attrs->min_sizes->len;
  gint64 kinds =
      attrs->fixed_ratios->len > 0 ? attrs->fixed_ratios->len : ratios;
  gint64 of_size;

  if (!attrs->scale_all_sizes)
    attrs->count = sizes > 0 ? sizes + ratios - 1 : 0;
  else if (!infer_dim_product (sizes, ratios, &attrs->count, error))
    return FALSE;
  else
    attrs->count += MIN (sizes, (gint64) attrs->max_sizes->len);
  for (guint i = 0; i < attrs->fixed_sizes->len; i++)
    if (!infer_dim_product (
            density (attrs, i), density (attrs, i), &of_size, error)
        || !infer_dim_product (of_size, kinds, &of_size, error)
        || __builtin_add_overflow (attrs->count, of_size, &attrs->count)
        || attrs->count > G_MAXINT32)
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "too many boxes at each point");
  return TRUE;
}

static gboolean
parse_prior_box (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferPriorBox *attrs = op->attrs;
  gboolean ratios_last = TRUE;

  attrs->scale_all_sizes = TRUE;
  if (!infer_attr_require (from, error, "offset", NULL)
      || !parse_list (from, "min_size", G_MINFLOAT, &attrs->min_sizes, error)
      || !parse_list (from, "max_size", G_MINFLOAT, &attrs->max_sizes, error)
      || !parse_list (from, "density", 1, &attrs->densities, error)
      || !parse_list (
          from, "fixed_ratio", G_MINFLOAT, &attrs->fixed_ratios, error)
      || !parse_list (
          from, "fixed_size", G_MINFLOAT, &attrs->fixed_sizes, error)
      || !parse_ratios (attrs, from, error)
      || !parse_variance (attrs, from, error)
      || !infer_attr_bool (from, "clip", &attrs->clip, error)
      || !infer_attr_bool (
          from, "scale_all_sizes", &attrs->scale_all_sizes, error)
      || !infer_attr_double (from, "step", &attrs->step, error)
      || !infer_attr_double (from, "offset", &attrs->offset, error))
    return FALSE;
  if (op->version >= 8
      && !infer_attr_bool (
          from, "min_max_aspect_ratios_order", &ratios_last, error))
    return FALSE;
  attrs->ratios_last = ratios_last;
  if (attrs->densities->len > 0
      && attrs->densities->len != attrs->fixed_sizes->len)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u densities for %u fixed sizes", attrs->densities->len,
        attrs->fixed_sizes->len);
  return count_boxes (attrs, error);
}

static gboolean
parse_clustered (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferPriorBox *attrs = op->attrs;
  const double usual = 1;

  attrs->clip = TRUE;
  if (!infer_attr_require (from, error, "offset", NULL)
      || !parse_list (from, "width", G_MINFLOAT, &attrs->widths, error)
      || !parse_list (from, "height", G_MINFLOAT, &attrs->heights, error)
      || !parse_variance (attrs, from, error)
      || !infer_attr_bool (from, "clip", &attrs->clip, error)
      || !infer_attr_double (from, "step", &attrs->step, error)
      || !infer_attr_double (from, "step_w", &attrs->step_width, error)
      || !infer_attr_double (from, "step_h", &attrs->step_height, error)
      || !infer_attr_double (from, "offset", &attrs->offset, error))
    return FALSE;
  if (infer_attr_get (from, "width") == NULL)
    g_array_append_val (attrs->widths, usual);
  if (infer_attr_get (from, "height") == NULL)
    g_array_append_val (attrs->heights, usual);
  attrs->count = attrs->widths->len;
  return attrs->widths->len == attrs->heights->len
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%u widths and %u heights", attrs->widths->len,
             attrs->heights->len);
}

/* --- the boxes --- */

static InferPrior *
add (InferPrior *to, float half_size, float ratio)
{
  float root = sqrtf (ratio);

  *to = (InferPrior){ .half_width = half_size * root,
    .half_height = half_size / root };
  return to + 1;
}

/* A grid of boxes around the point. */
static InferPrior *
add_grid (const InferPriorBox *attrs, guint i, float half_size, float ratio,
    InferPrior *to)
{
  float size = (float) number (attrs->fixed_sizes, i);
  gint64 n = density (attrs, i), shift = (gint64) (size / (float) n);
  /* Integer pixels, as in the framework that trained such models. */
  float first = (float) shift / 2 - (float) (gint64) size / 2;

  for (gint64 y = 0; y < n; y++)
    for (gint64 x = 0; x < n; x++) {
      InferPrior *box = to;

      to = add (to, half_size, ratio);
      box->x = first + (float) (x * shift);
      box->y = first + (float) (y * shift);
      box->clip = TRUE;
    }
  return to;
}

static InferPrior *
add_fixed (const InferPriorBox *attrs, guint i, InferPrior *to)
{
  float size = (float) number (attrs->fixed_sizes, i);

  for (guint k = 0; k < attrs->fixed_ratios->len; k++)
    to = add_grid (
        attrs, i, size / 2, (float) number (attrs->fixed_ratios, k), to);
  if (attrs->fixed_ratios->len > 0)
    return to;
  to = add_grid (attrs, i, (float) (gint64) size / 2, 1, to);
  for (guint k = 1; k < attrs->ratios->len; k++)
    to = add_grid (attrs, i, size / 2, (float) number (attrs->ratios, k), to);
  return to;
}

static InferPrior *
add_ratios (const InferPriorBox *attrs, guint i, float scale, InferPrior *to)
{
  guint n = attrs->min_sizes->len;

  /* One set of ratios for all sizes, of the first size. */
  if (!attrs->scale_all_sizes && i != n - 1)
    return to;
  i = attrs->scale_all_sizes ? i : 0;
  for (guint k = 1; k < attrs->ratios->len; k++)
    to = add (to, (float) number (attrs->min_sizes, i) * scale / 2,
        (float) number (attrs->ratios, k));
  return to;
}

void
infer_prior_box_list (const InferPriorBox *attrs, float scale, InferPrior *list)
{
  for (guint i = 0; i < attrs->fixed_sizes->len; i++)
    list = add_fixed (attrs, i, list);
  for (guint i = 0; i < attrs->min_sizes->len; i++) {
    float size = (float) number (attrs->min_sizes, i) * scale;

    list = add (list, size / 2, 1);
    if (!attrs->ratios_last)
      list = add_ratios (attrs, i, scale, list);
    if (attrs->scale_all_sizes && i < attrs->max_sizes->len)
      list = add (
          list, sqrtf (size * (float) number (attrs->max_sizes, i)) / 2, 1);
    if (attrs->ratios_last)
      list = add_ratios (attrs, i, scale, list);
  }
}

/* --- shapes --- */

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferPriorBox *attrs = context->op->attrs;
  g_autoptr (GArray) grid = NULL;
  gint64 boxes = INFER_DYNAMIC;

  for (guint i = 0; i < 2; i++)
    if (!infer_require_integers (context, i, 1, 1, error)
        || !infer_require_dim (context, i, 0, 2, error))
      return FALSE;
  if (!infer_input_ints (context, 0, &grid, error))
    return FALSE;
  if (grid != NULL) {
    gint64 height = g_array_index (grid, gint64, 0);
    gint64 width = g_array_index (grid, gint64, 1);

    if (height < 0 || width < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "a grid of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT, height, width);
    if (!infer_dim_product (height, width, &boxes, error)
        || !infer_dim_product (boxes, attrs->count, &boxes, error)
        || !infer_dim_product (boxes, 4, &boxes, error))
      return FALSE;
  }
  context->outputs[0].type = INFER_TYPE_F32;
  context->outputs[0].shape = infer_shape_make (2, (gint64) 2, boxes);
  return TRUE;
}

const InferOpClass infer_op_prior_box = {
  .type = "PriorBox",
  .versions = "1,8",
  .min_inputs = 2,
  .value_inputs = 1 << 0,
  .attrs_size = sizeof (InferPriorBox),
  .parse = parse_prior_box,
  .clear = clear,
  .infer_shapes = infer,
};

const InferOpClass infer_op_prior_box_clustered = {
  .type = "PriorBoxClustered",
  .versions = "1",
  .min_inputs = 2,
  .value_inputs = 1 << 0,
  .attrs_size = sizeof (InferPriorBox),
  .parse = parse_clustered,
  .clear = clear,
  .infer_shapes = infer,
};
