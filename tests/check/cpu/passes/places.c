/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where values lie: the passes that decide it, each on its own. */

#include "tests/check/cpu/passes/planned.h"

/* y = softmax (x · x), written where the caller wants it; the product lies
 * there too. */
static void
test_reuse_inputs (void)
{
  InferModel *net = net_new ();
  Planned p;

  net_build (net, "x = Parameter 4,4; "
                  "product = MatMul x x transpose_a=false transpose_b=false; "
                  "softmax = SoftMax product axis=1; y = Result softmax");
  plan_before (&p, net, &cpu_pass_reuse_inputs, INFER_PRECISION_F32);
  const CpuPlanValue *product = cpu_plan_step_out (step_at (&p, 0), 0);
  const CpuPlanValue *result = p.plan->results->pdata[0];
  g_assert_cmpint (result->place, ==, CPU_PLACE_ARENA);
  run_pass (&p, &cpu_pass_reuse_inputs);
  g_assert_true (result->root == product);
  g_assert_cmpint (product->place, ==, CPU_PLACE_RESULT);
  planned_clear (&p);
}

/* next = SoftMax (v · x) is assigned to v, and y = ReLU (next). */
static void
plan_states (Planned *p, const char *initial, const char *result)
{
  InferModel *net = net_new ();

  net_build (net, "x = Parameter 4,4; first = Sigmoid x");
  net_read (net, "v", "4,4", initial);
  net_build (net, "product = MatMul v x transpose_a=false transpose_b=false; "
                  "next = SoftMax product axis=1; y = ReLU next");
  net_assign (net, "v", "next");
  net_result (net, "out", result);
  plan_before (p, net, &cpu_pass_reuse_inputs, INFER_PRECISION_F32);
  run_pass (p, &cpu_pass_reuse_inputs);
}

static const CpuPlanValue *
value_of (const Planned *p, const InferOpClass *klass)
{
  for (CpuPlanStep *step = p->plan->first; step != NULL; step = step->next)
    if (infer_op_is (step->s.op, klass))
      return cpu_plan_step_out (step, 0);
  g_assert_not_reached ();
}

/* Where it will be the variable's value, it cannot become y as well. */
static void
test_place_states (void)
{
  Planned p;

  plan_states (&p, NULL, "y");
  const CpuPlanValue *next = value_of (&p, &infer_op_softmax);
  g_assert_true (next->root == value_of (&p, &infer_op_matmul));
  g_assert_cmpint (next->root->place, ==, CPU_PLACE_STATE);
  g_assert_cmpuint (next->root->index, ==, 0);
  g_assert_cmpuint (p.plan->assigns->len, ==, 1);
  g_assert_true (value_of (&p, &infer_op_relu)->root != next->root);
  planned_clear (&p);
}

/* The first value is written to the same memory; a result is the caller's. */
static void
test_copy_states (void)
{
  Planned p;

  plan_states (&p, "first", "y");
  g_assert_cmpint (
      value_of (&p, &infer_op_softmax)->root->place, ==, CPU_PLACE_ARENA);
  g_assert_cmpuint (p.plan->assigns->len, ==, 0);
  planned_clear (&p);
  plan_states (&p, NULL, "next");
  g_assert_cmpint (
      value_of (&p, &infer_op_softmax)->root->place, ==, CPU_PLACE_RESULT);
  g_assert_cmpuint (p.plan->assigns->len, ==, 0);
  planned_clear (&p);
}

/* a = x · x, b = a · a, y = b · a: a and b live at the same time. */
static void
test_place (void)
{
  const char *const inputs[] = { "x x", "a a", "b a" };
  const char *const names[] = { "a", "b", "c" };
  InferModel *net = net_new ();
  Planned p;

  net_parameter (net, "x", "8,8");
  for (guint i = 0; i < 3; i++)
    net_add (net, "MatMul", names[i], inputs[i], 1, "transpose_a", "false",
        "transpose_b", "false", NULL);
  net_result (net, "y", "c");
  plan_before (&p, net, &cpu_pass_place, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_place);
  const CpuPlanValue *a = cpu_plan_step_out (step_at (&p, 0), 0);
  const CpuPlanValue *b = cpu_plan_step_out (step_at (&p, 1), 0);
  g_assert_cmpuint (MAX (a->offset, b->offset), ==, 256);
  g_assert_cmpuint (MIN (a->offset, b->offset), ==, 0);
  g_assert_cmpuint (p.plan->arena_size, >=, 512);
  planned_clear (&p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/passes/reuse-inputs", test_reuse_inputs);
  g_test_add_func ("/cpu/passes/reuse-inputs/states", test_place_states);
  g_test_add_func ("/cpu/passes/reuse-inputs/copied", test_copy_states);
  g_test_add_func ("/cpu/passes/place", test_place);
  return g_test_run ();
}
