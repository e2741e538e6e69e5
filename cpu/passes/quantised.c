/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What FakeQuantize gives is kept as levels of 8 bits where a convolution can
 * read them; floats are made of them only for those who ask. */

#include "cpu/conv/u8/u8.h"
#include "cpu/plan/plan.h"
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

static const CpuOp quantize_op = { .run = quantize_run };
static const CpuOp dequantize_op = { .run = dequantize_run };
static const CpuOp add_op = { .run = add_run };

/* --- values --- */

static gboolean
number_of (const CpuPlan *plan, const InferPort *port, float *number)
{
  const CpuPlanValue *value =
      port->op != NULL ? plan->ports[port->op->index][port->index] : NULL;

  if (value == NULL || !value->v.constant || value->v.n != 1
      || value->v.desc.type != INFER_TYPE_F32)
    return FALSE;
  *number = *(const float *) value->v.data;
  return TRUE;
}

/* The range of a FakeQuantize that levels of 8 bits can hold. */
static gboolean
read_quant (const CpuPlan *plan, const InferOperation *op, CpuQuant *quant)
{
  const InferBinary *attrs = op->attrs;
  float limits[4];

  if (!infer_op_is (op, &infer_op_fake_quantize) || attrs->levels < 2
      || attrs->levels > 256)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    if (!number_of (plan, &op->inputs[1 + i], &limits[i]))
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

/* All @floats will be levels of @quant: how to find them again. */
static void
set_grid (CpuPlanValue *floats, const CpuQuant *quant)
{
  floats->grid = *quant;
  floats->grid.in_low = quant->out_low;
  floats->grid.in_scale = 1 / quant->step;
  floats->on_grid = TRUE;
}

/* @floats is not made: levels are, which it gets. */
static CpuPlanValue *
add_levels (CpuPlan *plan, CpuPlanValue *floats, CpuLayout layout,
    const CpuQuant *quant)
{
  InferDesc desc = { INFER_TYPE_U8, floats->v.desc.shape };
  CpuPlanValue *levels = cpu_plan_add_value (plan, &desc);

  levels->quant = *quant;
  levels->v.form.quant = &levels->quant;
  levels->v.form.layout = floats->v.form.layout = layout;
  floats->levels = levels;
  floats->unmade = TRUE;
  set_grid (floats, quant);
  return levels;
}

gboolean
cpu_plan_make_floats (CpuPlan *plan, CpuPlanValue *floats)
{
  CpuPlanStep *step;

  if (floats == NULL || !floats->unmade)
    return FALSE;
  floats->unmade = FALSE;
  step = cpu_plan_add_step (plan, NULL, &dequantize_op, 1, 1);
  step->s.in[0] = &floats->levels->v;
  step->s.out[0] = &floats->v;
  step->s.kernel = "u8";
  return TRUE;
}

/* The levels of @floats, which are made of its floats where there are none: all
 * of these are on its grid. */
static CpuPlanValue *
levels_of (CpuPlan *plan, CpuPlanValue *floats)
{
  CpuPlanStep *step;

  if (floats->levels != NULL)
    return floats->levels;
  add_levels (plan, floats, floats->v.form.layout, &floats->grid);
  floats->unmade = FALSE;
  step = cpu_plan_add_step (plan, NULL, &quantize_op, 1, 1);
  step->s.in[0] = &floats->v;
  step->s.out[0] = &floats->levels->v;
  step->s.layout = floats->v.form.layout;
  step->s.kernel = "u8";
  return floats->levels;
}

static gboolean
is_forward_convolution (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_convolution)
         || infer_op_is (op, &infer_op_group_convolution);
}

gboolean
cpu_plan_take_levels (CpuPlan *plan, CpuPlanStep *step)
{
  CpuPlanValue *in = (CpuPlanValue *) step->s.in[0];
  const CpuQuant *quant;

  if (step->s.op == NULL || !is_forward_convolution (step->s.op))
    return FALSE;
  quant = in->levels != NULL ? in->levels->v.form.quant
          : in->on_grid      ? &in->grid
                             : NULL;
  if (quant == NULL || !cpu_conv_u8_can (&step->s, quant))
    return FALSE;
  step->s.in[0] = &levels_of (plan, in)->v;
  return TRUE;
}

/* --- grids --- */

/* What only moves elements: of how many inputs; 0: something else. */
static guint
n_moved (const InferOperation *op)
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

static gboolean
same_grid (const CpuPlanValue *a, const CpuPlanValue *b)
{
  return a->on_grid && b->on_grid && a->grid.top == b->grid.top
         && a->grid.step == b->grid.step && a->grid.out_low == b->grid.out_low;
}

void
cpu_plan_note_grid (CpuPlan *plan, CpuPlanStep *step)
{
  CpuPlanValue *out = (CpuPlanValue *) step->s.out[0];
  const CpuPlanValue *first;
  CpuQuant quant;
  guint n;

  if (step->s.op == NULL || step->s.n_out == 0 || step->s.n_in == 0
      || out->v.desc.type != INFER_TYPE_F32)
    return;
  if (read_quant (plan, step->s.op, &quant)) {
    set_grid (out, &quant);
    return;
  }
  n = n_moved (step->s.op);
  first = (const CpuPlanValue *) step->s.in[0];
  for (guint i = 0; i < n; i++)
    if (!same_grid ((const CpuPlanValue *) step->s.in[i], first))
      return;
  for (guint k = 0; n > 0 && k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    value->grid = first->grid;
    value->on_grid = value->v.desc.type == INFER_TYPE_F32;
  }
}

/* As a convolution reads it. */
static gboolean
is_channels_last (const CpuPlanValue *floats)
{
  const CpuPlanValue *value = floats->levels != NULL ? floats->levels : floats;

  return value->v.form.layout == CPU_LAYOUT_NSPC;
}

gboolean
cpu_plan_move_levels (CpuPlan *plan, CpuPlanStep *step)
{
  CpuPlanValue *out = (CpuPlanValue *) step->s.out[0];
  guint n;

  if ((step->s.isa & CPU_ISA_VNNI) == 0 || step->node == NULL
      || !step->node->feeds_convolution || !out->on_grid)
    return FALSE;
  n = cpu_graph_moves_bytes (step->s.op);
  for (guint i = 0; i < n; i++)
    if (!is_channels_last ((CpuPlanValue *) step->s.in[i]))
      return FALSE;
  for (guint i = 0; i < n; i++)
    step->s.in[i] = &levels_of (plan, (CpuPlanValue *) step->s.in[i])->v;
  if (n == 0)
    return FALSE;
  step->s.layout = CPU_LAYOUT_NSPC;
  step->s.out[0] = &add_levels (plan, out, CPU_LAYOUT_NSPC, &out->grid)->v;
  return TRUE;
}

/* --- operations --- */

void
cpu_plan_absorb_quantize (CpuPlan *plan, CpuPlanStep *step, const CpuNode *last)
{
  const CpuNode *node;
  CpuPlanValue *floats;
  CpuQuant quant;

  if (step->s.n_in == 0 || step->s.in[0] == NULL
      || step->s.in[0]->form.quant == NULL || last->n_readers != 1
      || last->reader_input != 0 || !read_quant (plan, last->reader, &quant))
    return;
  node = &plan->graph->nodes[last->reader->index];
  if (node->guard != last->guard)
    return;
  floats = cpu_plan_add_value (plan, &step->s.out[0]->desc);
  step->s.out[0] = &add_levels (plan, floats, step->s.layout, &quant)->v;
  step->s.quantizer = last->reader;
  plan->ports[last->reader->index][0] = floats;
}

gboolean
cpu_plan_quantize (CpuPlan *plan, CpuPlanStep *step)
{
  CpuPlanValue *out = (CpuPlanValue *) step->s.out[0];
  CpuQuant quant;

  if ((step->s.isa & CPU_ISA_VNNI) == 0 || step->node == NULL
      || !step->node->feeds_convolution
      || !infer_op_is (step->s.op, &infer_op_fake_quantize)
      || step->s.in[0]->n == 0 || step->s.in[0]->desc.type != INFER_TYPE_F32
      || !infer_shape_equal (&step->s.in[0]->desc.shape, &out->v.desc.shape)
      || !read_quant (plan, step->s.op, &quant))
    return FALSE;
  step->s.cpu_op = &quantize_op;
  step->s.out[0] = &add_levels (plan, out, step->s.layout, &quant)->v;
  step->s.kernel = "u8";
  return TRUE;
}

gboolean
cpu_plan_add_of_levels (CpuPlan *plan, CpuPlanStep *step)
{
  const CpuNode *node = step->node;
  const CpuPlanValue *in[2];
  CpuPlanValue *floats;
  CpuQuant quant;

  if (!infer_op_is (step->s.op, &infer_op_add) || node->n_readers != 1
      || node->reader_input != 0 || !read_quant (plan, node->reader, &quant)
      || plan->graph->nodes[node->reader->index].guard != node->guard)
    return FALSE;
  for (guint i = 0; i < 2; i++) {
    in[i] = (const CpuPlanValue *) step->s.in[i];
    if (in[i]->levels == NULL
        || !infer_shape_equal (
            &in[i]->v.desc.shape, cpu_out_shape (&step->s, 0))
        || in[i]->levels->v.form.layout != in[0]->levels->v.form.layout)
      return FALSE;
  }
  floats = cpu_plan_add_value (plan, &step->s.out[0]->desc);
  step->s.cpu_op = &add_op;
  step->s.layout = in[0]->levels->v.form.layout;
  for (guint i = 0; i < 2; i++)
    step->s.in[i] = &in[i]->levels->v;
  step->s.out[0] = &add_levels (plan, floats, step->s.layout, &quant)->v;
  step->s.kernel = "u8";
  step->s.quantizer = node->reader;
  plan->ports[node->reader->index][0] = floats;
  return TRUE;
}
