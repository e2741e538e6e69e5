/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Resize where Interpolate has not what it asks for (antialiasing, crops,
 * symmetric centres, weights of what is inside only): along each axis the
 * product with a matrix of weights [out, in], computed from the sizes. */

#include "inference/onnx/ops/resize-matrix.h"

#define F64(value) (onnx_scalar (n, INFER_TYPE_F64, value))

/* An axis being resized; scalars of f64 but for @count. */
typedef struct
{
  OnnxNode *n;
  InferPort in, scale, count; /* elements, resized / in, resized [i64] */
  InferPort start, end;       /* of a crop, in the unit of the input's size */
  const char *coordinates;
  gboolean cubic, exclude, antialias;
} Axis;

static InferPort
binary (OnnxNode *n, const char *type, InferPort a, InferPort b)
{
  return OP (n, type, "", a, b);
}

/* Where output @o [out] lies among the elements of the input. */
static InferPort
place (const Axis *a, InferPort o)
{
  OnnxNode *n = a->n;
  InferPort half = F64 (0.5), one = F64 (1), zero = F64 (0);
  InferPort resized = binary (n, "Multiply", a->scale, a->in);
  InferPort last = binary (n, "Subtract", a->in, one);
  InferPort x = binary (n, "Subtract",
      binary (n, "Divide", binary (n, "Add", o, half), a->scale), half);

  if (g_str_equal (a->coordinates, "asymmetric"))
    return binary (n, "Divide", o, a->scale);
  if (g_str_equal (a->coordinates, "half_pixel_symmetric")) {
    InferPort whole = onnx_convert (n, a->count, INFER_TYPE_F64);
    InferPort off =
        binary (n, "Subtract", one, binary (n, "Divide", whole, resized));

    return binary (n, "Add", x,
        binary (n, "Multiply", binary (n, "Multiply", a->in, half), off));
  }
  if (g_str_equal (a->coordinates, "pytorch_half_pixel"))
    return OP (n, "Select", "", binary (n, "Greater", resized, one), x, zero);
  if (g_str_equal (a->coordinates, "align_corners")) {
    InferPort apart = binary (n, "Subtract", resized, one);
    InferPort some = binary (n, "NotEqual", apart, zero);

    return OP (n, "Select", "", some,
        binary (n, "Divide", binary (n, "Multiply", o, last),
            OP (n, "Select", "", some, apart, one)),
        zero);
  }
  if (g_str_equal (a->coordinates, "tf_crop_and_resize")) {
    InferPort apart = binary (n, "Subtract", resized, one);
    InferPort many = binary (n, "Greater", apart, zero);
    InferPort width =
        binary (n, "Multiply", binary (n, "Subtract", a->end, a->start), last);
    InferPort middle = binary (n, "Multiply",
        binary (n, "Multiply", binary (n, "Add", a->start, a->end), last),
        half);

    return OP (n, "Select", "", many,
        binary (n, "Add", binary (n, "Multiply", a->start, last),
            binary (n, "Divide", binary (n, "Multiply", o, width),
                OP (n, "Select", "", many, apart, one))),
        middle);
  }
  return x;
}

/* 1 - |t| within 1. */
static InferPort
tent (OnnxNode *n, InferPort t)
{
  return binary (n, "Maximum", binary (n, "Subtract", F64 (1), t), F64 (0));
}

/* Keys' kernel with the coefficient `cubic_coeff_a`; t ≥ 0. */
static InferPort
keys (OnnxNode *n, InferPort t)
{
  double a = onnx_float (n, "cubic_coeff_a", -0.75);
  InferPort near = binary (n, "Multiply", F64 (a + 2), t);
  InferPort far = binary (n, "Multiply", F64 (a), t);

  near = binary (n, "Multiply", binary (n, "Subtract", near, F64 (a + 3)), t);
  near = binary (n, "Add", binary (n, "Multiply", near, t), F64 (1));
  far = binary (n, "Subtract", far, F64 (5 * a));
  far = binary (n, "Add", binary (n, "Multiply", far, t), F64 (8 * a));
  far = binary (n, "Subtract", binary (n, "Multiply", far, t), F64 (4 * a));
  far = OP (n, "Select", "", binary (n, "Less", t, F64 (2)), far, F64 (0));
  return OP (n, "Select", "", binary (n, "LessEqual", t, F64 (1)), near, far);
}

static InferPort
rows_sum_to_one (OnnxNode *n, InferPort w)
{
  return binary (
      n, "Divide", w, OP (n, "ReduceSum", "keep_dims=true", w, I64S (n, 1)));
}

/* [out, in]: taps outside of the input count for its nearest element, or with
 * `exclude_outside` not at all. */
static InferPort
weights (const Axis *a, InferPort x)
{
  OnnxNode *n = a->n;
  InferPort shrink =
      a->antialias ? binary (n, "Minimum", a->scale, F64 (1)) : F64 (1);
  InferPort reach = OP (
      n, "Ceiling", "", binary (n, "Divide", F64 (a->cubic ? 2 : 1), shrink));
  InferPort size = onnx_convert (n, a->in, INFER_TYPE_I64), taps, distance, w;
  InferPort more =
      a->exclude ? onnx_i64 (n, 0)
                 : binary (n, "Add", onnx_convert (n, reach, INFER_TYPE_I64),
                     onnx_i64 (n, 1));

  if (a->exclude)
    taps = onnx_count_to (n, size);
  else
    /* x may lie that far outside, too. */
    taps = OP (n, "Range", "output_type=i64",
        OP (n, "Negative", "", binary (n, "Add", more, size)),
        binary (n, "Add", binary (n, "Add", size, more), size),
        onnx_i64 (n, 1));
  distance = OP (n, "Abs", "",
      binary (n, "Subtract",
          onnx_unsqueeze (n, onnx_convert (n, taps, INFER_TYPE_F64), 0),
          onnx_unsqueeze (n, x, 1)));
  distance = binary (n, "Multiply", distance, shrink);
  w = a->cubic ? keys (n, distance) : tent (n, distance);
  if (a->exclude || a->antialias)
    w = rows_sum_to_one (n, w);
  if (a->exclude)
    return w;
  taps = binary (n, "Maximum",
      binary (
          n, "Minimum", taps, binary (n, "Subtract", size, onnx_i64 (n, 1))),
      onnx_i64 (n, 0));
  return OP (n, "MatMul", "", w,
      onnx_convert (n,
          binary (n, "Equal", onnx_unsqueeze (n, taps, 1),
              onnx_unsqueeze (n, onnx_count_to (n, size), 0)),
          INFER_TYPE_F64));
}

/* @y along @axis by the matrix @w. */
static InferPort
multiply_axis (OnnxNode *n, InferPort y, InferPort w, gint64 axis, int rank)
{
  InferPort shape = onnx_shape_of (n, y), all = I64S (n, -1);
  InferPort outer =
      axis > 0 ? onnx_slice (n, shape, 0, axis, 0) : onnx_i64s (n, NULL, 0);
  InferPort inner = axis + 1 < rank ? onnx_slice (n, shape, axis + 1, rank, 0)
                                    : onnx_i64s (n, NULL, 0);

  y = onnx_reshape (n, y,
      OP (n, "Concat", "axis=0", onnx_product (n, shape, 0, axis),
          onnx_slice (n, shape, axis, axis + 1, 0), all));
  y = OP (n, "MatMul", "", w, y);
  return onnx_reshape (
      n, y, OP (n, "Concat", "axis=0", outer, onnx_dim_of (n, w, 0), inner));
}

static InferPort
item (OnnxNode *n, InferPort list, gint64 i)
{
  return onnx_convert (n,
      OP (n, "Gather", "", list, onnx_i64 (n, i), onnx_i64 (n, 0)),
      INFER_TYPE_F64);
}

InferPort
onnx_resize_by_matrix (OnnxNode *n, const OnnxResize *r)
{
  const InferType type = onnx_known_type (n, r->x);
  const int rank = onnx_known_rank (n, r->x);
  gboolean crop = g_str_equal (r->coordinates, "tf_crop_and_resize");
  InferPort y = onnx_convert (n, r->x, INFER_TYPE_F64), inside = { NULL, 0 };

  if (g_str_equal (r->mode, "nearest"))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "mode=nearest with coordinate_transformation_mode=%s or "
        "exclude_outside",
        r->coordinates);
  for (guint i = 0; i < r->axes->len; i++) {
    gint64 axis = g_array_index (r->axes, gint64, i);
    Axis a = { .n = n,
      .coordinates = r->coordinates,
      .cubic = g_str_equal (r->mode, "cubic"),
      .exclude = r->exclude,
      .antialias = r->antialias };
    InferPort x;

    a.in = onnx_convert (
        n, onnx_as_scalar (n, onnx_dim_of (n, r->x, axis)), INFER_TYPE_F64);
    if (r->sizes.op != NULL) {
      a.count = onnx_convert (n, item (n, r->sizes, i), INFER_TYPE_I64);
      a.scale =
          binary (n, "Divide", onnx_convert (n, a.count, INFER_TYPE_F64), a.in);
    } else {
      a.scale = item (n, r->scales, i);
      a.count = onnx_convert (n,
          OP (n, "Floor", "", binary (n, "Multiply", a.scale, a.in)),
          INFER_TYPE_I64);
    }
    if (crop) {
      a.start = item (n, r->roi, i);
      a.end = item (n, r->roi, i + r->axes->len);
    }
    x = place (
        &a, onnx_convert (n, onnx_count_to (n, a.count), INFER_TYPE_F64));
    y = multiply_axis (n, y, weights (&a, x), axis, rank);
    if (crop) {
      gint64 shape[INFER_MAX_RANK];
      InferPort in = OP (n, "LogicalAnd", "",
          binary (n, "GreaterEqual", x, F64 (0)),
          binary (n, "LessEqual", x, binary (n, "Subtract", a.in, F64 (1))));

      for (int d = 0; d < rank; d++)
        shape[d] = d == axis ? -1 : 1;
      in = onnx_reshape (n, in, onnx_i64s (n, shape, (guint) rank));
      inside = inside.op == NULL ? in : OP (n, "LogicalAnd", "", inside, in);
    }
  }
  if (inside.op != NULL)
    y = OP (n, "Select", "", inside, y,
        F64 (onnx_float (n, "extrapolation_value", 0)));
  if (infer_type_is_integer (type))
    y = OP (n, "Round", "mode=half_to_even", y);
  return onnx_convert (n, y, type);
}
