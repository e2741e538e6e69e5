/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CPU's graph: values and an ordered list of steps, for given shapes of the
 * inputs.  Passes (cpu/passes) make it from a CpuGraph and edit it through the
 * functions below, which keep the uses of values; the runner then runs its
 * steps in order.  Thread: the one that builds and runs it. */

#pragma once

#include "cpu/base/context.h"
#include "cpu/graph/step.h"

/* Memory of a runner (cpu/plan/workspace.h). */
typedef struct _CpuWorkspace CpuWorkspace;

struct _CpuPlan
{
  CpuWorkspace *workspace; /* NULL while evaluating a single operation */
  CpuContext *context;     /* ditto */
  const CpuGraph *graph;   /* ditto */
  CpuScope *scope;
  CpuTeam *team; /* while running */
  guint n_inputs;
  InferDesc *key;    /* whole descs of the inputs */
  GPtrArray *values; /* (element-type CpuPlanValue) */
  GPtrArray *quants; /* (element-type CpuQuant) */
  CpuPlanStep *first, *last;
  guint n_steps, n_made;
  CpuPlanValue ***ports; /* by operation index and output; entries nullable */
  GPtrArray *inputs;     /* (element-type CpuPlanValue) roots, by input */
  GPtrArray *results;    /* (element-type CpuPlanValue) as read by result k */
  GPtrArray *assigns;    /* (element-type CpuPlanStep) of CPU_PLACE_STATE */
  GPtrArray *packs;      /* (element-type CpuPack) that values are */
  gboolean packed;       /* something since the last run */
  gsize arena_size, scratch_size;
  gsize own_bytes;    /* of values with memory of their own */
  double folded_work; /* of steps that were run while planning */
  gconstpointer bound_arena;
  guint64 used; /* the runner's clock at the last use */
};

/* @graph (nullable): else for a single operation.  @inputs: whole descs for
 * each parameter of the graph. */
CpuPlan *cpu_plan_new (
    CpuScope *scope, const CpuGraph *graph, const InferDesc *inputs);
void cpu_plan_free (CpuPlan *plan); /* NULL is fine */

/* The value that @port gives; NULL: nobody made one. */
CpuPlanValue *cpu_plan_port (const CpuPlan *plan, const InferPort *port);

/* --- preparing: prepare.c --- */

gboolean cpu_plan_step_prepare (CpuPlanStep *step, GError **error);
/* Prepares for other shapes than before; what stays the same is not packed
 * again. */
gboolean cpu_plan_step_renew (CpuPlanStep *step, GError **error);

/* --- edits --- */

CpuPlanValue *cpu_plan_add_value (CpuPlan *plan, const InferDesc *desc);
/* Lives as long as the plan. */
const CpuQuant *cpu_plan_add_quant (CpuPlan *plan, const CpuQuant *quant);

/* A new step in front of @before; NULL: at the end. */
CpuPlanStep *cpu_plan_add_step (CpuPlan *plan, CpuPlanStep *before,
    const CpuNode *node, const CpuOp *cpu_op, guint n_in, guint n_out);
void cpu_plan_move_step (CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *before);
/* Nobody reads its outputs. */
void cpu_plan_remove_step (CpuPlan *plan, CpuPlanStep *step);
/* @step is run by @consumer from now on, which reads its output. */
void cpu_plan_fuse_step (
    CpuPlan *plan, CpuPlanStep *step, CpuPlanStep *consumer);

/* @value may be NULL. */
void cpu_plan_set_input (CpuPlanStep *step, guint slot, CpuPlanValue *value);
void cpu_plan_set_output (CpuPlanStep *step, guint index, CpuPlanValue *value);
void cpu_plan_add_post (CpuPlanStep *step, const InferOperation *op, guint from,
    CpuPlanValue *other);
void cpu_plan_add_result (CpuPlan *plan, CpuPlanValue *value);
void cpu_plan_set_result (CpuPlan *plan, guint index, CpuPlanValue *value);
/* All readers of @old read @value instead. */
void cpu_plan_replace (CpuPlan *plan, CpuPlanValue *old, CpuPlanValue *value);

/* The only use of @value; NULL: there are more, or none. */
const CpuUse *cpu_plan_only_use (const CpuPlanValue *value);
/* The first step that reads @value; NULL: none does. */
CpuPlanStep *cpu_plan_first_reader (const CpuPlanValue *value);
/* Whether @value is there when @step runs. */
gboolean cpu_plan_is_before (
    const CpuPlanValue *value, const CpuPlanStep *step);
