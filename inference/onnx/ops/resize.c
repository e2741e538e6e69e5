/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolation. */

#include <math.h>

#include "inference/base/tensor.h"
#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

static void
fail_text (OnnxNode *n, const char *attribute, const char *value)
{
  onnx_fail (n, INFER_ERROR_UNSUPPORTED, "%s=%.60s is not supported", attribute,
      value);
}

static const char *
mode_of (OnnxNode *n)
{
  g_autofree char *mode = onnx_text (n, "mode", "nearest");

  if (g_str_equal (mode, "nearest"))
    return "nearest";
  if (g_str_equal (mode, "linear"))
    return "linear_onnx";
  if (g_str_equal (mode, "cubic"))
    return "cubic";
  fail_text (n, "mode", mode);
  return "nearest";
}

static const char *
coordinates_of (OnnxNode *n)
{
  static const char *const same[] = { "half_pixel", "pytorch_half_pixel",
    "asymmetric", "tf_half_pixel_for_nn", "align_corners" };
  g_autofree char *mode = onnx_text (n, "coordinate_transformation_mode",
      n->opset < 11 ? "asymmetric" : "half_pixel");

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    if (g_str_equal (mode, same[i]))
      return same[i];
  fail_text (n, "coordinate_transformation_mode", mode);
  return same[0];
}

static gboolean
is_empty (InferPort port)
{
  return port.op == NULL || (onnx_rank (port) == 1 && onnx_dim (port, 0) == 0);
}

/* Sizes that keep the aspect ratio, for known sizes. */
static InferPort
keep_ratio (OnnxNode *n, InferPort sizes, const GArray *axes, gboolean larger)
{
  g_autoptr (GArray) want = onnx_require_ints (n, sizes, "sizes");
  double scale = larger ? 0 : INFINITY;

  for (guint i = 0; i < want->len && i < axes->len; i++) {
    gint64 dim = onnx_dim (X, (int) g_array_index (axes, gint64, i));
    double s = (double) g_array_index (want, gint64, i) / (double) MAX (dim, 1);

    if (dim < 0)
      onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its input's size must be known");
    scale = larger ? MAX (scale, s) : MIN (scale, s);
  }
  for (guint i = 0; i < want->len && i < axes->len; i++) {
    gint64 dim = onnx_dim (X, (int) g_array_index (axes, gint64, i));

    g_array_index (want, gint64, i) =
        (gint64) floor (scale * (double) dim + 0.5);
  }
  return onnx_i64_list (n, want);
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
 * we what is left of it without its fraction. */
static void
check_scales (OnnxNode *n, InferPort scales, const GArray *axes)
{
  const InferTensor *value = onnx_value (scales);
  g_autoptr (GArray) list =
      value != NULL ? infer_tensor_to_doubles (value) : NULL;

  for (guint i = 0; i < axes->len; i++) {
    gint64 dim = onnx_dim (X, (int) g_array_index (axes, gint64, i));
    double scale =
        list != NULL && i < list->len ? g_array_index (list, double, i) : 0.5;
    double size = scale * (double) MAX (dim, 1);

    if (size != floor (size))
      onnx_fail (n, INFER_ERROR_UNSUPPORTED,
          "align_corners with a scale that leaves a fraction of an element");
  }
}

static void
interpolate (OnnxNode *n, InferPort scales, InferPort sizes)
{
  gboolean antialias = onnx_int (n, "antialias", 0) != 0;
  g_autofree char *nearest = onnx_text (
      n, "nearest_mode", n->opset < 11 ? "floor" : "round_prefer_floor");
  g_autoptr (GArray) axes = axes_of (n, onnx_known_rank (n, X));
  gboolean by_size = is_empty (scales);

  if (onnx_int (n, "exclude_outside", 0) != 0)
    fail_text (n, "exclude_outside", "1");
  if (antialias && !onnx_text_is (n, "mode", "nearest", "nearest"))
    fail_text (n, "antialias", "1");
  if (!by_size && g_str_equal (coordinates_of (n), "align_corners"))
    check_scales (n, scales, axes);
  n->outputs[0] = OP (n, "Interpolate",
      ATTRS (
          "mode=%s;shape_calculation_mode=%s;"
          "coordinate_transformation_mode=%s;nearest_mode=%s;antialias=false;"
          "cube_coeff=%.9g",
          mode_of (n), by_size ? "sizes" : "scales", coordinates_of (n),
          nearest, onnx_float (n, "cubic_coeff_a", -0.75)),
      X, by_size ? sizes_of (n, sizes, axes) : scales, onnx_i64_list (n, axes));
}

void
onnx_import_resize (OnnxNode *n)
{
  if (n->opset < 11)
    interpolate (n, n->inputs[1], (InferPort){ NULL, 0 });
  else
    interpolate (n, n->inputs[2], n->inputs[3]);
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
  interpolate (n, scales, (InferPort){ NULL, 0 });
}

void
onnx_import_grid_sample (OnnxNode *n)
{
  g_autofree char *mode = onnx_text (n, "mode", "linear");
  g_autofree char *padding = onnx_text (n, "padding_mode", "zeros");
  const char *ours = g_str_equal (mode, "linear")  ? "bilinear"
                     : g_str_equal (mode, "cubic") ? "bicubic"
                                                   : mode;

  if (onnx_known_rank (n, X) != 4)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "volumes are not supported");
  n->outputs[0] = OP (n, "GridSample",
      ATTRS ("mode=%s;padding_mode=%s;align_corners=%s", ours, padding,
          onnx_int (n, "align_corners", 0) != 0 ? "true" : "false"),
      X, n->inputs[1]);
}
