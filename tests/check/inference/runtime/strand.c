/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/strand.h"

#define N_STEPS 2000

typedef struct
{
  InferStrand *strand;
  guint order[N_STEPS];
  guint n; /* deliberately unguarded: the strand orders access */
  gint inside;
} Sequence;

typedef struct
{
  InferTask task, later;
  Sequence *sequence;
  guint number;
  InferExecutor
      *other; /* executor on which the step ends; NULL: where it ran */
} Step;

static void
step_end (Step *step)
{
  Sequence *sequence = step->sequence;

  sequence->order[sequence->n++] = step->number;
  g_assert_cmpint (g_atomic_int_add (&sequence->inside, -1), ==, 1);
  infer_strand_done (sequence->strand);
}

static void
step_later (InferTask *task)
{
  step_end ((Step *) ((char *) task - G_STRUCT_OFFSET (Step, later)));
}

static void
step_run (InferTask *task)
{
  Step *step = (Step *) task;

  g_assert_cmpint (g_atomic_int_add (&step->sequence->inside, 1), ==, 0);
  if (step->other != NULL)
    infer_executor_submit (step->other, &step->later);
  else
    step_end (step);
}

static Step *
steps_new (Sequence *sequence, guint n)
{
  Step *steps = g_new0 (Step, n);

  for (guint i = 0; i < n; i++)
    steps[i] = (Step){ .task.run = step_run,
      .later.run = step_later,
      .sequence = sequence,
      .number = i };
  return steps;
}

static void
check_order (const Sequence *sequence, guint n)
{
  g_assert_cmpuint (sequence->n, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (sequence->order[i], ==, i);
}

/* Some steps end on another executor. */
static void
test_order (void)
{
  g_autofree Sequence *sequence = g_new0 (Sequence, 1);
  g_autofree Step *steps = steps_new (sequence, N_STEPS);
  InferExecutor *a = infer_executor_new_pool ("a", 3);
  InferExecutor *b = infer_executor_new_pool ("b", 2);

  sequence->strand = infer_strand_new ();
  for (guint i = 0; i < N_STEPS; i++) {
    steps[i].other = i % 3 == 0 ? (i % 2 ? a : b) : NULL;
    infer_strand_post (sequence->strand, i % 2 ? b : a, &steps[i].task);
  }
  infer_strand_enter (sequence->strand); /* queued behind all of them */
  check_order (sequence, N_STEPS);
  infer_strand_done (sequence->strand);
  infer_executor_unref (a);
  infer_executor_unref (b);
  infer_strand_free (sequence->strand);
}

static void
hold (InferTask *task)
{
}

/* A long queue of steps on an immediate executor must not overflow the stack.
 */
static void
test_immediate (void)
{
  g_autofree Sequence *sequence = g_new0 (Sequence, 1);
  g_autofree Step *steps = steps_new (sequence, N_STEPS);
  g_autoptr (InferExecutor) immediate = infer_executor_new_immediate ();
  InferTask first = { .run = hold };

  sequence->strand = infer_strand_new ();
  infer_strand_post (sequence->strand, NULL, &first);
  for (guint i = 0; i < N_STEPS; i++)
    infer_strand_post (
        sequence->strand, i % 2 ? immediate : NULL, &steps[i].task);
  g_assert_cmpuint (sequence->n, ==, 0);
  infer_strand_done (sequence->strand);
  check_order (sequence, N_STEPS);
  infer_strand_free (sequence->strand);
}

static gpointer
enter_often (gpointer data)
{
  Sequence *sequence = data;

  for (guint i = 0; i < N_STEPS / 4; i++) {
    infer_strand_enter (sequence->strand);
    sequence->n++;
    infer_strand_done (sequence->strand);
  }
  return NULL;
}

static void
test_enter (void)
{
  g_autofree Sequence *sequence = g_new0 (Sequence, 1);
  GThread *threads[4];

  sequence->strand = infer_strand_new ();
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("enter", enter_often, sequence);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (sequence->n, ==, N_STEPS);
  infer_strand_free (sequence->strand);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strand/order", test_order);
  g_test_add_func ("/strand/immediate", test_immediate);
  g_test_add_func ("/strand/enter", test_enter);
  return g_test_run ();
}
