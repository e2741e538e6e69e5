/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/rows.h"

#include "ocl/ops/copy.h"

#define MAX_GROUP 64

gboolean
ocl_axes_mask (const OclStep *step, guint input, const InferShape *shape,
    guint32 *mask, GError **error)
{
  g_autoptr (GArray) axes = ocl_host_ints (step, input);

  *mask = 0;
  for (guint i = 0; axes != NULL && i < axes->len; i++) {
    gint64 axis = g_array_index (axes, gint64, i);

    if (!infer_shape_normalize_axis (shape, &axis, error))
      return FALSE;
    *mask |= (guint32) 1 << axis;
  }
  return TRUE;
}

/* FALSE: the axes are not adjacent. */
static gboolean
find_run (const InferShape *shape, guint32 mask, OclRows *rows)
{
  int state = 0; /* 0: before, 1: within, 2: after the axes */

  rows->outer = rows->length = rows->inner = 1;
  for (int d = 0; d < shape->rank; d++) {
    gsize dim = (gsize) shape->dims[d];

    if ((mask >> d & 1) != 0) {
      if (state == 2 && dim != 1)
        return FALSE;
      rows->length *= dim;
      if (dim != 1)
        state = 1;
    } else if (dim != 1 || state != 1) {
      if (state == 1)
        state = 2;
      *(state == 0 ? &rows->outer : &rows->inner) *= dim;
    }
  }
  return TRUE;
}

/* The dimensions outside the mask, then those in it; @strides: in the dense
 * tensor. */
static int
transposed_order (const OclRows *rows, gint64 *dims, gint64 *strides)
{
  gint64 dense[INFER_MAX_RANK];
  int n = 0;

  infer_shape_strides (&rows->shape, dense);
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < rows->shape.rank; d++)
      if ((int) (rows->mask >> d & 1) == pass) {
        dims[n] = rows->shape.dims[d];
        strides[n++] = dense[d];
      }
  return n;
}

static gboolean
transpose (OclStep *step, const OclRows *rows, OclValue *dense,
    OclValue *transposed, gboolean back, GError **error)
{
  gint64 dims[INFER_MAX_RANK], stride = 1;
  OclBox as_is = { .value = dense }, rows_box = { .value = transposed };
  int n = transposed_order (rows, dims, as_is.strides);

  for (int d = n - 1; d >= 0; d--) {
    rows_box.strides[d] = stride;
    stride *= dims[d];
  }
  return dense->n == 0
         || ocl_copy_box (step, back ? &as_is : &rows_box,
             back ? &rows_box : &as_is, n, dims, error);
}

gboolean
ocl_rows_init (OclStep *step, guint input, guint32 mask, InferType out_type,
    OclRows *rows, GError **error)
{
  OclValue *in = step->in[input];

  *rows = (OclRows){
    .in = in, .out = step->out[0], .mask = mask, .shape = in->desc.shape
  };
  if (find_run (&rows->shape, mask, rows))
    return TRUE;
  rows->outer = rows->length = rows->inner = 1;
  for (int d = 0; d < rows->shape.rank; d++)
    *((mask >> d & 1) != 0 ? &rows->length : &rows->outer) *=
        (gsize) rows->shape.dims[d];
  rows->in = ocl_step_scratch (step, in->desc.type, in->n);
  if (out_type != INFER_TYPE_DYNAMIC)
    rows->out = ocl_step_scratch (step, out_type, in->n);
  return transpose (step, rows, in, rows->in, FALSE, error);
}

gboolean
ocl_rows_finish (OclStep *step, const OclRows *rows, GError **error)
{
  return rows->out == step->out[0]
         || transpose (step, rows, step->out[0], rows->out, TRUE, error);
}

static InferType
sum_type (InferType type)
{
  if (type == INFER_TYPE_F64 || type == INFER_TYPE_U64)
    return type;
  return infer_type_is_real (type) ? INFER_TYPE_F32 : INFER_TYPE_I64;
}

OclLaunch *
ocl_rows_launch (OclStep *step, const OclRows *rows, const char *kernel,
    GString *options, InferType out_type, const char *generated)
{
  const OclDevice *device = step->scope->device;
  const InferType sum = sum_type (rows->in->desc.type);
  const gsize group = device->cpu ? 1 : MIN (MAX_GROUP, device->max_group);
  const gboolean side_by_side = rows->inner == 1;

  ocl_option_type (options, "IN_TYPE", rows->in->desc.type);
  ocl_option_type (options, "OUT_TYPE", out_type);
  ocl_option_type (options, "SUM_TYPE", sum);
  g_string_append_printf (
      options, " -DIS_REAL=%d", infer_type_is_real (sum) ? 1 : 0);
  if (side_by_side)
    g_string_append_printf (options, " -DGROUP=%u", (guint) group);
  if (side_by_side && rows->in->desc.type == INFER_TYPE_F32)
    g_string_append (options, " -DVECTORS");
  OclLaunch *launch =
      ocl_step_launch (step, "rows", kernel, options->str, generated);
  ocl_launch_value (launch, rows->out);
  ocl_launch_value (launch, rows->in);
  ocl_launch_int (launch, (gint64) rows->length);
  ocl_launch_int (launch, (gint64) rows->inner);
  if (side_by_side) {
    ocl_launch_local (launch, group * infer_type_size (sum));
    ocl_launch_groups (launch, rows->outer, group);
  } else {
    ocl_launch_int (launch, (gint64) rows->outer);
    ocl_launch_over (launch, rows->inner, rows->outer, 1);
  }
  step->kernel = kernel;
  return launch;
}
