/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/step.h"

#include "inference/base/tensor.h"
#include "inference/graph/work.h"

CpuPlanStep *
cpu_plan_step_new (CpuScope *scope, const CpuNode *node, const CpuOp *cpu_op,
    guint n_in, guint n_out)
{
  CpuPlanStep *step = infer_new0 (CpuPlanStep, 1);

  step->s.cpu_op = cpu_op;
  step->s.n_in = n_in;
  step->s.n_out = n_out;
  step->s.in = infer_new0 (CpuValue *, n_in + 1);
  step->s.out = infer_new0 (CpuValue *, n_out + 1);
  step->s.kernel = "ref";
  step->s.isa = cpu_scope_isa (scope);
  step->s.kernels = cpu_scope_kernels (scope);
  step->s.threads = cpu_scope_threads (scope);
  step->s.scope = scope;
  step->packs = g_ptr_array_new ();
  step->node = node;
  if (node != NULL) {
    step->s.op = node->op;
    step->guard = node->guard;
  }
  return step;
}

void
cpu_plan_free_packs (CpuScope *scope, GPtrArray *packs)
{
  for (guint i = 0; i < packs->len; i++)
    cpu_pack_unref (scope, packs->pdata[i]);
  g_ptr_array_unref (packs);
}

CpuPlanValue *
cpu_plan_step_in (const CpuPlanStep *step, guint slot)
{
  return cpu_plan_value (slot < step->s.n_in
                             ? step->s.in[slot]
                             : step->s.posts[slot - step->s.n_in].other);
}

gboolean
cpu_operation_failed (const InferOperation *op, GError **error)
{
  g_autofree char *name = op != NULL ? infer_operation_describe (op) : NULL;

  if (name != NULL)
    g_prefix_error (error, "operation %s: ", name);
  return FALSE;
}

void
cpu_plan_step_release (CpuPlanStep *step)
{
  if (step->s.priv == NULL)
    return;
  if (step->s.cpu_op->release != NULL)
    step->s.cpu_op->release (step->s.priv);
  else
    g_free (step->s.priv);
  step->s.priv = NULL;
}

void
cpu_plan_step_free (CpuPlanStep *step)
{
  for (guint i = 0; step->fused != NULL && i < step->fused->len; i++)
    cpu_plan_step_free (step->fused->pdata[i]);
  g_clear_pointer (&step->fused, g_ptr_array_unref);
  cpu_plan_step_release (step);
  cpu_plan_free_packs (step->s.scope, step->packs);
  g_free (step->s.in);
  g_free (step->s.out);
  g_free (step->s.posts);
  g_free (step->seen);
  g_clear_pointer (&step->seen_values, g_byte_array_unref);
  g_free (step->seen_blocks);
  g_free (step);
}

static gboolean
check_size (const InferDesc *desc, GError **error)
{
  gsize bytes;

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape)
      || infer_tensor_bytes (desc->type, &desc->shape, &bytes))
    return TRUE;
  g_autofree char *shape = infer_shape_to_string (&desc->shape);
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "an output of shape %s is too large", shape);
}

gboolean
cpu_plan_step_infer (const CpuPlanStep *step, gboolean use_values,
    InferDesc *out, GError **error)
{
  const InferOperation *op = step->s.op;
  const guint n_in = step->s.n_in;
  g_autofree InferDesc *in = infer_new0 (InferDesc, n_in + 1);
  g_autofree const InferTensor **values =
      infer_new0 (const InferTensor *, n_in + 1);
  g_autoptr (GPtrArray) wrapped =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  InferShapeContext context = { op, n_in, in, values, step->s.n_out, out };

  for (guint i = 0; i < n_in; i++) {
    const CpuPlanValue *value = (const CpuPlanValue *) step->s.in[i];
    InferTensor *tensor = NULL;

    in[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    if (value == NULL)
      continue;
    in[i] = value->v.desc;
    if (value->v.constant)
      values[i] = value->tensor;
    else if (use_values && i < 32 && (op->klass->value_inputs >> i & 1) != 0
             && value->v.known)
      tensor = infer_tensor_new_wrapped (in[i].type, &in[i].shape,
          value->v.data, value->v.bytes, NULL, NULL, NULL);
    if (tensor != NULL) {
      g_ptr_array_add (wrapped, tensor);
      values[i] = tensor;
    }
  }
  for (guint k = 0; k < step->s.n_out; k++)
    out[k] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  if (!op->klass->infer_shapes (&context, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    if (!check_size (&out[k], error))
      return FALSE;
  return TRUE;
}

gboolean
cpu_plan_step_is_idle (const CpuPlanStep *step)
{
  const InferOperation *op = step->s.op;

  if (op == NULL || op->n_bodies > 0
      || (op->klass->flags & INFER_OP_STATEFUL) != 0)
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    if (!step->s.out[k]->known || step->s.out[k]->n > 0)
      return FALSE;
  return step->s.n_out > 0;
}

double
cpu_plan_step_work (const CpuPlanStep *step)
{
  g_autofree const InferDesc **in =
      infer_new0 (const InferDesc *, step->s.n_in + 1);
  g_autofree InferDesc *out = infer_new0 (InferDesc, step->s.n_out + 1);
  double elements = 0;

  if (step->s.op == NULL)
    return 0;
  for (guint i = 0; i < step->s.n_in; i++)
    in[i] = step->s.in[i] != NULL ? &step->s.in[i]->desc : NULL;
  for (guint k = 0; k < step->s.n_out; k++) {
    out[k] = step->s.out[k]->desc;
    elements += infer_work_elements (&out[k]);
  }
  return elements + infer_work (step->s.op, in, out);
}
