/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* IsFinite, IsInf, IsNaN, LogicalNot, BitwiseNot, Select. */

#include "cpu/ops/broadcast.h"
#include "inference/graph/ops/elementwise.h"

#include <math.h>
#include <string.h>

#define TILE 512

typedef gboolean (*Question) (double x, int mode);

static gboolean
is_finite (double x, int mode)
{
  return isfinite (x);
}

static gboolean
is_nan (double x, int mode)
{
  return isnan (x);
}

static gboolean
is_inf (double x, int mode)
{
  return isinf (x)
         && (mode & (x < 0 ? INFER_IS_INF_NEGATIVE : INFER_IS_INF_POSITIVE));
}

static gboolean
ask (CpuStep *step, Question question)
{
  const InferUnary *attrs = step->op->attrs;
  const CpuValue *in = step->in[0];
  gsize size = infer_type_size (in->desc.type);
  guint8 *dst = step->out[0]->data;
  double tile[TILE];

  for (gsize i = 0; i < in->n; i += TILE) {
    gsize n = MIN (TILE, in->n - i);

    infer_convert (tile, INFER_TYPE_F64, (const char *) in->data + i * size,
        in->desc.type, n);
    for (gsize j = 0; j < n; j++)
      dst[i + j] = question (tile[j], attrs->mode) ? 1 : 0;
  }
  return TRUE;
}

static gboolean
run_is_finite (CpuStep *step, GError **error)
{
  return ask (step, is_finite);
}

static gboolean
run_is_inf (CpuStep *step, GError **error)
{
  return ask (step, is_inf);
}

static gboolean
run_is_nan (CpuStep *step, GError **error)
{
  return ask (step, is_nan);
}

static gboolean
run_not (CpuStep *step, GError **error)
{
  const CpuValue *in = step->in[0];
  const guint8 *src = in->data;
  guint8 *dst = step->out[0]->data;
  gsize bytes = in->n * infer_type_size (in->desc.type);
  gboolean boolean = in->desc.type == INFER_TYPE_BOOLEAN;

  for (gsize i = 0; i < bytes; i++)
    dst[i] = boolean ? !src[i] : (guint8) ~src[i];
  return TRUE;
}

/* --- Select --- */

typedef struct
{
  CpuBroadcast broadcast;
  gsize size;
  const guint8 *condition;
  const char *yes, *no;
  char *dst;
} Select;

#define SELECT(type)                                                           \
  static void select_##type (                                                  \
      const Select *s, gsize out_at, const gsize *at, gsize n)                 \
  {                                                                            \
    const gsize *step = s->broadcast.step;                                     \
    const guint8 *condition = s->condition + at[0];                            \
    const type *yes = (const type *) (gconstpointer) s->yes + at[1];           \
    const type *no = (const type *) (gconstpointer) s->no + at[2];             \
    type *dst = (type *) (gpointer) s->dst + out_at;                           \
                                                                               \
    for (gsize i = 0; i < n; i++)                                              \
      dst[i] = condition[i * step[0]] ? yes[i * step[1]] : no[i * step[2]];    \
  }

SELECT (guint8)
SELECT (guint16)
SELECT (guint32)
SELECT (guint64)

/* One condition for the whole row, which is copied then. */
static gboolean
copy_row (const Select *s, gsize out_at, const gsize *at, gsize n)
{
  const gsize *step = s->broadcast.step;
  const gboolean yes = s->condition[at[0]];

  if (step[0] != 0 || step[yes ? 1 : 2] == 0)
    return FALSE;
  memcpy (s->dst + out_at * s->size,
      yes ? s->yes + at[1] * s->size : s->no + at[2] * s->size, n * s->size);
  return TRUE;
}

static void
select_row (gpointer data, gsize out_at, const gsize *at, gsize n)
{
  const Select *s = data;

  if (copy_row (s, out_at, at, n))
    return;
  if (s->size == 1)
    select_guint8 (s, out_at, at, n);
  else if (s->size == 2)
    select_guint16 (s, out_at, at, n);
  else if (s->size == 4)
    select_guint32 (s, out_at, at, n);
  else
    select_guint64 (s, out_at, at, n);
}

static gboolean
select_prepare (CpuStep *step, GError **error)
{
  const InferBinary *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  Select *s = g_new0 (Select, 1);
  InferShape shapes[3];

  step->priv = s;
  s->size = infer_type_size (step->out[0]->desc.type);
  if (s->size == 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no code for type %s",
        infer_type_name (step->out[0]->desc.type));
  for (guint i = 0; i < 3; i++)
    shapes[i] = cpu_broadcast_align (
        out, cpu_in_shape (step, i), attrs->rule, attrs->axis);
  cpu_broadcast_init (
      &s->broadcast, out, 3, shapes, step->layout == CPU_LAYOUT_NSPC);
  step->kernel = "ref";
  return TRUE;
}

static gboolean
select_run (CpuStep *step, GError **error)
{
  Select *s = step->priv;

  s->condition = step->in[0]->data;
  s->yes = step->in[1]->data;
  s->no = step->in[2]->data;
  s->dst = step->out[0]->data;
  cpu_broadcast_run (step, &s->broadcast, select_row, s);
  return TRUE;
}

#define PREDICATE(name, flags_, run_)                                          \
  const CpuOp cpu_op_##name = {                                                \
    .flags = CPU_OP_ANY_LAYOUT | (flags_),                                     \
    .run = run_,                                                               \
  };

/* clang-format off */
PREDICATE (bitwise_not, CPU_OP_INPLACE, run_not)
PREDICATE (is_finite, CPU_OP_NONE, run_is_finite)
PREDICATE (is_inf, CPU_OP_NONE, run_is_inf)
PREDICATE (is_nan, CPU_OP_NONE, run_is_nan)
PREDICATE (logical_not, CPU_OP_INPLACE, run_not)
/* clang-format on */

const CpuOp cpu_op_select = {
  .flags = CPU_OP_ANY_LAYOUT,
  .prepare = select_prepare,
  .run = select_run,
};
