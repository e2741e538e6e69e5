/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SoftMax and LogSoftmax. */

#include "inference/graph/ops/elementwise.h"
#include "ocl/ops/rows.h"

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferReduce *attrs = step->op->attrs;
  g_autoptr (GString) options = g_string_new ("-DSOFTMAX");
  gint64 axis = attrs->axis;
  OclRows rows;

  if (step->out[0]->n == 0)
    return TRUE;
  if (!infer_shape_normalize_axis (ocl_in_shape (step, 0), &axis, error)
      || !ocl_rows_init (
          step, 0, (guint32) 1 << axis, step->out[0]->desc.type, &rows, error))
    return FALSE;
  if (infer_op_is (step->op, &infer_op_log_softmax))
    g_string_append (options, " -DLOG");
  ocl_rows_launch (
      step, &rows, "softmax", options, step->out[0]->desc.type, NULL);
  return ocl_rows_finish (step, &rows, error);
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  return infer_type_is_real (op->outputs[0].desc.type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (op->outputs[0].desc.type));
}

const OclOp ocl_op_softmax = {
  .supports = supports,
  .prepare = prepare,
};

const OclOp ocl_op_log_softmax = {
  .supports = supports,
  .prepare = prepare,
};
