/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/runner.h"

#include "cpu/passes/pass.h"
#include "cpu/plan/run.h"
#include "cpu/plan/workspace.h"

#include <string.h>

/* Bounds the memory of a stream of ever new shapes: a step takes about 2 kB. */
#define MAX_PLANS 32
#define MAX_STEPS 1024
#define LEAST_PLANS 8
#define RESTING_PLANS 2 /* of a runner that rests */

struct _CpuRunner
{
  CpuContext *context;
  const CpuGraph *graph;
  GPtrArray *plans;
  CpuPlan *last;
  guint64 clock;
  CpuWorkspace workspace;
  InferDesc *descs; /* of the inputs, while looking for a plan */
};

CpuRunner *
cpu_runner_new (CpuContext *context, const CpuGraph *graph)
{
  CpuRunner *runner = g_new0 (CpuRunner, 1);

  runner->context = context;
  runner->graph = graph;
  runner->plans =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cpu_plan_free);
  return runner;
}

CpuRunner *
cpu_runner_new_main (CpuContext *context, const CpuGraph *graph)
{
  CpuRunner *runner = cpu_runner_new (context, graph);

  cpu_workspace_share (&runner->workspace, cpu_scope_arenas (context->scope));
  return runner;
}

void
cpu_runner_end (CpuRunner *runner)
{
  cpu_workspace_end (&runner->workspace);
}

CpuRunner *
cpu_step_runner_new (CpuStep *step, guint index)
{
  const CpuNode *node = cpu_plan_step (step)->node;

  return cpu_runner_new (step->plan->context, node->bodies[index]);
}

void
cpu_runner_free (CpuRunner *runner)
{
  if (runner == NULL)
    return;
  g_ptr_array_unref (runner->plans);
  cpu_workspace_clear (&runner->workspace);
  g_free (runner->descs);
  g_free (runner);
}

const CpuPlan *
cpu_runner_last_plan (CpuRunner *runner)
{
  return runner->last;
}

static gboolean
fits (const CpuPlan *plan, const CpuInput *inputs)
{
  for (guint i = 0; i < plan->n_inputs; i++)
    if (plan->key[i].type != inputs[i].desc.type
        || !infer_shape_equal (&plan->key[i].shape, &inputs[i].desc.shape))
      return FALSE;
  return TRUE;
}

/* NULL: there is none yet. */
static CpuPlan *
find (const CpuRunner *runner, const CpuInput *inputs)
{
  if (runner->last != NULL && fits (runner->last, inputs))
    return runner->last;
  for (guint i = 0; i < runner->plans->len; i++)
    if (fits (runner->plans->pdata[i], inputs))
      return runner->plans->pdata[i];
  return NULL;
}

gboolean
cpu_runner_has_plan (const CpuRunner *runner, const CpuInput *inputs)
{
  return find (runner, inputs) != NULL;
}

static gboolean
has_too_many (const CpuRunner *runner)
{
  guint steps = 0;

  for (guint i = 0; i < runner->plans->len; i++)
    steps += ((const CpuPlan *) runner->plans->pdata[i])->n_steps;
  return runner->plans->len >= MAX_PLANS
         || (runner->plans->len >= LEAST_PLANS && steps > MAX_STEPS);
}

static void
drop_oldest (CpuRunner *runner)
{
  guint oldest = 0;

  for (guint i = 1; i < runner->plans->len; i++)
    if (((CpuPlan *) runner->plans->pdata[i])->used
        < ((CpuPlan *) runner->plans->pdata[oldest])->used)
      oldest = i;
  if (runner->plans->pdata[oldest] == runner->last)
    runner->last = NULL;
  g_ptr_array_remove_index_fast (runner->plans, oldest);
}

void
cpu_runner_rest (CpuRunner *runner)
{
  while (runner->plans->len > RESTING_PLANS)
    drop_oldest (runner);
  cpu_workspace_rest (&runner->workspace);
}

/* Memory of the plan as far as shapes are known before it runs: arena, scratch
 * memory, results. */
static gsize
plan_bytes (const CpuPlan *plan)
{
  gsize sum = 0;

  g_size_checked_add (&sum, plan->arena_size, plan->scratch_size);
  for (guint k = 0; k < plan->results->len; k++) {
    const CpuPlanValue *value = plan->results->pdata[k];

    if (value->v.known && !g_size_checked_add (&sum, sum, value->v.bytes))
      return G_MAXSIZE;
  }
  return sum;
}

static CpuPlan *
build (CpuRunner *runner, GError **error)
{
  const CpuGraph *graph = runner->graph;
  CpuPlan *plan = cpu_plan_new (graph->scope, graph, runner->descs);

  if (runner->plans->len == 0)
    cpu_alloc_expect (graph->packed_bytes);
  plan->workspace = &runner->workspace;
  plan->context = runner->context;
  cpu_borrowed_keep ();
  const gboolean planned = cpu_passes_run (plan, error);
  cpu_borrowed_drop ();
  if (planned && cpu_scope_allows (plan->scope, plan_bytes (plan), error)
      && cpu_workspace_reserve (
          plan->workspace, plan->arena_size, plan->scratch_size, error)) {
    cpu_workspace_adopt (plan->workspace, plan);
    return plan;
  }
  cpu_plan_free (plan);
  return NULL;
}

static CpuPlan *
plan_for (CpuRunner *runner, const CpuInput *inputs, GError **error)
{
  guint n = runner->graph->graph->parameters->len;
  CpuPlan *plan = find (runner, inputs);

  if (plan != NULL)
    return runner->last = plan;
  if (runner->descs == NULL)
    runner->descs = g_new0 (InferDesc, n + 1);
  for (guint i = 0; i < n; i++)
    runner->descs[i] = inputs[i].desc;
  if (has_too_many (runner))
    drop_oldest (runner);
  plan = build (runner, error);
  if (plan == NULL)
    return NULL;
  g_ptr_array_add (runner->plans, plan);
  return runner->last = plan;
}

CpuPlan *
cpu_runner_plan (CpuRunner *runner, const CpuInput *inputs, GError **error)
{
  CpuPlan *plan = plan_for (runner, inputs, error);

  /* Another plan may have found no memory. */
  if (plan == NULL
      || !cpu_workspace_reserve (
          plan->workspace, plan->arena_size, plan->scratch_size, error))
    return NULL;
  plan->used = ++runner->clock;
  return plan;
}

gboolean
cpu_runner_run (CpuRunner *runner, const CpuInput *inputs,
    InferTensor **outputs, GError **error)
{
  CpuPlan *plan = cpu_runner_plan (runner, inputs, error);

  return plan != NULL && cpu_plan_run (plan, inputs, outputs, error);
}
