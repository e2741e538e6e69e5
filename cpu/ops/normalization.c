/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/normalization.h"

#include "cpu/base/f16-gemm.h"
#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

/* All these operations compute x * scale + shift per group of elements; scale
 * and shift are given or come from the group's moments. */

#define MAX_ABSORBED 4

/* An operand with one value per element of a group, or one for the group. */
typedef struct
{
  CpuBinary what;
  const float *values;
  gsize step; /* 0: one value */
} Absorbed;

typedef struct
{
  CpuWiden widen;
  /* MVN over dims that are not the innermost: offsets of the elements of a
   * group, and of the groups. */
  gsize groups, count;
  gsize *element, *group; /* NULL: groups are contiguous */
  /* Applied to each finished group. */
  guint n_absorbed;
  Absorbed absorbed[MAX_ABSORBED];
} Normalization;

static void
normalization_release (gpointer priv)
{
  Normalization *norm = priv;
  g_free (norm->element);
  g_free (norm->group);
  g_free (norm);
}

static void
moments_f64 (const double *x, gsize n, double *mean, double *variance)
{
  double sum = 0, squares = 0;
  for (gsize i = 0; i < n; i++)
    sum += x[i];
  *mean = sum / (double) n;
  for (gsize i = 0; i < n; i++)
    squares += (x[i] - *mean) * (x[i] - *mean);
  *variance = squares / (double) n;
}

/* Moments of @n elements at @x, of the working type. */
static void
moments (const CpuStep *step, gboolean f64, gconstpointer x, gsize n,
    double *mean, double *variance)
{
  if (f64) {
    moments_f64 (x, n, mean, variance);
    return;
  }
  float m, v;
  step->kernels->moments_f32 (x, n, &m, &v);
  *mean = (double) m;
  *variance = (double) v;
}

static void
scale_shift (const CpuStep *step, gboolean f64, gpointer y, gconstpointer x,
    gsize n, double scale, double shift)
{
  if (!f64) {
    step->kernels->unary_f32 (
        CPU_UNARY_AFFINE, y, x, n, (float) scale, (float) shift);
    return;
  }
  const double *from = x;
  double *to = y;
  for (gsize i = 0; i < n; i++)
    to[i] = from[i] * scale + shift;
}

/* Element @i of an input of the working type. */
static double
at (gboolean f64, gconstpointer values, gsize i)
{
  return f64 ? ((const double *) values)[i]
             : (double) ((const float *) values)[i];
}

/* --- MVN --- */

static guint32
mvn_axes (const CpuStep *step)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  if (step->op->version < 6)
    return infer_mvn_static_axes (step->op->attrs, shape->rank);
  const CpuValue *axes = step->in[1];
  guint32 mask = 0;
  for (gsize i = 0; i < axes->n; i++) {
    gint64 axis = cpu_integer_at (axes, i);
    if (infer_shape_normalize_axis (shape, &axis, NULL))
      mask |= (guint32) 1 << axis;
  }
  return mask;
}

/* Offsets of all combinations of the dims in @mask. */
static gsize *
offsets_of (const InferShape *shape, guint32 mask, gsize n)
{
  gint64 strides[INFER_MAX_RANK], index[INFER_MAX_RANK] = { 0 };
  gsize *offsets = g_try_new (gsize, MAX (n, 1));
  gint64 offset = 0;
  infer_shape_strides (shape, strides);
  for (gsize i = 0; i < n && offsets; i++) {
    offsets[i] = (gsize) offset;
    for (int d = shape->rank - 1; d >= 0; d--) {
      if (!(mask >> d & 1))
        continue;
      offset += strides[d];
      if (++index[d] < shape->dims[d])
        break;
      offset -= strides[d] * index[d];
      index[d] = 0;
    }
  }
  return offsets;
}

/* Finds the groups; dims of size 1 do not matter. */
static gboolean
find_groups (
    Normalization *norm, const InferShape *shape, guint32 mask, GError **error)
{
  gboolean last = TRUE; /* all dims so far are in the mask */
  norm->groups = norm->count = 1;
  gboolean trailing = TRUE;
  for (int d = shape->rank - 1; d >= 0; d--) {
    gboolean in = mask >> d & 1;
    *(in ? &norm->count : &norm->groups) *= (gsize) shape->dims[d];
    if (shape->dims[d] == 1)
      continue;
    if (in && !last)
      trailing = FALSE;
    last = last && in;
  }
  if (trailing)
    return TRUE;
  norm->element = offsets_of (shape, mask, norm->count);
  norm->group = offsets_of (shape, ~mask, norm->groups);
  return (norm->element && norm->group)
         || infer_fail (
             error, INFER_ERROR_NO_MEMORY, "no memory to find the groups");
}

/* Whether groups are f32 and contiguous: the dims in @mask are the last ones.
 */
static gboolean
groups_are_rows (const CpuStep *step, guint32 *mask)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  if (step->in[0]->desc.type != INFER_TYPE_F32
      || (step->op->version >= 6 && !step->in[1]->constant))
    return FALSE;
  *mask = mvn_axes (step);
  guint32 all = (guint32) ((guint64) 1 << shape->rank) - 1;
  guint32 rest = all & ~*mask;
  return *mask != 0 && (rest & (rest + 1)) == 0;
}

/* Whether @other has a value for each element of a group. */
static gboolean
fits_group (const InferShape *shape, const InferShape *other, guint32 mask)
{
  if (other->rank > shape->rank)
    return FALSE;
  for (int i = 1; i <= shape->rank; i++) {
    int d = shape->rank - i;
    gint64 dim = i <= other->rank ? other->dims[other->rank - i] : 1;
    if (dim != (mask >> d & 1 ? shape->dims[d] : 1))
      return FALSE;
  }
  return TRUE;
}

static gboolean
mvn_absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  gboolean known =
      infer_op_is (op, &infer_op_add) || infer_op_is (op, &infer_op_multiply);
  guint32 mask;
  if (!known || !other || !other->constant || step->n_posts == MAX_ABSORBED
      || other->desc.type != INFER_TYPE_F32 || !groups_are_rows (step, &mask))
    return FALSE;
  return (other->n == 1 && other->desc.shape.rank <= shape->rank)
         || fits_group (shape, &other->desc.shape, mask);
}

static void
take_absorbed (Normalization *norm, const CpuStep *step)
{
  norm->n_absorbed = step->n_posts;
  for (guint i = 0; i < step->n_posts; i++) {
    const CpuPost *post = &step->posts[i];
    gboolean add = infer_op_is (post->op, &infer_op_add);
    norm->absorbed[i] =
        (Absorbed){ .what = add ? CPU_BINARY_ADD : CPU_BINARY_MUL,
          .values = post->other->data,
          .step = post->other->n == 1 ? 0 : 1 };
  }
}

static gboolean
mvn_prepare (CpuStep *step, GError **error)
{
  Normalization *norm = g_new0 (Normalization, 1);
  const InferShape *shape = cpu_in_shape (step, 0);
  InferType to = cpu_widen_type (step->in[0]->desc.type);
  step->priv = norm;
  step->kernel = to == INFER_TYPE_F64 ? "ref_f64" : "rows_f32";
  take_absorbed (norm, step);
  /* The axes of version 6 are read in `run` unless they are constant. */
  gsize more = infer_shape_count (shape);
  if (step->op->version < 6 || step->in[1]->constant) {
    if (!find_groups (norm, shape, mvn_axes (step), error))
      return FALSE;
    more = norm->element ? norm->count : 0;
  }
  return cpu_widen_prepare (&norm->widen, step, to, 1 << 1,
      cpu_scratch_add (0, more, infer_type_size (to)), error);
}

static void
mvn_row (const CpuStep *step, const Normalization *norm, gpointer y,
    gconstpointer x, gsize n)
{
  const InferMvn *attrs = step->op->attrs;
  gboolean f64 = norm->widen.to == INFER_TYPE_F64;
  double mean, variance, scale = 1;
  moments (step, f64, x, n, &mean, &variance);
  if (attrs->normalize_variance)
    scale = attrs->outside_sqrt ? 1 / (sqrt (variance) + attrs->eps)
                                : 1 / sqrt (variance + attrs->eps);
  scale_shift (step, f64, y, x, n, scale, -mean * scale);
  for (guint i = 0; i < norm->n_absorbed; i++) {
    const Absorbed *a = &norm->absorbed[i];
    step->kernels->binary_f32 (a->what, y, y, 1, a->values, a->step, n);
  }
}

/* Gathers or scatters @n elements of @size bytes. */
static void
move (char *to, const char *from, const gsize *offsets, gsize n, gsize size,
    gboolean scatter)
{
  for (gsize i = 0; i < n; i++)
    memcpy (to + (scatter ? offsets[i] : i) * size,
        from + (scatter ? i : offsets[i]) * size, size);
}

/* Elements per thread from which on waking it pays. */
#define GRAIN 8192
/* Elements of a row that is stored as bf16. */
#define MOST_BF16 4096

typedef struct
{
  const CpuStep *step;
  const Normalization *norm;
  const char *x;
  char *y;
} Rows;

/* Rows that are written as bf16. */
static void
bf16_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Rows *rows = data;
  const gsize n = rows->norm->count;
  float row[MOST_BF16];

  for (gsize g = begin; g < end; g++) {
    mvn_row (rows->step, rows->norm, row, rows->x + g * n * sizeof *row, n);
    rows->step->kernels->f32_to_bf16 (
        (guint16 *) (gpointer) rows->y + g * n, row, n);
  }
}

static void
rows_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Rows *rows = data;
  gsize bytes = rows->norm->count * infer_type_size (rows->norm->widen.to);
  for (gsize g = begin; g < end; g++)
    mvn_row (rows->step, rows->norm, rows->y + g * bytes, rows->x + g * bytes,
        rows->norm->count);
}

static void
mvn_groups (CpuStep *step, const Normalization *norm)
{
  gsize size = infer_type_size (norm->widen.to);
  const char *x = cpu_widen_in (&norm->widen, step, 0);
  char *y = cpu_widen_out (&norm->widen, step, 0);
  char *row = cpu_widen_more (&norm->widen, step);
  if (!norm->element && norm->count > 0) {
    Rows rows = { step, norm, x, y };
    cpu_step_parallel (step, norm->groups, 1 + GRAIN / norm->count,
        step->out[0]->form.f16 != NULL ? bf16_range : rows_range, &rows);
  }
  for (gsize g = 0; norm->element && g < norm->groups && norm->count > 0; g++) {
    gsize from = norm->group[g] * size;
    move (row, x + from, norm->element, norm->count, size, FALSE);
    mvn_row (step, norm, row, row, norm->count);
    move (y + from, row, norm->element, norm->count, size, TRUE);
  }
  cpu_widen_finish (&norm->widen, step);
}

static gboolean
mvn_gives_f16 (const CpuStep *step)
{
  const Normalization *norm = step->priv;

  return cpu_bf16_is_stored (step->scope) && norm->element == NULL
         && norm->count > 0 && norm->count <= MOST_BF16
         && step->in[0]->desc.type == INFER_TYPE_F32
         && (step->op->version < 6 || step->in[1]->constant);
}

static gboolean
mvn_use_f16 (CpuStep *step)
{
  step->kernel = "rows_bf16";
  return TRUE;
}

static gboolean
mvn_run (CpuStep *step, GError **error)
{
  const Normalization *norm = step->priv;
  if (step->out[0]->n == 0)
    return TRUE;
  if (step->op->version < 6 || step->in[1]->constant) {
    mvn_groups (step, norm);
    return TRUE;
  }
  Normalization now = { .widen = norm->widen };
  gboolean ok =
      find_groups (&now, cpu_in_shape (step, 0), mvn_axes (step), error);
  if (ok)
    mvn_groups (step, &now);
  g_free (now.element);
  g_free (now.group);
  return ok;
}

const CpuOp cpu_op_mvn = {
  .absorb = mvn_absorb,
  .prepare = mvn_prepare,
  .gives_f16 = mvn_gives_f16,
  .use_f16 = mvn_use_f16,
  .run = mvn_run,
  .release = normalization_release,
};

/* --- BatchNormInference --- */

static gboolean
prepare_widened (CpuStep *step, guint data, GError **error)
{
  Normalization *norm = g_new0 (Normalization, 1);
  InferType to = cpu_widen_type (step->in[data]->desc.type);
  step->priv = norm;
  step->kernel = to == INFER_TYPE_F64 ? "ref_f64" : "rows_f32";
  return cpu_widen_prepare (&norm->widen, step, to, 0, 0, error);
}

static guint
batch_norm_data (const CpuStep *step)
{
  return step->op->version >= 5 ? 0 : 2;
}

static gboolean
batch_norm_prepare (CpuStep *step, GError **error)
{
  return prepare_widened (step, batch_norm_data (step), error);
}

static gboolean
batch_norm_run (CpuStep *step, GError **error)
{
  const InferBatchNorm *attrs = step->op->attrs;
  const Normalization *norm = step->priv;
  gboolean f64 = norm->widen.to == INFER_TYPE_F64;
  gsize size = f64 ? sizeof (double) : sizeof (float);
  guint data = batch_norm_data (step), gamma = data == 0 ? 1 : 0;
  const InferShape *shape = cpu_in_shape (step, data);
  gconstpointer in[5];
  for (guint i = 0; i < 5; i++)
    in[i] = cpu_widen_in (&norm->widen, step, i);
  char *y = cpu_widen_out (&norm->widen, step, 0);
  gsize channels = (gsize) shape->dims[1];
  gsize inner = infer_shape_count_range (shape, 2, shape->rank);
  for (gsize i = 0; i < (gsize) shape->dims[0] * channels; i++) {
    gsize c = i % channels, from = i * inner * size;
    double variance = at (f64, in[4], c), mean = at (f64, in[3], c);
    double scale = at (f64, in[gamma], c) / sqrt (variance + attrs->epsilon);
    scale_shift (step, f64, y + from, (const char *) in[data] + from, inner,
        scale, at (f64, in[gamma + 1], c) - mean * scale);
  }
  cpu_widen_finish (&norm->widen, step);
  return TRUE;
}

const CpuOp cpu_op_batch_norm_inference = {
  .prepare = batch_norm_prepare,
  .run = batch_norm_run,
  .release = normalization_release,
};

/* --- GroupNormalization --- */

static gboolean
group_norm_prepare (CpuStep *step, GError **error)
{
  return prepare_widened (step, 0, error);
}

static gboolean
group_norm_run (CpuStep *step, GError **error)
{
  const InferGroupNorm *attrs = step->op->attrs;
  const Normalization *norm = step->priv;
  gboolean f64 = norm->widen.to == INFER_TYPE_F64;
  gsize size = f64 ? sizeof (double) : sizeof (float);
  const InferShape *shape = cpu_in_shape (step, 0);
  gsize groups = (gsize) attrs->num_groups;
  gsize channels = (gsize) shape->dims[1] / groups;
  gsize inner = infer_shape_count_range (shape, 2, shape->rank);
  if (step->out[0]->n == 0)
    return TRUE;
  const char *x = cpu_widen_in (&norm->widen, step, 0);
  gconstpointer gamma = cpu_widen_in (&norm->widen, step, 1);
  gconstpointer beta = cpu_widen_in (&norm->widen, step, 2);
  char *y = cpu_widen_out (&norm->widen, step, 0);
  for (gsize g = 0; g < (gsize) shape->dims[0] * groups; g++) {
    gsize from = g * channels * inner * size;
    double mean, variance;
    moments (step, f64, x + from, channels * inner, &mean, &variance);
    double root = 1 / sqrt (variance + attrs->epsilon);
    for (gsize i = 0; i < channels; i++, from += inner * size) {
      gsize c = g % groups * channels + i;
      double scale = at (f64, gamma, c) * root;
      scale_shift (step, f64, y + from, x + from, inner, scale,
          at (f64, beta, c) - mean * scale);
    }
  }
  cpu_widen_finish (&norm->widen, step);
  return TRUE;
}

const CpuOp cpu_op_group_normalization = {
  .prepare = group_norm_prepare,
  .run = group_norm_run,
  .release = normalization_release,
};
