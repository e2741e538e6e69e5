/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/reorder.h"

#include "cpu/graph/constants.h"

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

/* @value in the other layout, before or after a reorder step; NULL: there is
 * none. */
static CpuPlanValue *
find_other (const CpuPlanValue *value)
{
  if (value->maker != NULL && value->maker->s.cpu_op == &reorder_op)
    return cpu_plan_step_in (value->maker, 0);
  for (guint i = 0; i < value->n_uses; i++) {
    const CpuPlanStep *step = value->uses[i].step;

    if (step != NULL && step->s.cpu_op == &reorder_op)
      return cpu_plan_step_out (step, 0);
  }
  return NULL;
}

/* Done while planning; the step is not needed when running. */
static gboolean
reorder_constant (CpuPlanStep *step, GError **error)
{
  const CpuValue *from = step->s.in[0];
  CpuPlanValue *to = cpu_plan_step_out (step, 0);
  InferTensor *tensor =
      infer_tensor_new (from->desc.type, &from->desc.shape, error);

  if (tensor == NULL)
    return FALSE;
  to->v.data = tensor->data;
  reorder_run (&step->s, NULL);
  cpu_plan_value_make_constant (to, tensor);
  return TRUE;
}

CpuPlanValue *
cpu_plan_in_layout (CpuPlan *plan, CpuPlanValue *value, CpuLayout layout,
    CpuPlanStep *before, GError **error)
{
  if (value->v.form.layout == layout || !value->v.known
      || cpu_layouts_coincide (&value->v.desc.shape))
    return value;
  CpuPlanValue *other = find_other (value);
  if (other != NULL)
    return other;
  if (!cpu_plan_unpack (plan, value, error))
    return NULL;
  other = cpu_plan_add_value (plan, &value->v.desc);
  other->v.form = value->v.form;
  other->v.form.layout = layout;
  CpuPlanStep *step = cpu_plan_add_step (plan, before, NULL, &reorder_op, 1, 1);
  cpu_plan_set_input (step, 0, value);
  cpu_plan_set_output (step, 0, other);
  if (!value->v.constant)
    return other;
  if (!reorder_constant (step, error))
    return NULL;
  cpu_plan_remove_step (plan, step);
  return other;
}
