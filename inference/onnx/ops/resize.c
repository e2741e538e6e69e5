/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolation. */

#include <math.h>

#include "inference/base/tensor.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/resize-matrix.h"

#define X (n->inputs[0])

static void
fail_text (OnnxNode *n, const char *attribute, const char *value)
{
  onnx_fail (n, INFER_ERROR_UNSUPPORTED, "%s=%.60s is not supported", attribute,
      value);
}

static gboolean
is_one_of (const char *text, const char *const *list)
{
  return g_strv_contains (list, text);
}

/* The modes that Interpolate has too. */
static const char *const modes[] = { "nearest", "linear", "cubic", NULL };
static const char *const coordinates[] = { "half_pixel", "pytorch_half_pixel",
  "asymmetric", "tf_half_pixel_for_nn", "align_corners", NULL };
static const char *const other_coordinates[] = { "half_pixel_symmetric",
  "tf_crop_and_resize", NULL };

static gboolean
is_empty (InferPort port)
{
  return port.op == NULL || (onnx_rank (port) == 1 && onnx_dim (port, 0) == 0);
}

/* Sizes that keep the aspect ratio. */
static InferPort
keep_ratio (OnnxNode *n, InferPort sizes, const GArray *axes, gboolean larger)
{
  InferPort dims = onnx_convert (n,
      OP (n, "Gather", "", onnx_shape_of (n, X), onnx_i64_list (n, axes),
          onnx_i64 (n, 0)),
      INFER_TYPE_F64);
  InferPort scale = OP (n, larger ? "ReduceMax" : "ReduceMin", "keep_dims=true",
      OP (n, "Divide", "", onnx_convert (n, sizes, INFER_TYPE_F64), dims),
      I64S (n, 0));

  return onnx_convert (n,
      OP (n, "Floor", "",
          OP (n, "Add", "", OP (n, "Multiply", "", scale, dims),
              onnx_scalar (n, INFER_TYPE_F64, 0.5))),
      INFER_TYPE_I64);
}

static GArray *
axes_of (OnnxNode *n, int rank)
{
  const GArray *list = onnx_ints (n, "axes");
  GArray *axes = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < (list != NULL ? list->len : (guint) rank); i++) {
    gint64 axis =
        list != NULL ? onnx_axis (n, g_array_index (list, gint64, i), rank) : i;

    g_array_append_val (axes, axis);
  }
  return axes;
}

static InferPort
sizes_of (OnnxNode *n, InferPort sizes, const GArray *axes)
{
  g_autofree char *policy =
      onnx_text (n, "keep_aspect_ratio_policy", "stretch");

  if (g_str_equal (policy, "stretch"))
    return sizes;
  return keep_ratio (n, sizes, axes, g_str_equal (policy, "not_smaller"));
}

/* Where corners are aligned, ONNX takes the product of size and scale as it is,
 * Interpolate what is left of it without its fraction. */
static gboolean
leaves_fraction (InferPort x, InferPort scales, const GArray *axes)
{
  const InferTensor *value = onnx_value (scales);
  g_autoptr (GArray) list =
      value != NULL ? infer_tensor_to_doubles (value) : NULL;

  for (guint i = 0; i < axes->len; i++) {
    gint64 dim = onnx_dim (x, (int) g_array_index (axes, gint64, i));
    double scale =
        list != NULL && i < list->len ? g_array_index (list, double, i) : 0.5;
    double size = scale * (double) MAX (dim, 1);

    if (dim < 0 || size != floor (size))
      return TRUE;
  }
  return FALSE;
}

/* As the matrix of weights does it; other than nearest. */
static gboolean
is_beyond_interpolate (const OnnxResize *r)
{
  if (is_one_of (r->coordinates, other_coordinates))
    return TRUE;
  if (g_str_equal (r->mode, "nearest"))
    return FALSE;
  return r->exclude || r->antialias
         || (r->sizes.op == NULL
             && g_str_equal (r->coordinates, "align_corners")
             && leaves_fraction (r->x, r->scales, r->axes));
}

static void
interpolate (OnnxNode *n, InferPort roi, InferPort scales, InferPort sizes)
{
  g_autofree char *mode = onnx_text (n, "mode", "nearest");
  g_autofree char *where = onnx_text (n, "coordinate_transformation_mode",
      n->opset < 11 ? "asymmetric" : "half_pixel");
  g_autofree char *nearest = onnx_text (
      n, "nearest_mode", n->opset < 11 ? "floor" : "round_prefer_floor");
  g_autoptr (GArray) axes = axes_of (n, onnx_known_rank (n, X));
  gboolean by_size = is_empty (scales);
  const OnnxResize r = { .x = X,
    .scales = scales,
    .sizes = by_size ? sizes_of (n, sizes, axes) : (InferPort){ NULL, 0 },
    .roi = roi,
    .axes = axes,
    .mode = mode,
    .coordinates = where,
    .exclude = onnx_int (n, "exclude_outside", 0) != 0,
    .antialias = onnx_int (n, "antialias", 0) != 0 };

  if (!is_one_of (mode, modes))
    fail_text (n, "mode", mode);
  else if (!is_one_of (where, coordinates)
           && !is_one_of (where, other_coordinates))
    fail_text (n, "coordinate_transformation_mode", where);
  else if (is_beyond_interpolate (&r))
    n->outputs[0] = onnx_resize_by_matrix (n, &r);
  else
    n->outputs[0] = OP (n, "Interpolate",
        ATTRS ("mode=%s;shape_calculation_mode=%s;"
               "coordinate_transformation_mode=%s;nearest_mode=%s;"
               "antialias=false;cube_coeff=%.9g",
            g_str_equal (mode, "linear") ? "linear_onnx" : mode,
            by_size ? "sizes" : "scales", where, nearest,
            onnx_float (n, "cubic_coeff_a", -0.75)),
        X, by_size ? r.sizes : scales, onnx_i64_list (n, axes));
}

void
onnx_import_resize (OnnxNode *n)
{
  const InferPort none = { NULL, 0 };

  if (n->opset < 11)
    interpolate (n, none, n->inputs[1], none);
  else
    interpolate (n, n->inputs[1], n->inputs[2], n->inputs[3]);
}

void
onnx_import_upsample (OnnxNode *n)
{
  const GArray *list = onnx_floats (n, "scales");
  InferPort scales = n->inputs[1];

  if (list != NULL) {
    InferShape shape = infer_shape_make (1, (gint64) list->len);
    InferTensor *t = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

    infer_convert (
        t->data, INFER_TYPE_F32, list->data, INFER_TYPE_F32, list->len);
    scales = onnx_const (n, t);
  }
  interpolate (n, (InferPort){ NULL, 0 }, scales, (InferPort){ NULL, 0 });
}
