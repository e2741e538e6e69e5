/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

#include "inference/graph/ops/elementwise.h"

gboolean
cpu_layouts_coincide (const InferShape *shape)
{
  return shape->rank < 3 || shape->dims[1] == 1
         || infer_shape_count_range (shape, 2, shape->rank) == 1;
}

/* --- the reorder step --- */

/* Columns [begin, end) of [rows][cols] → [cols][rows]. */
#define SWAP(type)                                                             \
  static void swap_##type (type *dst, const type *src, gsize rows, gsize cols, \
      gsize begin, gsize end)                                                  \
  {                                                                            \
    for (gsize r0 = 0; r0 < rows; r0 += 16)                                    \
      for (gsize c = begin; c < end; c++)                                      \
        for (gsize r = r0; r < MIN (r0 + 16, rows); r++)                       \
          dst[c * rows + r] = src[r * cols + c];                               \
  }

SWAP (guint8)
SWAP (guint16)
SWAP (guint64)

typedef struct
{
  const CpuStep *step;
  gsize size, rows, cols, units; /* units: of columns, of an outer index */
} Swap;

/* Columns that are swapped together, elements that are worth a thread. */
#define SWAP_UNIT 16
#define SWAP_GRAIN 16384

static void
swap_unit (const Swap *swap, gsize outer, gsize begin, gsize end)
{
  const CpuStep *step = swap->step;
  const gsize rows = swap->rows, cols = swap->cols;
  const gsize at = outer * rows * cols;
  gpointer dst = (char *) step->out[0]->data + at * swap->size;
  gconstpointer src = (const char *) step->in[0]->data + at * swap->size;

  switch (swap->size) {
    case 1:
      swap_guint8 (dst, src, rows, cols, begin, end);
      break;
    case 2:
      swap_guint16 (dst, src, rows, cols, begin, end);
      break;
    case 4:
      step->kernels->transpose_u32 ((guint32 *) dst + begin * rows, rows,
          (const guint32 *) src + begin, cols, rows, end - begin);
      break;
    default:
      swap_guint64 (dst, src, rows, cols, begin, end);
      break;
  }
}

static void
swap_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Swap *swap = data;

  for (gsize i = begin, n; i < end; i += n) {
    const gsize outer = i / swap->units, unit = i % swap->units;

    n = MIN (end - i, swap->units - unit);
    swap_unit (swap, outer, unit * SWAP_UNIT,
        MIN ((unit + n) * SWAP_UNIT, swap->cols));
  }
}

static gboolean
reorder_run (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  gsize outer = (gsize) shape->dims[0], channels = (gsize) shape->dims[1];
  gsize spatial = infer_shape_count_range (shape, 2, shape->rank);
  gboolean to_nspc = step->out[0]->form.layout == CPU_LAYOUT_NSPC;
  Swap swap = { .step = step,
    .size = infer_type_size (step->in[0]->desc.type),
    .rows = to_nspc ? channels : spatial,
    .cols = to_nspc ? spatial : channels };

  swap.units = (swap.cols + SWAP_UNIT - 1) / SWAP_UNIT;
  cpu_step_parallel (step, outer * swap.units,
      1 + SWAP_GRAIN / MAX (swap.rows * SWAP_UNIT, 1), swap_range, &swap);
  return TRUE;
}

static const CpuOp reorder_op = { .run = reorder_run };

static gboolean
reorder_constant (CpuPlanValue *to, const CpuPlanValue *from, CpuPlanStep *step,
    GError **error)
{
  InferTensor *tensor =
      infer_tensor_new (from->v.desc.type, &from->v.desc.shape, error);

  if (tensor == NULL)
    return FALSE;
  to->v.data = tensor->data;
  reorder_run (&step->s, NULL);
  cpu_plan_make_constant (to, tensor);
  return TRUE;
}

CpuPlanValue *
cpu_plan_in_layout (
    CpuPlan *plan, CpuPlanValue *value, CpuLayout layout, GError **error)
{
  CpuPlanValue *other;
  CpuPlanStep *step;

  if (value->v.form.layout == layout || !value->known
      || cpu_layouts_coincide (&value->v.desc.shape))
    return value;
  if (value->other_layout != NULL)
    return value->other_layout;
  if (!cpu_plan_unpack (plan, value, error))
    return NULL;

  other = cpu_plan_add_value (plan, &value->v.desc);
  other->v.form.layout = layout;
  other->quant = value->quant;
  other->v.form.quant = value->v.form.quant != NULL ? &other->quant : NULL;
  other->other_layout = value;
  value->other_layout = other;
  step = cpu_plan_add_step (plan, NULL, &reorder_op, 1, 1);
  step->s.in[0] = &value->v;
  step->s.out[0] = &other->v;
  if (value->v.constant && !reorder_constant (other, value, step, error))
    return NULL;
  return other;
}

/* --- choosing --- */

gboolean
cpu_layout_of_transpose (const CpuPlanStep *step, CpuLayout *layout)
{
  const CpuPlanValue *in, *order;
  g_autoptr (GArray) perm = NULL;
  const gint64 *p;
  int rank;

  if (!infer_op_is (step->s.op, &infer_op_transpose))
    return FALSE;
  in = (const CpuPlanValue *) step->s.in[0];
  order = (const CpuPlanValue *) step->s.in[1];
  rank = in->v.desc.shape.rank;
  if (rank < 3 || order == NULL || !order->v.constant
      || infer_type_size (in->v.desc.type) == 0 || order->v.n != (gsize) rank)
    return FALSE;
  perm = infer_tensor_to_ints (order->tensor);
  p = (const gint64 *) (gconstpointer) perm->data;

  if (p[0] != 0)
    return FALSE;
  if (in->v.form.layout == CPU_LAYOUT_PLAIN && p[1] == rank - 1) {
    for (int i = 2; i < rank; i++)
      if (p[i] != i - 1)
        return FALSE;
    *layout = CPU_LAYOUT_NSPC;
    return TRUE;
  }
  if (in->v.form.layout == CPU_LAYOUT_NSPC && p[rank - 1] == 1) {
    for (int i = 1; i < rank - 1; i++)
      if (p[i] != i + 1)
        return FALSE;
    *layout = CPU_LAYOUT_PLAIN;
    return TRUE;
  }
  return FALSE;
}

/* An element-wise step takes channels last as it comes, where every operand is
 * of the full shape or a single element. */
static gboolean
takes_any (const CpuPlanStep *step)
{
  const InferShape *shape;

  if ((step->s.cpu_op->flags & CPU_OP_ANY_LAYOUT) == 0 || step->s.n_in == 0
      || step->s.in[0] == NULL || step->s.in[0]->form.layout != CPU_LAYOUT_NSPC)
    return FALSE;
  shape = &step->s.in[0]->desc.shape;
  for (guint i = 1; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && step->s.in[i]->n != 1
        && !infer_shape_equal (&step->s.in[i]->desc.shape, shape))
      return FALSE;
  return infer_shape_equal (&step->s.out[0]->desc.shape, shape);
}

/* The operand that has the shape of the result decides the layout: it comes
 * first where the order is free. */
static void
swap_operands (CpuPlanStep *step)
{
  static const InferOpClass *const types[] = { &infer_op_add,
    &infer_op_multiply, &infer_op_maximum, &infer_op_minimum };
  const InferBinary *attrs = step->s.op->attrs;
  const InferShape *out;

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    if (!infer_op_is (step->s.op, types[i]))
      continue;
    out = cpu_out_shape (&step->s, 0);
    if (attrs->rule != INFER_BROADCAST_PDPD
        && !infer_shape_equal (cpu_in_shape (&step->s, 0), out)
        && infer_shape_equal (cpu_in_shape (&step->s, 1), out)) {
      CpuValue *first = step->s.in[0];

      step->s.in[0] = step->s.in[1];
      step->s.in[1] = first;
    }
    return;
  }
}

gboolean
cpu_plan_choose_layout (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  const CpuOp *op = step->s.cpu_op;
  gboolean any, nspc;

  swap_operands (step);
  any = takes_any (step);
  nspc = any || (op->wants_nspc != NULL && op->wants_nspc (&step->s));

  step->s.layout = nspc ? CPU_LAYOUT_NSPC : CPU_LAYOUT_PLAIN;
  for (guint i = 0; i < step->s.n_in; i++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.in[i];
    gboolean follow = i == 0 || any || (op->flags & CPU_OP_ALL_INPUTS) != 0;

    if (value == NULL)
      continue;
    value = cpu_plan_in_layout (
        plan, value, follow ? step->s.layout : CPU_LAYOUT_PLAIN, error);
    if (value == NULL)
      return FALSE;
    step->s.in[i] = &value->v;
  }
  if (nspc)
    step->s.out[0]->form.layout = CPU_LAYOUT_NSPC;
  return TRUE;
}
