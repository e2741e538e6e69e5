/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A graph resolved for the shapes of its inputs and variables: values with
 * their places in memory, a flat list of steps.
 *
 *   plan.c    makes values and steps from a graph
 *   fold.c    shapes, and what is known without running
 *   build.c   kernels of the launches
 *   step.c    what implementers of operations call
 *   pool.c    liveness and places in the arena
 *   run.c     sets arguments and enqueues
 */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

typedef enum
{
  OCL_PLACE_ARENA,    /* at an offset in the stream's arena */
  OCL_PLACE_CONSTANT, /* the scope's */
  OCL_PLACE_INPUT,    /* the context's, written by `upload` */
  OCL_PLACE_RESULT,   /* the context's, read by `download` */
  OCL_PLACE_STATE,    /* a variable's value before the run */
  OCL_PLACE_NEXT,     /* a variable's value after it */
} OclPlace;

typedef struct
{
  OclValue *value;       /* NULL: a constant or bytes */
  OclConstant *constant; /* owned where value is NULL */
  gsize local;           /* bytes, where it is local memory */
  guint index;           /* of the kernel's argument */
  guint64 serial;        /* of the buffer that is set */
  gboolean bare;         /* no offset follows; its constant is another's */
} OclArg;

struct _OclLaunch
{
  OclStep *step;
  OclProgram *program;
  const char *name;
  cl_kernel kernel;
  GArray *args;             /* (element-type OclArg) */
  GPtrArray *scalars;       /* (element-type GBytes), NULL where an OclArg is */
  guint64 reals;            /* bit i: scalar i is a float */
  gboolean unknown_scalars; /* more than there are bits */
  gsize global[3], local[3];
  gsize work;       /* beside going through its values */
  gboolean chained; /* another launch runs it */
  cl_event event;   /* of the last run, where counted */
};

/* What a plan is for.  Of a variable: its value's desc, or type dynamic where
 * it is reset. */
typedef struct
{
  guint n;
  InferDesc *descs; /* of inputs, then of variables */
} OclKey;

typedef struct
{
  guint variable;
  OclValue *value;
} OclAssignment;

struct _OclPlan
{
  OclScope *scope;
  const InferModel *model;
  const InferGraph *graph;
  OclKey key;
  GPtrArray *values;   /* (element-type OclValue) */
  OclValue ***ports;   /* by operation index and output; entries nullable */
  GPtrArray *steps;    /* (element-type OclStep) */
  GPtrArray *results;  /* (element-type OclValue) */
  OclValue **assigned; /* by variable; NULL: it keeps its value */
  gsize arena_size;
  guint *texts_left; /* the context's, while planning */
  GError *error;     /* the first of a step's calls that failed */
  guint64 used;      /* the context's clock at the last use */
};

/* NULL with @error.  @texts_left: how many texts of chains may still be
 * compiled for shapes that change. */
OclPlan *ocl_plan_new (OclScope *scope, const InferModel *model,
    const OclKey *key, guint *texts_left, GError **error);
void ocl_plan_free (OclPlan *plan); /* NULL is fine */

OclValue *ocl_plan_add_value (OclPlan *plan, const InferDesc *desc);
/* @tensor: (transfer full) */
OclValue *ocl_plan_add_constant (OclPlan *plan, InferTensor *tensor);
OclLaunch *ocl_launch_new (
    OclStep *step, const char *kernel, OclProgram *program);
void ocl_launch_free (OclLaunch *launch);
/* The root of @value and where @value lies in it. */
OclValue *ocl_value_root (OclValue *value, gsize *offset);

/* fold.c: whether @desc is whole and not too large. */
gboolean ocl_plan_check (const InferDesc *desc, GError **error);
/* What @op makes of @in, entries of which are nullable. */
gboolean ocl_plan_infer (const InferOperation *op, OclValue *const *in,
    InferDesc *out, GError **error);
/* TRUE: the outputs are known, and are @plan's values of @op from now on. */
gboolean ocl_plan_fold (OclPlan *plan, const InferOperation *op,
    OclValue *const *in, const InferDesc *out);

/* build.c: after the launches are settled. */
gboolean ocl_plan_build (OclPlan *plan, GError **error);

/* pool.c: after all steps are prepared. */
gboolean ocl_plan_place (OclPlan *plan, GError **error);

/* run.c: buffers by their index, entries of @assigned as plan->assigned. */
typedef struct
{
  OclStream *stream;
  OclBuffer **inputs, **results, **states, **next;
} OclBinding;

/* Where @value lies while the binding holds. */
OclBuffer *ocl_value_buffer (
    OclValue *value, const OclBinding *binding, gsize *offset);

/* Whether kernels write @value straight to that result or next value. */
gboolean ocl_value_is_made_in (OclValue *value, OclPlace place, guint index);
/* Whether that is copied to another result or a variable. */
gboolean ocl_plan_copies_out (const OclPlan *plan, OclPlace place, guint index);

/* Enqueues all; *@done (transfer full) is the event at the end.  On failure
 * nothing is under way any more.  With the stream's lock held. */
gboolean ocl_plan_enqueue (
    OclPlan *plan, const OclBinding *binding, cl_event *done, GError **error);
/* After the run: reads the steps' durations. */
void ocl_plan_read_timings (OclPlan *plan);

G_END_DECLS
