/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/constants.h"
#include "cpu/graph/plan.h"

CpuPlanStep *
cpu_plan_step_new (CpuPlan *plan, const CpuNode *node, const CpuOp *cpu_op,
    guint n_in, guint n_out)
{
  CpuPlanStep *step = g_new0 (CpuPlanStep, 1);

  step->s.cpu_op = cpu_op;
  step->s.n_in = n_in;
  step->s.n_out = n_out;
  step->s.in = g_new0 (CpuValue *, n_in + 1);
  step->s.out = g_new0 (CpuValue *, n_out + 1);
  step->s.kernel = "ref";
  step->s.isa = cpu_scope_isa (plan->scope);
  step->s.kernels = cpu_scope_kernels (plan->scope);
  step->s.threads = cpu_scope_threads (plan->scope);
  step->s.scope = plan->scope;
  step->s.plan = plan;
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

static void
release_priv (CpuPlanStep *step)
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
  release_priv (step);
  cpu_plan_free_packs (step->s.scope, step->packs);
  g_free (step->s.in);
  g_free (step->s.out);
  g_free (step->s.posts);
  g_free (step->seen);
  g_clear_pointer (&step->seen_values, g_byte_array_unref);
  g_free (step->seen_blocks);
  g_free (step);
}

gboolean
cpu_plan_step_prepare (CpuPlanStep *step, GError **error)
{
  CpuPlan *plan = step->s.plan;

  step->prepared = TRUE;
  for (guint i = 0; i < step->s.n_in; i++) {
    const gboolean sees = cpu_unpack_is_for (step->s.op, i);

    if (sees && i == 0 && step->s.in[0] != NULL
        && !cpu_plan_align (plan, (CpuPlanValue *) step->s.in[0], error))
      return FALSE; /* Gather reads what is not compressed where it lies */
    if (!sees && !cpu_step_want_data (&step->s, i, error))
      return FALSE;
  }
  if (step->s.cpu_op->prepare != NULL
      && !step->s.cpu_op->prepare (&step->s, error))
    return FALSE;
  plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
  return TRUE;
}

gboolean
cpu_plan_step_renew (CpuPlanStep *step, GError **error)
{
  GPtrArray *packs = step->packs;
  gboolean ok;

  release_priv (step);
  step->packs = g_ptr_array_new ();
  step->s.scratch_size = 0;
  ok = cpu_plan_step_prepare (step, error);
  cpu_plan_free_packs (step->s.scope, packs);
  return ok;
}

static gboolean
check_size (const InferDesc *desc, GError **error)
{
  gsize bytes;
  g_autofree char *shape = NULL;

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape)
      || infer_tensor_bytes (desc->type, &desc->shape, &bytes))
    return TRUE;
  shape = infer_shape_to_string (&desc->shape);
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "an output of shape %s is too large", shape);
}

gboolean
cpu_plan_step_infer (const CpuPlanStep *step, gboolean use_values,
    InferDesc *out, GError **error)
{
  const InferOperation *op = step->s.op;
  const guint n_in = step->s.n_in;
  g_autofree InferDesc *in = g_new0 (InferDesc, n_in + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, n_in + 1);
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

void
cpu_step_need_scratch (CpuStep *step, gsize bytes)
{
  step->scratch_size = bytes;
}

CpuContext *
cpu_step_context (const CpuStep *step)
{
  return step->plan->context;
}

gboolean
cpu_step_output_is_read (const CpuStep *step, guint index)
{
  return step->plan->graph == NULL
         || ((const CpuPlanValue *) step->out[index])->n_uses > 0;
}

InferTensor *
cpu_step_own_tensor (CpuStep *step, guint index, InferType type,
    const InferShape *shape, GError **error)
{
  CpuPlanValue *value = cpu_plan_value (step->out[index]);

  if (value->tensor == NULL)
    value->tensor = infer_tensor_new (type, shape, error);
  else if (!infer_tensor_reshape (value->tensor, type, shape, error))
    return NULL;
  return value->tensor;
}

gboolean
cpu_step_alloc_output (
    CpuStep *step, guint index, const InferShape *shape, GError **error)
{
  CpuValue *value = step->out[index];
  const InferDesc desc = { value->desc.type, *shape };
  InferTensor *tensor =
      cpu_step_own_tensor (step, index, desc.type, shape, error);

  if (tensor == NULL)
    return FALSE;
  cpu_value_set_desc (value, &desc);
  value->data = tensor->data;
  return TRUE;
}

/* Of a thread's share, each of which another may take. */
#define PIECES 2

void
cpu_step_parallel (
    CpuStep *step, gsize n, gsize grain, CpuRangeFunc func, gpointer data)
{
  gsize parts, pieces;

  grain = MIN (grain, cpu_scope_most_grain (step->scope));
  parts = grain > 0 ? n / grain : n;
  if (step->threads <= 1 || step->plan->team == NULL || parts <= 1) {
    if (n > 0)
      func (data, 0, n, 0);
    return;
  }
  pieces = MIN (parts / step->threads, PIECES);
  cpu_team_run (step->plan->team, n, (guint) MIN (parts, step->threads),
      (guint) MAX (pieces, 1), func, data);
}
