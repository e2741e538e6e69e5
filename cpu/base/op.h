/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of operations on the CPU backend.  `prepare` sees whole
 * shapes and decides everything that can be decided, `run` computes. */

#pragma once

#include "cpu/base/value.h"

typedef struct _CpuStep CpuStep;
typedef struct _CpuOp CpuOp;

typedef enum
{
  CPU_OP_NONE = 0,
  /* out[0] has the bytes of in[0], unchanged: no run is needed when the plan
   * makes out[0] an alias (Reshape, Squeeze).  run is never called. */
  CPU_OP_VIEW = 1 << 0,
  /* In place: out[0] may share the memory of in[0] (same count and element
   * size), where in[0] is not needed afterwards. */
  CPU_OP_INPLACE = 1 << 1,
  /* Element-wise over equal layouts: takes and gives any layout (in[0] decides
   * it; other inputs of the same shape come in that layout too). */
  CPU_OP_ANY_LAYOUT = 1 << 2,
  /* If the step wants channels last, all inputs get that layout, not only the
   * first. */
  CPU_OP_ALL_INPUTS = 1 << 3,
  /* `prepare` needs no value of the class's value_inputs, and `run` checks
   * them. A step of any other operation is prepared when it runs, unless those
   * are constant. */
  CPU_OP_CHECKS_VALUES = 1 << 4,
} CpuOpFlags;

/* A post-op: a following operation that a step has absorbed and applies to its
 * own result.  Its result has the step's output type and shape. */
typedef struct
{
  const InferOperation *op; /* Add, ReLU, Clamp, … */
  guint from;               /* which of its inputs the step's result is */
  CpuValue *other;          /* its other operand; NULL for unary operations */
} CpuPost;

/* Called for a finished row of @n floats, whose first is element @at of the
 * result.  Any thread. */
typedef void (*CpuRowFunc) (
    gpointer data, float *row, gsize at, gsize n, guint thread);

/* Steps whose f32 result another step, which runs them (fuse_producer), can
 * read or change row by row while it is in the cache. */
typedef struct
{
  /* Elements of a row of prepared @step's result; 0: not this step. */
  gsize (*size) (const CpuStep *step);

  /* Elements of vectors, one after the other in a row, where rows can be given
   * as transposed parts: CPU_ROW_PART or fewer vectors, [element][vector].
   * 0: not here. */
  gsize (*vector) (const CpuStep *step);

  /* In place of running @of: calls @done (nullable) for all its rows, on the
   * threads of @user, whose scratch begins with @of's.  @result: memory for the
   * whole result; NULL: for a row of each thread, at @rows.  @transposed, only
   * without @result: @done is called for transposed parts of rows. */
  void (*run) (CpuStep *user, const CpuStep *of, float *result, float *rows,
      gboolean transposed, CpuRowFunc done, gpointer data);
} CpuRows;

#define CPU_ROW_PART 64

struct _CpuOp
{
  CpuOpFlags flags;

  /* Nullable: everything of this type.  FALSE with INFER_ERROR_UNSUPPORTED
   * where this operation (attributes, element types as known at load) cannot
   * be run; called when a model is compiled. */
  gboolean (*supports) (const InferOperation *op, GError **error);

  /* Nullable: never.  Shapes are whole: should in[0] come and out[0] be given
   * in CPU_LAYOUT_NSPC?  (in[0]->form.layout tells how it comes by itself; the
   * plan inserts a reorder where it differs.)  Then step->layout is NSPC in
   * prepare. */
  gboolean (*wants_nspc) (const CpuStep *step);

  /* Nullable: never.  May the step take in @op, the only reader of out[0] (or
   * of the last post)?  @other: its other operand, whose shape is whole and
   * which is computed before this step; NULL for a unary operation.  Called
   * before wants_nspc and prepare; step->posts holds the post-ops so far.  A
   * full-shaped @other comes in the step's layout. */
  gboolean (*absorb) (const CpuStep *step, const InferOperation *op, guint from,
      const CpuValue *other);

  /* Nullable: never.  May input @input of @op come as matrices with gaps
   * between them (CpuValue.block)?  Types and ranks are as known at load. */
  gboolean (*takes_blocks) (const InferOperation *op, guint input);

  /* Nullable.  Shapes of step->in are whole, and those of step->out unless the
   * shape depends on data.  Chooses kernels, packs constants, asks for scratch
   * memory; may be called again for other shapes (after `release`). */
  gboolean (*prepare) (CpuStep *step, GError **error);

  /* Nullable: never.  The step is prepared: is out[@index] a contiguous part of
   * in[0], *@at bytes from its beginning; is in[@index] one of out[0], so that
   * `run` has nothing to do for it once it lies there? */
  gboolean (*output_part) (const CpuStep *step, guint index, gsize *at);
  gboolean (*input_part) (const CpuStep *step, guint index, gsize *at);

  /* Nullable: never.  All steps are prepared: may this one also run @earlier,
   * whose only output is in[@input] (from n_in on: the other operand of post
   * @input - n_in) and has no other reader?  Then the plan does not run
   * @earlier, its output has no memory, and its inputs are valid in `run`.
   * @earlier may have taken a step itself. */
  gboolean (*fuse_producer) (CpuStep *step, CpuStep *earlier, guint input);

  /* Nullable: never.  All steps are prepared: does this one use what @earlier,
   * of the same operation, computes of the same in[0]?  Both run, in that
   * order.  Either may be prepared anew without the other. */
  gboolean (*share) (CpuStep *step, const CpuStep *earlier);

  /* Nullable: never. */
  const CpuRows *rows;

  /* Nullable: never.  All steps are prepared: may @value, which is in[0] of
   * this or of a step that it runs, or for bf16 the operand of a post, be
   * stored as f16 or bf16; may out[0], after that was decided for the inputs?
   * If so, `use_f16` is called before the first run: FALSE where memory is
   * short. */
  gboolean (*reads_f16) (const CpuStep *step, const CpuValue *value);
  gboolean (*gives_f16) (const CpuStep *step);
  gboolean (*use_f16) (CpuStep *step);

  /* in[i]->data and out[k]->data are valid (out[k] only if its shape was known;
   * else cpu_step_alloc_output first).  Must not allocate where shapes are
   * known.  FALSE only for impossible data. */
  gboolean (*run) (CpuStep *step, GError **error);

  /* Nullable: FALSE.  As `run` for steps of one operation in @n plans, which
   * lose nothing by being computed together; each gives the bits that it gives
   * alone.  FALSE: not these, and nothing is done. */
  gboolean (*run_joint) (CpuStep *const *steps, guint n);

  /* Nullable: g_free.  Releases step->priv. */
  void (*release) (gpointer priv);
};
