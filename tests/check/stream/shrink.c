/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/shrink.h"

#include <string.h>

#define PATIENCE_S 20 /* per run */
#define FIRST_RUNS                                                             \
  400                  /* to see whether a failure comes again, and how often  \
                        */
#define BUDGET_S 150   /* of all */
#define MIN_FAILURES 3 /* expected in the runs of a smaller plan that fails */

typedef struct
{
  PlanRun run;
  const Plan *plan;
  guint n_processes, runs; /* of each plan, in all processes together */
  gint64 until;
  char *why;
} Shrink;

/* Failures may depend on thread timing: runs the plan again and again. */
static gboolean
attempt (guint index, guint n, WorkerNote *note, gpointer data)
{
  const Shrink *s = data;

  gst_init (NULL, NULL);
  for (guint i = index; i < s->runs; i += n) {
    worker_patience (PATIENCE_S);
    g_autofree char *wrong = s->run (s->plan, &note->events);
    note->streams++;
    if (wrong == NULL)
      continue;
    g_strlcpy (note->wrong, wrong, sizeof note->wrong);
    return FALSE;
  }
  return TRUE;
}

static gboolean
fails (Shrink *s, const Plan *plan, WorkerNote *total)
{
  if (g_get_monotonic_time () > s->until)
    return FALSE;
  s->plan = plan;
  g_autofree WorkerNote *failed =
      workers_run (s->n_processes, TRUE, attempt, s, total);
  if (failed == NULL)
    return FALSE;
  g_free (s->why);
  s->why = g_strdup (failed->wrong);
  return TRUE;
}

/* Takes @plan and @less, returns the one to go on with. */
static Plan *
choose (Shrink *s, Plan *plan, Plan *less)
{
  gboolean smaller = fails (s, less, NULL);

  plan_free (smaller ? plan : less);
  return smaller ? less : plan;
}

/* Removes ranges of operations, long ones first. */
static Plan *
shrink_ops (Shrink *s, Plan *plan)
{
  for (guint size = MAX (plan->n_ops / 2, 1); size > 0; size /= 2) {
    for (guint at = 0; at + size <= plan->n_ops;) {
      guint before = plan->n_ops;
      Plan *less = plan_copy (plan);

      memmove (less->ops + at, less->ops + at + size,
          (less->n_ops - at - size) * sizeof (PlanOp));
      less->n_ops -= size;
      plan = choose (s, plan, less);
      if (plan->n_ops == before)
        at += size;
    }
  }
  return plan;
}

static Plan *
shrink_config (Shrink *s, Plan *plan)
{
  for (guint i = 0; i < PLAN_N_SIMPLER; i++) {
    Plan *less = plan_copy (plan);

    if (plan_simplify (less, i))
      plan = choose (s, plan, less);
    else
      plan_free (less);
  }
  return plan;
}

Plan *
plan_shrink (
    Plan *plan, PlanRun run, guint n_processes, char **why, guint *runs)
{
  Shrink s = { .run = run,
    .n_processes = n_processes,
    .runs = FIRST_RUNS,
    .until = g_get_monotonic_time () + BUDGET_S * G_USEC_PER_SEC };
  WorkerNote total = { 0 };

  if (fails (&s, plan, &total)) {
    s.runs = (guint) CLAMP (MIN_FAILURES * total.streams, 8, FIRST_RUNS);
    plan = shrink_config (&s, plan);
    plan = shrink_ops (&s, plan);
    plan = shrink_config (&s, plan);
  }
  *why = s.why;
  *runs = s.runs;
  return plan;
}
