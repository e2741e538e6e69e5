/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every step gets its inputs in the layout that it wants, row-major or channels
 * last; values that come in the other one are reordered. */

#include "cpu/passes/pass.h"
#include "cpu/passes/reorder.h"

#include "cpu/graph/constants.h"
#include "cpu/ops/chain.h"
#include "inference/graph/ops/elementwise.h"

#include <string.h>

/* The order of a Transpose as an array of gint64, one for each dimension; NULL
 * where @step is none, or its order is not constant.  (transfer full) */
static GArray *
read_order (const CpuPlanStep *step)
{
  if (!infer_op_is (step->s.op, &infer_op_transpose))
    return NULL;
  const CpuPlanValue *order = cpu_plan_step_in (step, 1);
  const int rank = step->s.in[0]->desc.shape.rank;

  return order != NULL && order->v.constant && order->v.n == (gsize) rank
             ? infer_tensor_to_ints (order->tensor)
             : NULL;
}

/* A Transpose that only renames the layout: TRUE, and *@layout of the output.
 */
static gboolean
renames_layout (const CpuPlanStep *step, CpuLayout *layout)
{
  g_autoptr (GArray) order = read_order (step);

  if (order == NULL)
    return FALSE;
  const CpuPlanValue *in = cpu_plan_step_in (step, 0);
  const int rank = in->v.desc.shape.rank;
  const gint64 *p = (const gint64 *) (gconstpointer) order->data;

  if (rank < 3 || infer_type_size (in->v.desc.type) == 0 || p[0] != 0)
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

/* Names dimensions longer than 1, in @order, by their place among themselves.
 * Returns how many. */
static guint
name_long_dims (const InferShape *shape, const gint64 *order, guint *names)
{
  guint n = 0;

  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[order[i]] == 1)
      continue;
    names[n] = 0;
    for (gint64 d = 0; d < order[i]; d++)
      names[n] += shape->dims[d] != 1;
    n++;
  }
  return n;
}

/* A Transpose that keeps the order of all dimensions longer than 1, so that its
 * output has the bytes of its input in the same order. */
static gboolean
keeps_bytes (const CpuPlanStep *step)
{
  g_autoptr (GArray) order = read_order (step);
  guint names[INFER_MAX_RANK], n;

  if (order == NULL)
    return FALSE;
  n = name_long_dims (cpu_in_shape (&step->s, 0),
      (const gint64 *) (gconstpointer) order->data, names);
  for (guint i = 0; i < n; i++)
    if (names[i] != i)
      return FALSE;
  return TRUE;
}

static gboolean
has_same_long_dims (const InferShape *a, const InferShape *b)
{
  int i = 0, j = 0;

  for (;;) {
    for (; i < a->rank && a->dims[i] == 1; i++)
      ;
    for (; j < b->rank && b->dims[j] == 1; j++)
      ;
    if (i == a->rank || j == b->rank)
      return i == a->rank && j == b->rank;
    if (a->dims[i++] != b->dims[j++])
      return FALSE;
  }
}

/* A Transpose that undoes the conversion of a value with channels last, behind
 * an Unsqueeze or the like: that value, whose bytes are the result; else NULL.
 */
static CpuPlanValue *
find_unconverted (const CpuPlanStep *step)
{
  g_autoptr (GArray) order = read_order (step);
  const CpuPlanStep *view =
      order != NULL ? cpu_plan_step_in (step, 0)->maker : NULL;
  const CpuPlanStep *conversion =
      view != NULL && view->view ? cpu_plan_step_in (view, 0)->maker : NULL;

  if (conversion == NULL || conversion->node != NULL)
    return NULL;
  CpuPlanValue *value = cpu_plan_step_in (conversion, 0);
  const InferShape *shape = &value->v.desc.shape;
  const InferShape *in = cpu_in_shape (&step->s, 0);
  guint names[INFER_MAX_RANK], wanted[INFER_MAX_RANK];
  gint64 memory[INFER_MAX_RANK] = { 0 };

  if (value->v.form.layout != CPU_LAYOUT_NSPC
      || !has_same_long_dims (shape, in))
    return NULL;
  for (int i = 0; i < shape->rank; i++)
    memory[i] = i;
  cpu_channels_to_end (shape->rank, memory);
  const guint n = name_long_dims (shape, memory, names);
  name_long_dims (in, (const gint64 *) (gconstpointer) order->data, wanted);
  return memcmp (names, wanted, n * sizeof *names) == 0 ? value : NULL;
}

/* @step reads @value, and what made its input goes if nobody else reads it. */
static void
read_unconverted (CpuPlan *plan, CpuPlanStep *step, CpuPlanValue *value)
{
  CpuPlanStep *view = cpu_plan_step_in (step, 0)->maker;
  CpuPlanStep *conversion = cpu_plan_step_in (view, 0)->maker;

  cpu_plan_set_input (step, 0, value);
  if (cpu_plan_step_out (view, 0)->n_uses == 0)
    cpu_plan_remove_step (plan, view);
  if (cpu_plan_step_out (conversion, 0)->n_uses == 0)
    cpu_plan_remove_step (plan, conversion);
}

/* An element-wise step takes channels last as it comes, where every operand is
 * of the full shape or a single element. */
static gboolean
takes_any (const CpuPlanStep *step)
{
  if ((step->s.cpu_op->flags & CPU_OP_ANY_LAYOUT) == 0 || step->s.n_in == 0
      || step->s.in[0] == NULL || step->s.in[0]->form.layout != CPU_LAYOUT_NSPC)
    return FALSE;
  const InferShape *shape = &step->s.in[0]->desc.shape;
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
      CpuPlanValue *first = cpu_plan_step_in (step, 0);

      cpu_plan_set_input (step, 0, cpu_plan_step_in (step, 1));
      cpu_plan_set_input (step, 1, first);
    }
    return;
  }
}

static gboolean
set_input (CpuPlan *plan, CpuPlanStep *step, guint slot, CpuLayout layout,
    GError **error)
{
  CpuPlanValue *value = cpu_plan_step_in (step, slot);

  if (value == NULL)
    return TRUE;
  value = cpu_plan_in_layout (plan, value, layout, step, error);
  if (value == NULL)
    return FALSE;
  if (value != cpu_plan_step_in (step, slot))
    cpu_plan_set_input (step, slot, value);
  return TRUE;
}

static gboolean
set_inputs (CpuPlan *plan, CpuPlanStep *step, gboolean all, GError **error)
{
  const InferShape *out =
      step->s.n_posts > 0 ? cpu_out_shape (&step->s, 0) : NULL;

  for (guint slot = 0; slot < cpu_plan_step_n_slots (step); slot++) {
    const CpuPlanValue *value = cpu_plan_step_in (step, slot);
    const gboolean follows =
        slot < step->s.n_in
            ? slot == 0 || all
            : value != NULL && infer_shape_equal (&value->v.desc.shape, out);

    if (!set_input (plan, step, slot,
            follows ? step->s.layout : CPU_LAYOUT_PLAIN, error))
      return FALSE;
  }
  return TRUE;
}

/* Types of less than a byte keep the order of their file. */
static gboolean
is_of_bytes (const CpuPlanStep *step)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL
        && infer_type_size (step->s.in[i]->desc.type) == 0)
      return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    if (infer_type_size (step->s.out[k]->desc.type) == 0)
      return FALSE;
  return TRUE;
}

static gboolean
choose (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  const CpuOp *op = step->s.cpu_op;
  gboolean any, nspc;

  if (step->s.lazy)
    return set_inputs (plan, step, TRUE, error);
  step->view = renames_layout (step, &step->s.layout);
  if (step->view) {
    step->s.out[0]->form.layout = step->s.layout;
    return TRUE;
  }
  CpuPlanValue *unconverted = find_unconverted (step);
  if (unconverted != NULL) {
    read_unconverted (plan, step, unconverted);
    step->view = TRUE;
    return TRUE;
  }
  if (step->s.op != NULL)
    swap_operands (step);
  any = takes_any (step);
  nspc =
      (any || (op->wants_nspc != NULL && op->wants_nspc (&step->s)))
      && (op->absorb != cpu_chain_can_absorb || cpu_chain_suits_nspc (&step->s))
      && is_of_bytes (step);
  step->view = (op->flags & CPU_OP_VIEW) != 0 || keeps_bytes (step);
  step->s.layout = nspc ? CPU_LAYOUT_NSPC : CPU_LAYOUT_PLAIN;
  if (nspc)
    step->s.out[0]->form.layout = CPU_LAYOUT_NSPC;
  return set_inputs (
      plan, step, any || (op->flags & CPU_OP_ALL_INPUTS) != 0, error);
}

static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    if (!choose (plan, step, error))
      return cpu_plan_step_failed (step, error);
  for (guint k = 0; k < plan->results->len; k++) {
    CpuPlanValue *value = plan->results->pdata[k];

    if (!cpu_plan_unpack (plan, value, error))
      return FALSE;
    value = cpu_plan_in_layout (plan, value, CPU_LAYOUT_PLAIN, NULL, error);
    if (value == NULL)
      return FALSE;
    cpu_plan_set_result (plan, k, value);
  }
  return TRUE;
}

const CpuPass cpu_pass_layout = { .name = "layout", .run = run };
