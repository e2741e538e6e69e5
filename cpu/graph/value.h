/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A value of a plan: what one step makes and others read.  Passes change it
 * while the plan is built; steps that resolve their shapes when they run set
 * desc and data then.  Thread: the one that builds and runs the plan. */

#pragma once

#include "cpu/base/step.h"

typedef struct _CpuPlanValue CpuPlanValue;
typedef struct _CpuPlanStep CpuPlanStep;

/* Where the memory of a value comes from. */
typedef enum
{
  CPU_PLACE_CONSTANT, /* the model's, or made while planning */
  CPU_PLACE_ARENA,    /* at an offset in the runner's arena */
  CPU_PLACE_INPUT,    /* the caller's, bound at each run */
  CPU_PLACE_RESULT,   /* the caller's, bound at each run */
  CPU_PLACE_STATE,    /* a variable's, for its next value; likewise */
  CPU_PLACE_RUN,      /* set by its step: a variable's value */
  CPU_PLACE_OWN,      /* of a size known only when it runs; grows, is kept */
} CpuPlace;

/* A reader of a value: input @slot of @step, from n_in on the operand of post
 * @slot - n_in; without a step, result @slot of the graph. */
typedef struct
{
  CpuPlanStep *step;
  guint slot;
} CpuUse;

struct _CpuPlanValue
{
  CpuValue v;         /* first: CpuValue * and CpuPlanValue * convert */
  CpuPlanStep *maker; /* NULL: constant, input, alias, or nobody */
  CpuUse *uses;       /* kept by the functions of plan.h */
  guint n_uses, max_uses;
  CpuPlace place;     /* of a root */
  CpuPlanValue *root; /* itself, or the value whose memory it shares … */
  gsize at;           /* … from this byte on */
  CpuPlanValue *next_alias; /* of a root: list of the values that share it */
  CpuPlanValue *initial; /* of a variable: it may lie there, which then lives as
                            long as this value */
  guint index;           /* of an input, result or variable */
  const CpuQuant *grid;  /* nullable: all floats are multiples on this grid */
  CpuF16Scale f16;       /* what form.f16 points at */
  gsize offset;          /* in the arena */
  guint first, last;     /* steps between which a root is alive */
  InferTensor *tensor;   /* of a constant, or own memory */
  InferTensor **own; /* own memory: tensor, or what the runner's plans share */
  gsize own_bytes;   /* of it that this value took last */
};

static inline CpuPlanValue *
cpu_plan_value (CpuValue *value)
{
  return (CpuPlanValue *) value;
}

CpuPlanValue *cpu_plan_value_new (const InferDesc *desc);
void cpu_plan_value_free (CpuPlanValue *value);

/* Root @value, with all that shares its memory, lies at byte @at of @of from
 * now on. */
void cpu_plan_value_alias (CpuPlanValue *value, CpuPlanValue *of, gsize at);
/* @tensor: (transfer full) */
void cpu_plan_value_make_constant (CpuPlanValue *value, InferTensor *tensor);
