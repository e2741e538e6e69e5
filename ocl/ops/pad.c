/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pad: a fill and a copy; for edge and reflect modes one copy per padded axis.
 */

#include "inference/graph/ops/pad.h"
#include "ocl/ops/copy.h"

static gboolean
pad_constant (
    OclStep *step, const gint64 *begin, const gint64 *end, GError **error)
{
  const InferShape *in = ocl_in_shape (step, 0);
  gint64 kept[INFER_MAX_RANK];
  OclBox dst = { .value = step->out[0] }, src = { .value = step->in[0] };
  gboolean any = TRUE;

  infer_shape_strides (in, src.strides);
  infer_shape_strides (ocl_out_shape (step, 0), dst.strides);
  for (int d = 0; d < in->rank; d++) {
    kept[d] = infer_pad_kept (in->dims[d], begin[d], end[d]);
    any = any && kept[d] > 0;
    if (begin[d] < 0 && kept[d] > 0)
      src.at += -begin[d] * src.strides[d];
    dst.at += MAX (begin[d], 0) * dst.strides[d];
  }
  return ocl_fill (step, step->out[0],
             ocl_has_in (step, 3) ? step->in[3] : NULL, error)
         && (!any || ocl_copy_box (step, &dst, &src, in->rank, kept, error));
}

/* Copies dimension @axis; it gets the size that it has in the output. */
static void
pad_axis (OclStep *step, OclValue *src, OclValue *dst, InferShape *shape,
    int axis, gint64 begin, gint64 end)
{
  const InferPad *attrs = step->op->attrs;
  const gint64 before = shape->dims[axis];
  const gint64 kept = infer_pad_kept (before, begin, end);
  const gint64 length = ocl_out_shape (step, 0)->dims[axis];
  const gsize inner = infer_shape_count_range (shape, axis + 1, shape->rank);
  g_autofree gint64 *table = g_try_new0 (gint64, (gsize) length + 1);
  g_autofree char *options =
      g_strdup_printf ("-DELEMENT=%s", ocl_element_type (src->desc.type));
  OclLaunch *launch = ocl_step_launch (step, "copy", "take", options, NULL);

  for (gint64 i = 0; table != NULL && i < length; i++) {
    gint64 at = infer_pad_source (attrs->mode, i - MAX (begin, 0), kept);

    table[i] = CLAMP (at - MIN (begin, 0), 0, before - 1);
  }
  ocl_launch_value (launch, dst);
  ocl_launch_value (launch, src);
  ocl_launch_table (
      launch, table != NULL ? ocl_int_table (table, (gsize) length) : NULL);
  ocl_launch_int (launch, (gint64) inner);
  ocl_launch_int (launch, length);
  ocl_launch_int (launch, before);
  ocl_launch_rows (
      launch, inner, (gsize) length, infer_shape_count_range (shape, 0, axis));
  shape->dims[axis] = length;
}

static gboolean
pad_edges (OclStep *step, const gint64 *begin, const gint64 *end)
{
  InferShape shape = *ocl_in_shape (step, 0);
  OclValue *src = step->in[0];
  int last = -1;

  for (int d = 0; d < shape.rank; d++)
    if (begin[d] != 0 || end[d] != 0)
      last = d;
  for (int d = 0; d <= last; d++) {
    InferShape next = shape;

    if (begin[d] == 0 && end[d] == 0)
      continue;
    next.dims[d] = ocl_out_shape (step, 0)->dims[d];
    OclValue *dst = d == last ? step->out[0]
                              : ocl_step_scratch (step, src->desc.type,
                                  infer_shape_count (&next));
    pad_axis (step, src, dst, &shape, d, begin[d], end[d]);
    src = dst;
  }
  if (last < 0)
    ocl_step_view (step, 0, step->in[0], 0);
  step->kernel = "take";
  return TRUE;
}

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferPad *attrs = step->op->attrs;
  g_autoptr (GArray) begin = ocl_host_ints (step, 1);
  g_autoptr (GArray) end = ocl_host_ints (step, 2);

  if (attrs->mode == INFER_PAD_CONSTANT)
    return pad_constant (
        step, (gint64 *) begin->data, (gint64 *) end->data, error);
  return pad_edges (step, (gint64 *) begin->data, (gint64 *) end->data);
}

const OclOp ocl_op_pad = {
  .host_inputs = 1 << 1 | 1 << 2,
  .prepare = prepare,
};
