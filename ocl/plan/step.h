/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of operations on OpenCL devices.
 *
 * A step is one operation of a plan, with whole shapes.  `prepare` decides
 * everything: it appends launches of kernels, or says where outputs already
 * lie.  Running a plan sets buffers and enqueues the launches in order. */

#pragma once

#include "inference/graph/op.h"
#include "ocl/device/scope.h"

G_BEGIN_DECLS

#define OCL_MAX_RANK 8
#define OCL_MAX_OTHERS 4

typedef struct _OclValue OclValue;
typedef struct _OclStep OclStep;
typedef struct _OclPlan OclPlan;
typedef struct _OclLaunch OclLaunch;

/* One output of one operation in a plan: dense. */
struct _OclValue
{
  InferDesc desc; /* whole */
  gsize n, bytes;
  InferTensor *host; /* its value where that is known when planning */

  /*< private >*/
  OclConstant *constant; /* @host on the device, once a kernel reads it */
  OclValue *base;        /* it lies in there at `offset`; NULL: a root */
  gsize offset;          /* bytes; of a root: in the arena */
  guint place, index;    /* of a root: OclPlace; number of an input, … */
  guint first, last;     /* steps between which a root is alive */
};

/* A following operation that a step has taken in: it runs on what the step
 * would have written. */
typedef struct
{
  const InferOperation *op;
  guint from;     /* which input the step's result is */
  guint n_others; /* the others, in order, without `from` */
  OclValue *others[OCL_MAX_OTHERS];
} OclPost;

typedef struct
{
  const char *type; /* the operation class's type */

  /* Values that `prepare` reads, besides those that decide the shape: bit i is
   * input i.  The operation is refused where they are computed on a device. */
  guint32 host_inputs;

  /* Nullable: everything of the types that all kernels know.  FALSE with
   * INFER_ERROR_UNSUPPORTED, from what is known at load. */
  gboolean (*supports) (const InferOperation *op, GError **error);

  /* Nullable: never.  May the step take in @post, the only reader of out[0]?
   * The shape stays that of out[0], the type may change. */
  gboolean (*absorb) (const OclStep *step, const OclPost *post);

  gboolean (*prepare) (OclStep *step, GError **error);
} OclOp;

struct _OclStep
{
  const OclOp *ocl_op;
  const InferOperation *op;
  guint n_in, n_out;
  OclValue **in; /* entry NULL: an optional input that is not connected */
  OclValue **out;
  guint n_posts;
  OclPost *posts;
  const char *kernel; /* static string: what runs, for timings */
  OclScope *scope;
  OclPlan *plan;
  GPtrArray *launches; /* (element-type OclLaunch) */
  guint64 ns;          /* of the last run, where counted */
};

#define OP(name) extern const OclOp ocl_op_##name;
#include "ocl/ops/op-list.h"
#undef OP

/* NULL: there is none for the type. */
const OclOp *ocl_op_find (const char *type);

/* --- in prepare --- */

/* out[@index] is the bytes of @in from @offset on: nothing runs. */
void ocl_step_view (OclStep *step, guint index, OclValue *in, gsize offset);
/* Has @in made at @offset of out[@index] instead of a place of its own; FALSE:
 * it cannot be, and has to be copied. */
gboolean ocl_step_join (OclStep *step, guint index, OclValue *in, gsize offset);

/* Whether anybody needs out[@index]. */
gboolean ocl_step_is_read (const OclStep *step, guint index);

/* Device memory for the time of this step. */
OclValue *ocl_step_scratch (OclStep *step, InferType type, gsize n);

/* A launch of @kernel of kernels/@family.cl, after those before.  @options for
 * the compiler, @generated text before the file's: nullable.  Arguments follow
 * in the kernel's order.  What fails is told when `prepare` has returned. */
OclLaunch *ocl_step_launch (OclStep *step, const char *family,
    const char *kernel, const char *options, const char *generated);
/* BUFFER (x) of a kernel. */
void ocl_launch_value (OclLaunch *launch, OclValue *value);
/* BUFFER (x) with what @make makes of a constant (see ocl_scope_constant). */
void ocl_launch_pack (OclLaunch *launch, const OclValue *constant,
    const char *kind, guint n_params, const gint64 *params, OclPackFunc make);
/* BUFFER (x) with numbers made here, e.g. a table; @tensor: (transfer full). */
void ocl_launch_table (OclLaunch *launch, InferTensor *tensor);
void ocl_launch_int (OclLaunch *launch, gint64 number);
void ocl_launch_float (OclLaunch *launch, double number);
/* `__local` memory of a kernel. */
void ocl_launch_local (OclLaunch *launch, gsize bytes);
void ocl_launch_bytes (OclLaunch *launch, gconstpointer data, gsize size);
/* How many products of two numbers it makes, where that is more work than
 * going through its values. */
void ocl_launch_work (OclLaunch *launch, gint64 products);
/* Work-items, in groups of at most 64; a kernel returns at once beyond its
 * range. */
void ocl_launch_over (OclLaunch *launch, gsize x, gsize y, gsize z);
/* The same for kernels that go through x with FOR_X. */
void ocl_launch_rows (OclLaunch *launch, gsize x, gsize y, gsize z);
/* The same for work-items that make a tile each: small groups. */
void ocl_launch_tiles (OclLaunch *launch, gsize x, gsize y, gsize z);
/* The same, exactly as many, each a group: much work in a few. */
void ocl_launch_each (OclLaunch *launch, gsize x, gsize y, gsize z);
/* @rows groups of @size work-items. */
void ocl_launch_groups (OclLaunch *launch, gsize rows, gsize size);

/* "-DNAME=f32": the type of @value under a kernel's LOAD (NAME, …). */
void ocl_option_type (GString *options, const char *name, InferType type);

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

G_END_DECLS
