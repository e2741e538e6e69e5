/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/joint.h"

#include "cpu/plan/run.h"
#include "cpu/plan/workspace.h"
#include "inference/base/cancel.h"

/* The runs that go on. */
typedef struct
{
  guint n;
  CpuJointRun *runs[INFER_MOST_JOINT];
} Live;

static gboolean
run_alone (CpuJointRun *run)
{
  return cpu_plan_run_step (run->plan, run->at, &run->error)
         || cpu_plan_step_failed (run->at, &run->error);
}

/* Steps that only some runs need, since variables are reset, are run at once.
 * FALSE: the run has failed or is cancelled. */
static gboolean
reach_common_step (CpuJointRun *run)
{
  if (!infer_cancel_check (run->plan->context->cancelled, &run->error))
    return FALSE;
  for (; run->at != NULL && run->at->guard != NULL; run->at = run->at->next)
    if (cpu_plan_wants_step (run->plan, run->at) && !run_alone (run))
      return FALSE;
  return TRUE;
}

static void
drop_ended (Live *live)
{
  guint n = 0;

  for (guint i = 0; i < live->n; i++)
    if (live->runs[i]->error == NULL)
      live->runs[n++] = live->runs[i];
  live->n = n;
}

/* Whether all are at the same operation; plans for other shapes may have other
 * steps. */
static gboolean
are_in_step (const Live *live)
{
  const CpuPlanStep *first = live->runs[0]->at;

  for (guint i = 1; i < live->n; i++) {
    const CpuPlanStep *at = live->runs[i]->at;

    if (first == NULL || at == NULL || at->s.op != first->s.op
        || at->s.cpu_op != first->s.cpu_op)
      return FALSE;
  }
  return first != NULL;
}

static gboolean
run_joint (Live *live)
{
  const CpuOp *op = live->runs[0]->at->s.cpu_op;
  CpuStep *steps[INFER_MOST_JOINT];

  if (op->run_joint == NULL)
    return FALSE;
  for (guint i = 0; i < live->n; i++) {
    CpuJointRun *run = live->runs[i];

    if (run->at->s.lazy)
      return FALSE;
    run->at->s.scratch = run->plan->workspace->memory.scratch;
    steps[i] = &run->at->s;
  }
  return op->run_joint (steps, live->n);
}

static void
run_steps (Live *live)
{
  if (!run_joint (live))
    for (guint i = 0; i < live->n; i++)
      run_alone (live->runs[i]);
  for (guint i = 0; i < live->n; i++)
    live->runs[i]->at = live->runs[i]->at->next;
  drop_ended (live);
}

void
cpu_joint_run (CpuJointRun *runs, guint n)
{
  Live live = { 0 };

  for (guint i = 0; i < n; i++) {
    CpuJointRun *run = &runs[i];

    run->at = run->plan->first;
    if (cpu_plan_begin (run->plan, run->inputs, run->outputs, &run->error))
      live.runs[live.n++] = run;
  }
  while (live.n > 1) {
    for (guint i = 0; i < live.n; i++)
      reach_common_step (live.runs[i]);
    drop_ended (&live);
    if (live.n < 2 || !are_in_step (&live))
      break;
    run_steps (&live);
  }
  for (guint i = 0; i < live.n; i++) {
    CpuJointRun *run = live.runs[i];

    cpu_plan_end (run->plan, run->at, run->outputs, &run->error);
  }
}
