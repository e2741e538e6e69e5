/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A step of a plan, as operations see it: what `prepare` and `run` read and may
 * ask for.  Steps of one plan run on one thread at a time, in order; a plan
 * serves one request at a time. */

#pragma once

#include "cpu/base/memory.h"
#include "cpu/base/op.h"
#include "cpu/kernels/isa.h"
#include "cpu/threads/team.h"
#include "infer/state.h"

typedef struct _CpuPlan CpuPlan;
typedef struct _CpuGrowth CpuGrowth;
typedef struct _CpuScope CpuScope;

struct _CpuStep
{
  const CpuOp *cpu_op;
  const InferOperation *op;
  guint n_in, n_out;
  CpuValue **in; /* entry NULL: an optional input that is not connected */
  CpuValue **out;
  guint n_posts;
  CpuPost *posts;
  const InferOperation
      *quantizer;   /* nullable: a FakeQuantize, the last post-op */
  CpuLayout layout; /* of in[0], out[0] and full-shaped operands of posts */
  gpointer priv;    /* prepare's */
  /* prepare's; nullable: an operand of a post whose memory out[0] may share, as
   * with CPU_OP_INPLACE: each element is read before it is written. */
  CpuValue *overwrites;
  const char *kernel; /* static string: what runs, for `info` and timings */
  const CpuKernels *kernels; /* the table for this machine (or the cap) */
  CpuIsa isa;
  guint threads; /* how many this step may use, ≥ 1 */
  guint pieces;  /* that cpu_step_parallel makes so that it can be cancelled */
  /* The weights of the graph exceed the second-level cache: they come from
   * slower ones or from memory in each run. */
  gboolean far_weights;
  gpointer scratch; /* of scratch_size bytes, 64-byte aligned, when running */
  gsize scratch_size;
  gboolean lazy;           /* shapes are resolved when it runs */
  const CpuGrowth *growth; /* nullable: of a variable that grows (ops/grow.h) */
  const CpuValue *grown;   /* … output of its ReadValue */
  CpuScope *scope;
  CpuPlan *plan;
};

/* In prepare: bytes of working memory that the step needs while it runs; shared
 * with other steps. */
void cpu_step_need_scratch (CpuStep *step, gsize bytes);

/* Whether anybody reads out[@index]. */
gboolean cpu_step_output_is_read (const CpuStep *step, guint index);

/* In run, of outputs that are set when the step runs: memory of out[@index]'s
 * own (kept and reused between runs).  NULL where memory is short. */
InferTensor *cpu_step_own_tensor (CpuStep *step, guint index, InferType type,
    const InferShape *shape, GError **error);
/* In run, for outputs whose shape is only known from data: gives out[@index]
 * that shape and memory of its own. */
gboolean cpu_step_alloc_output (
    CpuStep *step, guint index, const InferShape *shape, GError **error);

/* In run: FALSE with INFER_ERROR_NO_MEMORY if the plan must not have @bytes
 * more than it has. */
gboolean cpu_step_may_use (const CpuStep *step, gsize bytes, GError **error);

/* In prepare: packs constant in[@input] (weights, a table…), once for equal
 * content and shared by all plans and executables of the scope.  @kind: a
 * static string that names the format; @params: numbers on which it depends
 * besides the content, type and shape of the constant.
 * @make gets @data and returns memory from cpu_alloc_pack, with its size.
 * Valid as long as the step; NULL where memory is short. */
typedef gpointer (*CpuPackFunc) (
    const CpuStep *step, guint input, gpointer data, gsize *bytes);
gconstpointer cpu_step_pack (CpuStep *step, guint input, const char *kind,
    guint n_params, const gint64 *params, CpuPackFunc make, gpointer data);

/* The same, but @make reads floats of the file as CpuLooseFloat: they need no
 * aligned copy. */
gconstpointer cpu_step_pack_loose (CpuStep *step, guint input, const char *kind,
    guint n_params, const gint64 *params, CpuPackFunc make, gpointer data);

/* The same, and @make reads constants that the file stores in fewer bits as
 * stored: in[@input]->data may be NULL (unpack.h). */
gconstpointer cpu_step_pack_stored (CpuStep *step, guint input,
    const char *kind, guint n_params, const gint64 *params, CpuPackFunc make,
    gpointer data);

/* Splits [0, n) into at most step->threads parts of at least @grain and calls
 * @func for each, returning when all are done; or before, once the run is
 * cancelled: the plan does not use the outputs then. */
void cpu_step_parallel (
    CpuStep *step, gsize n, gsize grain, CpuRangeFunc func, gpointer data);

/* In run, between parts of what may take long: TRUE if the run of @step
 * (nullable) is cancelled.
 * The step returns TRUE then, with any outputs. */
gboolean cpu_step_is_cancelled (const CpuStep *step);

static inline const InferShape *
cpu_in_shape (const CpuStep *step, guint i)
{
  return &step->in[i]->desc.shape;
}

static inline const InferShape *
cpu_out_shape (const CpuStep *step, guint i)
{
  return &step->out[i]->desc.shape;
}

static inline gboolean
cpu_has_in (const CpuStep *step, guint i)
{
  return i < step->n_in && step->in[i] != NULL;
}
