/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A plan, up to a pass. */

#pragma once

#include "cpu/passes/pass.h"
#include "tests/check/support/net.h"

typedef struct
{
  InferModel *net;
  CpuScope *scope;
  CpuGraph *graph;
  CpuContext context; /* for the variables of the model */
  CpuPlan *plan;
} Planned;

static inline void
run_pass (Planned *p, const CpuPass *pass)
{
  GError *error = NULL;

  pass->run (p->plan, &error);
  g_assert_no_error (error);
}

/* All passes in front of @pass. */
static inline void
plan_before (
    Planned *p, InferModel *net, const CpuPass *pass, InferPrecision precision)
{
  static const CpuPass *const passes[] = {
#define PASS(name) &cpu_pass_##name,
#include "cpu/passes/pass-list.h"
#undef PASS
  };
  const InferConfig config = {
    .streams = 1, .threads = 1, .precision = precision
  };
  const InferGraph *graph = infer_model_get_graph (net);
  g_autofree InferDesc *inputs = g_new0 (InferDesc, graph->parameters->len);
  GError *error = NULL;

  net_settle (net);
  p->net = net;
  p->scope = cpu_scope_new (&config);
  p->graph = cpu_graph_new (p->scope, net, graph, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < graph->parameters->len; i++) {
    const InferOperation *op = graph->parameters->pdata[i];

    inputs[i] = op->outputs[0].desc;
  }
  p->plan = cpu_plan_new (p->scope, p->graph, inputs);
  p->context = (CpuContext){ .scope = p->scope, .model = net };
  p->plan->context = &p->context;
  for (guint i = 0; passes[i] != pass; i++)
    run_pass (p, passes[i]);
}

static inline void
planned_clear (Planned *p)
{
  cpu_plan_free (p->plan);
  cpu_graph_free (p->graph);
  cpu_scope_free (p->scope);
  infer_model_unref (p->net);
}

static inline CpuPlanStep *
step_at (const Planned *p, guint index)
{
  CpuPlanStep *step = p->plan->first;

  while (index-- > 0)
    step = step->next;
  return step;
}

static inline void
assert_step (const Planned *p, guint index, const InferOpClass *klass)
{
  g_assert_true (infer_op_is (step_at (p, index)->s.op, klass));
}

/* Inserted by a pass. */
static inline void
assert_conversion (const Planned *p, guint index)
{
  g_assert_null (step_at (p, index)->s.op);
}
