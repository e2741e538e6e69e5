/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolate: a pass for each axis whose size changes. */

#include "inference/graph/ops/interpolate-table.h"
#include "ocl/ops/copy.h"

static gint64
axis_at (const OclStep *step, const GArray *axes, guint i)
{
  const InferInterpolate *attrs = step->op->attrs;
  gint64 axis = step->op->version == 1 ? attrs->axes[i]
                : axes != NULL         ? g_array_index (axes, gint64, i)
                                       : (gint64) i;

  return axis < 0 ? axis + ocl_in_shape (step, 0)->rank : axis;
}

static void
add_pass (OclStep *step, const InferInterpolateTable *table, OclValue *src,
    OclValue *dst, const InferShape *shape, int axis)
{
  const gsize inner = infer_shape_count_range (shape, axis + 1, shape->rank);
  const gsize n = (gsize) table->out * table->taps;
  g_autoptr (GString) options = g_string_new ("-DRESAMPLE");

  ocl_option_type (options, "IN_TYPE", src->desc.type);
  ocl_option_type (options, "OUT_TYPE", dst->desc.type);
  g_string_append_printf (options, " -DTAPS=%u", (guint) table->taps);
  OclLaunch *launch =
      ocl_step_launch (step, "pooling", "resample", options->str, NULL);
  ocl_launch_value (launch, dst);
  ocl_launch_value (launch, src);
  ocl_launch_table (launch, ocl_int_table (table->index, n));
  ocl_launch_table (launch, ocl_float_table (table->weight, n));
  ocl_launch_int (launch, (gint64) inner);
  ocl_launch_int (launch, table->out);
  ocl_launch_int (launch, table->in);
  ocl_launch_rows (launch, inner, (gsize) table->out,
      infer_shape_count_range (shape, 0, axis));
}

/* Fills @axes with the axes whose size changes, and their tables. */
static gboolean
make_tables (
    OclStep *step, InferInterpolateTable *tables, int *axes, int *n_axes)
{
  const InferInterpolate *attrs = step->op->attrs;
  const InferShape *in = ocl_in_shape (step, 0), *out = ocl_out_shape (step, 0);
  const guint sizes = infer_interpolate_sizes_input (step->op);
  const guint input = infer_interpolate_axes_input (step->op);
  g_autoptr (GArray) given = NULL;
  g_autoptr (GArray) numbers = infer_tensor_to_doubles (step->in[sizes]->host);
  gboolean down = FALSE;
  float scales[INFER_MAX_RANK];

  if (input != G_MAXUINT && ocl_has_in (step, input))
    given = ocl_host_ints (step, input);
  for (guint i = 0; i < numbers->len; i++) {
    const int d = (int) axis_at (step, given, i);

    scales[i] = attrs->scales
                    ? (float) g_array_index (numbers, double, i)
                    : (float) out->dims[d] / (float) MAX (in->dims[d], 1);
    down = down || scales[i] < 1;
  }
  for (guint i = 0; i < numbers->len; i++) {
    const int d = (int) axis_at (step, given, i);

    if (in->dims[d] == out->dims[d] && scales[i] == 1)
      continue;
    if (!infer_interpolate_table_init (&tables[d], attrs, in->dims[d],
            out->dims[d], scales[i], down && attrs->antialias))
      return FALSE;
    axes[(*n_axes)++] = d;
  }
  return TRUE;
}

static void
add_passes (
    OclStep *step, const InferInterpolateTable *tables, const int *axes, int n)
{
  const InferType type = step->in[0]->desc.type;
  const InferType between = infer_type_is_real (type) ? INFER_TYPE_F32 : type;
  InferShape shape = *ocl_in_shape (step, 0);
  OclValue *src = step->in[0];

  for (int i = 0; i < n; i++) {
    const InferShape before = shape;
    OclValue *dst = step->out[0];

    shape.dims[axes[i]] = tables[axes[i]].out;
    if (i < n - 1)
      dst = ocl_step_scratch (step, between, infer_shape_count (&shape));
    add_pass (step, &tables[axes[i]], src, dst, &before, axes[i]);
    src = dst;
  }
  step->kernel = "resample";
}

static gboolean
prepare (OclStep *step, GError **error)
{
  InferInterpolateTable tables[INFER_MAX_RANK] = { 0 };
  int axes[INFER_MAX_RANK], n = 0;
  gboolean ok = TRUE;

  if (step->out[0]->n == 0)
    return TRUE;
  ok = make_tables (step, tables, axes, &n)
       || infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory for the tables");
  if (ok && n == 0)
    ocl_step_view (step, 0, step->in[0], 0);
  if (ok)
    add_passes (step, tables, axes, n);
  for (int d = 0; d < INFER_MAX_RANK; d++)
    infer_interpolate_table_clear (&tables[d]);
  return ok;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  const InferInterpolate *attrs = op->attrs;
  const InferType type = op->outputs[0].desc.type;

  for (int d = 0; d < INFER_MAX_RANK; d++)
    if (attrs->pads_begin[d] != 0 || attrs->pads_end[d] != 0)
      return infer_fail (
          error, INFER_ERROR_UNSUPPORTED, "no OpenCL kernel with padding");
  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (type));
}

const OclOp ocl_op_interpolate = {
  .host_inputs = 0x0e,
  .supports = supports,
  .prepare = prepare,
};
