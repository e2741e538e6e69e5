/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Grids of coordinates between -1 and 1, and samples at them. */

#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

/* --- AffineGrid --- */

/* The coordinates of @length places. */
static InferPort
spread (OnnxNode *n, InferPort length, InferType type, gboolean corners)
{
  InferPort one = onnx_scalar (n, type, 1), two = onnx_scalar (n, type, 2);
  InferPort i = onnx_convert (n, onnx_count_to (n, length), type);
  InferPort count = onnx_convert (n, onnx_as_scalar (n, length), type);

  i = OP (n, "Multiply", "", i, two);
  if (corners)
    count = OP (n, "Subtract", "", count, one);
  else
    i = OP (n, "Add", "", i, one);
  return OP (n, "Subtract", "", OP (n, "Divide", "", i, count), one);
}

/* θ [batch, d, d + 1] times (x, y, …, 1) at all places of size [batch, channel,
 * …, y, x]. */
void
onnx_import_affine_grid (OnnxNode *n)
{
  InferType type = onnx_known_type (n, X);
  gint64 d = onnx_dim (n->inputs[1], 0) - 2;
  gboolean corners = onnx_int (n, "align_corners", 0) != 0;
  InferPort parts[4], spatial, y;

  if (d != 2 && d != 3) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "its size must be known to have 4 or 5 dimensions");
    return;
  }
  spatial = onnx_slice (n, n->inputs[1], 2, d + 2, 0);
  for (gint64 k = 0; k <= d; k++) {
    gint64 shape[3] = { 1, 1, 1 };
    InferPort axis = onnx_scalar (n, type, 1);

    if (k < d) {
      shape[d - 1 - k] = -1;
      axis = onnx_reshape (n,
          spread (
              n, onnx_slice (n, spatial, d - 1 - k, d - k, 0), type, corners),
          onnx_i64s (n, shape, (guint) d));
    }
    parts[k] = onnx_reshape (n, onnx_fill (n, axis, spatial), I64S (n, -1, 1));
  }
  y = OP (n, "MatMul", "transpose_b=true",
      onnx_op (n, "Concat", "axis=1", (guint) d + 1, parts), X);
  n->outputs[0] = onnx_reshape (n, y,
      OP (n, "Concat", "axis=0", onnx_dim_of (n, X, 0), spatial, I64S (n, d)));
}

/* --- GridSample of volumes --- */

typedef struct
{
  OnnxNode *n;
  InferType type;
  gboolean corners, border;
  InferPort values; /* [batch, place, channel] */
  InferPort size;   /* [3]: depth, height, width */
} Volume;

/* Coordinate @axis (0: x) of the grid as an index with a fraction, [batch,
 * point]. */
static InferPort
index_of (const Volume *v, gint64 axis, InferPort length)
{
  OnnxNode *n = v->n;
  InferPort one = onnx_scalar (n, v->type, 1),
            half = onnx_scalar (n, v->type, 0.5);
  InferPort x =
      OP (n, "Gather", "", n->inputs[1], onnx_i64 (n, axis), onnx_i64 (n, -1));

  x = OP (n, "Reshape", "special_zero=true", x, I64S (n, 0, -1));
  x = OP (n, "Multiply", "", OP (n, "Add", "", x, one), half);
  x = OP (n, "Multiply", "", x,
      v->corners ? OP (n, "Subtract", "", length, one) : length);
  return v->corners ? x : OP (n, "Subtract", "", x, half);
}

/* The values at integer places [batch, point] of the three axes, weighted;
 * nothing outside of the volume. */
static InferPort
gather (const Volume *v, const InferPort at[3], InferPort weight)
{
  OnnxNode *n = v->n;
  InferPort place = { NULL, 0 }, zero = onnx_scalar (n, v->type, 0);

  for (int d = 0; d < 3; d++) {
    InferPort size =
        OP (n, "Gather", "", v->size, onnx_i64 (n, d), onnx_i64 (n, 0));
    InferPort last = OP (n, "Subtract", "", onnx_convert (n, size, v->type),
        onnx_scalar (n, v->type, 1));
    InferPort inside =
        OP (n, "Maximum", "", OP (n, "Minimum", "", at[d], last), zero);
    InferPort i = onnx_convert (n, inside, INFER_TYPE_I64);

    if (!v->border)
      weight = OP (
          n, "Select", "", OP (n, "Equal", "", inside, at[d]), weight, zero);
    place =
        d == 0 ? i : OP (n, "Add", "", OP (n, "Multiply", "", place, size), i);
  }
  return OP (n, "Multiply", "",
      OP (n, "Gather", "batch_dims=1", v->values, place, onnx_i64 (n, 1)),
      onnx_unsqueeze (n, weight, 2));
}

/* The sum over the eight corners round each point. */
static InferPort
blend (const Volume *v, const InferPort index[3])
{
  OnnxNode *n = v->n;
  InferPort one = onnx_scalar (n, v->type, 1), sum = { NULL, 0 };

  for (guint corner = 0; corner < 8; corner++) {
    InferPort at[3], weight = one, part;

    for (guint d = 0; d < 3; d++) {
      InferPort low = OP (n, "Floor", "", index[d]);
      InferPort fraction = OP (n, "Subtract", "", index[d], low);
      gboolean next = (corner >> d & 1) != 0;

      at[d] = next ? OP (n, "Add", "", low, one) : low;
      weight = OP (n, "Multiply", "", weight,
          next ? fraction : OP (n, "Subtract", "", one, fraction));
    }
    part = gather (v, at, weight);
    sum = corner == 0 ? part : OP (n, "Add", "", sum, part);
  }
  return sum;
}

static void
sample_volume (OnnxNode *n, const char *mode, const char *padding)
{
  Volume v = { .n = n,
    .type = onnx_known_type (n, X),
    .corners = onnx_int (n, "align_corners", 0) != 0,
    .border = g_str_equal (padding, "border") };
  InferPort index[3], y, shape = onnx_shape_of (n, X);
  gboolean nearest = g_str_equal (mode, "nearest");

  if ((!nearest && !g_str_equal (mode, "bilinear"))
      || g_str_equal (padding, "reflection"))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "volumes with mode=%.40s and padding_mode=%.40s", mode, padding);
  v.size = onnx_slice (n, shape, 2, 5, 0);
  v.values = onnx_transpose (n,
      OP (n, "Reshape", "special_zero=true", X, I64S (n, 0, 0, -1)),
      (gint64[]){ 0, 2, 1 }, 3);
  for (gint64 d = 0; d < 3; d++) {
    index[d] = index_of (&v, 2 - d,
        onnx_convert (n,
            OP (n, "Gather", "", v.size, onnx_i64 (n, d), onnx_i64 (n, 0)),
            v.type));
    if (nearest)
      index[d] = OP (n, "Round", "mode=half_to_even", index[d]);
  }
  y = nearest ? gather (&v, index,
          onnx_fill (
              n, onnx_scalar (n, v.type, 1), onnx_shape_of (n, index[0])))
              : blend (&v, index);
  y = onnx_transpose (n, y, (gint64[]){ 0, 2, 1 }, 3);
  n->outputs[0] = onnx_reshape (n, y,
      OP (n, "Concat", "axis=0", onnx_slice (n, shape, 0, 2, 0),
          onnx_slice (n, onnx_shape_of (n, n->inputs[1]), 1, 4, 0)));
}

void
onnx_import_grid_sample (OnnxNode *n)
{
  static const char *const names[][2] = { { "linear", "bilinear" },
    { "cubic", "bicubic" } };
  g_autofree char *mode = onnx_text (n, "mode", "linear");
  g_autofree char *padding = onnx_text (n, "padding_mode", "zeros");
  const char *ours = onnx_renamed (mode, names, G_N_ELEMENTS (names), mode);

  if (onnx_known_rank (n, X) == 5)
    sample_volume (n, ours, padding);
  else
    n->outputs[0] = OP (n, "GridSample",
        ATTRS ("mode=%s;padding_mode=%s;align_corners=%s", ours, padding,
            onnx_int (n, "align_corners", 0) != 0 ? "true" : "false"),
        X, n->inputs[1]);
}
