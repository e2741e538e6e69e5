/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions.  Dims are merged into alternating kept and reduced ones; the
 * innermost is either a run that is reduced to one value or a row that is
 * reduced into a row. */

#include "cpu/base/step.h"
#include "inference/graph/ops/elementwise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define TILE 256
/* Rows that are summed separately, for accuracy. */
#define SUM_ROWS 64
#define GRAIN 8192

typedef enum
{
  KIND_SUM,
  KIND_MEAN,
  KIND_PROD,
  KIND_MAX,
  KIND_MIN,
  KIND_L1,
  KIND_L2,
  KIND_AND,
  KIND_OR,
} Kind;

typedef struct
{
  Kind kind;
  InferType type, wide; /* wide: f32, f64 or i64 */
  const CpuKernels *kernels;
  /* Outer kept dims and outer reduced dims, with strides in elements of the
   * input. */
  int n_kept, n_reduced;
  gsize kept[INFER_MAX_RANK], kept_strides[INFER_MAX_RANK];
  gsize reduced[INFER_MAX_RANK], reduced_strides[INFER_MAX_RANK];
  gsize outer; /* product of kept */
  gsize times; /* product of reduced */
  gsize inner; /* elements of a run or row */
  gboolean run_is_reduced;
  gsize count;     /* number of elements reduced to a result */
  gsize row_bytes; /* of scratch for one thread */
  const char *src;
  char *dst;
  char *scratch;
} Reduce;

#define W double
#define WIDE_TYPE INFER_TYPE_F64
#define MAGNITUDE(x) fabs (x)
#define ADD(x, y) ((x) + (y))
#define MUL(x, y) ((x) * (y))
#define LOWEST (-(double) INFINITY)
#define HIGHEST ((double) INFINITY)
#define IS_NAN(x) isnan (x)
#define NAME(what) what##_f64
#include "cpu/ops/reduce.inc"

#define W gint64
#define WIDE_TYPE INFER_TYPE_I64
#define MAGNITUDE(x) ((x) < 0 ? (gint64) (0 - (guint64) (x)) : (x))
#define ADD(x, y) ((gint64) ((guint64) (x) + (guint64) (y)))
#define MUL(x, y) ((gint64) ((guint64) (x) * (guint64) (y)))
#define LOWEST G_MININT64
#define HIGHEST G_MAXINT64
#define IS_NAN(x) FALSE
#define NAME(what) what##_i64
#include "cpu/ops/reduce.inc"

static const struct
{
  const InferOpClass *klass;
  Kind kind;
} kinds[] = {
  { &infer_op_reduce_sum, KIND_SUM },
  { &infer_op_reduce_mean, KIND_MEAN },
  { &infer_op_reduce_prod, KIND_PROD },
  { &infer_op_reduce_max, KIND_MAX },
  { &infer_op_reduce_min, KIND_MIN },
  { &infer_op_reduce_l1, KIND_L1 },
  { &infer_op_reduce_l2, KIND_L2 },
  { &infer_op_reduce_logical_and, KIND_AND },
  { &infer_op_reduce_logical_or, KIND_OR },
};

/* --- geometry --- */

/* Merges adjacent dims of one kind, from the innermost outward. */
static void
collapse (Reduce *r, const InferShape *shape, const gboolean *marked)
{
  gsize dims[INFER_MAX_RANK], strides[INFER_MAX_RANK], stride = 1;
  gboolean reduced[INFER_MAX_RANK];
  int m = 0;

  for (int i = shape->rank - 1; i >= 0; i--) {
    gsize dim = (gsize) shape->dims[i];

    if (dim == 1)
      continue;
    if (m > 0 && reduced[m - 1] == marked[i])
      dims[m - 1] *= dim;
    else {
      dims[m] = dim;
      strides[m] = stride;
      reduced[m++] = marked[i];
    }
    stride *= dim;
  }
  r->outer = r->times = r->inner = r->count = 1;
  r->n_kept = r->n_reduced = 0;
  r->run_is_reduced = m > 0 && reduced[0];
  if (m > 0)
    r->inner = dims[0];
  for (int i = m - 1; i > 0; i--)
    if (reduced[i]) {
      r->reduced[r->n_reduced] = dims[i];
      r->reduced_strides[r->n_reduced++] = strides[i];
      r->times *= dims[i];
    } else {
      r->kept[r->n_kept] = dims[i];
      r->kept_strides[r->n_kept++] = strides[i];
      r->outer *= dims[i];
    }
  r->count = r->times * (r->run_is_reduced ? r->inner : 1);
  if (r->count == 0)
    r->times = 0; /* not a loop over runs without elements */
}

static gsize
offset_of (gsize index, int n, const gsize *dims, const gsize *strides)
{
  gsize at = 0;

  for (int i = n - 1; i >= 0; i--) {
    at += index % dims[i] * strides[i];
    index /= dims[i];
  }
  return at;
}

static gboolean
mark (CpuStep *step, gboolean *marked, GError **error)
{
  const CpuValue *axes = step->in[1];
  const InferShape *shape = cpu_in_shape (step, 0);

  for (gsize i = 0; i < axes->n; i++) {
    gint64 axis = cpu_integer_at (axes, i);

    if (!infer_shape_normalize_axis (shape, &axis, error))
      return FALSE;
    marked[axis] = TRUE;
  }
  return TRUE;
}

/* The shape and its flags in the order of memory. */
static InferShape
in_memory (const CpuStep *step, gboolean *marked)
{
  InferShape shape = *cpu_in_shape (step, 0);
  gboolean channels = marked[1];

  if (step->layout != CPU_LAYOUT_NSPC)
    return shape;
  cpu_channels_to_end (shape.rank, shape.dims);
  for (int d = 1; d < shape.rank - 1; d++)
    marked[d] = marked[d + 1];
  marked[shape.rank - 1] = channels;
  return shape;
}

/* --- f32 --- */

static CpuReduce
kernel_of (Kind kind)
{
  return kind == KIND_PROD  ? CPU_REDUCE_PROD
         : kind == KIND_MAX ? CPU_REDUCE_MAX
         : kind == KIND_MIN ? CPU_REDUCE_MIN
         : kind == KIND_L1  ? CPU_REDUCE_SUM_ABS
         : kind == KIND_L2  ? CPU_REDUCE_SUM_SQUARES
                            : CPU_REDUCE_SUM;
}

/* The maximum or minimum of no elements is the extreme finite value. */
static double
last_finite (const Reduce *r)
{
  double x = r->type == INFER_TYPE_F64    ? DBL_MAX
             : r->type == INFER_TYPE_F16  ? 65504.0
             : r->type == INFER_TYPE_BF16 ? 0x1.fep127
                                          : (double) FLT_MAX;

  return r->kind == KIND_MAX ? -x : x;
}

static gboolean
is_of_nothing (const Reduce *r)
{
  return r->count == 0 && (r->kind == KIND_MAX || r->kind == KIND_MIN);
}

static float
finish_f32 (const Reduce *r, float x)
{
  if (is_of_nothing (r))
    return (float) last_finite (r);
  return r->kind == KIND_MEAN ? x / (float) r->count
         : r->kind == KIND_L2 ? sqrtf (x)
                              : x;
}

/* Computes one result from runs. */
static float
runs_f32 (const Reduce *r, const float *src)
{
  CpuReduce what = kernel_of (r->kind);
  double sum = 0;
  float best = r->kernels->reduce_f32 (what, src, 0);

  for (gsize t = 0; t < r->times; t++) {
    float x = r->kernels->reduce_f32 (what,
        src + offset_of (t, r->n_reduced, r->reduced, r->reduced_strides),
        r->inner);

    sum += (double) x;
    best = r->kind == KIND_PROD                  ? best * x
           : r->kind == KIND_MAX && !(x <= best) ? x
           : r->kind == KIND_MIN && !(x >= best) ? x
                                                 : best;
  }
  return finish_f32 (r, what == CPU_REDUCE_PROD || what == CPU_REDUCE_MAX
                                || what == CPU_REDUCE_MIN
                            ? best
                            : (float) sum);
}

/* Computes a row of results from rows.  @row: memory for two rows. */
static void
rows_f32 (const Reduce *r, float *dst, const float *src, float *row)
{
  float *partial = row + r->inner;
  CpuBinary merge = r->kind == KIND_PROD  ? CPU_BINARY_MUL
                    : r->kind == KIND_MAX ? CPU_BINARY_MAX
                    : r->kind == KIND_MIN ? CPU_BINARY_MIN
                                          : CPU_BINARY_ADD;
  float start = r->kernels->reduce_f32 (kernel_of (r->kind), src, 0);

  for (gsize i = 0; i < r->inner; i++)
    dst[i] = start;
  for (gsize t = 0; t < r->times; t++) {
    const float *next =
        src + offset_of (t, r->n_reduced, r->reduced, r->reduced_strides);

    if (r->kind == KIND_L1 || r->kind == KIND_L2) {
      r->kernels->unary_f32 (
          r->kind == KIND_L1 ? CPU_UNARY_ABS : CPU_UNARY_SQUARE, row, next,
          r->inner, 0, 0);
      next = row;
    }
    if (merge != CPU_BINARY_ADD) {
      r->kernels->binary_f32 (merge, dst, dst, 1, next, 1, r->inner);
      continue;
    }
    if (t % SUM_ROWS == 0)
      memcpy (partial, next, r->inner * sizeof *partial);
    else
      r->kernels->binary_f32 (
          CPU_BINARY_ADD, partial, partial, 1, next, 1, r->inner);
    if (t % SUM_ROWS == SUM_ROWS - 1 || t == r->times - 1)
      r->kernels->binary_f32 (
          CPU_BINARY_ADD, dst, dst, 1, partial, 1, r->inner);
  }
  if (r->kind == KIND_MEAN || r->kind == KIND_L2 || is_of_nothing (r))
    for (gsize i = 0; i < r->inner; i++)
      dst[i] = finish_f32 (r, dst[i]);
}

static void
range_f32 (gpointer data, gsize begin, gsize end, guint thread)
{
  const Reduce *r = data;
  const float *src = (gconstpointer) r->src;
  float *dst = (gpointer) r->dst;
  float *row = (gpointer) (r->scratch + thread * r->row_bytes);

  for (gsize i = begin; i < end; i++) {
    const float *from =
        src + offset_of (i, r->n_kept, r->kept, r->kept_strides);

    if (r->run_is_reduced)
      dst[i] = runs_f32 (r, from);
    else
      rows_f32 (r, dst + i * r->inner, from, row);
  }
}

/* --- one row of sums --- */

static gsize
n_partial (const Reduce *r)
{
  return (r->times + SUM_ROWS - 1) / SUM_ROWS;
}

/* Whether threads share the input rows of a single row of results. */
static gboolean
is_shared (const CpuStep *step, const Reduce *r)
{
  return step->threads > 1 && r->outer == 1 && !r->run_is_reduced
         && r->wide == INFER_TYPE_F32 && r->n_reduced <= 1
         && (r->kind == KIND_SUM || r->kind == KIND_MEAN)
         && r->times > SUM_ROWS;
}

static void
partial_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Reduce *r = data;

  for (gsize i = begin; i < end; i++) {
    float *sums = (float *) (gpointer) r->scratch + i * r->inner;

    for (gsize t = i * SUM_ROWS; t < MIN ((i + 1) * SUM_ROWS, r->times); t++) {
      const float *row =
          (const float *) (gconstpointer) r->src
          + offset_of (t, r->n_reduced, r->reduced, r->reduced_strides);

      if (t % SUM_ROWS == 0)
        memcpy (sums, row, r->inner * sizeof *sums);
      else
        r->kernels->binary_f32 (
            CPU_BINARY_ADD, sums, sums, 1, row, 1, r->inner);
    }
  }
}

/* The same order of summation as in rows_f32. */
static void
run_shared (CpuStep *step, Reduce *r)
{
  float *dst = (gpointer) r->dst;

  cpu_step_parallel (
      step, n_partial (r), 1 + GRAIN / (r->inner * SUM_ROWS), partial_range, r);
  memset (dst, 0, r->inner * sizeof *dst);
  for (gsize i = 0; i < n_partial (r); i++)
    r->kernels->binary_f32 (CPU_BINARY_ADD, dst, dst, 1,
        (const float *) (gconstpointer) r->scratch + i * r->inner, 1, r->inner);
  for (gsize i = 0; i < r->inner; i++)
    dst[i] = finish_f32 (r, dst[i]);
}

/* --- other types --- */

static void
finish_wide (const Reduce *r, gpointer acc, gsize n)
{
  double *reals = acc;
  gint64 *ints = acc;

  for (gsize i = 0; i < n && is_of_nothing (r); i++)
    if (r->wide == INFER_TYPE_F64)
      reals[i] = last_finite (r);
  if (r->kind != KIND_MEAN && r->kind != KIND_L2)
    return;
  for (gsize i = 0; i < n; i++)
    if (r->wide == INFER_TYPE_F64)
      reals[i] =
          r->kind == KIND_L2 ? sqrt (reals[i]) : reals[i] / (double) r->count;
    else
      ints[i] = r->kind == KIND_L2 ? (gint64) sqrt (fmax ((double) ints[i], 0))
                : r->count == 0    ? 0
                                   : ints[i] / (gint64) r->count;
}

static void
range_wide (gpointer data, gsize begin, gsize end, guint thread)
{
  const Reduce *r = data;
  gsize size = infer_type_size (r->type);
  gsize n = r->run_is_reduced ? 1 : r->inner;
  gpointer acc = r->scratch + thread * r->row_bytes;
  double *reals = acc;
  gint64 *ints = acc;

  for (gsize i = begin; i < end; i++) {
    gsize from = offset_of (i, r->n_kept, r->kept, r->kept_strides);

    for (gsize j = 0; j < n; j++)
      if (r->wide == INFER_TYPE_F64)
        reals[j] = neutral_f64 (r->kind);
      else
        ints[j] = neutral_i64 (r->kind);
    for (gsize t = 0; t < r->times; t++) {
      gsize at =
          from + offset_of (t, r->n_reduced, r->reduced, r->reduced_strides);

      if (r->wide == INFER_TYPE_F64)
        take_f64 (r->kind, r->type, reals, !r->run_is_reduced,
            r->src + at * size, r->inner);
      else
        take_i64 (r->kind, r->type, ints, !r->run_is_reduced,
            r->src + at * size, r->inner);
    }
    finish_wide (r, acc, n);
    infer_convert (r->dst + i * n * size, r->type, acc, r->wide, n);
  }
}

/* --- the operation --- */

/* The longest row of results, whatever axes the step is given when it runs.  An
 * empty input has rows as well: those of the dims that are kept. */
static gsize
longest_row (const InferShape *shape)
{
  gsize n = 1;

  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] > 0
        && !g_size_checked_mul (&n, n, (gsize) shape->dims[i]))
      return G_MAXSIZE;
  return n;
}

/* Only if the rank stays; other results are rarely asked for in this layout. */
static gboolean
wants_nspc (const CpuStep *step)
{
  return step->in[0]->form.layout == CPU_LAYOUT_NSPC && step->in[1]->constant
         && cpu_in_shape (step, 0)->rank > 2
         && cpu_out_shape (step, 0)->rank == cpu_in_shape (step, 0)->rank;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  Reduce *r = g_new0 (Reduce, 1);
  InferShape shape;
  gsize widest = 1;

  step->priv = r;
  r->kernels = step->kernels;
  r->type = step->in[0]->desc.type;
  r->wide = r->type == INFER_TYPE_F32      ? INFER_TYPE_F32
            : infer_type_is_real (r->type) ? INFER_TYPE_F64
                                           : INFER_TYPE_I64;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (infer_op_is (step->op, kinds[i].klass))
      r->kind = kinds[i].kind;
  /* Upper bound of the row length: the product of the dims behind the last
   * reduced axis, or of all if the axes are unknown. */
  if (step->in[1]->constant) {
    gboolean marked[INFER_MAX_RANK] = { FALSE };

    if (!mark (step, marked, error))
      return FALSE;
    shape = in_memory (step, marked);
    collapse (r, &shape, marked);
    widest = r->run_is_reduced ? 1 : r->inner;
  } else
    widest = longest_row (cpu_in_shape (step, 0));
  if (widest > (G_MAXSIZE - 63) / sizeof (double) / MAX (step->threads, 1))
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "rows of %" G_GSIZE_FORMAT " elements", widest);
  r->row_bytes = (widest * sizeof (double) + 63) & ~(gsize) 63;
  cpu_step_need_scratch (
      step, MAX (r->row_bytes * step->threads,
                step->in[1]->constant && is_shared (step, r)
                    ? n_partial (r) * r->inner * sizeof (float)
                    : 0));
  step->kernel = r->type == INFER_TYPE_F32 ? "vec_f32" : "ref";
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  Reduce *r = step->priv;
  gboolean marked[INFER_MAX_RANK] = { FALSE };

  if (!mark (step, marked, error))
    return FALSE;
  InferShape shape = in_memory (step, marked);
  collapse (r, &shape, marked);
  if (step->out[0]->n == 0)
    return TRUE;
  r->src = step->in[0]->data;
  r->dst = step->out[0]->data;
  r->scratch = step->scratch;
  gsize results = r->outer;
  if (step->in[1]->constant && is_shared (step, r)) {
    run_shared (step, r);
    return TRUE;
  }
  cpu_step_parallel (step, results,
      MAX (GRAIN / MAX (r->inner * r->times, 1), 1),
      r->wide == INFER_TYPE_F32 ? range_f32 : range_wide, r);
  return TRUE;
}

#define REDUCE(name)                                                           \
  const CpuOp cpu_op_##name = {                                                \
    .wants_nspc = wants_nspc,                                                  \
    .prepare = prepare,                                                        \
    .run = run,                                                                \
  };

/* clang-format off */
REDUCE (reduce_l1)
REDUCE (reduce_l2)
REDUCE (reduce_logical_and)
REDUCE (reduce_logical_or)
REDUCE (reduce_max)
REDUCE (reduce_mean)
REDUCE (reduce_min)
REDUCE (reduce_prod)
REDUCE (reduce_sum)
/* clang-format on */
