/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/fold.h"

#include "cpu/base/unpack.h"
#include "cpu/graph/plan.h"

#include <string.h>

/* Folding a constant expression while planning must not blow it up. */
#define MAX_FOLDED_BYTES (64u << 20)

/* The same for all of a plan: multiplications, and elements of outputs. */
#define MAX_FOLDED_WORK ((double) (1 << 28))

/* FALSE: too much together with what the plan has folded. */
static gboolean
spend_work (const CpuPlanStep *step)
{
  CpuPlan *plan = step->s.plan;
  const double work = cpu_plan_step_work (step);

  if (plan->folded_work + work > MAX_FOLDED_WORK)
    return FALSE;
  plan->folded_work += work;
  return TRUE;
}

gboolean
cpu_step_can_fold (const CpuPlanStep *step)
{
  const InferOpClass *klass = step->s.op->klass;
  gsize bytes = 0;

  if ((klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
      || step->s.op->n_bodies > 0 || step->s.n_out == 0)
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    bytes += step->s.out[k]->bytes;
  if (bytes > MAX_FOLDED_BYTES)
    return FALSE;
  if ((klass->flags & INFER_OP_SHAPE_ONLY) != 0)
    return step->s.in[0]->known;
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && !step->s.in[i]->constant)
      return FALSE;
  return spend_work (step);
}

gboolean
cpu_step_run_now (CpuPlanStep *step, GError **error)
{
  g_autofree gpointer scratch_memory = NULL;

  for (guint k = 0; k < step->s.n_out; k++) {
    const CpuValue *value = step->s.out[k];

    if (value->known
        && !cpu_step_alloc_output (&step->s, k, &value->desc.shape, error))
      return FALSE;
  }
  if (cpu_plan_step_is_idle (step))
    return TRUE;
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    const CpuValue *in = step->s.in[0];

    if (in->bytes > 0)
      memcpy (step->s.out[0]->data, in->data, in->bytes);
    return TRUE;
  }
  if (!cpu_plan_step_prepare (step, error))
    return FALSE;
  /* Allocated even for 0 bytes: kernels compute pointers from it. */
  scratch_memory = g_try_malloc (step->s.scratch_size + 64);
  if (scratch_memory == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " bytes of working memory", step->s.scratch_size);
  step->s.scratch = (gpointer) (((gsize) scratch_memory + 63) & ~(gsize) 63);
  gboolean ok = step->s.cpu_op->run (&step->s, error);
  step->s.scratch = NULL;
  return ok;
}

gboolean
cpu_step_fold (CpuPlanStep *step, GError **error)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (!cpu_step_want_data (&step->s, i, error))
      return FALSE;
  if (!cpu_step_run_now (step, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = cpu_plan_step_out (step, k);

    if (value->tensor == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "output %u has no known element type and shape", k);
    cpu_plan_value_make_constant (value, g_steal_pointer (&value->tensor));
  }
  return TRUE;
}

gboolean
cpu_step_fold_idle (CpuPlanStep *step, GError **error)
{
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = cpu_plan_step_out (step, k);
    InferTensor *empty =
        infer_tensor_new (value->v.desc.type, &value->v.desc.shape, error);

    if (empty == NULL)
      return FALSE;
    cpu_plan_value_make_constant (value, empty);
  }
  return TRUE;
}
