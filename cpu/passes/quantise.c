/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/quantise.h"

#include "inference/graph/ops/elementwise.h"

/* --- steps --- */

/* Elements that are worth a thread. */
#define GRAIN 32768

static void
quantize_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuStep *step = data;
  const float *x = step->in[0]->data;
  guint8 *y = step->out[0]->data;

  step->kernels->quantize_u8 (
      y + begin, x + begin, end - begin, step->out[0]->form.quant);
}

static gboolean
quantize_run (CpuStep *step, GError **error)
{
  cpu_step_parallel (step, step->in[0]->n, GRAIN, quantize_range, step);
  return TRUE;
}

static void
dequantize_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuStep *step = data;
  const guint8 *x = step->in[0]->data;
  float *y = step->out[0]->data;

  step->kernels->dequantize_u8 (
      y + begin, x + begin, end - begin, step->in[0]->form.quant);
}

static gboolean
dequantize_run (CpuStep *step, GError **error)
{
  cpu_step_parallel (step, step->in[0]->n, GRAIN, dequantize_range, step);
  return TRUE;
}

static void
add_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuStep *step = data;
  const guint8 *a = step->in[0]->data, *b = step->in[1]->data;
  guint8 *y = step->out[0]->data;

  step->kernels->add_u8 (y + begin, a + begin, step->in[0]->form.quant,
      b + begin, step->in[1]->form.quant, end - begin,
      step->out[0]->form.quant);
}

static gboolean
add_run (CpuStep *step, GError **error)
{
  cpu_step_parallel (step, step->in[0]->n, GRAIN, add_range, step);
  return TRUE;
}

const CpuOp cpu_quantise_op = { .flags = CPU_OP_ANY_LAYOUT,
  .run = quantize_run };
const CpuOp cpu_quantise_add_op = { .flags = CPU_OP_ANY_LAYOUT,
  .run = add_run };
static const CpuOp dequantize_op = { .flags = CPU_OP_ANY_LAYOUT,
  .run = dequantize_run };

/* --- ranges --- */

static gboolean
number_of (const CpuValue *value, float *number)
{
  if (value == NULL || !value->constant || value->n != 1
      || value->desc.type != INFER_TYPE_F32)
    return FALSE;
  *number = *(const float *) value->data;
  return TRUE;
}

gboolean
cpu_quantise_range (const CpuPlanStep *step, CpuQuant *quant)
{
  float limits[4];

  if (!infer_op_is (step->s.op, &infer_op_fake_quantize))
    return FALSE;
  const InferBinary *attrs = step->s.op->attrs;
  if (attrs->levels < 2 || attrs->levels > 256)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    if (!number_of (step->s.in[1 + i], &limits[i]))
      return FALSE;
  if (!(limits[0] < limits[1]) || !(limits[2] < limits[3]))
    return FALSE;
  quant->top = (float) (attrs->levels - 1);
  quant->in_low = limits[0];
  quant->in_scale = quant->top / (limits[1] - limits[0]);
  quant->step = (limits[3] - limits[2]) / quant->top;
  quant->out_low = limits[2];
  return TRUE;
}

CpuQuant
cpu_quantise_grid (const CpuQuant *quant)
{
  CpuQuant grid = *quant;

  grid.in_low = quant->out_low;
  grid.in_scale = 1 / quant->step;
  return grid;
}

guint
cpu_quantise_n_moved (const InferOperation *op)
{
  static const InferOpClass *const moves[] = { &infer_op_depth_to_space,
    &infer_op_max_pool, &infer_op_reshape, &infer_op_shuffle_channels,
    &infer_op_slice, &infer_op_space_to_depth, &infer_op_split,
    &infer_op_squeeze, &infer_op_strided_slice, &infer_op_transpose,
    &infer_op_unsqueeze, &infer_op_variadic_split };

  if (cpu_graph_moves_bytes (op) > 0)
    return cpu_graph_moves_bytes (op);
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    if (infer_op_is (op, moves[i]))
      return 1;
  return 0;
}

/* --- values --- */

/* A step that was inserted, not a FakeQuantize that gives u8. */
static gboolean
is_conversion (const CpuPlanStep *step, const CpuOp *op)
{
  return step != NULL && step->node == NULL && step->s.cpu_op == op;
}

static CpuPlanValue *
find_quantised (const CpuPlanValue *floats)
{
  if (is_conversion (floats->maker, &dequantize_op))
    return cpu_plan_step_in (floats->maker, 0);
  for (guint i = 0; i < floats->n_uses; i++)
    if (is_conversion (floats->uses[i].step, &cpu_quantise_op))
      return cpu_plan_step_out (floats->uses[i].step, 0);
  return NULL;
}

gboolean
cpu_quantise_has_value (const CpuPlanValue *floats)
{
  return find_quantised (floats) != NULL;
}

static CpuPlanValue *
add_quantised (CpuPlan *plan, const CpuPlanValue *floats, const CpuQuant *quant)
{
  const InferDesc desc = { INFER_TYPE_U8, floats->v.desc.shape };
  CpuPlanValue *value = cpu_plan_add_value (plan, &desc);

  value->v.form.quant = quant;
  return value;
}

static void
convert (CpuPlan *plan, CpuPlanStep *before, const CpuOp *op,
    CpuPlanValue *from, CpuPlanValue *to)
{
  CpuPlanStep *step = cpu_plan_add_step (plan, before, NULL, op, 1, 1);

  cpu_plan_set_input (step, 0, from);
  cpu_plan_set_output (step, 0, to);
  step->s.kernel = "u8";
}

CpuPlanValue *
cpu_quantise_value (CpuPlan *plan, CpuPlanValue *floats, CpuPlanStep *step)
{
  CpuPlanValue *value = find_quantised (floats);

  if (value == NULL) {
    value = add_quantised (plan, floats, floats->grid);
    convert (plan, step, &cpu_quantise_op, floats, value);
  } else if (!cpu_plan_is_before (value, step)) {
    cpu_plan_move_step (plan, value->maker, step);
  }
  return value;
}

void
cpu_quantise_output (CpuPlan *plan, CpuPlanStep *step, CpuPlanValue *floats,
    const CpuQuant *quant)
{
  const CpuQuant grid = cpu_quantise_grid (quant);
  CpuPlanValue *value =
      add_quantised (plan, floats, cpu_plan_add_quant (plan, quant));
  CpuPlanValue *other = find_quantised (floats);

  cpu_plan_set_output (step, 0, value);
  floats->maker = NULL;
  floats->grid = cpu_plan_add_quant (plan, &grid);
  if (other != NULL) {
    cpu_plan_replace (plan, other, value);
    cpu_plan_remove_step (plan, other->maker);
  }
  if (floats->n_uses > 0)
    convert (
        plan, cpu_plan_first_reader (floats), &dequantize_op, value, floats);
}
