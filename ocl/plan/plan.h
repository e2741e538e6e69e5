/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph planned for the shapes of its inputs and variables: values, and a
 * flat list of steps.  The passes of ocl/passes fill it; ocl/run runs it. */

#pragma once

#include "ocl/plan/step.h"

/* Identifies a plan: descs of the inputs, then of the variables.  A
 * variable that is reset has the dynamic type. */
typedef struct
{
  guint n;
  InferDesc *descs;
} OclKey;

struct _OclPlan
{
  OclScope *scope;
  const InferModel *model;
  const InferGraph *graph;
  OclKey key;
  GPtrArray *values;  /* (element-type OclValue): owned */
  GPtrArray *steps;   /* (element-type OclStep): owned; in order */
  GPtrArray *inputs;  /* (element-type OclValue): by parameter */
  GPtrArray *results; /* (element-type OclValue): by output */
  OclValue **next;    /* by variable; NULL: it keeps its value */
  gsize arena_size;
  guint *texts_left; /* the context's: see ocl_plan_new */
  GError *error;     /* the first error of the calls of step.h; else NULL */
  guint64 used;      /* the context's clock at the last use */
};

/* Empty.  @texts_left: how many programs of chains may still be compiled for
 * shapes that change; borrowed. */
OclPlan *ocl_plan_new (OclScope *scope, const InferModel *model,
    const OclKey *key, guint *texts_left);
void ocl_plan_free (OclPlan *plan); /* NULL is fine */

OclValue *ocl_plan_add_value (OclPlan *plan, const InferDesc *desc);
/* @tensor: (transfer full) */
OclValue *ocl_plan_add_constant (OclPlan *plan, InferTensor *tensor);

/* Appends a step for @op; entries of @in are nullable. */
OclStep *ocl_plan_add_step (OclPlan *plan, const InferOperation *op,
    const OclOp *ocl_op, OclValue *const *in, const InferDesc *out);
/* Moves the operation of @reader, the only reader of @step's output, into
 * @step as @post; @reader is freed.  Its place is NULL until the gaps are
 * closed; no step may have moved before. */
void ocl_plan_fuse (
    OclPlan *plan, OclStep *step, OclStep *reader, const OclPost *post);
void ocl_plan_close_gaps (OclPlan *plan);
