/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of operations on OpenCL devices.
 *
 * A step is one operation of a plan, with static shapes.  `prepare` decides
 * everything: it appends launches of kernels, or says where outputs already
 * lie.  Running a plan sets buffers and enqueues the launches in order. */

#pragma once

#include "ocl/plan/value.h"

#define OCL_MAX_RANK 8
#define OCL_MAX_OTHERS 4

typedef struct _OclPlan OclPlan;
typedef struct _OclLaunch OclLaunch;

/* A post-op: a following operation that a step applies to its result before
 * writing it. */
typedef struct
{
  const InferOperation *op;
  InferType type; /* of its result */
  guint from;     /* which input the step's result is */
  guint n_others; /* the other inputs, in order, without `from` */
  OclValue *others[OCL_MAX_OTHERS];
} OclPost;

/* How operations of a class run on OpenCL devices; op-list.h pairs them with
 * their classes. */
typedef struct
{
  /* Inputs whose values `prepare` reads, besides those that decide the shape:
   * bit i is input i.  Refused where such a value is computed on a device. */
  guint32 host_inputs;

  /* NULL: all types that kernels know.  FALSE with INFER_ERROR_UNSUPPORTED,
   * from what is known at load. */
  gboolean (*supports) (const InferOperation *op, GError **error);

  /* NULL: never.  Whether @post, the only reader of out[0], can become a
   * post-op of @step.  Its result has the shape of out[0]; the type may differ.
   */
  gboolean (*absorb) (const OclStep *step, const OclPost *post);

  gboolean (*prepare) (OclStep *step, GError **error);
} OclOp;

struct _OclStep
{
  const OclOp *ocl_op;
  const InferOperation *op;
  guint index; /* ascending along the plan */
  guint n_in, n_out;
  OclValue **in; /* entry NULL: an optional input that is not connected */
  OclValue **out;
  InferType type; /* of the first output before post-ops */
  guint n_posts;
  OclPost *posts;
  const char *kernel; /* static string: shown with timings */
  OclScope *scope;
  OclPlan *plan;
  GPtrArray *launches; /* (element-type OclLaunch) */
  guint64 ns;          /* of the last run, with PERF_COUNT */
};

/* --- in prepare --- */

/* out[@index] is a view of @in at @offset bytes: nothing runs. */
void ocl_step_view (OclStep *step, guint index, OclValue *in, gsize offset);
/* Places @in at @offset bytes of out[@index], so that its producer writes it
 * there; FALSE: not possible, it has to be copied. */
gboolean ocl_step_join (OclStep *step, guint index, OclValue *in, gsize offset);

/* Whether out[@index] is read, or leaves the plan. */
gboolean ocl_step_is_read (const OclStep *step, guint index);

/* Device memory for the duration of this step. */
OclValue *ocl_step_scratch (OclStep *step, InferType type, gsize n);

/* Appends a launch of @kernel of kernels/@family.cl.  @options of the compiler
 * and @generated, source placed before the file's, are nullable.  Arguments
 * follow in the kernel's order.  Errors are reported once `prepare` returns. */
OclLaunch *ocl_step_launch (OclStep *step, const char *family,
    const char *kernel, const char *options, const char *generated);
/* BUFFER (x) of a kernel. */
void ocl_launch_value (OclLaunch *launch, OclValue *value);
/* BUFFER (x) with the constant as packed by @make (see ocl_scope_constant). */
void ocl_launch_pack (OclLaunch *launch, const OclValue *constant,
    const char *kind, guint n_params, const gint64 *params, OclPackFunc make);
/* BUFFER (x) with the numbers of @tensor (transfer full); NULL: there was no
 * memory for them, which is reported. */
void ocl_launch_table (OclLaunch *launch, InferTensor *tensor);
void ocl_launch_int (OclLaunch *launch, gint64 number);
void ocl_launch_float (OclLaunch *launch, double number);
/* `__local` memory of a kernel. */
void ocl_launch_local (OclLaunch *launch, gsize bytes);
void ocl_launch_bytes (OclLaunch *launch, gconstpointer data, gsize size);
/* The number of multiplications, where that exceeds reading and writing its
 * values. */
void ocl_launch_work (OclLaunch *launch, gint64 products);
/* Work-items in groups of at most 64.  Ranges are rounded up to whole groups:
 * kernels return at once beyond the end. */
void ocl_launch_over (OclLaunch *launch, gsize x, gsize y, gsize z);
/* The same for kernels that iterate over x with FOR_X. */
void ocl_launch_rows (OclLaunch *launch, gsize x, gsize y, gsize z);
/* The same in small groups, for work-items that compute a tile each. */
void ocl_launch_tiles (OclLaunch *launch, gsize x, gsize y, gsize z);
/* Exactly as many work-items, each a group: for few with much work. */
void ocl_launch_each (OclLaunch *launch, gsize x, gsize y, gsize z);
/* A range of groups, each of @size work-items along x. */
void ocl_launch_blocks (
    OclLaunch *launch, gsize x, gsize y, gsize z, gsize size);
/* @rows groups of @size work-items. */
void ocl_launch_groups (OclLaunch *launch, gsize rows, gsize size);

/* Appends " -D@name=f32": the element type for LOAD (@name, …) of a kernel. */
void ocl_option_type (GString *options, const char *name, InferType type);

void ocl_launch_free (OclLaunch *launch); /* for plan.c */

static inline const InferShape *
ocl_in_shape (const OclStep *step, guint i)
{
  return &step->in[i]->desc.shape;
}

static inline const InferShape *
ocl_out_shape (const OclStep *step, guint i)
{
  return &step->out[i]->desc.shape;
}

static inline gboolean
ocl_has_in (const OclStep *step, guint i)
{
  return i < step->n_in && step->in[i] != NULL;
}
