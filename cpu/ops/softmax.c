/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SoftMax and LogSoftmax. */

#include "cpu/base/step.h"
#include "inference/graph/ops/elementwise.h"

#include <math.h>
#include <string.h>

#define GRAIN 4096
/* Fewer columns than this are gathered and processed as rows. */
#define FEW_COLUMNS 16
/* Short rows are transposed into columns, this many at a time. */
#define SHORT_ROW 16
#define BLOCK 256

typedef struct
{
  const CpuKernels *kernels;
  gboolean logarithm;
  gsize outer, length, inner; /* the axis in the middle */
  gsize part_bytes;           /* of scratch for one thread */
  const float *src;
  float *dst;
  char *scratch;
} Softmax;

static void
do_row (const Softmax *s, float *dst, const float *src)
{
  if (s->logarithm)
    s->kernels->log_softmax_f32 (dst, src, s->length);
  else
    s->kernels->softmax_f32 (dst, src, s->length);
}

static void
rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Softmax *s = data;

  for (gsize i = begin; i < end; i++)
    do_row (s, s->dst + i * s->length, s->src + i * s->length);
}

static void
gathered (gpointer data, gsize begin, gsize end, guint thread)
{
  const Softmax *s = data;
  float *row = (gpointer) (s->scratch + thread * s->part_bytes);

  for (gsize i = begin; i < end; i++)
    for (gsize c = 0; c < s->inner; c++) {
      gsize at = i * s->length * s->inner + c;

      for (gsize j = 0; j < s->length; j++)
        row[j] = s->src[at + j * s->inner];
      do_row (s, row, row);
      for (gsize j = 0; j < s->length; j++)
        s->dst[at + j * s->inner] = row[j];
    }
}

/* All columns at once, row by row. */
static void
columns (gpointer data, gsize begin, gsize end, guint thread)
{
  const Softmax *s = data;
  const CpuKernels *k = s->kernels;
  gsize n = s->inner;
  float *max = (gpointer) (s->scratch + thread * s->part_bytes), *sum = max + n;
  float *row = sum + n;

  for (gsize i = begin; i < end; i++) {
    const float *src = s->src + i * s->length * n;
    float *dst = s->dst + i * s->length * n;

    memcpy (max, src, n * sizeof *max);
    memset (sum, 0, n * sizeof *sum);
    for (gsize j = 1; j < s->length; j++)
      k->binary_f32 (CPU_BINARY_MAX, max, max, 1, src + j * n, 1, n);
    for (gsize j = 0; j < s->length; j++) {
      float *out = s->logarithm ? row : dst + j * n;

      k->binary_f32 (CPU_BINARY_SUB, out, src + j * n, 1, max, 1, n);
      k->unary_f32 (CPU_UNARY_EXP, out, out, n, 0, 0);
      k->binary_f32 (CPU_BINARY_ADD, sum, sum, 1, out, 1, n);
    }
    if (s->logarithm)
      k->unary_f32 (CPU_UNARY_LOG, sum, sum, n, 0, 0);
    for (gsize j = 0; j < s->length; j++)
      if (s->logarithm) {
        k->binary_f32 (CPU_BINARY_SUB, dst + j * n, src + j * n, 1, max, 1, n);
        k->binary_f32 (CPU_BINARY_SUB, dst + j * n, dst + j * n, 1, sum, 1, n);
      } else
        k->binary_f32 (CPU_BINARY_DIV, dst + j * n, dst + j * n, 1, sum, 1, n);
  }
}

static void
short_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Softmax *s = data;
  char *scratch = s->scratch + thread * s->part_bytes;
  float *transposed = (gpointer) scratch;

  for (gsize i = begin; i < end; i += BLOCK) {
    const gsize n = MIN (BLOCK, end - i), length = s->length;
    Softmax block = { s->kernels, s->logarithm, 1, length, n, 0, transposed,
      transposed, scratch + length * BLOCK * sizeof (float) };

    s->kernels->transpose_u32 ((gpointer) transposed, n,
        (gconstpointer) (s->src + i * length), length, n, length);
    columns (&block, 0, 1, 0);
    s->kernels->transpose_u32 ((gpointer) (s->dst + i * length), length,
        (gconstpointer) transposed, n, length, n);
  }
}

static gboolean
has_short_rows (const Softmax *s)
{
  return s->inner == 1 && s->length <= SHORT_ROW && s->outer >= SHORT_ROW;
}

/* In double, for f64. */
static void
run_f64 (const Softmax *s, double *dst, const double *src)
{
  for (gsize i = 0; i < s->outer; i++)
    for (gsize c = 0; c < s->inner; c++) {
      gsize at = i * s->length * s->inner + c;
      double max = -(double) INFINITY, sum = 0;

      for (gsize j = 0; j < s->length; j++)
        max = fmax (max, src[at + j * s->inner]);
      for (gsize j = 0; j < s->length; j++)
        sum += exp (src[at + j * s->inner] - max);
      for (gsize j = 0; j < s->length; j++) {
        double x = src[at + j * s->inner] - max;

        dst[at + j * s->inner] = s->logarithm ? x - log (sum) : exp (x) / sum;
      }
    }
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferReduce *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 0);
  InferType type = step->in[0]->desc.type;
  Softmax *s = g_new0 (Softmax, 1);
  gint64 axis = attrs->axis;

  step->priv = s;
  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  s->kernels = step->kernels;
  s->logarithm = infer_op_is (step->op, &infer_op_log_softmax);
  s->outer = infer_shape_count_range (shape, 0, (int) axis);
  s->length = (gsize) shape->dims[axis];
  s->inner = infer_shape_count_range (shape, (int) axis + 1, shape->rank);
  if (has_short_rows (s))
    s->part_bytes = (s->length + 3) * BLOCK * sizeof (float);
  else if (s->inner < FEW_COLUMNS)
    s->part_bytes = s->inner == 1 ? 0 : s->length * sizeof (float);
  else
    s->part_bytes = 3 * s->inner * sizeof (float);
  s->part_bytes = (s->part_bytes + 63) & ~(gsize) 63;
  gsize bytes = s->part_bytes * step->threads;
  if (type != INFER_TYPE_F32 && type != INFER_TYPE_F64)
    bytes += step->in[0]->n * sizeof (float);
  cpu_step_need_scratch (step, bytes);
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "vec_f32";
  return TRUE;
}

static void
run_f32 (CpuStep *step, Softmax *s)
{
  gsize work = MAX (s->length * s->inner, 1);

  cpu_step_parallel (step, s->outer, MAX (GRAIN / work, 1),
      has_short_rows (s)       ? short_rows
      : s->inner == 1          ? rows
      : s->inner < FEW_COLUMNS ? gathered
                               : columns,
      s);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Softmax *s = step->priv;
  CpuValue *in = step->in[0], *out = step->out[0];

  if (in->n == 0)
    return TRUE;
  s->scratch = step->scratch;
  if (in->desc.type == INFER_TYPE_F64) {
    run_f64 (s, out->data, in->data);
  } else if (in->desc.type == INFER_TYPE_F32) {
    s->src = in->data;
    s->dst = out->data;
    run_f32 (step, s);
  } else {
    float *wide = (gpointer) (s->scratch + s->part_bytes * step->threads);

    infer_convert (wide, INFER_TYPE_F32, in->data, in->desc.type, in->n);
    s->src = s->dst = wide;
    run_f32 (step, s);
    infer_convert (out->data, out->desc.type, wide, INFER_TYPE_F32, in->n);
  }
  return TRUE;
}

const CpuOp cpu_op_softmax = {
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_log_softmax = {
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .run = run,
};
