/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/copy.h"

#include "ocl/plan/walk.h"

const char *
ocl_element_type (InferType type)
{
  switch (infer_type_size (type)) {
    case 1:
      return "uchar";
    case 2:
      return "ushort";
    case 4:
      return "uint";
    default:
      return "ulong";
  }
}

gboolean
ocl_copy_box (OclStep *step, const OclBox *dst, const OclBox *src, int rank,
    const gint64 *dims, GError **error)
{
  OclWalk walk = { .n = 2 };

  for (int d = 0; d < rank; d++) {
    const gint64 strides[] = { dst->strides[d], src->strides[d] };

    ocl_walk_add (&walk, dims[d], strides);
  }
  if (!ocl_walk_finish (&walk, error))
    return FALSE;
  g_autofree char *options = g_strdup_printf ("-DELEMENT=%s%s%s",
      ocl_element_type (dst->value->desc.type),
      walk.strides[0][0] == 1 ? " -DDST_X" : "",
      walk.strides[1][0] == 1 ? " -DSRC_X" : "");
  OclLaunch *launch = ocl_step_launch (step, "copy", "copy", options, NULL);
  ocl_launch_value (launch, dst->value);
  ocl_launch_value (launch, src->value);
  ocl_walk_arguments (&walk, launch);
  ocl_launch_int (launch, dst->at);
  ocl_launch_int (launch, src->at);
  ocl_walk_launch (&walk, launch);
  step->kernel = "copy";
  return TRUE;
}

gboolean
ocl_fill (OclStep *step, OclValue *dst, OclValue *value, GError **error)
{
  static const gint64 zeros[2] = { 0, 0 };
  g_autofree char *options =
      g_strdup_printf ("-DELEMENT=%s", ocl_element_type (dst->desc.type));
  OclLaunch *launch = ocl_step_launch (step, "copy", "fill", options, NULL);

  ocl_launch_value (launch, dst);
  if (value != NULL)
    ocl_launch_value (launch, value);
  else
    ocl_launch_table (launch, ocl_int_table (zeros, 2));
  ocl_launch_int (launch, (gint64) dst->n);
  ocl_launch_rows (launch, dst->n, 1, 1);
  return TRUE;
}

GArray *
ocl_host_ints (const OclStep *step, guint input)
{
  return ocl_has_in (step, input) ? infer_tensor_to_ints (step->in[input]->host)
                                  : NULL;
}

/* At least one element: OpenCL has no empty buffers. */
static InferTensor *
new_table (InferType type, gsize n)
{
  InferShape shape = infer_shape_make (1, (gint64) MAX (n, 1));

  return infer_tensor_new (type, &shape, NULL);
}

InferTensor *
ocl_int_table (const gint64 *numbers, gsize n)
{
  InferTensor *table = new_table (INFER_TYPE_I32, n);

  if (table != NULL)
    infer_convert (table->data, INFER_TYPE_I32, numbers, INFER_TYPE_I64, n);
  return table;
}

InferTensor *
ocl_float_table (const double *numbers, gsize n)
{
  InferTensor *table = new_table (INFER_TYPE_F32, n);

  if (table != NULL)
    infer_convert (table->data, INFER_TYPE_F32, numbers, INFER_TYPE_F64, n);
  return table;
}
