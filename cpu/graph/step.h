/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A step of a plan.  Passes change it through plan.h; running changes only what
 * lazy steps resolve, times and the choice of kernels.  Thread: the one that
 * builds and runs the plan. */

#pragma once

#include "cpu/base/impl.h"
#include "cpu/graph/graph.h"
#include "cpu/graph/value.h"

struct _CpuPlanStep
{
  CpuStep s; /* first */
  guint id;  /* unique in the plan */
  CpuPlanStep *prev, *next;
  guint64 order;         /* grows along the list */
  CpuPlanStep *consumer; /* not NULL: fused into that step, in no list */
  GPtrArray *fused;      /* (element-type CpuPlanStep) nullable: run by this */
  const CpuNode *node;   /* NULL: a conversion between two forms */
  const guint64 *guard;
  gboolean view; /* only renames its input */
  gboolean prepared;
  InferDesc *seen;         /* lazy: input descs of the last resolution */
  gsize *seen_blocks;      /* … their gaps */
  GByteArray *seen_values; /* … and values of inputs that decide shapes */
  GPtrArray *packs;        /* (element-type CpuPack) */
  /* tune.c: the implementations that prepare chose from, and 1 + the one it
   * must take. */
  const char *choices[CPU_MAX_IMPLS];
  guint n_choices, max_threads, forced;
  gboolean tuned;
  guint64 ns; /* of the last run, where counted */
};

static inline CpuPlanStep *
cpu_plan_step (CpuStep *step)
{
  return (CpuPlanStep *) step;
}

/* In no plan; input and output arrays are zeroed. */
CpuPlanStep *cpu_plan_step_new (CpuScope *scope, const CpuNode *node,
    const CpuOp *cpu_op, guint n_in, guint n_out);
void cpu_plan_step_free (CpuPlanStep *step);
/* Frees what preparing has made, except packs. */
void cpu_plan_step_release (CpuPlanStep *step);

/* The value at input slot @slot (CpuUse). */
CpuPlanValue *cpu_plan_step_in (const CpuPlanStep *step, guint slot);
static inline guint
cpu_plan_step_n_slots (const CpuPlanStep *step)
{
  return step->s.n_in + step->s.n_posts;
}
static inline CpuPlanValue *
cpu_plan_step_out (const CpuPlanStep *step, guint index)
{
  return (CpuPlanValue *) step->s.out[index];
}

/* Prefixes @error with the name of the operation (nullable).  FALSE. */
gboolean cpu_operation_failed (const InferOperation *op, GError **error);
static inline gboolean
cpu_plan_step_failed (const CpuPlanStep *step, GError **error)
{
  return cpu_operation_failed (step->s.op, error);
}

/* Infers output descs of @step from its inputs (and the values it has). */
gboolean cpu_plan_step_infer (const CpuPlanStep *step, gboolean use_values,
    InferDesc *out, GError **error);
/* Whether no output has elements, and the outputs are all that @step is for.
 * The other dims of an empty shape may be of any size: nothing must walk them.
 */
gboolean cpu_plan_step_is_idle (const CpuPlanStep *step);

/* Multiplications, and elements of outputs, of a run with the known shapes. */
double cpu_plan_step_work (const CpuPlanStep *step);
/* @packs: (element-type CpuPack) (transfer full) */
void cpu_plan_free_packs (CpuScope *scope, GPtrArray *packs);
