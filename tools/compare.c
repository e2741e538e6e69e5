/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/compare.h"

#include <math.h>

#include "infer/error.h"
#include "inference/base/shape.h"
#include "inference/base/tensor.h"

/* The element that differs most. */
typedef struct
{
  gsize n_different, at;
  double worst;
} Difference;

static gboolean
values_agree (double got, double want, double rtol, double atol)
{
  if (got == want || (isnan (got) && isnan (want)))
    return TRUE;
  return fabs (got - want) <= atol + rtol * fabs (want);
}

static void
count_difference (Difference *difference, gsize at, double distance)
{
  /* NaN on one side only: infinitely different. */
  if (isnan (distance))
    distance = INFINITY;
  if (difference->n_different++ == 0 || distance > difference->worst) {
    difference->worst = distance;
    difference->at = at;
  }
}

static void
compare_reals (Difference *difference, const GArray *got, const GArray *want,
    double rtol, double atol)
{
  for (guint i = 0; i < got->len; i++) {
    double a = g_array_index (got, double, i);
    double b = g_array_index (want, double, i);
    if (!values_agree (a, b, rtol, atol))
      count_difference (difference, i, fabs (a - b));
  }
}

/* 64-bit integers do not fit a double: compared as integers if exact. */
static void
compare_integers (Difference *difference, const GArray *got, const GArray *want)
{
  for (guint i = 0; i < got->len; i++) {
    gint64 a = g_array_index (got, gint64, i);
    gint64 b = g_array_index (want, gint64, i);
    if (a != b)
      count_difference (difference, i, fabs ((double) a - (double) b));
  }
}

static char *
position (const InferShape *shape, gsize at)
{
  gint64 strides[INFER_MAX_RANK];
  InferShape where = *shape;
  infer_shape_strides (shape, strides);
  for (int i = 0; i < shape->rank; i++) {
    where.dims[i] = (gint64) at / strides[i];
    at %= (gsize) strides[i];
  }
  return infer_shape_to_string (&where);
}

static gboolean
check_kind (const InferTensor *got, const InferTensor *want, gboolean any_type,
    GError **error)
{
  if (got->type != want->type && !any_type)
    return infer_fail (error, INFER_ERROR_FAILED, "type is %s, want %s",
        infer_type_name (got->type), infer_type_name (want->type));
  if (infer_shape_equal (&got->shape, &want->shape))
    return TRUE;
  g_autofree char *is = infer_shape_to_string (&got->shape);
  g_autofree char *should = infer_shape_to_string (&want->shape);
  return infer_fail (
      error, INFER_ERROR_FAILED, "shape is %s, want %s", is, should);
}

gboolean
tool_compare (const InferTensor *got, const InferTensor *want, double rtol,
    double atol, gboolean any_type, GError **error)
{
  if (!check_kind (got, want, any_type, error))
    return FALSE;
  g_autoptr (GArray) got_values = infer_tensor_to_doubles (got);
  g_autoptr (GArray) want_values = infer_tensor_to_doubles (want);
  if (got_values == NULL || want_values == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "elements of %s and %s cannot be compared", infer_type_name (got->type),
        infer_type_name (want->type));
  Difference difference = { 0 };
  gboolean integers =
      infer_type_is_integer (got->type) && infer_type_is_integer (want->type);
  if (integers && rtol == 0 && atol == 0) {
    g_autoptr (GArray) got_ints = infer_tensor_to_ints (got);
    g_autoptr (GArray) want_ints = infer_tensor_to_ints (want);
    compare_integers (&difference, got_ints, want_ints);
  } else {
    compare_reals (&difference, got_values, want_values, rtol, atol);
  }
  if (difference.n_different == 0)
    return TRUE;
  g_autofree char *where = position (&got->shape, difference.at);
  return infer_fail (error, INFER_ERROR_FAILED,
      "%" G_GSIZE_FORMAT " of %u differ, max abs %.4g at %s got %.9g want %.9g",
      difference.n_different, got_values->len, difference.worst, where,
      g_array_index (got_values, double, difference.at),
      g_array_index (want_values, double, difference.at));
}
