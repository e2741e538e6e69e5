/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/work.h"

#include "inference/base/tensor.h"

double
infer_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  return op->klass->work != NULL ? op->klass->work (op, in, out) : 0;
}

double
infer_work_in_graph (const InferOperation *op, const InferDesc *out)
{
  if (op->klass->work == NULL)
    return 0;
  g_autofree const InferDesc **in =
      infer_new0 (const InferDesc *, op->n_inputs + 1);
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i].op != NULL)
      in[i] = &op->inputs[i].op->outputs[op->inputs[i].index].desc;
  return op->klass->work (op, in, out);
}

double
infer_work_elements (const InferDesc *desc)
{
  return desc != NULL && infer_shape_is_static (&desc->shape)
             ? (double) infer_shape_count (&desc->shape)
             : 0;
}

double
infer_work_pairs (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  double largest = 0;

  for (guint i = 0; i < op->n_inputs; i++)
    largest = MAX (largest, infer_work_elements (in[i]));
  for (guint k = 0; k < op->n_outputs; k++)
    largest = MAX (largest, infer_work_elements (&out[k]));
  return largest * largest;
}

double
infer_work_filters (const InferDesc *points, const InferDesc *filters)
{
  const gint64 channels = points->shape.rank > 1 ? points->shape.dims[1] : 1;

  return infer_work_elements (points) * infer_work_elements (filters)
         / (double) MAX (channels, 1);
}
