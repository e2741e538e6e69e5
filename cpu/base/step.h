/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of operations on the CPU backend.
 *
 * A step is one operation of a plan: `prepare` sees whole shapes and decides
 * everything that can be decided, `run` computes.  Steps of one plan run on one
 * thread at a time, in order; a plan belongs to one request. */

#pragma once

#include "cpu/kernels/isa.h"
#include "cpu/kernels/kernels.h"
#include "cpu/threads/team.h"
#include "inference/graph/op.h"
#include "infer/state.h"

G_BEGIN_DECLS

typedef struct _CpuStep CpuStep;
typedef struct _CpuOp CpuOp;
typedef struct _CpuValue CpuValue;
typedef struct _CpuPlan CpuPlan;
typedef struct _CpuUnpack CpuUnpack;
typedef struct _CpuGrowth CpuGrowth;
typedef struct _CpuScope CpuScope;

/* How the elements of a value lie in memory. */
typedef enum
{
  CPU_LAYOUT_PLAIN = 0, /* row-major in the order of the shape */
  CPU_LAYOUT_NSPC,      /* channels (dim 1) innermost: N, spatial…, C */
} CpuLayout;

/* Floats stored as f16: element times @back is the value; @largest is the
 * largest finite magnitude stored.  Set by the step that writes them. */
typedef struct
{
  float back, largest;
} CpuF16Scale;

/* How the elements of a value are represented in memory, besides their type. */
typedef struct
{
  CpuLayout layout;
  const CpuQuant *quant; /* not NULL: u8 elements that stand for floats */
  CpuF16Scale *f16;      /* not NULL: f32 elements stored as f16 */
} CpuForm;

/* One output of one operation in a plan. */
struct _CpuValue
{
  InferDesc desc; /* whole when the step that reads it is prepared or run */
  CpuForm form;
  gpointer data;     /* dense, at least aligned to the element */
  gsize block;       /* elements from one matrix of the two last dims to the
                        next; 0: dense, as for all but `takes_blocks` */
  gsize n;           /* elements; 0 where not known */
  gsize bytes;       /* in memory */
  gboolean known;    /* desc is whole, and was while planning */
  gboolean constant; /* data is known when preparing and never changes */
  /* Not NULL: a constant that the file stores in fewer bits; its data is NULL
   * until a step asks for it (unpack.h). */
  CpuUnpack *unpack;
};

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
  /* Where the step wants channels last, all its inputs come so. */
  CPU_OP_ALL_INPUTS = 1 << 3,
} CpuOpFlags;

/* A post-op: a following operation that a step has absorbed and applies to its
 * own result.  Its result has the step's output type and shape. */
typedef struct
{
  const InferOperation *op; /* Add, ReLU, Clamp, … */
  guint from;               /* which of its inputs the step's result is */
  CpuValue *other;          /* its other operand; NULL for unary operations */
} CpuPost;

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
   * prepare.
   */
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

  /* Nullable: never.  All steps are prepared: may this one also run @earlier,
   * whose only output is in[@input] (from n_in on: the other operand of post
   * @input - n_in) and has no other reader?  Then the plan does not run
   * @earlier, its output has no memory, and its inputs are valid in `run`. */
  gboolean (*fuse_producer) (CpuStep *step, CpuStep *earlier, guint input);

  /* Nullable: never.  All steps are prepared: may @value, which is in[0] of
   * this or of a step that it runs, be stored as f16; may out[0], after that
   * was decided for the inputs?  If so, `use_f16` is called before the first
   * run: FALSE where memory is short. */
  gboolean (*reads_f16) (const CpuStep *step, const CpuValue *value);
  gboolean (*gives_f16) (const CpuStep *step);
  gboolean (*use_f16) (CpuStep *step);

  /* in[i]->data and out[k]->data are valid (out[k] only if its shape was known;
   * else cpu_step_alloc_output first).  Must not allocate where shapes are
   * known.  FALSE only for impossible data. */
  gboolean (*run) (CpuStep *step, GError **error);

  /* Nullable: g_free.  Releases step->priv. */
  void (*release) (gpointer priv);
};

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
  guint threads;    /* how many this step may use, ≥ 1 */
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
/* Sets desc, known, n and bytes. */
void cpu_value_set_desc (CpuValue *value, const InferDesc *desc);
/* Sets data of an output and of all values that share its memory. */
void cpu_value_bind (CpuValue *value, gpointer data);

/* In run, for outputs whose shape is only known from data: gives out[@index]
 * that shape and memory of its own. */
gboolean cpu_step_alloc_output (
    CpuStep *step, guint index, const InferShape *shape, GError **error);

/* 64-byte aligned memory for what `prepare` keeps; g_error-free: NULL if short.
 */
gpointer cpu_alloc (gsize bytes);
void cpu_free (gpointer memory);

/* In prepare: packs constant in[@input] (weights, a table…), once for equal
 * content and shared by all plans and executables of the scope.  @kind: a
 * static string that names the format; @params: numbers on which it depends
 * besides the content, type and shape of the constant.
 * @make gets @data and returns memory from cpu_alloc, with its size.  Valid as
 * long as the step; NULL where memory is short. */
typedef gpointer (*CpuPackFunc) (
    const CpuStep *step, guint input, gpointer data, gsize *bytes);
gconstpointer cpu_step_pack (CpuStep *step, guint input, const char *kind,
    guint n_params, const gint64 *params, CpuPackFunc make, gpointer data);

/* The same, but @make reads constants that the file stores in fewer bits as
 * stored: in[@input]->data may be NULL (unpack.h). */
gconstpointer cpu_step_pack_stored (CpuStep *step, guint input,
    const char *kind, guint n_params, const gint64 *params, CpuPackFunc make,
    gpointer data);

/* Splits [0, n) into at most step->threads parts of at least @grain and calls
 * @func for each, returning when all are done. */
void cpu_step_parallel (
    CpuStep *step, gsize n, gsize grain, CpuRangeFunc func, gpointer data);

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

/* Element @i of integers of any type of whole bytes. */
static inline gint64
cpu_integer_at (const CpuValue *value, gsize i)
{
  gint64 number = 0;

  if (value->desc.type == INFER_TYPE_I64)
    return ((const gint64 *) value->data)[i];
  if (value->desc.type == INFER_TYPE_I32)
    return ((const gint32 *) value->data)[i];
  infer_convert (&number, INFER_TYPE_I64,
      (const guint8 *) value->data + i * infer_type_size (value->desc.type),
      value->desc.type, 1);
  return number;
}

/* One number for each dimension, from the order of a shape to that of memory in
 * CPU_LAYOUT_NSPC: entry 1 goes to the end. */
static inline void
cpu_channels_to_end (int rank, gint64 *values)
{
  gint64 channels = values[1];

  for (int d = 1; d < rank - 1; d++)
    values[d] = values[d + 1];
  values[rank - 1] = channels;
}

static inline gboolean
cpu_has_in (const CpuStep *step, guint i)
{
  return i < step->n_in && step->in[i] != NULL;
}

G_END_DECLS
