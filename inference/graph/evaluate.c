/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/evaluate.h"

#include "inference/graph/work.h"

#include <string.h>

/* About a second of the slowest kernels; a matrix product of 1024 × 1024 × 1024
 * is just allowed. */
#define MAX_WORK ((double) (1 << 30))

gboolean
infer_can_evaluate (
    const InferOperation *op, const InferDesc *outputs, gsize max_bytes)
{
  const InferEvaluator *evaluator = infer_find_evaluator ();
  gsize bytes;

  if (evaluator == NULL || op->n_bodies > 0 || op->n_outputs == 0
      || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0)
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    if (infer_type_size (outputs[k].type) == 0
        || !infer_tensor_bytes (outputs[k].type, &outputs[k].shape, &bytes)
        || bytes > max_bytes)
      return FALSE;
  return infer_work_in_graph (op, outputs) <= MAX_WORK
         && evaluator->supports (op, NULL);
}

gboolean
infer_evaluate (const InferOperation *op, const InferTensor *const *inputs,
    InferTensor **outputs)
{
  if (infer_evaluate_move (op, inputs, outputs))
    return TRUE;
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);

  for (guint i = 0; i < op->n_inputs; i++) {
    InferTensor *value = infer_tensor_align (inputs[i], NULL);

    if (value == NULL)
      return FALSE;
    g_ptr_array_add (values, value);
  }
  memset (outputs, 0, op->n_outputs * sizeof *outputs);
  if (infer_find_evaluator ()->evaluate (
          op, (InferTensor *const *) values->pdata, outputs, NULL))
    return TRUE;
  for (guint k = 0; k < op->n_outputs; k++)
    g_clear_pointer (&outputs[k], infer_tensor_unref);
  return FALSE;
}

const char *
infer_evaluate_flavour (void)
{
  const InferEvaluator *evaluator = infer_find_evaluator ();

  return evaluator != NULL ? evaluator->flavour () : "";
}

InferTensor *
infer_evaluate_shape (const InferShape *in, const InferDesc *out)
{
  if (!infer_shape_is_static (in) || !infer_shape_is_static (&out->shape)
      || (out->type != INFER_TYPE_I64 && out->type != INFER_TYPE_I32))
    return NULL;
  InferTensor *value = infer_tensor_new (out->type, &out->shape, NULL);
  if (value != NULL)
    infer_convert (
        value->data, out->type, in->dims, INFER_TYPE_I64, (gsize) in->rank);
  return value;
}
