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

/* A part of the border whose elements along an axis are copies of evenly spaced
 * ones inside. */
typedef struct
{
  CpuStridedCopy copy;
  gint64 from, to; /* offsets in the output, in bytes */
} Border;

typedef struct
{
  CpuStridedCopy inside;
  GArray *borders; /* of Border, in the order of copying; not of constants */
  InferShape out;  /* in the order of memory, as are the fields below */
  gint64 src_offset, dst_offset;
  gint64 before[INFER_MAX_RANK], kept[INFER_MAX_RANK];
} PadPlan;

static void
read_pads (const CpuValue *value, gint64 *pads)
{
  infer_convert (pads, INFER_TYPE_I64, value->data, value->desc.type,
      MIN (value->n, INFER_MAX_RANK));
}

/* Elements [first, first + n) of @axis, of all rows, from @from on, @stride
 * apart. */
static void
add_border (const CpuStep *step, PadPlan *plan, int axis, gint64 first,
    gint64 n, gint64 from, gint64 stride)
{
  const InferShape *out = &plan->out;
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const gint64 elements =
      (gint64) infer_shape_count_range (out, axis + 1, out->rank);
  const gint64 inner = elements * (gint64) size;
  const gint64 row = out->dims[axis] * inner;
  const gint64 dims[] = { (gint64) infer_shape_count_range (out, 0, axis), n,
    elements };
  const gint64 src[] = { row, stride * inner, (gint64) size };
  const gint64 dst[] = { row, inner, (gint64) size };
  Border border = { .from = from * inner, .to = first * inner };

  cpu_strided_copy_init (&border.copy, step->kernels, size, 3, dims, src, dst);
  g_array_append_val (plan->borders, border);
}

/* Elements [first, end) of @axis. */
static void
add_side (
    const CpuStep *step, PadPlan *plan, int axis, gint64 first, gint64 end)
{
  const InferPad *attrs = step->op->attrs;
  const gint64 before = plan->before[axis], kept = plan->kept[axis];

  while (first < end) {
    const gint64 from = infer_pad_source (attrs->mode, first - before, kept);
    gint64 n = 1, stride = 0;

    if (first + 1 < end)
      stride = infer_pad_source (attrs->mode, first + 1 - before, kept) - from;
    while (first + n < end
           && infer_pad_source (attrs->mode, first + n - before, kept)
                  == from + n * stride)
      n++;
    add_border (step, plan, axis, first, n, from + before, stride);
    first += n;
  }
}

static void
add_borders (const CpuStep *step, PadPlan *plan, int axis)
{
  const gint64 end = plan->before[axis] + plan->kept[axis];

  add_side (step, plan, axis, 0, plan->before[axis]);
  add_side (step, plan, axis, end, plan->out.dims[axis]);
}

static void
set_up (const CpuStep *step, PadPlan *plan)
{
  const InferPad *attrs = step->op->attrs;
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
  g_array_set_size (plan->borders, 0);
  for (int d = out->rank - 1; attrs->mode != INFER_PAD_CONSTANT && d >= 0; d--)
    add_borders (step, plan, d);
}

static gboolean
wants_nspc (const CpuStep *step)
{
  return step->in[0]->form.layout == CPU_LAYOUT_NSPC;
}

static void
plan_free (gpointer data)
{
  PadPlan *plan = data;

  g_array_unref (plan->borders);
  g_free (plan);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  PadPlan *plan = g_new0 (PadPlan, 1);

  plan->borders = g_array_new (FALSE, FALSE, sizeof (Border));
  step->priv = plan;
  step->kernel = "strided_copy";
  if (step->in[1]->constant && step->in[2]->constant)
    set_up (step, plan);
  return TRUE;
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
  for (guint i = 0; i < plan->borders->len; i++) {
    const Border *border = &g_array_index (plan->borders, Border, i);

    cpu_strided_copy_run (&border->copy, dst + border->to, dst + border->from);
  }
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
  .release = plan_free,
};
