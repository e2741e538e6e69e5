/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edits of a plan keep the order of steps and the uses of values. */

#include "cpu/graph/plan.h"

static const CpuOp op = { .flags = CPU_OP_NONE };

typedef struct
{
  CpuScope *scope;
  CpuPlan *plan;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  const InferConfig config = { .streams = 1, .threads = 1 };

  f->scope = cpu_scope_new (&config);
  f->plan = cpu_plan_new (f->scope, NULL, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  cpu_plan_free (f->plan);
  cpu_scope_free (f->scope);
}

static CpuPlanValue *
add_value (Fixture *f)
{
  const InferDesc desc = { INFER_TYPE_F32, infer_shape_make (1, 4) };

  return cpu_plan_add_value (f->plan, &desc);
}

/* A step of @n_in inputs and one output. */
static CpuPlanStep *
add_step (Fixture *f, CpuPlanStep *before, guint n_in)
{
  CpuPlanStep *step = cpu_plan_add_step (f->plan, before, NULL, &op, n_in, 1);

  cpu_plan_set_output (step, 0, add_value (f));
  return step;
}

static void
assert_in_order (const CpuPlan *plan)
{
  guint n = 0;

  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next) {
    n++;
    g_assert_true (
        step->next == NULL ? plan->last == step : step->next->prev == step);
    g_assert_true (step->next == NULL || step->order < step->next->order);
  }
  g_assert_cmpuint (n, ==, plan->n_steps);
}

/* Many more steps at one place than orders between two neighbours. */
static void
test_order (Fixture *f, gconstpointer data)
{
  CpuPlanStep *first = add_step (f, NULL, 0), *last = add_step (f, NULL, 0);
  CpuPlanStep *middle = NULL;

  for (guint i = 0; i < 200; i++)
    middle = add_step (f, last, 0);
  assert_in_order (f->plan);
  g_assert_true (last->prev == middle);
  g_assert_true (cpu_plan_is_before (cpu_plan_step_out (first, 0), middle));
  g_assert_false (cpu_plan_is_before (cpu_plan_step_out (last, 0), middle));
  cpu_plan_move_step (f->plan, last, first);
  assert_in_order (f->plan);
  g_assert_true (f->plan->first == last);
  cpu_plan_remove_step (f->plan, middle);
  assert_in_order (f->plan);
  g_assert_cmpuint (f->plan->n_steps, ==, 201);
}

static void
test_uses (Fixture *f, gconstpointer data)
{
  CpuPlanStep *maker = add_step (f, NULL, 0);
  CpuPlanStep *reader = add_step (f, NULL, 2);
  CpuPlanValue *made = cpu_plan_step_out (maker, 0), *other = add_value (f);

  g_assert_true (made->maker == maker);
  g_assert_null (cpu_plan_only_use (made));
  g_assert_null (cpu_plan_first_reader (made));
  cpu_plan_set_input (reader, 1, made);
  g_assert_true (cpu_plan_only_use (made)->step == reader);
  g_assert_cmpuint (cpu_plan_only_use (made)->slot, ==, 1);
  cpu_plan_set_input (reader, 0, made);
  cpu_plan_add_result (f->plan, made);
  g_assert_cmpuint (made->n_uses, ==, 3);
  g_assert_true (cpu_plan_first_reader (made) == reader);
  cpu_plan_replace (f->plan, made, other);
  g_assert_cmpuint (made->n_uses, ==, 0);
  g_assert_cmpuint (other->n_uses, ==, 3);
  g_assert_true (reader->s.in[0] == &other->v && reader->s.in[1] == &other->v);
  g_assert_true (f->plan->results->pdata[0] == other);
  cpu_plan_remove_step (f->plan, reader);
  g_assert_cmpuint (other->n_uses, ==, 1);
}

/* The operand of a post-op is an input behind the others. */
static void
test_posts (Fixture *f, gconstpointer data)
{
  CpuPlanStep *step = add_step (f, NULL, 1);
  CpuPlanValue *operand = add_value (f);

  cpu_plan_add_post (step, NULL, 0, NULL);
  cpu_plan_add_post (step, NULL, 0, operand);
  g_assert_cmpuint (cpu_plan_step_n_slots (step), ==, 3);
  g_assert_true (cpu_plan_step_in (step, 2) == operand);
  g_assert_cmpuint (cpu_plan_only_use (operand)->slot, ==, 2);
}

/* A fused step keeps its uses and leaves the list. */
static void
test_fused (Fixture *f, gconstpointer data)
{
  CpuPlanStep *producer = add_step (f, NULL, 1);
  CpuPlanStep *consumer = add_step (f, NULL, 1);
  CpuPlanValue *in = add_value (f);

  cpu_plan_set_input (producer, 0, in);
  cpu_plan_set_input (consumer, 0, cpu_plan_step_out (producer, 0));
  cpu_plan_fuse_step (f->plan, producer, consumer);
  assert_in_order (f->plan);
  g_assert_cmpuint (f->plan->n_steps, ==, 1);
  g_assert_true (cpu_plan_only_use (in)->step == producer);
  g_assert_true (producer->consumer == consumer);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func)                                                        \
  g_test_add ("/cpu/graph/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("order", test_order);
  ADD ("uses", test_uses);
  ADD ("posts", test_posts);
  ADD ("fused", test_fused);
  return g_test_run ();
}
