/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preparing steps, and the functions of step.h that they call. */

#include "cpu/graph/constants.h"
#include "cpu/base/context.h"
#include "cpu/graph/plan.h"
#include "inference/base/cancel.h"

/* Types of less than a byte, or of no known size, have no kernels: constants of
 * such types have become others by now. */
static gboolean
check_types (const CpuStep *step, GError **error)
{
  if (step->op == NULL || (step->op->klass->flags & INFER_OP_SUB_BYTE) != 0)
    return TRUE;
  for (guint i = 0; i < step->n_in; i++)
    if (step->in[i] != NULL && infer_type_size (step->in[i]->desc.type) == 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "input %u of type %s is not supported", i,
          infer_type_name (step->in[i]->desc.type));
  return TRUE;
}

/* Work of a piece of a step, at most 0.3 s of the slowest kernels. */
#define PIECE_WORK ((double) (1 << 28))
#define MAX_PIECES 65536

gboolean
cpu_plan_step_prepare (CpuPlanStep *step, GError **error)
{
  CpuPlan *plan = step->s.plan;

  if (!check_types (&step->s, error))
    return FALSE;
  step->prepared = TRUE;
  step->s.pieces =
      (guint) MIN (cpu_plan_step_work (step) / PIECE_WORK, MAX_PIECES);
  for (guint i = 0; i < step->s.n_in; i++)
    if (!cpu_unpack_is_for (step->s.op, i)
        && !cpu_step_want_data (&step->s, i, error))
      return FALSE;
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

  cpu_plan_step_release (step);
  step->packs = g_ptr_array_new ();
  step->s.scratch_size = 0;
  gboolean ok = cpu_plan_step_prepare (step, error);
  cpu_plan_free_packs (step->s.scope, packs);
  return ok;
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

gboolean
cpu_step_may_use (const CpuStep *step, gsize bytes, GError **error)
{
  const CpuPlan *plan = step->plan;
  gsize sum;

  if (!g_size_checked_add (&sum, bytes, plan->own_bytes)
      || !g_size_checked_add (&sum, sum, plan->arena_size)
      || !g_size_checked_add (&sum, sum, plan->scratch_size))
    sum = G_MAXSIZE;
  return cpu_scope_allows (plan->scope, sum, error);
}

InferTensor *
cpu_step_own_tensor (CpuStep *step, guint index, InferType type,
    const InferShape *shape, GError **error)
{
  CpuPlanValue *value = cpu_plan_value (step->out[index]);
  InferTensor **own = value->own;
  const gsize before = value->own_bytes;
  gsize bytes;

  if (infer_tensor_bytes (type, shape, &bytes) && bytes > before
      && !cpu_step_may_use (step, bytes - before, error))
    return NULL;
  if (*own == NULL)
    *own = infer_tensor_new (type, shape, error);
  else if (!infer_tensor_reshape (*own, type, shape, error))
    return NULL;
  if (*own == NULL)
    return NULL;
  value->own_bytes = (*own)->size;
  step->plan->own_bytes += value->own_bytes - before;
  return *own;
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

/* Each thread's share is split in so many; idle threads take others'. */
#define PIECES 2

gboolean
cpu_step_is_cancelled (const CpuStep *step)
{
  const CpuContext *context = step != NULL ? step->plan->context : NULL;

  return context != NULL && infer_cancel_is_set (context->cancelled);
}

typedef struct
{
  const CpuStep *step;
  CpuRangeFunc func;
  gpointer data;
} Loop;

static void
run_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Loop *loop = data;

  if (!cpu_step_is_cancelled (loop->step))
    loop->func (loop->data, begin, end, thread);
}

static void
run_serially (const CpuStep *step, gsize n, CpuRangeFunc func, gpointer data)
{
  const gsize pieces = CLAMP (step->pieces, 1, n);

  for (gsize i = 0; i < pieces; i++) {
    if (i > 0 && cpu_step_is_cancelled (step))
      return;
    func (data, n * i / pieces, n * (i + 1) / pieces, 0);
  }
}

void
cpu_step_parallel (
    CpuStep *step, gsize n, gsize grain, CpuRangeFunc func, gpointer data)
{
  Loop loop = { step, func, data };
  gsize parts, pieces;

  if (n == 0)
    return;
  grain = MIN (grain, cpu_scope_most_grain (step->scope));
  parts = grain > 0 ? n / grain : n;
  if (step->threads <= 1 || step->plan->team == NULL || parts <= 1) {
    run_serially (step, n, func, data);
    return;
  }
  pieces =
      MIN (parts / step->threads, MAX (PIECES, step->pieces / step->threads));
  parts = MIN (parts, step->threads);
  pieces = MAX (pieces, 1);
  if (pieces > PIECES)
    cpu_team_run (
        step->plan->team, n, (guint) parts, (guint) pieces, run_range, &loop);
  else
    cpu_team_run (
        step->plan->team, n, (guint) parts, (guint) pieces, func, data);
}
