/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations between two FakeQuantizes are a function of 256
 * levels: a table, where u8 goes in and u8 is wanted. */

#include "cpu/passes/pass.h"
#include "cpu/passes/quantise.h"

#include "cpu/ops/elementwise.h"
#include "inference/graph/ops/elementwise.h"

#include <string.h>

#define LEVELS 256
/* Operations of a function, one after the other. */
#define MAX_DEPTH 8
/* Elements that are worth a thread. */
#define GRAIN 65536

/* --- the step --- */

static void
look_up_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuStep *step = data;

  step->kernels->lookup_u8 ((guint8 *) step->out[0]->data + begin,
      (const guint8 *) step->in[0]->data + begin, end - begin, step->priv);
}

static gboolean
look_up (CpuStep *step, GError **error)
{
  cpu_step_parallel (step, step->in[0]->n, GRAIN, look_up_range, step);
  return TRUE;
}

/* priv: the table. */
static const CpuOp lookup_op = { .flags = CPU_OP_ANY_LAYOUT, .run = look_up };

/* --- the function --- */

typedef struct
{
  const CpuPlanValue *x;
  const CpuPlanStep *last; /* the FakeQuantize of the result */
  float levels[LEVELS];    /* all that x can be */
} Function;

static gboolean evaluate (
    const Function *f, const CpuPlanValue *value, guint depth, float *to);

static gboolean
evaluate_binary (const Function *f, const CpuPlanStep *step, CpuBinary what,
    guint depth, float *to)
{
  float numbers[2][LEVELS];
  gsize steps[2];

  for (guint i = 0; i < 2; i++) {
    const CpuPlanValue *in = cpu_plan_step_in (step, i);

    steps[i] = in->v.constant ? 0 : 1;
    if (in->v.constant && in->v.n == 1 && in->v.data != NULL
        && in->v.desc.type == INFER_TYPE_F32)
      numbers[i][0] = *(const float *) in->v.data;
    else if (!evaluate (f, in, depth, numbers[i]))
      return FALSE;
  }
  if (steps[0] + steps[1] == 0)
    return FALSE;
  step->s.kernels->binary_f32 (
      what, to, numbers[0], steps[0], numbers[1], steps[1], LEVELS);
  return TRUE;
}

/* As the operation itself would compute them, with the same kernels. */
static gboolean
evaluate_step (
    const Function *f, const CpuPlanStep *step, guint depth, float *to)
{
  const CpuPlanValue *in = cpu_plan_step_in (step, 0);
  CpuUnary unary;
  CpuBinary binary;
  CpuQuant quant;
  float a, b;

  if (step->s.n_in == 2 && cpu_binary_of (step->s.op, &binary))
    return evaluate_binary (f, step, binary, depth, to);
  if (cpu_quantise_range (step, &quant)) {
    const InferBinary *attrs = step->s.op->attrs;
    float limits[4];

    for (guint i = 0; i < 4; i++)
      limits[i] = *(const float *) step->s.in[1 + i]->data;
    if (!evaluate (f, in, depth, to))
      return FALSE;
    step->s.kernels->fake_quantize_f32 (to, to, LEVELS, limits[0], limits[1],
        limits[2], limits[3], (float) attrs->levels);
    return TRUE;
  }
  if (!cpu_unary_of (
          step->s.op, (const CpuValue *const *) step->s.in, &unary, &a, &b)
      || !evaluate (f, in, depth, to))
    return FALSE;
  step->s.kernels->unary_f32 (unary, to, to, LEVELS, a, b);
  return TRUE;
}

/* FALSE: @value is no function of f->x alone. */
static gboolean
evaluate (const Function *f, const CpuPlanValue *value, guint depth, float *to)
{
  const CpuPlanStep *step = value->maker;

  if (value == f->x) {
    memcpy (to, f->levels, sizeof f->levels);
    return TRUE;
  }
  return depth > 0 && step != NULL && step->node != NULL && !step->s.lazy
         && step->guard == f->last->guard && step->s.n_posts == 0
         && step->s.n_in > 0 && step->s.n_out == 1 && step->s.in[0] != NULL
         && value->v.desc.type == INFER_TYPE_F32
         && infer_shape_equal (&value->v.desc.shape, &f->x->v.desc.shape)
         && evaluate_step (f, step, depth - 1, to);
}

/* --- the pass --- */

/* Fills in the table if the result is a function of @x. */
static gboolean
tabulate (const CpuPlanStep *last, const CpuPlanValue *x, const CpuQuant *to,
    guint8 *table)
{
  Function f = { .x = x, .last = last };
  guint8 codes[LEVELS];
  float results[LEVELS];

  for (guint i = 0; i < LEVELS; i++)
    codes[i] = (guint8) i;
  last->s.kernels->dequantize_u8 (f.levels, codes, LEVELS, x->grid);
  if (!evaluate (&f, cpu_plan_step_in (last, 0), MAX_DEPTH, results))
    return FALSE;
  last->s.kernels->quantize_u8 (table, results, LEVELS, to);
  return TRUE;
}

/* Whether @value is the result of a FakeQuantize that u8 can hold. */
static gboolean
is_quantised (const CpuPlanValue *value, const CpuPlanStep *last)
{
  CpuQuant quant;

  return value->maker != NULL && value->maker->node != NULL
         && !value->maker->s.lazy && value->maker->guard == last->guard
         && value->grid != NULL && cpu_quantise_range (value->maker, &quant);
}

/* The earliest value on a grid of which the result is a function; NULL: none.
 */
static CpuPlanValue *
find_argument (const CpuPlanStep *last, const CpuQuant *to, guint8 *table)
{
  CpuPlanValue *found = NULL, *value = cpu_plan_step_in (last, 0);

  for (guint depth = 0; depth < MAX_DEPTH && value->maker != NULL; depth++) {
    const CpuPlanStep *maker = value->maker;
    guint8 filled[LEVELS];

    if (depth > 0 && is_quantised (value, last)
        && tabulate (last, value, to, filled)) {
      memcpy (table, filled, sizeof filled);
      found = value;
    }
    if (maker->s.n_in == 0 || maker->s.in[0] == NULL)
      break;
    value = cpu_plan_step_in (maker, 0);
  }
  return found;
}

/* Removes the steps that computed @value, if no step reads it any more. */
static void
remove_unread (
    CpuPlan *plan, const CpuPlanValue *value, const CpuPlanValue *until)
{
  CpuPlanStep *step = value->maker;
  CpuPlanValue *in[2] = { NULL };

  if (value == until || value->n_uses > 0 || step == NULL)
    return;
  for (guint i = 0; i < MIN (step->s.n_in, G_N_ELEMENTS (in)); i++)
    in[i] = cpu_plan_step_in (step, i);
  cpu_plan_remove_step (plan, step);
  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    if (in[i] != NULL && (i == 0 || in[i] != in[0]))
      remove_unread (plan, in[i], until);
}

/* Returns the new step in place of @last. */
static CpuPlanStep *
replace (CpuPlan *plan, CpuPlanStep *last, CpuPlanValue *x,
    const CpuQuant *quant, const guint8 *table)
{
  CpuPlanValue *floats = cpu_plan_step_out (last, 0);
  const CpuPlanValue *end = cpu_plan_step_in (last, 0);
  CpuPlanStep *step = cpu_plan_add_step (plan, last, NULL, &lookup_op, 1, 1);

  step->s.kernel = "lookup_u8";
  step->s.priv = g_memdup2 (table, LEVELS);
  step->guard = last->guard;
  cpu_plan_set_input (step, 0, cpu_quantise_value (plan, x, step));
  cpu_plan_remove_step (plan, last);
  cpu_quantise_output (plan, step, floats, quant);
  remove_unread (plan, end, x);
  return step;
}

/* Whether a convolution can give @x, the result of a FakeQuantize, as u8: one
 * of u8, maybe with a bias in between. */
static gboolean
comes_as_u8 (const CpuPlanValue *x)
{
  const CpuPlanStep *step = cpu_plan_step_in (x->maker, 0)->maker;

  if (step != NULL && infer_op_is (step->s.op, &infer_op_add))
    step = cpu_plan_step_in (step, 0)->maker;
  return step != NULL && cpu_quantise_is_convolution (step->s.op)
         && step->s.in[0]->form.quant != NULL;
}

/* As a convolution may read it. */
static gboolean
is_wanted_as_u8 (const CpuPlanStep *step)
{
  return step->node->feeds_convolution
         || cpu_quantise_has_value (cpu_plan_step_out (step, 0));
}

/* From the last one on: a FakeQuantize in the middle is part of the function.
 */
static gboolean
run (CpuPlan *plan, GError **error)
{
  for (CpuPlanStep *step = plan->last; step != NULL; step = step->prev) {
    CpuPlanValue *x;
    CpuQuant quant;
    guint8 table[LEVELS];

    if (step->node == NULL || step->s.lazy || !cpu_isa_has_int8 (step->s.isa)
        || !cpu_quantise_range (step, &quant))
      continue;
    x = find_argument (step, &quant, table);
    if (x != NULL && (is_wanted_as_u8 (step) || comes_as_u8 (x)))
      step = replace (plan, step, x, &quant, table);
  }
  return TRUE;
}

const CpuPass cpu_pass_tabulate = { .name = "tabulate", .run = run };
