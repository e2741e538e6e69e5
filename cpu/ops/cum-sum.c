/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/step.h"
#include "inference/graph/ops/elementwise.h"

/* Computed in double or in 64-bit integers, whose low bits equal any narrower
 * sum. */
typedef struct
{
  InferType type, wide;
} CumSum;

static gboolean
prepare (CpuStep *step, GError **error)
{
  CumSum *c = g_new0 (CumSum, 1);

  step->priv = c;
  c->type = step->in[0]->desc.type;
  c->wide = infer_type_is_real (c->type) ? INFER_TYPE_F64 : INFER_TYPE_I64;
  cpu_step_need_scratch (step, step->in[0]->n * sizeof (double));
  step->kernel = "ref";
  return TRUE;
}

#define CUM_SUM(type, sum_type)                                                \
  static void cum_sum_##type (                                                 \
      type *data, gsize n, gsize stride, gboolean exclusive, gboolean reverse) \
  {                                                                            \
    sum_type sum = 0;                                                          \
                                                                               \
    for (gsize i = 0; i < n; i++) {                                            \
      type *at = data + (reverse ? n - 1 - i : i) * stride;                    \
      type x = *at;                                                            \
                                                                               \
      *at = exclusive ? (type) sum : (type) (sum + (sum_type) x);              \
      sum += (sum_type) x;                                                     \
    }                                                                          \
  }

CUM_SUM (double, double)
CUM_SUM (gint64, guint64)

static gboolean
run (CpuStep *step, GError **error)
{
  const CumSum *c = step->priv;
  const InferReduce *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 0);
  CpuValue *in = step->in[0], *out = step->out[0];
  gint64 axis = 0;
  gsize outer, length, inner;

  if (cpu_has_in (step, 1)) {
    if (step->in[1]->n != 1)
      return infer_fail (
          error, INFER_ERROR_INVALID_DATA, "the axis is not one number");
    infer_convert (
        &axis, INFER_TYPE_I64, step->in[1]->data, step->in[1]->desc.type, 1);
  }
  if (!infer_shape_normalize_axis (shape, &axis, error))
    return FALSE;
  if (in->n == 0)
    return TRUE;
  outer = infer_shape_count_range (shape, 0, (int) axis);
  length = (gsize) shape->dims[axis];
  inner = infer_shape_count_range (shape, (int) axis + 1, shape->rank);
  infer_convert (step->scratch, c->wide, in->data, c->type, in->n);
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++) {
      gsize at = o * length * inner + i;

      if (c->wide == INFER_TYPE_F64)
        cum_sum_double ((double *) step->scratch + at, length, inner,
            attrs->exclusive, attrs->reverse);
      else
        cum_sum_gint64 ((gint64 *) step->scratch + at, length, inner,
            attrs->exclusive, attrs->reverse);
    }
  infer_convert (out->data, c->type, step->scratch, c->wide, in->n);
  return TRUE;
}

const CpuOp cpu_op_cum_sum = {
  .flags = CPU_OP_INPLACE,
  .prepare = prepare,
  .run = run,
};
