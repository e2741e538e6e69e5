/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TopK for small k: one pass over the row per element. */

#include "inference/graph/ops/search.h"
#include "ocl/plan/step.h"

#define MAX_K 32

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferSearch *attrs = step->op->attrs;
  const InferShape *in = ocl_in_shape (step, 0);
  g_autoptr (GString) options = g_string_new (attrs->min ? "-DMIN" : NULL);
  gint64 axis = attrs->axis;
  gsize outer, inner;

  if (!infer_shape_normalize_axis (in, &axis, error))
    return FALSE;
  outer = infer_shape_count_range (in, 0, (int) axis);
  inner = infer_shape_count_range (in, (int) axis + 1, in->rank);
  if (step->out[0]->n == 0)
    return TRUE;
  ocl_option_type (options, "TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "INDEX_TYPE", step->out[1]->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "search", "top_k", options->str, NULL);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->out[1]);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_int (launch, (gint64) outer);
  ocl_launch_int (launch, in->dims[axis]);
  ocl_launch_int (launch, (gint64) inner);
  ocl_launch_int (launch, ocl_out_shape (step, 0)->dims[axis]);
  ocl_launch_over (launch, inner, outer, 1);
  step->kernel = "top_k";
  return TRUE;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  const InferSearch *attrs = op->attrs;
  const InferTensor *k = op->inputs[1].op->value;
  g_autoptr (GArray) number = k != NULL ? infer_tensor_to_ints (k) : NULL;

  if (number == NULL || number->len != 1
      || g_array_index (number, gint64, 0) > MAX_K)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "no OpenCL kernel for more than %d", MAX_K);
  return attrs->sort != INFER_TOP_K_INDEX
         || g_array_index (number, gint64, 0) == 1
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel that sorts by index");
}

const OclOp ocl_op_top_k = {
  .host_inputs = 1 << 1,
  .supports = supports,
  .prepare = prepare,
};
