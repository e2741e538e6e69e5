/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pad: the inside is a strided copy; the border is filled axis by axis, from
 * the last to the first, from elements copied before. */

#include "inference/graph/ops/pad.h"

#include "cpu/ops/pad.h"

#include "cpu/ops/op-table.h"
#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

#include <string.h>

typedef struct
{
  CpuStridedCopy inside;
  InferShape out; /* in the order of memory, as are the fields below */
  gint64 src_offset, dst_offset;
  gint64 before[INFER_MAX_RANK], kept[INFER_MAX_RANK];
} PadPlan;

static void
read_pads (const CpuValue *value, gint64 *pads)
{
  infer_convert (pads, INFER_TYPE_I64, value->data, value->desc.type,
      MIN (value->n, INFER_MAX_RANK));
}

static void
set_up (const CpuStep *step, PadPlan *plan)
{
  InferShape in_shape = *cpu_in_shape (step, 0);
  const InferShape *in = &in_shape, *out = &plan->out;
  const gsize size = infer_type_size (step->in[0]->desc.type);
  gint64 begin[INFER_MAX_RANK] = { 0 }, end[INFER_MAX_RANK] = { 0 };
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];

  read_pads (step->in[1], begin);
  read_pads (step->in[2], end);
  plan->out = *cpu_out_shape (step, 0);
  if (step->layout == CPU_LAYOUT_NSPC) {
    cpu_channels_to_end (in_shape.rank, in_shape.dims);
    cpu_channels_to_end (in_shape.rank, plan->out.dims);
    cpu_channels_to_end (in_shape.rank, begin);
    cpu_channels_to_end (in_shape.rank, end);
  }
  cpu_dense_strides (in, size, src);
  cpu_dense_strides (out, size, dst);
  plan->src_offset = plan->dst_offset = 0;
  for (int d = 0; d < in->rank; d++) {
    plan->before[d] = MAX (begin[d], 0);
    plan->kept[d] = infer_pad_kept (in->dims[d], begin[d], end[d]);
    if (begin[d] < 0 && plan->kept[d] > 0)
      plan->src_offset += -begin[d] * src[d];
    plan->dst_offset += plan->before[d] * dst[d];
  }
  cpu_strided_copy_init (
      &plan->inside, step->kernels, size, in->rank, plan->kept, src, dst);
}

static gboolean
wants_nspc (const CpuStep *step)
{
  return step->in[0]->form.layout == CPU_LAYOUT_NSPC;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  PadPlan *plan = g_new0 (PadPlan, 1);

  step->priv = plan;
  step->kernel = "strided_copy";
  if (step->in[1]->constant && step->in[2]->constant)
    set_up (step, plan);
  return TRUE;
}

/* [outer][axis][inner bytes]: each row outside is a copy of one inside. */
static void
fill_axis (const CpuStep *step, const PadPlan *plan, int axis)
{
  const InferPad *attrs = step->op->attrs;
  const InferShape *out = &plan->out;
  const gsize inner = infer_shape_count_range (out, axis + 1, out->rank)
                      * infer_type_size (step->in[0]->desc.type);
  const gsize outer = infer_shape_count_range (out, 0, axis);
  const gint64 length = out->dims[axis], before = plan->before[axis];
  const gint64 kept = plan->kept[axis];

  for (gsize o = 0; o < outer; o++) {
    guint8 *base = (guint8 *) step->out[0]->data + o * (gsize) length * inner;

    for (gint64 i = 0; i < length; i++) {
      gint64 from = infer_pad_source (attrs->mode, i - before, kept) + before;

      if (from != i)
        memcpy (base + (gsize) i * inner, base + (gsize) from * inner, inner);
    }
  }
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferPad *attrs = step->op->attrs;
  PadPlan *plan = step->priv;
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const guint64 zero = 0;
  guint8 *dst = step->out[0]->data;

  if (!step->in[1]->constant || !step->in[2]->constant)
    set_up (step, plan);
  if (step->out[0]->n == 0)
    return TRUE;
  if (attrs->mode == INFER_PAD_CONSTANT) {
    gconstpointer value =
        cpu_has_in (step, 3) ? step->in[3]->data : (gconstpointer) &zero;

    if (memcmp (value, &zero, size) == 0)
      memset (dst, 0, step->out[0]->n * size);
    else
      cpu_fill (dst, value, size, step->out[0]->n);
  }
  cpu_strided_copy_run (&plan->inside, dst + plan->dst_offset,
      (const guint8 *) step->in[0]->data + plan->src_offset);
  for (int d = cpu_out_shape (step, 0)->rank - 1;
       attrs->mode != INFER_PAD_CONSTANT && d >= 0; d--)
    fill_axis (step, plan, d);
  return TRUE;
}

gboolean
cpu_pad_appends_channels (const CpuStep *step)
{
  const InferPad *attrs = step->op != NULL ? step->op->attrs : NULL;
  gint64 begin[INFER_MAX_RANK] = { 0 }, end[INFER_MAX_RANK] = { 0 };

  if (step->cpu_op != &cpu_op_pad || step->layout != CPU_LAYOUT_NSPC
      || attrs->mode != INFER_PAD_CONSTANT
      || step->in[0]->desc.type != INFER_TYPE_F32
      || step->in[0]->form.layout != CPU_LAYOUT_NSPC || !step->in[1]->constant
      || !step->in[2]->constant)
    return FALSE;
  if (cpu_has_in (step, 3)
      && (!step->in[3]->constant || *(const float *) step->in[3]->data != 0))
    return FALSE;
  read_pads (step->in[1], begin);
  read_pads (step->in[2], end);
  for (int d = 0; d < cpu_in_shape (step, 0)->rank; d++)
    if (begin[d] != 0 || end[d] < 0 || (end[d] > 0 && d != 1))
      return FALSE;
  return TRUE;
}

const CpuOp cpu_op_pad = {
  .wants_nspc = wants_nspc,
  .prepare = prepare,
  .run = run,
};
