/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/fold.h"

#include "inference/graph/evaluate.h"

/* Larger constants are computed on the device, in each run. */
#define MAX_FOLDED_BYTES (64u << 20)

/* --- shapes --- */

gboolean
ocl_check_desc (const InferDesc *desc, GError **error)
{
  gsize bytes;
  g_autofree char *shape = infer_shape_to_string (&desc->shape);

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "its output of type %s and shape %s depends on what is computed",
        infer_type_name (desc->type), shape);
  if (!infer_tensor_bytes (desc->type, &desc->shape, &bytes))
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "an output of type %s and shape %s is too large",
        infer_type_name (desc->type), shape);
  return TRUE;
}

gboolean
ocl_infer_shapes (const InferOperation *op, OclValue *const *in, InferDesc *out,
    GError **error)
{
  g_autofree InferDesc *descs = g_new0 (InferDesc, op->n_inputs + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, op->n_inputs + 1);
  InferShapeContext context = { op, op->n_inputs, descs, values, op->n_outputs,
    out };

  for (guint i = 0; i < op->n_inputs; i++) {
    descs[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    if (in[i] == NULL)
      continue;
    descs[i] = in[i]->desc;
    values[i] = in[i]->host;
  }
  for (guint k = 0; k < op->n_outputs; k++)
    out[k] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  if (!op->klass->infer_shapes (&context, error))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    if (!ocl_check_desc (&out[k], error))
      return FALSE;
  return TRUE;
}

/* --- folding --- */

static gboolean
can_fold (const InferOperation *op, OclValue *const *in, const InferDesc *out)
{
  if (infer_op_is (op, &infer_op_shape_of))
    return TRUE;
  for (guint i = 0; i < op->n_inputs; i++)
    if (in[i] == NULL || in[i]->host == NULL)
      return FALSE;
  return infer_can_evaluate (op, out, MAX_FOLDED_BYTES);
}

static gboolean
evaluate (const InferOperation *op, OclValue *const *in, const InferDesc *out,
    InferTensor **values)
{
  g_autofree const InferTensor **inputs =
      g_new0 (const InferTensor *, op->n_inputs + 1);

  if (infer_op_is (op, &infer_op_shape_of)) {
    values[0] = infer_evaluate_shape (&in[0]->desc.shape, &out[0]);
    return values[0] != NULL;
  }
  for (guint i = 0; i < op->n_inputs; i++)
    inputs[i] = in[i]->host;
  return infer_evaluate (op, inputs, values);
}

gboolean
ocl_fold (OclPlan *plan, const InferOperation *op, OclValue *const *in,
    const InferDesc *out, OclValue **outputs)
{
  g_autofree InferTensor **values = g_new0 (InferTensor *, op->n_outputs + 1);

  if (!can_fold (op, in, out) || !evaluate (op, in, out, values))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    outputs[k] = ocl_plan_add_constant (plan, values[k]);
  return TRUE;
}
