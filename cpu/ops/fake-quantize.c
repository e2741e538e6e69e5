/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FakeQuantize and FakeConvert. */

#include "cpu/ops/broadcast.h"
#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/quantize.h"

#include <math.h>

typedef struct
{
  CpuBroadcast broadcast;
  const CpuKernels *kernels;
  float levels;
  const float *in[5]; /* data, input low and high, output low and high */
  float *dst;
  gsize wide_at[5], out_at; /* in scratch, for types other than f32 */
  const CpuStep *maker;     /* nullable: gives the rows of the input */
} Quantize;

static void
quantize_row (gpointer data, gsize out_at, const gsize *at, gsize n)
{
  const Quantize *q = data;
  const gsize *step = q->broadcast.step;
  const float *x = q->in[0] + at[0];
  float *dst = q->dst + out_at;
  gboolean one_range = step[0] == 1 || n == 1;

  for (guint k = 1; k < 5; k++)
    one_range = one_range && (step[k] == 0 || n == 1);
  if (one_range) {
    q->kernels->fake_quantize_f32 (dst, x, n, q->in[1][at[1]], q->in[2][at[2]],
        q->in[3][at[3]], q->in[4][at[4]], q->levels);
    return;
  }
  /* Per-element ranges, as with channels last. */
  for (gsize i = 0; i < n; i++) {
    const float in_low = q->in[1][at[1] + i * step[1]];
    const float in_high = q->in[2][at[2] + i * step[2]];
    const float out_low = q->in[3][at[3] + i * step[3]];
    const float out_high = q->in[4][at[4] + i * step[4]];
    const float value = x[i * step[0]];

    if (value <= MIN (in_low, in_high))
      dst[i] = out_low;
    else if (value > MAX (in_low, in_high))
      dst[i] = out_high;
    else
      dst[i] = rintf ((value - in_low) * ((q->levels - 1) / (in_high - in_low)))
                   * ((out_high - out_low) / (q->levels - 1))
               + out_low;
  }
}

/* Reserves scratch for each operand as f32. */
static gsize
plan_wide (CpuStep *step, gsize *at, gsize *out_at)
{
  gsize total = 0;

  if (step->in[0]->desc.type == INFER_TYPE_F32)
    return 0;
  for (guint i = 0; i < step->n_in; i++) {
    at[i] = total;
    total += (step->in[i]->n * sizeof (float) + 63) & ~(gsize) 63;
  }
  *out_at = total;
  return total + step->out[0]->n * sizeof (float);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferBinary *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  Quantize *q = g_new0 (Quantize, 1);
  InferShape shapes[5];

  step->priv = q;
  q->kernels = step->kernels;
  q->levels = (float) attrs->levels;
  for (guint i = 0; i < 5; i++)
    shapes[i] = cpu_broadcast_align (
        out, cpu_in_shape (step, i), attrs->rule, attrs->axis);
  cpu_broadcast_init (
      &q->broadcast, out, 5, shapes, step->layout == CPU_LAYOUT_NSPC);
  cpu_step_need_scratch (step, plan_wide (step, q->wide_at, &q->out_at));
  step->kernel = "vec_f32";
  return TRUE;
}

static void
quantize_in_place (gpointer data, float *row, gsize at, gsize n, guint thread)
{
  const Quantize *q = data;

  q->kernels->fake_quantize_f32 (row, row, n, q->in[1][0], q->in[2][0],
      q->in[3][0], q->in[4][0], q->levels);
}

/* Rows of another step are quantised when they are complete. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  const CpuRows *rows = earlier->cpu_op->rows;
  Quantize *q = step->priv;

  for (guint k = 1; k < 5; k++)
    if (step->in[k]->n != 1)
      return FALSE;
  if (input != 0 || step->in[0]->desc.type != INFER_TYPE_F32
      || !infer_shape_equal (cpu_in_shape (step, 0), cpu_out_shape (step, 0))
      || rows == NULL || rows->size (earlier) == 0)
    return FALSE;
  cpu_step_need_scratch (step, earlier->scratch_size);
  q->maker = earlier;
  return TRUE;
}

/* --- rows for another step --- */

static gsize
row_size (const CpuStep *step)
{
  const Quantize *q = step->priv;

  return q->maker ? q->maker->cpu_op->rows->size (q->maker) : 0;
}

static gsize
vector_size (const CpuStep *step)
{
  const Quantize *q = step->priv;

  return q->maker ? q->maker->cpu_op->rows->vector (q->maker) : 0;
}

typedef struct
{
  Quantize *q;
  CpuRowFunc done;
  gpointer data;
} Giving;

static void
give_row (gpointer data, float *row, gsize at, gsize n, guint thread)
{
  const Giving *giving = data;

  quantize_in_place (giving->q, row, at, n, thread);
  giving->done (giving->data, row, at, n, thread);
}

static void
give_rows (CpuStep *user, const CpuStep *of, float *result, float *rows,
    gboolean transposed, CpuRowFunc done, gpointer data)
{
  Giving giving = { of->priv, done, data };

  for (guint i = 1; i < 5; i++)
    giving.q->in[i] = of->in[i]->data;
  giving.q->maker->cpu_op->rows->run (
      user, giving.q->maker, result, rows, transposed, give_row, &giving);
}

static const CpuRows quantized_rows = {
  .size = row_size,
  .vector = vector_size,
  .run = give_rows,
};

/* --- the operation --- */

static gboolean
run (CpuStep *step, GError **error)
{
  Quantize *q = step->priv;
  InferType type = step->in[0]->desc.type;
  char *scratch = step->scratch;

  for (guint i = 0; i < 5; i++) {
    q->in[i] = step->in[i]->data;
    if (type != INFER_TYPE_F32) {
      q->in[i] = (gpointer) (scratch + q->wide_at[i]);
      infer_convert (scratch + q->wide_at[i], INFER_TYPE_F32, step->in[i]->data,
          type, step->in[i]->n);
    }
  }
  if (q->maker != NULL) {
    q->maker->cpu_op->rows->run (
        step, q->maker, step->out[0]->data, NULL, FALSE, quantize_in_place, q);
    return TRUE;
  }
  q->dst = type == INFER_TYPE_F32 ? step->out[0]->data
                                  : (gpointer) (scratch + q->out_at);
  cpu_broadcast_run (step, &q->broadcast, quantize_row, q);
  if (type != INFER_TYPE_F32)
    infer_convert (
        step->out[0]->data, type, q->dst, INFER_TYPE_F32, step->out[0]->n);
  return TRUE;
}

const CpuOp cpu_op_fake_quantize = {
  .flags = CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT,
  .wants_nspc = cpu_broadcast_wants_nspc,
  .prepare = prepare,
  .fuse_producer = take_over,
  .rows = &quantized_rows,
  .run = run,
};

/* --- FakeConvert --- */

typedef struct
{
  CpuBroadcast broadcast;
  InferType to;
  float limit;
  const float *in[3]; /* data, scale, shift */
  float *dst;
  gsize wide_at[3], out_at;
} Fake;

static void
fake_row (gpointer data, gsize out_at, const gsize *at, gsize n)
{
  const Fake *f = data;
  const gsize *step = f->broadcast.step;

  for (gsize i = 0; i < n; i++) {
    float scale = f->in[1][at[1] + i * step[1]];
    float shift = f->in[2] ? f->in[2][at[2] + i * step[2]] : 0;
    float x = f->in[0][at[0] + i * step[0]] * scale - shift;
    guint8 small;

    x = CLAMP (x, -f->limit, f->limit);
    infer_convert (&small, f->to, &x, INFER_TYPE_F32, 1);
    infer_convert (&x, INFER_TYPE_F32, &small, f->to, 1);
    f->dst[out_at + i] = (x + shift) / scale;
  }
}

static gboolean
fake_prepare (CpuStep *step, GError **error)
{
  const InferFakeConvert *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  Fake *f = g_new0 (Fake, 1);
  InferShape shapes[3];

  step->priv = f;
  f->to = attrs->type;
  f->limit = attrs->type == INFER_TYPE_F8E4M3 ? 448.0f : 57344.0f;
  for (guint i = 0; i < step->n_in; i++)
    shapes[i] = cpu_broadcast_align (
        out, cpu_in_shape (step, i), INFER_BROADCAST_NUMPY, -1);
  cpu_broadcast_init (&f->broadcast, out, step->n_in, shapes, FALSE);
  cpu_step_need_scratch (step, plan_wide (step, f->wide_at, &f->out_at));
  step->kernel = "ref";
  return TRUE;
}

static gboolean
fake_run (CpuStep *step, GError **error)
{
  Fake *f = step->priv;
  InferType type = step->in[0]->desc.type;
  char *scratch = step->scratch;

  for (guint i = 0; i < step->n_in; i++) {
    f->in[i] = step->in[i]->data;
    if (type != INFER_TYPE_F32) {
      f->in[i] = (gpointer) (scratch + f->wide_at[i]);
      infer_convert (scratch + f->wide_at[i], INFER_TYPE_F32, step->in[i]->data,
          type, step->in[i]->n);
    }
  }
  f->dst = type == INFER_TYPE_F32 ? step->out[0]->data
                                  : (gpointer) (scratch + f->out_at);
  cpu_broadcast_run (step, &f->broadcast, fake_row, f);
  if (type != INFER_TYPE_F32)
    infer_convert (
        step->out[0]->data, type, f->dst, INFER_TYPE_F32, step->out[0]->n);
  return TRUE;
}

const CpuOp cpu_op_fake_convert = {
  .prepare = fake_prepare,
  .run = fake_run,
};
