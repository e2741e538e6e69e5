/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Eye, OneHot, Range. */

#include "inference/graph/ops/generate.h"

#include "cpu/base/step.h"

#include <string.h>

static gboolean
eye_run (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_out_shape (step, 0);
  CpuValue *out = step->out[0];
  InferType type = out->desc.type;
  gsize size = infer_type_size (type);
  gint64 rows = shape->dims[shape->rank - 2],
         cols = shape->dims[shape->rank - 1];
  gint64 shift, one = 1;

  if (step->in[2]->n != 1)
    return infer_fail (
        error, INFER_ERROR_INVALID_DATA, "the diagonal must be one number");
  shift = cpu_integer_at (step->in[2], 0);
  memset (out->data, 0, out->n * size);
  if (out->n == 0 || shift >= cols || shift <= -rows)
    return TRUE;
  for (gsize b = 0; b < out->n / (gsize) (rows * cols); b++)
    for (gint64 r = MAX (0, -shift); r < rows && r + shift < cols; r++)
      infer_convert (
          (char *) out->data
              + (b * (gsize) (rows * cols) + (gsize) (r * cols + r + shift))
                    * size,
          type, &one, INFER_TYPE_I64, 1);
  return TRUE;
}

static gboolean
one_hot_run (CpuStep *step, GError **error)
{
  const InferGenerate *attrs = step->op->attrs;
  const InferShape *shape = cpu_out_shape (step, 0);
  CpuValue *in = step->in[0], *out = step->out[0];
  gsize size = infer_type_size (out->desc.type), outer, inner;
  const char *on = step->in[2]->data, *off = step->in[3]->data;
  char *dst = out->data;
  gint64 axis = attrs->axis, depth;

  if (step->in[2]->n != 1 || step->in[3]->n != 1)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the on and off values must be one number each");
  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  depth = shape->dims[axis];
  outer = infer_shape_count_range (shape, 0, (int) axis);
  inner = infer_shape_count_range (shape, (int) axis + 1, shape->rank);
  for (gsize i = 0; i < out->n; i++)
    memcpy (dst + i * size, off, size);
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++) {
      gint64 index = cpu_integer_at (in, o * inner + i);

      if (attrs->normalize && index < 0)
        index += depth;
      if (index >= 0 && index < depth)
        memcpy (dst + ((o * (gsize) depth + (gsize) index) * inner + i) * size,
            on, size);
    }
  return TRUE;
}

static gboolean
range_run (CpuStep *step, GError **error)
{
  CpuValue *out = step->out[0];
  InferType type = out->desc.type;
  gsize size = infer_type_size (type);
  double start = 0, by = 0;
  gint64 first, delta;

  infer_convert (
      &start, INFER_TYPE_F64, step->in[0]->data, step->in[0]->desc.type, 1);
  infer_convert (
      &by, INFER_TYPE_F64, step->in[2]->data, step->in[2]->desc.type, 1);
  first = cpu_integer_at (step->in[0], 0);
  delta = cpu_integer_at (step->in[2], 0);
  for (gsize i = 0; i < out->n; i++)
    if (infer_type_is_integer (type)) {
      gint64 x = (gint64) ((guint64) first + i * (guint64) delta);

      infer_convert (
          (char *) out->data + i * size, type, &x, INFER_TYPE_I64, 1);
    } else {
      double x = start + (double) i * by;

      infer_convert (
          (char *) out->data + i * size, type, &x, INFER_TYPE_F64, 1);
    }
  return TRUE;
}

#define GENERATE(name, run_)                                                   \
  const CpuOp cpu_op_##name = {                                                \
    .run = run_,                                                               \
  };

/* clang-format off */
GENERATE (eye, eye_run)
GENERATE (one_hot, one_hot_run)
GENERATE (range, range_run)
/* clang-format on */
