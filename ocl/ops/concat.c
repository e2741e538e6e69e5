/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Concat, Split and VariadicSplit: pieces along one axis.  If all outer
 * dimensions are 1, a piece is contiguous and nothing is copied. */

#include "inference/graph/ops/concat.h"
#include "ocl/ops/copy.h"

typedef struct
{
  gint64 outer, axis, inner;
} Rows;

static Rows
rows_of (const InferShape *shape, gint64 axis)
{
  return (Rows){ (gint64) infer_shape_count_range (shape, 0, (int) axis),
    shape->dims[axis],
    (gint64) infer_shape_count_range (shape, (int) axis + 1, shape->rank) };
}

/* Copies @piece to or from @start on the axis of @whole. */
static gboolean
copy_piece (OclStep *step, OclValue *whole, OclValue *piece, gint64 axis,
    gint64 start, gboolean into, GError **error)
{
  const Rows rows = rows_of (&whole->desc.shape, axis);
  const gint64 length = piece->desc.shape.dims[axis] * rows.inner;
  const gint64 dims[] = { rows.outer, length };
  const OclBox whole_box = { whole, start * rows.inner,
    { rows.axis * rows.inner, 1 } };
  const OclBox piece_box = { piece, 0, { length, 1 } };

  return piece->n == 0
         || ocl_copy_box (step, into ? &whole_box : &piece_box,
             into ? &piece_box : &whole_box, 2, dims, error);
}

static gboolean
prepare_concat (OclStep *step, GError **error)
{
  const InferConcat *attrs = step->op->attrs;
  const InferShape *out = ocl_out_shape (step, 0);
  const gsize size = infer_type_size (step->out[0]->desc.type);
  gint64 axis = attrs->axis, start = 0;

  if (!infer_shape_normalize_axis (out, &axis, error))
    return FALSE;
  for (guint i = 0; i < step->n_in; i++) {
    const Rows rows = rows_of (out, axis);
    gboolean joined = rows.outer == 1
                      && ocl_step_join (step, 0, step->in[i],
                          (gsize) (start * rows.inner) * size);

    if (!joined
        && !copy_piece (
            step, step->out[0], step->in[i], axis, start, TRUE, error))
      return FALSE;
    start += ocl_in_shape (step, i)->dims[axis];
  }
  return TRUE;
}

static gboolean
prepare_split (OclStep *step, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  g_autoptr (GArray) axes = ocl_host_ints (step, 1);
  gint64 axis = g_array_index (axes, gint64, 0), start = 0;

  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  for (guint k = 0; k < step->n_out; k++) {
    const Rows rows = rows_of (in, axis);

    if (rows.outer == 1)
      ocl_step_view (step, k, step->in[0], (gsize) (start * rows.inner) * size);
    else if (!copy_piece (
                 step, step->in[0], step->out[k], axis, start, FALSE, error))
      return FALSE;
    start += ocl_out_shape (step, k)->dims[axis];
  }
  return TRUE;
}

const OclOp ocl_op_concat = {
  .prepare = prepare_concat,
};

const OclOp ocl_op_split = {
  .host_inputs = 1 << 1,
  .prepare = prepare_split,
};

const OclOp ocl_op_variadic_split = {
  .host_inputs = 1 << 1 | 1 << 2,
  .prepare = prepare_split,
};
